r"""How an abstract strategy plays the full game: the real betting and the perceived one, walked side by side.

The agent plays the full game but thinks in the abstraction. A pair (real node, perceived node) moves on with every
public action:

* **the opponent bets** x pots: a bet in the abstraction, and every all-in, is perceived as itself; otherwise the
  *translator* decides between the two neighbours A < B (0, a check or call, is always there; §7.1);
* **the agent acts** as its abstract strategy says at the perceived node: a bet of s pots becomes the real bet nearest
  to s pots of the real pot, an all-in an all-in;
* **off the tree** (chapter 16, question 8): a bet perceived as nothing is called, because the abstract game has no
  answer to it (:class:`AfterZero`); calling a perceived all-in means going all-in, because the abstract game ends
  there; where the perceived betting is over, the agent checks or calls.

The perceived node forgets the real pot, which is the thesis's *off-tree problem*; that is what is being measured.

The translator's decisions form a treeplex: an information set is (real history, perceived history, real bet), with one
sequence per reading. Let :math:`w` be its realization plan, the products of translation probabilities along a path.
The strategy that the agent really plays is **linear in w**, and, without forced calls, linear in the abstract plan
too:

.. math:: x_s \;=\; \sum_{(s,\, s',\, \sigma)} w_\sigma \; x'_{s'}

over the ways to play the real sequence s while perceiving the abstract sequence s' under the readings σ. That makes the
best translation (:mod:`equiform.formulations.abstraction.optimal_translation`) and the best abstract equilibrium linear
programs.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import scipy.sparse as sp

from equiform.abstraction.actions.public_tree import BettingView, Kind, PublicNode
from equiform.abstraction.actions.translation import Ties, TranslationMapping
from equiform.models.common.arguments import require_count, require_kind, require_name, require_player
from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import BoolArray, FloatArray, IntArray
from equiform.models.common.errors import StrategyError
from equiform.models.common.jit import jit
from equiform.models.rules import CHANCE, TERMINAL
from equiform.models.treeplex import Treeplex

_SAME = 1e-9  # two sizes in pots that are equal up to rounding


class AfterZero(StrEnum):
    """What the agent does at a real bet that it perceives as a check, where its abstract strategy still has a move."""

    CALL = "call"
    """Call, whatever the abstract strategy would do (the thesis's rule)."""
    ABSTRACT = "abstract"
    """Call where it would check and raise where it would bet."""


@dataclass(frozen=True, eq=False)
class TranslationTree:
    """The side-by-side walk of one player, in arrays: one *entry* per way to play a real sequence."""

    player: int
    full: Treeplex
    abstract: Treeplex
    translator: Treeplex
    """The translator's decisions; sequence 0 is "nothing translated yet"."""
    lower: FloatArray = field(repr=False)
    upper: FloatArray = field(repr=False)
    bet: FloatArray = field(repr=False)
    """A, B and x of each decision, in pots."""
    sequence: IntArray = field(repr=False)
    """The real sequence of each entry."""
    perceived: IntArray = field(repr=False)
    """Its abstract sequence."""
    reading: IntArray = field(repr=False)
    """Its sequence of the translator."""
    above: IntArray = field(repr=False)
    """The entry of the agent's move before, -1 for none."""
    asked: BoolArray = field(repr=False)
    """Whether the abstract strategy chose the move; if not, it was forced."""
    is_linear_in_plan: bool
    """Whether no abstract decision was overruled, so that the real plan is linear in the abstract plan."""

    def probabilities(self, mapping: TranslationMapping, *, ties: Ties = Ties.UPPER) -> FloatArray:
        """Return the translator's behavioural strategy that follows a mapping."""
        require_kind(mapping, TranslationMapping, "mapping", self.translator.player)
        f = mapping.probability(self.lower, self.upper, self.bet, ties=ties)
        behavior = np.ones(self.translator.num_sequences)
        behavior[1::2], behavior[2::2] = f, 1.0 - f
        return behavior

    def tie_variants(self, mapping: TranslationMapping, *, limit: int = 16) -> list[FloatArray]:
        """Return the mapping's behavioural strategies for every way to break its ties (upper first).

        Beyond ``limit`` combinations only "all upper" and "all lower" are returned.
        """
        require_count(limit, "limit", "ways to break ties", most=2**16)
        upper, lower = (self.probabilities(mapping, ties=ties) for ties in (Ties.UPPER, Ties.LOWER))
        tied = np.flatnonzero((upper != lower)[1::2])
        if 2 ** len(tied) > limit:
            return [upper, lower]
        variants = []
        for choice in range(2 ** len(tied)):
            variant = upper.copy()
            for k, h in enumerate(tied.tolist()):
                if choice >> k & 1:
                    variant[1 + 2 * h : 3 + 2 * h] = lower[1 + 2 * h : 3 + 2 * h]
            variants.append(variant)
        return variants

    def realised(self, abstract_behavior: FloatArray) -> sp.csr_array:
        """Return the matrix M of ``x = M w``: the real plan for a plan w of the translator."""
        behavior = _numbers(abstract_behavior, self.abstract)
        self.abstract.check_behavior(behavior, tolerance=1e-6)
        weight = _weights(self.above, self.perceived, self.asked, behavior)
        return self._matrix(weight, self.reading, self.translator.num_sequences)

    def plan_map(self, translation: FloatArray) -> sp.csr_array:
        """Return the matrix T of ``x = T x'``: the real plan for an abstract plan, under a translator's plan w."""
        if not self.is_linear_in_plan:
            raise StrategyError(
                "forced calls make the real strategy depend on abstract play that the abstract plan does not reach",
                where=self.full.player,
                fix="walk with AfterZero.ABSTRACT, or pass the whole behavioural strategy to `realised`",
            )
        plan = _numbers(translation, self.translator)
        return self._matrix(plan[self.reading], self.perceived, self.abstract.num_sequences)

    def behavior(self, abstract_behavior: FloatArray, translation: FloatArray) -> FloatArray:
        """Return the real behavioural strategy under a behavioural strategy of the translator."""
        w = self.translator.realization(_numbers(translation, self.translator))
        return self.full.behavior(self.realised(abstract_behavior) @ w)

    def _matrix(self, data: FloatArray, columns: IntArray, width: int) -> sp.csr_array:
        rows = np.append(0, self.sequence)
        matrix = sp.coo_array(
            (np.append(1.0, data), (rows, np.append(0, columns))), shape=(self.full.num_sequences, width)
        )
        return sp.csr_array(matrix.tocsr())


def _numbers(vector: FloatArray, treeplex: Treeplex) -> FloatArray:
    """Check that there is one number per sequence."""
    return require_numbers(vector, "entries", treeplex.player, shape=(treeplex.num_sequences,))


@jit
def _weights(above: IntArray, perceived: IntArray, asked: BoolArray, behavior: FloatArray) -> FloatArray:
    """Multiply the abstract probabilities along each entry's chain."""
    weight = np.empty(len(above))
    for e in range(len(above)):
        before = weight[above[e]] if above[e] >= 0 else 1.0
        weight[e] = before * behavior[perceived[e]] if asked[e] else before
    return weight


def translation_tree(
    full: Treeplex,
    abstract: Treeplex,
    full_view: BettingView,
    abstract_view: BettingView,
    player: int,
    *,
    after_zero: AfterZero = AfterZero.CALL,
) -> TranslationTree:
    """Walk the real and the perceived betting side by side for one player."""
    for name, side in (("full", full), ("abstract", abstract)):
        require_kind(side, Treeplex, name, "translation tree")
    for name, view in (("full_view", full_view), ("abstract_view", abstract_view)):
        require_kind(view, BettingView, name, "translation tree")
    require_player(player, 2, "translation tree")
    return _Walk(full, abstract, full_view, abstract_view, player, require_after_zero(after_zero)).run()


def require_after_zero(after_zero: AfterZero) -> AfterZero:
    """Check what to do at an unforeseen bet; a plain string will do."""
    return AfterZero(require_name(after_zero, AfterZero, "rule after a bet read as a check", "translation"))


@dataclass(frozen=True, eq=False)
class _Pair:
    """A real and a perceived node; how the translator and the agent came there."""

    real: PublicNode
    perceived: PublicNode
    reading: int  # the translator's last sequence
    first: int  # the agent's last move: entries first, first + 1, …; -1 before any
    sequences: IntArray  # their real sequences
    thought: IntArray  # their abstract sequences


class _Walk:
    def __init__(
        self,
        full: Treeplex,
        abstract: Treeplex,
        full_view: BettingView,
        abstract_view: BettingView,
        player: int,
        after_zero: AfterZero,
    ) -> None:
        self.full, self.abstract, self.view = full, abstract, full_view
        self.roots = full_view.root, abstract_view.root
        self.player, self.after_zero = player, after_zero
        self.infosets = _by_history(full, full_view)
        self.abstract_number = {key: h for h, key in enumerate(abstract.infosets)}
        self.translated: list[tuple[int, Hashable, float, float, float]] = []  # parent, label, A, B, x
        self.entries: list[tuple[IntArray, IntArray, IntArray, IntArray, BoolArray]] = []
        self.count = 0
        self.linear = True

    def run(self) -> TranslationTree:
        empty = np.zeros(1, dtype=np.int64)
        todo = [_Pair(*self.roots, 0, -1, empty, empty)]
        while todo:
            todo.extend(self._step(todo.pop()))
        parents = np.array([t[0] for t in self.translated], dtype=np.int32)
        translator = Treeplex(
            player=f"translator of {self.full.player}",
            parent=parents,
            start=np.arange(1, 2 * len(parents) + 2, 2, dtype=np.int32),
            infosets=tuple(t[1] for t in self.translated),
            actions=(("lower", "upper"),) * len(parents),
            describe=_in_words,
        )
        sizes = np.array([t[2:] for t in self.translated], dtype=np.float64).reshape(-1, 3)
        columns = [np.concatenate(c) for c in zip(*self.entries, strict=True)] or [np.zeros(0, dtype=np.int64)] * 5
        return TranslationTree(
            player=self.player,
            full=self.full,
            abstract=self.abstract,
            translator=translator,
            lower=sizes[:, 0],
            upper=sizes[:, 1],
            bet=sizes[:, 2],
            sequence=columns[0],
            perceived=columns[1],
            reading=columns[2],
            above=columns[3],
            asked=columns[4].astype(bool),
            is_linear_in_plan=self.linear,
        )

    def _step(self, at: _Pair) -> list[_Pair]:
        real, perceived = at.real, at.perceived
        if real.turn == TERMINAL:
            return []
        if real.turn == CHANCE:
            then = perceived.after[0] if perceived.turn == CHANCE and perceived.after else perceived
            return [_Pair(child, then, at.reading, at.first, at.sequences, at.thought) for child in real.after]
        return self._agent(at) if real.turn == self.player else self._opponent(at)

    # -- the opponent ---------------------------------------------------------------------------------------------

    def _opponent(self, at: _Pair) -> list[_Pair]:
        pairs: list[_Pair] = []
        for move, child in zip(at.real.moves, at.real.after, strict=True):
            if child.turn == TERMINAL:
                continue
            if at.perceived.turn != at.real.turn:  # the perceived betting is over
                readings: list[tuple[PublicNode, int]] = [(at.perceived, at.reading)]
            elif move.kind is Kind.BET:
                readings = self._read(at, move.size, move.all_in)
            else:
                readings = [(at.perceived.after[at.perceived.passive], at.reading)]
            pairs.extend(_Pair(child, node, reading, at.first, at.sequences, at.thought) for node, reading in readings)
        return pairs

    def _read(self, at: _Pair, x: float, all_in: bool) -> list[tuple[PublicNode, int]]:
        """Return the perceived nodes after a bet of x pots, with the translator's sequence for each."""
        node = at.perceived
        ladder = [node.passive, *node.bets]
        sizes = [node.moves[k].size for k in ladder]
        if all_in and node.moves[ladder[-1]].all_in:
            return [(node.after[ladder[-1]], at.reading)]
        above = next((i for i, size in enumerate(sizes) if size >= x - _SAME), len(sizes) - 1)
        if sizes[above] <= x + _SAME:  # in the abstraction, or beyond its largest size
            return [(node.after[ladder[above]], at.reading)]
        first = 1 + 2 * len(self.translated)
        label = (at.real.history, node.history, x)
        self.translated.append((at.reading, label, sizes[above - 1], sizes[above], x))
        return [(node.after[ladder[above - 1]], first), (node.after[ladder[above]], first + 1)]

    # -- the agent ------------------------------------------------------------------------------------------------

    def _agent(self, at: _Pair) -> list[_Pair]:
        real, perceived = at.real, at.perceived
        infosets = self.infosets.get(real.history)
        if infosets is None:
            raise StrategyError(
                "the public tree has a node without information sets",
                where=f"{self.full.player}, {real.history!r}",
                fix="the view's `public` must return the history of each key",
            )
        if perceived.turn != self.player:
            return [self._entry(at, infosets, real.passive, None, perceived)]
        unforeseen = real.move(Kind.FOLD) is not None and perceived.move(Kind.FOLD) is None
        if unforeseen and self.after_zero is AfterZero.CALL:
            own = perceived.passive
            self.linear = False
            return [self._entry(at, infosets, real.passive, own, perceived.after[own], asked=False)]
        return [
            self._entry(at, infosets, self._implement(real, perceived, own), own, perceived.after[own])
            for own in range(len(perceived.moves))
        ]

    @staticmethod
    def _implement(real: PublicNode, perceived: PublicNode, own: int) -> int:
        """Return the real move that an abstract move stands for."""
        move = perceived.moves[own]
        if move.kind is Kind.FOLD:
            fold = real.move(Kind.FOLD)
            return real.passive if fold is None else fold
        bets = real.bets
        if not bets or (move.kind is Kind.PASSIVE and not perceived.faces_all_in):
            return real.passive
        if move.all_in or move.kind is Kind.PASSIVE:  # calling a perceived all-in is going all-in
            return bets[-1]
        return min(bets, key=lambda k: abs(real.moves[k].size - move.size))

    def _entry(
        self, at: _Pair, infosets: IntArray, branch: int, own: int | None, then: PublicNode, *, asked: bool = True
    ) -> _Pair:
        """Record the agent's move for every private holding; ``own`` is the abstract move, if there is one."""
        before = np.searchsorted(at.sequences, self.full.parent[infosets])
        above = at.first + before if at.first >= 0 else np.full(len(infosets), -1)
        sequences = self.full.start[infosets].astype(np.int64) + branch
        if own is None:
            thought, asked = at.thought[before], False
        else:
            numbers = [self._abstract_infoset(h, at.perceived.history) for h in infosets.tolist()]
            thought = self.abstract.start[numbers].astype(np.int64) + own
        first = self.count
        self.count += len(sequences)
        readings = np.full(len(sequences), at.reading, dtype=np.int64)
        self.entries.append((sequences, thought, readings, above, np.full(len(sequences), asked)))
        return _Pair(at.real.after[branch], then, at.reading, first, sequences, thought)

    def _abstract_infoset(self, h: int, history: Hashable) -> int:
        key = self.view.rekey(self.full.infosets[h], history)
        number = self.abstract_number.get(key)
        if number is None:
            raise StrategyError(
                f"the abstract game has no information set {key!r}",
                where=f"{self.full.player}, {self.full.infoset_label(h)}",
                fix="abstract the very game that is played: same cards, fewer bets",
            )
        return number


def _by_history(treeplex: Treeplex, view: BettingView) -> dict[Hashable, IntArray]:
    groups: dict[Hashable, list[int]] = {}
    for h, key in enumerate(treeplex.infosets):
        groups.setdefault(view.public(key), []).append(h)
    return {history: np.array(numbers, dtype=np.int64) for history, numbers in groups.items()}


def _in_words(key: tuple[Hashable, Hashable, float]) -> str:
    real, perceived, bet = key
    return f"a bet of {bet:g} pots after {real or 'nothing'}, perceived as {perceived or 'nothing'}"
