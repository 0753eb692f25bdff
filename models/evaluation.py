r"""The evaluation of a profile on the tree itself: reach, expected payoffs, best responses and regrets for n players.

One forward sweep multiplies probabilities down the tree, one ``bincount`` sums what each sequence of a player earns
against the others, and one backward pass over the player's treeplex finds the best response. Nothing here reads a
payoff matrix or a program's output beyond the strategies, which makes it the witness that certificates call.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.arguments import require_player
from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.errors import StrategyError
from equiform.models.common.patient import patient_jit
from equiform.models.common.records import Record
from equiform.models.extensive import ExtensiveGame
from equiform.models.treeplex import BestResponse


@dataclass(frozen=True, eq=False)
class Evaluation(Record):
    """Every player's expected payoff, the value of a best response, and the difference."""

    payoffs: FloatArray
    best_responses: FloatArray
    regrets: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "regrets", self.best_responses - self.payoffs)

    @property
    def nash_conv(self) -> float:
        """Sum the players' regrets."""
        return float(self.regrets.sum())

    @property
    def exploitability(self) -> float:
        """Return the mean regret per player (OpenSpiel's definition)."""
        return self.nash_conv / len(self.regrets)


def reach_probabilities(game: ExtensiveGame, behaviors: Sequence[FloatArray]) -> FloatArray:
    """Return ``reach[p, node]``: player p's own contribution to reaching each node; the last row is chance's."""
    _require_profile(game, behaviors)
    chance = np.array([float(p) for p in game.chance_values] or [1.0])
    reach = np.empty((len(behaviors) + 1, game.num_nodes))
    mover = np.append(np.int16(-1), game.turn[game.parent[1:]])
    for p, behavior in enumerate(behaviors):
        _sweep(game.parent, mover, game.move, np.ascontiguousarray(behavior, dtype=np.float64), p, reach[p])
    _sweep(game.parent, mover, game.edge, chance, -1, reach[-1])
    return reach


def expected_payoffs(game: ExtensiveGame, behaviors: Sequence[FloatArray]) -> FloatArray:
    """Return each player's expected payoff."""
    return _product(reach_probabilities(game, behaviors)[:, game.terminals]) @ _leaf_payoffs(game)


def sequence_gradient(game: ExtensiveGame, behaviors: Sequence[FloatArray], player: int) -> FloatArray:
    """Return what each sequence of a player earns, per unit of its own weight, against the others and chance."""
    require_player(player, len(game.players), game.name)
    return _gradient(game, reach_probabilities(game, behaviors)[:, game.terminals], _leaf_payoffs(game), player)


def best_response(game: ExtensiveGame, behaviors: Sequence[FloatArray], player: int) -> BestResponse:
    """Return a best response to the others' behavioural strategies.

    Parameters
    ----------
    game
        A game with perfect recall and any number of players.
    behaviors
        One behavioural strategy per player; the responding player's own entry is not read.
    player
        Who responds, from 0.

    Returns
    -------
    BestResponse
        The value and a pure realization plan.
    """
    return game.treeplexes[player].best_response(sequence_gradient(game, behaviors, player))


def evaluate(game: ExtensiveGame, behaviors: Sequence[FloatArray]) -> Evaluation:
    """Return every player's payoff and regret.

    Parameters
    ----------
    game
        A game with perfect recall and any number of players.
    behaviors
        One behavioural strategy per player, in the layout of its treeplex.

    Returns
    -------
    Evaluation
        Expected payoffs, the values of best responses, and regrets.

    Raises
    ------
    StrategyError
        If the vectors do not fit the game or have entries that are not finite.
    """
    reach, payoffs = reach_probabilities(game, behaviors)[:, game.terminals], _leaf_payoffs(game)
    best = [t.best_value(_gradient(game, reach, payoffs, p)) for p, t in enumerate(game.treeplexes)]
    return Evaluation(_product(reach) @ payoffs, np.array(best))


def _gradient(game: ExtensiveGame, reach: FloatArray, payoffs: FloatArray, player: int) -> FloatArray:
    """Add up what each sequence of a player earns over the leaves."""
    earned = _product([row for p, row in enumerate(reach) if p != player]) * payoffs[:, player]
    size = game.num_sequences(player)
    return np.bincount(game.sequences[player, game.terminals], weights=earned, minlength=size).astype(np.float64)


def _product(rows: Iterable[FloatArray]) -> FloatArray:
    """Multiply row by row: several times faster than ``prod`` along the short axis."""
    return functools.reduce(np.multiply, rows)


def _leaf_payoffs(game: ExtensiveGame) -> FloatArray:
    return game.payoff_floats[game.outcome[game.terminals]]


def _require_profile(game: ExtensiveGame, behaviors: Sequence[FloatArray]) -> None:
    sizes = [game.num_sequences(p) for p in range(len(game.players))]
    if [len(b) for b in behaviors] != sizes:
        raise StrategyError(
            f"behavioural strategies of lengths {[len(b) for b in behaviors]} do not fit {sizes} sequences",
            where=game.name,
            fix="pass one vector per player in treeplex order, the empty sequence first",
        )
    for player, behavior in zip(game.players, behaviors, strict=True):
        if not np.isfinite(behavior).all():
            raise StrategyError(
                "a behavioural strategy has an entry that is not a finite number", where=player, fix="use probabilities"
            )


@patient_jit
def _sweep(
    parent: Int32Array,
    mover: NDArray[np.int16],
    move: Int32Array,
    probability: FloatArray,
    who: int,
    reach: FloatArray,
) -> None:
    """Multiply one mover's probabilities down the tree."""
    reach[0] = 1.0
    for node in range(1, len(parent)):
        above = reach[parent[node]]
        reach[node] = above * probability[move[node]] if mover[node] == who else above
