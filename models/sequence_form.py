r"""The sequence form of a two-player zero-sum game: two treeplexes and a payoff.

With flow matrices :math:`E, F` and payoff :math:`A` the game is

.. math:: \max_{x \ge 0,\, Ex = e} \; \min_{y \ge 0,\, Fy = f} \; x^\top A y,

linear in the size of the tree (Koller, Megiddo and von Stengel 1996). Everything two-player in equiform starts here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from equiform.models.common.arguments import require_player
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import UnsupportedGameError
from equiform.models.common.html import EXPLORE, html_facts
from equiform.models.common.rational import common_denominator
from equiform.models.extensive import ExtensiveGame, require_two_player_constant_sum
from equiform.models.payoffs.factored import FactoredPayoff
from equiform.models.payoffs.matrix import MatrixPayoff, Payoff
from equiform.models.treeplex import BestResponse, Treeplex


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """Two treeplexes and the first player's payoff operator.

    Parameters
    ----------
    name
        The game's name.
    treeplexes
        The decisions of player 1 and of player 2.
    payoff
        Player 1's payoff as a bilinear form in the players' sequences; player 2 receives its negative.
    """

    name: str
    treeplexes: tuple[Treeplex, Treeplex]
    payoff: Payoff

    def _repr_html_(self) -> str:
        facts = {
            "information sets": ", ".join(f"{t.num_infosets:,}" for t in self.treeplexes),
            "sequences": ", ".join(f"{t.num_sequences:,}" for t in self.treeplexes),
        }
        return html_facts(f"Sequence form of {self.name}", facts, EXPLORE)

    @property
    def E(self) -> sp.csr_array:
        """Player 1's flow matrix."""
        return self.treeplexes[0].E

    @property
    def e(self) -> FloatArray:
        """Player 1's flow right-hand side."""
        return self.treeplexes[0].e

    @property
    def F(self) -> sp.csr_array:
        """Player 2's flow matrix."""
        return self.treeplexes[1].E

    @property
    def f(self) -> FloatArray:
        """Player 2's flow right-hand side."""
        return self.treeplexes[1].e

    @property
    def A(self) -> sp.csr_array:
        """Player 1's payoff matrix in floats; an operator that only multiplies is refused."""
        return self.matrix_payoff.matrix

    @property
    def matrix_payoff(self) -> MatrixPayoff:
        """The payoff as a written-out exact matrix."""
        if not isinstance(self.payoff, MatrixPayoff):
            raise UnsupportedGameError(
                f"{self.name} has its payoff as an operator, and this needs the matrix",
                where=type(self.payoff).__name__,
                fix="use an iterative solver, or a smaller game with a written-out payoff",
            )
        return self.payoff

    @cached_property
    def payoff_size(self) -> float:
        """The expected absolute payoff when both players play uniformly: the scale of the game's payoffs."""
        x, y = (t.realization(t.uniform()) for t in self.treeplexes)
        return float(x @ self.stakes(0, y))

    def gradient(self, player: int, opponent_plan: FloatArray) -> FloatArray:
        r"""Return a player's payoff per unit of each own sequence against a plan of the opponent.

        Parameters
        ----------
        player
            0 or 1.
        opponent_plan
            A realization plan of the other player.

        Returns
        -------
        FloatArray
            One entry per sequence of the player: :math:`Ay` for player 0, :math:`-A^\top x` for player 1.
        """
        self.treeplexes[1 - require_player(player, 2, self.name)].require_vector(opponent_plan)
        return self.payoff.times(opponent_plan) if player == 0 else -self.payoff.transpose_times(opponent_plan)

    def stakes(self, player: int, opponent_plan: FloatArray) -> FloatArray:
        """Return what each sequence of a player has at stake: the absolute payoffs, or a bound of them."""
        if isinstance(self.payoff, FactoredPayoff):
            size = self.payoff.magnitude()
            return size.times(opponent_plan) if player == 0 else size.transpose_times(opponent_plan)
        size = abs(self.matrix_payoff.matrix)
        return np.asarray(size @ opponent_plan if player == 0 else size.T @ opponent_plan)

    def value(self, x: FloatArray, y: FloatArray) -> float:
        """Return player 1's expected payoff under two realization plans."""
        return float(x @ self.payoff.times(y))

    def best_response(self, player: int, opponent_plan: FloatArray) -> BestResponse:
        """Return a best response to a plan of the opponent."""
        gradient = self.gradient(player, opponent_plan)
        return self.treeplexes[player].best_response(gradient)

    def bracket(self, x: FloatArray, y: FloatArray) -> tuple[float, float]:
        """Return what x guarantees and what y concedes at most: the game's value lies between.

        Parameters
        ----------
        x, y
            Realization plans of player 1 and of player 2.

        Returns
        -------
        tuple of float
            A lower and an upper bound of the value; they meet exactly if (x, y) is an equilibrium.
        """
        lower = -self.treeplexes[1].best_value(self.gradient(1, x))
        upper = self.treeplexes[0].best_value(self.gradient(0, y))
        return lower, upper

    def nash_conv(self, x: FloatArray, y: FloatArray) -> float:
        """Sum both players' gains from a best response."""
        lower, upper = self.bracket(x, y)
        return upper - lower

    def exploitability(self, x: FloatArray, y: FloatArray) -> float:
        """Halve the nash_conv, as is usual for two players."""
        return self.nash_conv(x, y) / 2

    def flipped(self) -> SequenceForm:
        """Exchange the seats: player 2's program is player 1's in the flipped game."""
        payoff = self.payoff if isinstance(self.payoff, FactoredPayoff) else self.matrix_payoff
        return SequenceForm(self.name, self.treeplexes[::-1], payoff.flipped())


def sequence_form(game: ExtensiveGame) -> SequenceForm:
    """Return the exact sequence form of a two-player zero-sum game with perfect recall.

    For a constant-sum game it is that of :meth:`ExtensiveGame.zero_sum`, which has the same payoffs for player 1.

    Parameters
    ----------
    game
        The game tree.

    Returns
    -------
    SequenceForm
        Two treeplexes and an exact sparse payoff matrix.

    Raises
    ------
    UnsupportedGameError
        If the game does not have two players or is not constant-sum.
    ImperfectRecallError
        If a player forgets an own move.
    """
    require_two_player_constant_sum(len(game.players), game.is_constant_sum, game.name)
    first, second = game.treeplexes
    leaves = game.terminals
    denominator, numerators = chance_weighted_terms(game, leaves)
    payoff = MatrixPayoff.from_terms(
        (first.num_sequences, second.num_sequences),
        game.sequences[0, leaves],
        game.sequences[1, leaves],
        numerators,
        denominator,
        (first.sequence_label, second.sequence_label),
    )
    return SequenceForm(game.name, (first, second), payoff)


def chance_weighted_terms(game: ExtensiveGame, leaves: np.ndarray) -> tuple[int, np.ndarray]:
    """Return player 0's payoff at each leaf times chance's probability of it: a common denominator and numerators."""
    reach_index, reach_values = game.chance_reach
    # few distinct pairs of a probability and a payoff stand for all leaves
    codes = reach_index[leaves].astype(np.int64) * len(game.payoff_table) + game.outcome[leaves]
    distinct, inverse = np.unique(codes, return_inverse=True)
    terms = [
        reach_values[c // len(game.payoff_table)] * game.payoff_table[c % len(game.payoff_table)][0]
        for c in distinct.tolist()
    ]
    denominator, numerators = _over_common_denominator(terms)
    return denominator, numerators[inverse]


def _over_common_denominator(terms: list[Fraction]) -> tuple[int, np.ndarray]:
    denominator = common_denominator(terms)
    integers = [t.numerator * (denominator // t.denominator) for t in terms]
    small = all(abs(k) < 2**62 for k in integers)
    return denominator, np.array(integers, dtype=np.int64 if small else object)
