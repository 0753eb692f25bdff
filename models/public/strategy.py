"""A strategy of a public game: realization plans in blocks, read by board, decision and hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import StrategyError
from equiform.models.public.game import PublicGame
from equiform.models.public.layout import AnyFloat, to_blocks
from equiform.models.strategy import Strategy
from equiform.models.treeplex import Treeplex

#: The weight at which play is written down where a plan never comes: PublicStrategy reads it, no value notices it.
UNREACHED = 1e-12


@dataclass(frozen=True, eq=False)
class PublicStrategy:
    """One player's plan, in the layout of blocks; ``fixed`` holds locked moves (-1 elsewhere), or nothing."""

    game: PublicGame
    player: int
    plan: AnyFloat = field(repr=False)
    fixed: AnyFloat = field(repr=False, default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        size = int(self.game.seats[self.player].offset[-1])
        if self.plan.shape != (size,) or len(self.fixed) not in (0, size):
            raise StrategyError(
                f"a plan of shape {self.plan.shape} does not fit {size} sequences", where=self.game.name
            )

    def rows(self, board: int, node: int) -> slice:
        """Return where the block of a decision lies: a row per move, a column per hand."""
        seat, moves = self.game.seats[self.player], self.game.betting.seats[self.player]
        street = int(self.game.boards.street[board])
        if self.game.betting.turn[node] != self.player or self.game.betting.street[node] != street:
            raise StrategyError(
                f"player {self.player + 1} does not decide there",
                where=f"board {self.game.boards.names[board]}, {self.game.betting.history(node) or 'start'}",
                fix="name a decision of this player on this street",
            )
        at = int(np.searchsorted(moves.decisions[street], node))
        n = int(seat.start[board + 1] - seat.start[board])
        low = int(seat.offset[board]) + int(moves.first[street][at]) * n
        return slice(low, low + int(moves.size[street][at]) * n)

    def behavior(self, board: int, node: int) -> FloatArray:
        """Return the probabilities of the moves at a decision: a row per hand. Uniform where the plan never comes."""
        where = self.rows(board, node)
        actions = len(self.game.betting.children[node])
        weights = np.maximum(self.plan[where].astype(np.float64).reshape(actions, -1).T, 0.0)
        mass = weights.sum(axis=1, keepdims=True)
        reached = mass > 1e-13
        found = np.where(reached, weights / np.where(reached, mass, 1.0), 1.0 / actions)
        if len(self.fixed):
            locked = self.fixed[where].astype(np.float64).reshape(actions, -1).T
            found = np.where(locked[:, :1] >= 0, locked, found)
        return found

    def reach(self, board: int, node: int) -> FloatArray:
        """Return the player's own probability of reaching a node, by hand."""
        moves, seat = self.game.betting.seats[self.player], self.game.seats[self.player]
        boards, n = self.game.boards, int(seat.start[board + 1] - seat.start[board])
        street, place, at = int(moves.last_street[node]), np.arange(n), board
        if street < 0:
            return np.ones(n)
        while boards.street[at] > street:
            place = seat.up[seat.start[at] + place]
            at = int(boards.parent[at])
        wide = int(seat.start[at + 1] - seat.start[at])
        low = int(seat.offset[at]) + int(moves.last_column[node]) * wide
        found: FloatArray = self.plan[low : low + wide].astype(np.float64)[place]
        return found

    def hands(self, cards: Sequence[int]) -> tuple[int, IntArray]:
        """Find concrete public cards: the board that stands for them, and the hand of every holding there (or -1)."""
        dealt = self.game.dealt
        if dealt is None:
            raise StrategyError(f"{self.game.name} has no cards", where="strategy", fix="ask by board and hand")
        board, renaming = dealt.locate(cards)
        table, rules = self.game.boards.hands[self.player], dealt.rules
        low, high = int(table.member_start[board]), int(table.member_start[board + 1])
        private = np.flatnonzero(dealt.weights[self.player])
        there = np.full(len(rules.holdings), -1, dtype=np.int64)
        there[private[table.member_private[low:high]]] = table.member_hand[low:high]
        found: IntArray = there[rules.number(renaming[rules.holdings])]
        return board, found


def carried_over(treeplex: Treeplex, strategy: Strategy) -> Strategy:
    """Carry a strategy of the written-out tree over, by labels; hands that nobody can meet play uniformly."""
    place = {treeplex.infoset_label(h): int(treeplex.start[h]) for h in range(treeplex.num_infosets)}
    behavior = treeplex.uniform()
    for label, row in strategy.rows():
        behavior[place[label] : place[label] + len(row)] = [float(p) for p in row.values()]
    return Strategy(treeplex, behavior)


def from_profile(game: PublicGame, profile: tuple[Strategy, Strategy]) -> tuple[PublicStrategy, PublicStrategy]:
    """Write behaviour in blocks, with a trace of weight where the player's own moves never lead."""
    found = []
    for player, strategy in enumerate(profile):
        treeplex, behavior = strategy.treeplex, strategy.floats
        arriving = treeplex.realization(behavior)[treeplex.parent][treeplex.infoset_of[1:]]
        plan = np.append(1.0, np.maximum(arriving, UNREACHED) * behavior[1:])
        blocks = np.empty(len(plan) - 1)
        to_blocks(game.layout, game.seats[player], plan, blocks)
        found.append(PublicStrategy(game, player, blocks))
    return found[0], found[1]
