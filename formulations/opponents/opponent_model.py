r"""Deviation-based opponent models: the strategy nearest to equilibrium that explains how often each move was seen.

S. Ganzfried and T. Sandholm, *Game theory-based opponent modeling in large imperfect-information games*, AAMAS 2011;
S. Ganzfried, PhD thesis (CMU 2015), chapter 12 (DBBR). Public history by public history, from the top:

* posterior action probabilities (12.1), from the counts :math:`c_{n,a}` and :math:`N` fictitious plays of equilibrium,

  .. math:: \alpha_{n,a} = \frac{p^*_{n,a} N + c_{n,a}}{N + \sum_{a'} c_{n,a'}} ;

* posterior bucket probabilities (Algorithm 20), :math:`\beta_{n,b} \propto h_b \, s_{n',b,a}`: the probability of the
  deal times the model's own weight of arriving there;
* behaviour :math:`x_{n,b,\cdot}` in every bucket, near the equilibrium's :math:`\sigma^*`, with
  :math:`\sum_b \beta_{n,b} x_{n,b,a} = \alpha_{n,a}`.

The last step has three variants: :func:`shift_weights` below, and the programs
:mod:`equiform.formulations.opponents.dbbr_l1` and :mod:`equiform.formulations.opponents.dbbr_l2`. Public histories at
one level of the player's own moves do not depend on each other, so a level is one :class:`FrequencyProblem`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit
from equiform.models.public_histories import PublicHistories
from equiform.models.strategy import Strategy

#: Probabilities below this may be zeros that a floating-point solver has rounded.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class FrequencyProblem:
    """Public histories side by side: buckets with their weights and prior behaviour, and the frequencies to match.

    Bucket b owns the entries ``start[b]:start[b + 1]``, one per move; the buckets of a history are contiguous.
    """

    weights: FloatArray
    """β, one per bucket; they sum to one over each history."""
    prior: FloatArray = field(repr=False)
    """σ*, one per entry."""
    start: IntArray = field(repr=False)
    slot: IntArray = field(repr=False)
    """The move at a public history that each entry is a play of."""
    target: FloatArray = field(repr=False)
    """α, one per slot."""
    first_bucket: IntArray = field(repr=False)
    """History n owns the buckets ``first_bucket[n]:first_bucket[n + 1]``."""

    @property
    def bucket(self) -> IntArray:
        """The bucket of each entry."""
        return np.repeat(np.arange(len(self.weights)), np.diff(self.start))

    @property
    def entry_weights(self) -> FloatArray:
        """β of each entry's bucket."""
        return self.weights[self.bucket]

    def frequencies(self, x: FloatArray) -> FloatArray:
        """Return how often each slot is played under behaviour x."""
        return _sums(self.slot, self.entry_weights * x, len(self.target))

    def residual(self, x: FloatArray) -> float:
        """Return the largest violation of a frequency, a distribution or a sign by x."""
        sums = _sums(self.bucket, x, len(self.weights))
        parts = (np.abs(self.frequencies(x) - self.target), np.abs(sums - 1), -x)
        return max(float(np.max(p, initial=0.0)) for p in parts)

    def l1(self, x: FloatArray) -> float:
        """Return the weighted L1 distance to the prior (12.4)."""
        return float(self.entry_weights @ np.abs(x - self.prior))

    def l2(self, x: FloatArray) -> float:
        """Return the weighted squared L2 distance to the prior (12.7)."""
        return float(self.entry_weights @ (x - self.prior) ** 2)


#: Chooses the behaviour in every bucket of a level.
Fit = Callable[[FrequencyProblem], FloatArray]


@dataclass(frozen=True, eq=False)
class OpponentModel:
    """A model of the opponent: a strategy whose public frequencies are the posterior ones."""

    strategy: Strategy
    actions: FloatArray = field(repr=False)
    """α, one per slot."""
    buckets: FloatArray = field(repr=False)
    """β, one per information set."""
    problems: tuple[FrequencyProblem, ...] = field(repr=False)


def posterior_actions(
    view: PublicHistories, prior: FloatArray, counts: FloatArray, *, prior_plays: float = 5.0
) -> FloatArray:
    """Mix the equilibrium's public frequencies with the observed counts (12.1); all arrays have one entry per slot."""
    if not prior_plays >= 0 or (counts < 0).any() or counts.shape != prior.shape:
        raise ParameterError(
            f"cannot mix {counts.shape} counts with {prior_plays} fictitious plays",
            where=f"{view.treeplex.player} has {view.num_slots} public moves",
            fix="pass one nonnegative count per slot and a nonnegative number of fictitious plays",
        )
    history = np.repeat(np.arange(view.num_histories), np.diff(view.start))
    seen = _sums(history, counts, view.num_histories)[history]
    mixed = prior * prior_plays + counts
    return np.where(seen + prior_plays > 0, mixed / np.maximum(seen + prior_plays, 1e-300), prior)


def bucket_posteriors(view: PublicHistories, plan: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Algorithm 20's β for every information set, given a plan and chance's weights.

    Where the plan never arrives, chance's weights alone decide. A share small enough to be a rounding error counts as
    zero.
    """
    n = view.num_histories
    reached = weights * plan[view.treeplex.parent]
    arrives = _sums(view.history_of, reached, n) > ROUNDING
    reached = np.where(arrives[view.history_of], reached, weights)
    share = reached / _sums(view.history_of, reached, n)[view.history_of]
    share = np.where(share > ROUNDING, share, 0.0)
    return share / _sums(view.history_of, share, n)[view.history_of]


def public_frequencies(view: PublicHistories, buckets: FloatArray, behavior: FloatArray) -> FloatArray:
    """Return the probability of every slot at its public history: :math:`\\sum_b \\beta_{n,b} \\sigma_{n,b,a}`."""
    own = buckets[view.treeplex.infoset_of[1:]] * behavior[1:]
    return _sums(view.slot_of[1:], own, view.num_slots)


def fit_opponent(
    view: PublicHistories,
    equilibrium: FloatArray,
    counts: FloatArray,
    fit: Fit | None = None,
    *,
    prior_plays: float = 5.0,
    others_plan: FloatArray | None = None,
) -> OpponentModel:
    """Model an opponent from the counts of public moves (Algorithm 19 without its last line).

    Parameters
    ----------
    view
        The opponent's public histories.
    equilibrium
        A behavioural strategy of the opponent, the prior.
    counts
        How often each public move was seen, one number per slot.
    fit
        One of the three variants; weight shifting by default.
    prior_plays
        The number of fictitious plays of equilibrium, N in (12.1).
    others_plan
        Our own realization plan; if passed, bucket probabilities account for how our play leads to each history.

    Returns
    -------
    OpponentModel
        The model's strategy with the posterior frequencies and buckets behind it.

    Raises
    ------
    ParameterError
        If counts or ``prior_plays`` are negative, or there is not one count per slot.
    """
    treeplex = view.treeplex
    treeplex.check_behavior(equilibrium)
    weights = _with_support(view, view.bucket_weights(others_plan))
    prior_buckets = bucket_posteriors(view, treeplex.realization(equilibrium), weights)
    actions = posterior_actions(
        view, public_frequencies(view, prior_buckets, equilibrium), counts, prior_plays=prior_plays
    )
    behavior = np.array(equilibrium, dtype=np.float64)
    buckets = np.zeros(treeplex.num_infosets)
    problems = []
    for level in range(int(view.level.max(initial=-1)) + 1):
        at = np.flatnonzero(view.level[view.history_of] == level)
        buckets[at] = bucket_posteriors(view, treeplex.realization(behavior), weights)[at]
        problem, entries = _problem(view, at[buckets[at] > 0], buckets, behavior, actions)
        if len(entries):
            behavior[entries] = (fit or shift_weights)(problem)
            problems.append(problem)
    return OpponentModel(Strategy(treeplex, behavior), actions, buckets, tuple(problems))


def shift_weights(problem: FrequencyProblem) -> FloatArray:
    """Match the frequencies greedily, move by move from the last (§12.2.4, the weight-shifting algorithm).

    A move seen more often than predicted is added first in the buckets that already play it most, at the expense of the
    moves that they play least; a move seen less often is removed first from the buckets that play it least, in favour
    of the move that they play most.
    """
    x = problem.prior.copy()
    _shift(problem.first_bucket, problem.start, problem.slot, problem.weights, problem.target, x)
    return x


def _sums(group: NDArray[Any], values: FloatArray, size: int) -> FloatArray:
    """Add up the values of each group."""
    return np.bincount(group, weights=values, minlength=size).astype(np.float64)


def _with_support(view: PublicHistories, weights: FloatArray) -> FloatArray:
    """Fall back to chance alone at public histories that our own plan never allows."""
    allowed = _sums(view.history_of, weights, view.num_histories) > 0
    return np.where(allowed[view.history_of], weights, view.bucket_weights())


def _problem(
    view: PublicHistories, infosets: IntArray, buckets: FloatArray, behavior: FloatArray, actions: FloatArray
) -> tuple[FrequencyProblem, IntArray]:
    """Collect the buckets of a level, sorted by history, and the sequences that make up their entries."""
    treeplex = view.treeplex
    order = infosets[np.argsort(view.history_of[infosets], kind="stable")]
    sizes = (treeplex.start[order + 1] - treeplex.start[order]).astype(np.int64)
    start = np.append(0, np.cumsum(sizes))
    entries = np.repeat(treeplex.start[order] - start[:-1], sizes) + np.arange(start[-1])
    used, slot = np.unique(view.slot_of[entries], return_inverse=True)
    bounds = np.flatnonzero(np.diff(view.history_of[order], prepend=-1))
    return (
        FrequencyProblem(
            weights=buckets[order],
            prior=behavior[entries],
            start=start,
            slot=slot.astype(np.int64),
            target=actions[used],
            first_bucket=np.append(bounds, len(order)).astype(np.int64),
        ),
        entries,
    )


@jit
def _shift(
    first_bucket: IntArray, start: IntArray, slot: IntArray, weights: FloatArray, target: FloatArray, x: FloatArray
) -> None:
    for n in range(len(first_bucket) - 1):
        low, high = first_bucket[n], first_bucket[n + 1]
        moves = start[low + 1] - start[low]
        for k in range(moves - 1, 0, -1):
            played = np.array([x[start[b] + k] for b in range(low, high)])
            missing = target[slot[start[low] + k]] - (weights[low:high] * played).sum()
            order = np.argsort(-played if missing > 0 else played, kind="mergesort")
            for i in order:
                b = low + i
                first = start[b]
                wanted = missing / weights[b]
                # moves after k are settled: only those before it can change
                room = x[first : first + k].sum() if wanted > 0 else x[first + k]
                change = min(abs(wanted), room)
                if wanted > 0:
                    x[first + k] += change
                    _take(x, first, k, change)
                else:
                    x[first + k] -= change
                    x[first + np.argmax(x[first : first + k])] += change
                    change = -change
                missing -= weights[b] * change
                if abs(wanted) <= room:
                    break


@jit
def _take(x: FloatArray, first: int, moves: int, amount: float) -> None:
    """Take an amount away from a bucket's first moves, the least played ones first."""
    for k in np.argsort(x[first : first + moves], kind="mergesort"):
        taken = min(amount, x[first + k])
        x[first + k] -= taken
        amount -= taken
