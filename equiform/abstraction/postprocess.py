r"""Post-processing: round the probabilities of an abstract equilibrium before playing it (Ganzfried 2015, chapter 8).

*Purification* plays the most probable action (ties share equally, §8.1.1). *Thresholding* drops actions below
:math:`\varepsilon` and renormalises (Algorithm 6). Both are members of the family of §8.7, applied at every information
set:

1. if the *conservative* action (folding) has more than ``prefer_above``, play it;
2. otherwise *bundle* similar actions (all bets), round the bundles' masses with ``between``,
3. and round each bundle's own distribution with ``within``.

A rounding is a threshold, or :data:`PURIFY`. Purification is the member without bundles and conservative action;
the thesis's "New-0.2" is :func:`fold_call_bet` with 0.2. If every action is below the threshold, which Algorithm 6
leaves open, the rounding purifies.

All of it is vectorised over *segments*, the slices of one long vector that each hold a distribution: the information
sets of a treeplex or the rows of a batch of mixed strategies.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from equiform.models.common.arguments import require_all, require_callable, require_kind, require_number
from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import BoolArray, FloatArray, IntArray
from equiform.models.common.errors import ParameterError, StrategyError
from equiform.models.strategy import Strategy
from equiform.models.treeplex import Treeplex

#: The rounding that keeps only the most probable.
PURIFY: Final = float("inf")

# Probabilities closer than this are equal: solvers return 1/3 with different last digits.
_TIE = 1e-9


def _require_threshold(value: float, name: str, where: str) -> float:
    if isinstance(value, float) and value == PURIFY:
        return value
    return require_number(value, name, f"{where}, a threshold (PURIFY rounds fully)", most=1.0)


@dataclass(frozen=True)
class PostProcessor:
    """A member of the family.

    Parameters
    ----------
    name
        What tables call it.
    between, within
        The roundings of the bundles' masses and of each bundle's own distribution: thresholds, or :data:`PURIFY`.
    bundle
        Puts an action's label into a bundle; by default every action is a bundle of its own.
    conservative
        The label of the action that is played whenever its probability is above ``prefer_above``.
    prefer_above
        The probability from which on the conservative action is preferred.
    """

    name: str
    between: float = 0.0
    within: float = 0.0
    bundle: Callable[[str], Hashable] | None = None
    """Puts an action's label into a bundle; ``None``: every action is a bundle of its own."""
    conservative: str | None = None
    """The label of the action that is preferred above ``prefer_above``."""
    prefer_above: float = 1.0

    def __post_init__(self) -> None:
        require_kind(self.name, str, "name", "post-processor")
        for key, value in (("between", self.between), ("within", self.within)):
            _require_threshold(value, key, self.name)
        require_number(self.prefer_above, "prefer_above", self.name, most=1.0)
        if self.bundle is not None:
            require_callable(self.bundle, "bundle", self.name)
        if self.conservative is not None:
            require_kind(self.conservative, str, "conservative", self.name)

    def mixed(self, strategies: npt.ArrayLike, actions: Sequence[str] | None = None) -> FloatArray:
        """Round mixed strategies.

        Parameters
        ----------
        strategies
            One strategy, or one per row.
        actions
            The columns' labels, needed by bundles and by the conservative action.

        Raises
        ------
        StrategyError
            If a row is not a distribution.

        Examples
        --------
        >>> PURIFICATION.mixed([[0.51, 0.49, 0.0], [0.4, 0.4, 0.2]]).tolist()
        [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]
        """
        try:
            rows = np.atleast_2d(np.asarray(strategies, dtype=np.float64))
        except (TypeError, ValueError):
            rows = np.empty(0)
        if rows.ndim != 2 or not rows.size:
            raise StrategyError(
                f"{strategies!r} are not mixed strategies"[:200],
                where=self.name,
                fix="pass numbers, one row per strategy",
            )
        count, n = rows.shape
        labels = [str(k) for k in range(n)] if actions is None else require_all(actions, str, "actions", self.name)
        if len(labels) != n:
            raise ParameterError(f"{len(labels)} labels for {n} actions", where=self.name, fix="name every column")
        _require_distributions(rows.sum(axis=1), float(rows.min(initial=0.0)), self.name)
        segment = np.repeat(np.arange(count), n)
        bundles = self._bundles(labels)
        groups = np.add.outer(np.arange(count) * n, bundles).ravel()
        prefers = np.tile([label == self.conservative for label in labels], count)
        rounded = self._round(rows.ravel(), segment, groups, prefers).reshape(count, n)
        return rounded if np.ndim(strategies) == 2 else rounded[0]

    def behavior(self, treeplex: Treeplex, behavior: FloatArray) -> FloatArray:
        """Round a behavioural strategy at every information set.

        Parameters
        ----------
        treeplex
            The player's decisions.
        behavior
            One probability per sequence.

        Raises
        ------
        StrategyError
            If an information set does not carry a distribution.
        """
        require_kind(treeplex, Treeplex, "treeplex", self.name)
        behavior = require_numbers(behavior, "entries", treeplex.player, shape=(treeplex.num_sequences,))
        treeplex.check_behavior(behavior, tolerance=1e-6)
        if treeplex.num_infosets == 0:
            return behavior.copy()
        segment = treeplex.infoset_of[1:].astype(np.int64)
        labels = [label for actions in treeplex.actions for label in actions]
        groups = segment * len(labels) + self._bundles(labels)
        prefers = np.array([label == self.conservative for label in labels])
        return np.append(1.0, self._round(behavior[1:], segment, groups, prefers))

    def strategy(self, strategy: Strategy) -> Strategy:
        """Round a strategy."""
        require_kind(strategy, Strategy, "strategy", self.name)
        return Strategy(strategy.treeplex, self.behavior(strategy.treeplex, strategy.floats))

    def _bundles(self, labels: Sequence[str]) -> IntArray:
        """Number the bundle of each action: fewer numbers than actions."""
        if self.bundle is None:
            return np.arange(len(labels))
        numbers: dict[Hashable, int] = {}
        return np.array([numbers.setdefault(self.bundle(label), len(numbers)) for label in labels], dtype=np.int64)

    def _round(self, weights: FloatArray, segment: IntArray, groups: IntArray, prefers: BoolArray) -> FloatArray:
        weights = np.maximum(weights, 0.0)
        weights = weights / np.bincount(segment, weights)[segment]
        used, group = np.unique(groups, return_inverse=True)
        mass = np.bincount(group, weights, minlength=len(used)).astype(np.float64)
        owner = np.empty(len(used), dtype=np.int64)
        owner[group] = segment
        chosen = _rounded(mass, owner, self.between)
        inside = np.divide(weights, mass[group], out=np.zeros_like(weights), where=mass[group] > 0)
        result = chosen[group] * _rounded(inside, group, self.within)
        preferred = np.bincount(segment, weights * prefers) > self.prefer_above
        return np.where(preferred[segment], prefers, result)


def _rounded(weights: FloatArray, segment: IntArray, threshold: float) -> FloatArray:
    """Round each segment: drop what is below the threshold, or below the maximum, and renormalise."""
    top = np.zeros(int(segment.max()) + 1)
    np.maximum.at(top, segment, weights)
    best = weights >= top[segment] - _TIE
    if threshold == PURIFY:
        kept = best.astype(np.float64)
    else:
        lost = top < threshold  # nothing reaches the threshold: purify
        kept = np.where(lost[segment], best, np.where(weights >= threshold, weights, 0.0))
    total = np.bincount(segment, kept)[segment]
    return np.divide(kept, total, out=np.zeros_like(kept), where=total > 0)


def thresholding(epsilon: float) -> PostProcessor:
    """Return Algorithm 6.

    Parameters
    ----------
    epsilon
        Actions with a lower probability are dropped; :data:`PURIFY` keeps the most probable ones only.

    Examples
    --------
    >>> thresholding(0.15).mixed([0.6, 0.3, 0.1]).round(3).tolist()
    [0.667, 0.333, 0.0]
    """
    return PostProcessor(f"Thresholding-{_require_threshold(epsilon, 'epsilon', 'Thresholding'):g}", between=epsilon)


def fold_call_bet(prefer_fold_above: float = 0.2) -> PostProcessor:
    """Return the thesis's new post-processor: fold if likely enough, else purify fold, call and bet, then the bets.

    Parameters
    ----------
    prefer_fold_above
        Fold whenever its probability is above this.

    Examples
    --------
    >>> actions = ["fold", "call", "bet 1", "bet 2", "bet 3", "bet 4"]
    >>> fold_call_bet().mixed([0.1, 0.25, 0.15, 0.15, 0.2, 0.15], actions).tolist()
    [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    """
    likely = require_number(prefer_fold_above, "prefer_fold_above", "fold, call, bet", most=1.0)
    return PostProcessor(
        f"New-{likely:g}",
        between=PURIFY,
        within=PURIFY,
        bundle=kind_of_move,
        conservative="fold",
        prefer_above=prefer_fold_above,
    )


def kind_of_move(label: str) -> str:
    """Sort a poker move into fold, call (or check) and bet (or raise)."""
    require_kind(label, str, "label", "moves")
    return {"fold": "fold", "call": "call", "check": "call"}.get(label, "bet")


IDENTITY = PostProcessor("None")
PURIFICATION = PostProcessor("Purification", between=PURIFY)


def _require_distributions(sums: FloatArray, lowest: float, name: str) -> None:
    off = np.flatnonzero(~(np.abs(sums - 1.0) <= 1e-6))
    if len(off) or lowest < -1e-6:
        raise StrategyError(
            "a row is not a distribution",
            where=f"{name}, row {int(off[0]) if len(off) else '?'}",
            fix="rows must not be negative and must sum to one",
        )
