r"""From buckets to a game, and from its strategies back to the real one.

Every deal of two private and two public cards is counted once, board by board up to suits, so that the abstract game's
:math:`N_{ij}` are whole numbers of the 52 · 51 · 50 · 49 deals. A strategy over buckets plays in the real game by
looking up the bucket of the hand that is held; payoffs and best responses there come from the operator of the real
game, which knows nothing of buckets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equiform.abstraction.cards.rhode_island.buckets import HandBuckets
from equiform.games.cards.indexing import HandIndexer
from equiform.games.poker.rhode_island import RhodeIsland
from equiform.models.bucketed import BucketDeals, BucketedGame, BucketStrategy, showdown_leaves
from equiform.models.bucketed.deals import remembered
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import StrategyError
from equiform.models.public.game import PublicGame
from equiform.models.sequence_form import SequenceForm


@dataclass(frozen=True, eq=False)
class RealGame:
    """The real game as a judge of strategies over buckets."""

    rules: RhodeIsland

    @cached_property
    def public(self) -> PublicGame:
        """The public tree times private cards."""
        return self.rules.public()

    @cached_property
    def form(self) -> SequenceForm:
        """Its treeplexes and payoff operator."""
        return self.public.sequence_form()

    @cached_property
    def classes(self) -> tuple[IntArray, ...]:
        """For each board, the hand classes of its hands (of the game's indexer, by round), board after board."""
        dealt, table = self.public.dealt, self.public.boards.hands[0]
        assert dealt is not None
        found = []
        for street in range(3):
            rows = []
            for board in self.public.boards.of_street(street):
                low, high = int(table.member_start[board]), int(table.member_start[board + 1])
                _, first = np.unique(table.member_hand[low:high], return_index=True)
                private = table.member_private[low:high][first]
                rows.append(np.column_stack([private, np.tile(dealt.board_cards[board], (len(private), 1))]))
            deals = np.concatenate(rows).astype(np.int64)
            found.append(self._index(deals))
        return tuple(found)

    def _index(self, deals: IntArray) -> IntArray:
        """Return the classes of hands: rows of the private card and the public ones."""
        held = deals.shape[1]
        found: IntArray = HandIndexer((1,) * held, self.rules.deck).index(deals)
        return found

    def plan(self, player: int, histories: tuple[IntArray, ...], strategy: BucketStrategy) -> FloatArray:
        """Return the realization plan of a strategy over buckets; ``histories`` names that of every class of hands."""
        seat, treeplex = self.public.seats[player], self.form.treeplexes[player]
        behavior = np.ones(treeplex.num_sequences)
        for street in range(3):
            boards = self.public.boards.of_street(street)
            low, high = int(seat.offset[boards.start]), int(seat.offset[boards.stop])
            width = int(seat.width[street])
            rows = behavior[1 + low : 1 + high].reshape(-1, width)
            played = histories[street][self.classes[street]]
            if strategy.tables[street].shape != (int(histories[street].max()) + 1, width):
                raise StrategyError(
                    "the strategy belongs to other buckets", where=self.rules.spec, fix="pass the strategy's own game"
                )
            rows[:] = strategy.tables[street][played]
        plan: FloatArray = treeplex.realization(behavior)
        return plan

    def exploitability(self, plans: tuple[FloatArray, FloatArray]) -> float:
        """Return half of what both players could gain against these plans, in chips."""
        return self.form.exploitability(*plans)


def _paths(buckets: HandBuckets) -> tuple[list[IntArray], list[IntArray], list[IntArray]]:
    """Number the histories of buckets class by class, with their parents and the buckets that they show."""
    indexer = buckets.rules.cards.indexer
    last = indexer.deals(2, np.arange(indexer.sizes[2]))
    above = [indexer.index(last[:, :held]) for held in (1, 2)]
    numbers, ups, shown = remembered([buckets.labels[0][above[0]], buckets.labels[1][above[1]], buckets.labels[2]])
    by_class = [np.zeros(size, dtype=np.int64) for size in indexer.sizes]
    for known, number, place in zip(by_class, numbers, [*above, np.arange(len(last))], strict=True):
        known[place] = number
    return by_class, [u.astype(np.int64) for u in ups], [s.astype(np.int64) for s in shown]


def abstract_game(real: RealGame, buckets: HandBuckets) -> tuple[BucketedGame, tuple[IntArray, ...]]:
    """Return the game of buckets, and the history that each class of hands belongs to, by round.

    Examples
    --------
    >>> from equiform.abstraction.cards.rhode_island.buckets import rhode_island_buckets
    >>> tiny = RhodeIsland(ranks=4, suits=2)
    >>> game, histories = abstract_game(RealGame(tiny), rhode_island_buckets(tiny, "eb", (4, 6, 12)))
    >>> game.deals.total == 8 * 7 * 6 * 5
    True
    """
    numbers, ups, shown = _paths(buckets)
    public = real.public
    table, dealt = public.boards.hands[0], public.dealt
    assert dealt is not None
    place, weight, rank = [], [], []
    turns = public.boards.of_street(2)
    classes, begin = real.classes[2], 0
    deck = len(real.rules.deck)
    for board in turns:
        low, high = int(table.member_start[board]), int(table.member_start[board + 1])
        n = table.num_hands(board)
        place.append(numbers[2][classes[begin : begin + n]][table.member_hand[low:high]])
        begin += n
        rank.append(table.member_rank[low:high])
        weight.append(public.boards.factor[board])
    size = int(numbers[2].max()) + 1
    counts, margin = np.zeros(size * size), np.zeros(size * size)
    total = deck * (deck - 1) * (deck - 2) * (deck - 3)
    for history, strength, factor in zip(place, rank, weight, strict=True):
        apart = ~np.eye(len(history), dtype=bool)
        cell = (history[:, None] * size + history[None, :])[apart]
        better = np.sign(strength[:, None].astype(np.int64) - strength[None, :])[apart]
        deals = float(np.rint(factor * total))  # ordered public cards that the board stands for
        np.add.at(counts, cell, deals)
        np.add.at(margin, cell, deals * better)
    up = tuple(u.astype(np.int32) for u in ups)
    forgets = any(len(np.unique(s)) < len(s) for s in shown)
    seen = tuple(s.astype(np.int32) for s in shown)
    deals_of = BucketDeals(counts.reshape(size, size), (up, up), (seen, seen) if forgets else None)
    betting = real.rules.betting
    name = f"{real.rules.spec}, {buckets.method} {'-'.join(map(str, buckets.sizes))}"
    game = BucketedGame(
        name, betting, deals_of, showdown_leaves(betting, margin.reshape(size, size)),
        rounds=("private", "flop", "turn"),
    )  # fmt: skip
    return game, tuple(numbers)
