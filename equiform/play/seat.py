r"""One player's seat at a game: everything that agents, opponents and matches read, in arrays.

A matrix game becomes a tree in which the second player moves blindly, so that one code plays matrix games, trees of
perfect information and of imperfect information.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.games.registry import Game, load_game
from equiform.games.sequential import StagedGame
from equiform.models.common.arguments import require_player
from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.errors import ParameterError
from equiform.models.compile import compile_rules
from equiform.models.extensive import ExtensiveGame
from equiform.models.game import require_game
from equiform.models.normal_form import NormalForm
from equiform.models.sequence_form import SequenceForm, sequence_form
from equiform.models.treeplex import Treeplex


class Tree(NamedTuple):
    """The game tree as compiled code walks it; payoffs are those of the seat's player."""

    turn: NDArray[np.int16]
    first_child: Int32Array
    num_children: Int32Array
    move: Int32Array
    chance: FloatArray
    payoff: FloatArray


@dataclass(frozen=True, eq=False)
class Seat:
    """A player in a two-player zero-sum game, from that player's point of view."""

    game: ExtensiveGame = field(repr=False)
    player: int
    form: SequenceForm = field(repr=False)
    """The sequence form with the player in seat 0."""
    value: float
    """The game's value for the player."""
    equilibrium: tuple[FloatArray, FloatArray] = field(repr=False)
    """Behavioural equilibrium strategies: the player's and the opponent's."""

    @property
    def name(self) -> str:
        """What the game is called."""
        return self.game.name

    @property
    def own(self) -> Treeplex:
        """The player's treeplex."""
        return self.form.treeplexes[0]

    @property
    def opponent(self) -> Treeplex:
        """The opponent's treeplex."""
        return self.form.treeplexes[1]

    @cached_property
    def tree(self) -> Tree:
        """The arrays that hands are dealt from."""
        game = self.game
        chance = np.array([float(p) for p in game.chance_values] or [1.0])
        payoffs = game.payoff_floats[:, self.player]
        return Tree(
            game.turn,
            game.first_child,
            game.num_children,
            game.move,
            np.where(game.edge >= 0, chance[game.edge], 0.0),
            np.where(game.outcome >= 0, payoffs[game.outcome], 0.0),
        )

    @cached_property
    def own_sequence(self) -> Int32Array:
        """The player's last move above each node."""
        return self.game.sequences[self.player]

    @cached_property
    def opponent_sequence(self) -> Int32Array:
        """The opponent's last move above each node."""
        return self.game.sequences[1 - self.player]

    def gradients(self, opponent_plans: FloatArray) -> FloatArray:
        """Return what each of the player's sequences earns against each plan of the opponent (one per row)."""
        earned: FloatArray = self.form.A @ opponent_plans.T
        return np.ascontiguousarray(earned.T)

    def opponent_gradients(self, plans: FloatArray) -> FloatArray:
        """Return what each of the opponent's sequences earns against each plan of the player (one per row)."""
        earned: FloatArray = self.form.A.T @ plans.T
        return np.ascontiguousarray(-earned.T)

    def exploitability(self, plan: FloatArray) -> float:
        """Return how far the plan's guarantee falls short of the value."""
        return self.value + self.opponent.best_value(self.form.gradient(1, plan))


def take_seat(game: Game | str, player: int = 0) -> Seat:
    """Seat a player at a game and solve the game once.

    Parameters
    ----------
    game
        A game or its name; a matrix becomes a tree in which player 2 moves blindly.
    player
        0 or 1.

    Raises
    ------
    ParameterError
        If the game does not have two players or is not given as a tree or a matrix.

    Examples
    --------
    >>> seat = take_seat("kuhn")
    >>> round(seat.value * 18, 9), take_seat("rps").opponent.actions
    (-1.0, (('R', 'P', 'S'),))
    """
    loaded = load_game(game) if isinstance(game, str) else require_game(game)
    if isinstance(loaded, NormalForm):
        if len(loaded.players) != 2:
            raise ParameterError("matches have two players", where=loaded.name, fix="use a two-player game")
        loaded = compile_rules(StagedGame(loaded.name, [loaded.zero_sum()]))
    if not isinstance(loaded, ExtensiveGame):
        raise ParameterError("hands are dealt from a game tree", where=loaded.name, fix="pass the tree, or a matrix")
    require_player(player, len(loaded.players), loaded.name)
    loaded = loaded.zero_sum()
    form = for_player(sequence_form(loaded), player)
    result = sequence_form_lp.solve(form, solver=SolverOptions(algorithm="simplex"))
    first, second = (s.floats for s in result.strategies if s is not None)
    return Seat(loaded, player, form, result.value, (first, second))
