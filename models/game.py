"""What counts as a game, and its sequence form."""

from __future__ import annotations

from typing import TypeAlias

from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.extensive import ExtensiveGame
from equiform.models.normal_form import NormalForm
from equiform.models.sequence_form import SequenceForm, sequence_form

Game: TypeAlias = ExtensiveGame | SequenceForm | NormalForm


def as_sequence_form(game: Game) -> SequenceForm:
    """Return the sequence form of any two-player zero-sum game with perfect recall.

    Parameters
    ----------
    game
        A game tree, a normal form, or a sequence form, which is returned as it is.

    Raises
    ------
    ParameterError
        If this is not a game.
    UnsupportedGameError
        If the game is not a two-player constant-sum game.
    """
    require_game(game)
    if isinstance(game, SequenceForm):
        return game
    return game.sequence_form() if isinstance(game, NormalForm) else sequence_form(game)


def payoff_spread(game: Game) -> float:
    """Return how far apart the payoffs of a player can lie: the scale on which regrets are judged.

    Of a game that exists as an operator only, it is the range of what responses to uniform play can earn.

    >>> from equiform.games.registry import load_game
    >>> payoff_spread(load_game("kuhn")), payoff_spread(load_game("rps"))
    (4.0, 2.0)
    """
    if isinstance(game, SequenceForm):
        spreads = []
        for player, own in enumerate(game.treeplexes):
            opponent = game.treeplexes[1 - player]
            gradient = game.gradient(player, opponent.realization(opponent.uniform()))
            spreads.append(own.best_value(gradient) + own.best_value(-gradient))
        return max(spreads)
    payoffs = game.payoff_floats
    by_player = payoffs.reshape(len(payoffs), -1) if isinstance(game, NormalForm) else payoffs.T
    return float((by_player.max(axis=1) - by_player.min(axis=1)).max())


def require_normal_form(game: Game, instead: str) -> NormalForm:
    """Refuse a game that is not a table of payoffs, and name what accepts it."""
    if not isinstance(game, NormalForm):
        raise UnsupportedGameError(
            f"{getattr(game, 'name', game)} is not in normal form", where=type(game).__name__, fix=f"use {instead}"
        )
    return game


def require_game(game: Game) -> Game:
    """Refuse anything that is not a game, such as rules that are not compiled or a name that is not loaded."""
    if not isinstance(game, ExtensiveGame | SequenceForm | NormalForm):
        raise ParameterError(
            f"this is not a game: {game!r}"[:200],
            where=type(game).__name__,
            fix="load a name or a file with equiform.load_game, and compile rules with equiform.models.compile_rules",
        )
    return game
