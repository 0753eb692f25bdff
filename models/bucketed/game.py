r"""BucketedGame: a betting tree times buckets, the abstract game that hold'em programs solve.

It has no boards: on every round a player holds one of n buckets (strictly, histories of buckets:
:mod:`equiform.models.bucketed.deals`), and chance moves pairs of buckets along. Sequences stand as in a
:class:`~equiform.models.public.game.PublicGame` with one board per round: sequence :math:`1 + o_s + h\,w_s + j` is move
j of round s with history h. All solvers of sequence forms take :meth:`BucketedGame.sequence_form`.

A game whose players forget is given on histories, too, the refinement with perfect recall: its plans and gradients are
those of the operator, and :meth:`BucketedGame.infosets` says which of its information sets a player cannot tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from equiform.models.bucketed.deals import BucketDeals
from equiform.models.bucketed.leaves import LeafPayoffs, leaf_nodes
from equiform.models.bucketed.payoff import kronecker_factors, kronecker_payoff
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import GameError, ImperfectRecallError
from equiform.models.payoffs.factored import FactoredPayoff, Factors
from equiform.models.payoffs.structured import KroneckerPayoff
from equiform.models.public.betting import BettingTree
from equiform.models.public.boards import Boards, bucket_hands
from equiform.models.public.game import PublicGame
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex


@dataclass(frozen=True, eq=False)
class BucketedGame:
    """A two-player zero-sum game of bets and buckets.

    Attributes
    ----------
    name
        What to call it.
    betting
        The moves.
    deals
        How often chance deals each pair of histories.
    leaves
        What hands are worth where they decide.
    players
        The players' names.
    rounds
        What the rounds are called.
    """

    name: str
    betting: BettingTree
    deals: BucketDeals
    leaves: LeafPayoffs
    players: tuple[str, str] = ("player 1", "player 2")
    rounds: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if self.betting.num_streets != self.deals.rounds:
            raise GameError(
                f"the betting has {self.betting.num_streets} rounds and the buckets have {self.deals.rounds}",
                where=self.name,
                fix="pass buckets for every round of the betting, and no more",
            )
        wanted = (len(leaf_nodes(self.betting)), self.deals.counts.shape)
        given = (len(self.leaves.weights), self.leaves.matrices[0].shape)
        if wanted != given:
            raise GameError(
                f"payoffs of {given[0]} leaves for {given[1]} histories",
                where=self.name,
                fix=f"the betting has {wanted[0]} leaves at which hands decide, and there are {wanted[1]} histories",
            )

    @cached_property
    def _moves(self) -> PublicGame:
        """The moves and histories as a public game; its own payoffs are not used."""
        names = self.rounds or tuple(f"round {s + 1}" for s in range(self.deals.rounds))
        tables = []
        for player in range(2):
            labels = [[f"{names[s]} bucket {k}" for k in range(n)] for s, n in enumerate(self.deals.sizes(player))]
            tables.append(bucket_hands(labels, self.deals.up[player]))
        street = np.arange(self.deals.rounds)
        boards = Boards(street, street - 1, np.ones(len(street)), ("",) * len(street), (tables[0], tables[1]), 0)
        return PublicGame(self.name, self.betting, boards, self.players)

    @property
    def num_sequences(self) -> tuple[int, int]:
        """Count both players' sequences, the empty ones included."""
        return self._moves.num_sequences

    @property
    def num_infosets(self) -> tuple[int, int]:
        """Count both players' information sets, histories told apart."""
        return self._moves.num_infosets

    @property
    def treeplexes(self) -> tuple[Treeplex, Treeplex]:
        """One treeplex per player, over histories."""
        return self._moves.treeplexes

    @cached_property
    def payoff(self) -> KroneckerPayoff:
        """The payoff operator."""
        return kronecker_payoff(self.betting, self.deals, self.leaves, self.num_sequences, self._places)

    def sequence_form(self) -> SequenceForm:
        """Return the game as two treeplexes and an operator, which can also be written in factors for programs.

        Raises
        ------
        ImperfectRecallError
            If a player forgets: then there is no treeplex. :meth:`refined` tells histories apart.
        """
        if not self.deals.perfect_recall:
            raise ImperfectRecallError(
                f"a player of {self.name} forgets an earlier bucket",
                where="sequence form",
                fix="use an abstraction with perfect recall, CFR on the expanded tree, or refined().sequence_form()",
            )

        def factor(player: int) -> Factors:
            return kronecker_factors(self.payoff, player)

        return SequenceForm(self.name, self.treeplexes, FactoredPayoff(self.payoff, factor))

    def refined(self) -> BucketedGame:
        """Return the game in which players remember all buckets."""
        deals = BucketDeals(self.deals.counts, self.deals.up, None, self.deals.error)
        return BucketedGame(f"{self.name}, remembered", self.betting, deals, self.leaves, self.players, self.rounds)

    def infosets(self, player: int) -> IntArray:
        """Return for each information set of a player's treeplex a number that those the player confuses share."""
        found, first = [], 0
        for street, nodes in enumerate(self.betting.seats[player].decisions):
            shown = self.deals.buckets(player, street).astype(np.int64)
            found.append((first + shown[:, None] * len(nodes) + np.arange(len(nodes))).ravel())
            first += (int(shown.max()) + 1) * len(nodes)
        return np.concatenate(found)

    def sequence(self, player: int, history: int, node: int) -> int:
        """Return the player's sequence of the move that leads to a node, with a history of the node's round."""
        moves = self.betting.seats[player]
        street, column = int(self.betting.street[node]), int(moves.column[node])
        return int(self._places(player, street, np.array([column]))[0, history])

    def _places(self, player: int, street: int, columns: IntArray) -> IntArray:
        if street < 0:
            return np.zeros((len(columns), 1), dtype=np.int64)
        seat, width = self._moves.seats[player], int(self.betting.seats[player].width[street])
        histories = np.arange(self.deals.sizes(player)[street])
        return 1 + int(seat.offset[street]) + histories[None, :] * width + columns[:, None]

    def rows(self, player: int, street: int, vector: FloatArray) -> FloatArray:
        """Return a view of a vector over a player's sequences: a row per history of a round, a column per move."""
        seat, width = self._moves.seats[player], int(self.betting.seats[player].width[street])
        low = 1 + int(seat.offset[street])
        return vector[low : low + self.deals.sizes(player)[street] * width].reshape(-1, width)

    @property
    def up(self) -> tuple[tuple[Int32Array, ...], tuple[Int32Array, ...]]:
        """The parents of histories, by player and round."""
        return self.deals.up
