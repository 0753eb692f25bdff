r"""The treeplex: one player's sequential decisions, stripped of the rest of the game.

A player's *sequences* are numbered from 0 (the empty one). Information sets stand in topological order; information set
:math:`h` hangs under its parent sequence :math:`\sigma_h` and owns the contiguous sequences
``start[h]:start[h + 1]``. A *realization plan* :math:`x \ge 0` satisfies the flow equations

.. math:: x_0 = 1, \qquad \sum_{a \in h} x_{ha} = x_{\sigma_h} \quad \text{for every } h,

that is :math:`Ex = e` (von Stengel 1996; Koller, Megiddo and von Stengel 1996). A *behavioural strategy* is kept in the
same layout: entry :math:`ha` is the probability of a at h, entry 0 is one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from equiform.models.common.arguments import near_names
from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.errors import StrategyError
from equiform.models.common.patient import patient_jit


@dataclass(frozen=True, eq=False)
class Treeplex:
    """Information sets in topological order, each with its parent sequence and its range of sequences.

    Parameters
    ----------
    player
        The player's name.
    parent
        The parent sequence of each information set.
    start
        Where each information set's sequences begin, and where the last ones end; ``start[0]`` is 1.
    infosets
        The key of each information set.
    actions
        The labels of each information set's actions.
    describe
        Puts a key into words.
    """

    player: str
    parent: Int32Array = field(repr=False)
    start: Int32Array = field(repr=False)  # length: information sets + 1; start[0] is 1
    infosets: Sequence[Hashable] = field(repr=False)
    actions: Sequence[Sequence[str]] = field(repr=False)
    describe: Callable[[Any], str] = field(default=str, repr=False)

    @property
    def num_infosets(self) -> int:
        """Count the information sets."""
        return len(self.parent)

    @property
    def num_sequences(self) -> int:
        """Count the sequences, the empty one included."""
        return int(self.start[-1])

    @cached_property
    def infoset_of(self) -> Int32Array:
        """The information set of each sequence; -1 for the empty one."""
        return np.append(
            np.int32(-1), np.repeat(np.arange(self.num_infosets, dtype=np.int32), np.diff(self.start))
        ).astype(np.int32)

    @cached_property
    def depth(self) -> Int32Array:
        """The number of moves in each sequence."""
        return _depths(self.parent, self.start)

    def infoset_label(self, h: int) -> str:
        """Put information set h into words."""
        return self.describe(self.infosets[h])

    def sequence_label(self, s: int) -> str:
        """Put a sequence into words: its information set and its last move."""
        if s == 0:
            return "start"
        h = int(self.infoset_of[s])
        return f"{self.infoset_label(h)}: {self.actions[h][s - int(self.start[h])]}"

    def infoset(self, label: str) -> int:
        """Find an information set by its label; the first of two with the same label.

        Raises
        ------
        StrategyError
            If there is no such label; the error proposes the closest one.
        """
        number = self._infoset_numbers.get(label)
        if number is None:
            guess = near_names(label, self._infoset_numbers)
            raise StrategyError(
                f"there is no information set {label!r}",
                where=self.player,
                fix=f"{guess}`infoset_label` returns their names",
            )
        return number

    @cached_property
    def _infoset_numbers(self) -> dict[str, int]:
        return {self.infoset_label(h): h for h in reversed(range(self.num_infosets))}

    def sequence(self, infoset: str, action: str) -> int:
        """Find a sequence by its information set in words and its last move.

        Raises
        ------
        StrategyError
            If there is no such information set, or no such action there.
        """
        h = self.infoset(infoset)
        if action not in self.actions[h]:
            raise StrategyError(
                f"there is no action {action!r}",
                where=f"{self.player}, {infoset}",
                fix=f"use one of {', '.join(self.actions[h])}",
            )
        return int(self.start[h]) + list(self.actions[h]).index(action)

    @cached_property
    def E(self) -> sp.csr_array:
        """The flow matrix: row 0 fixes the empty sequence, row h + 1 balances information set h."""
        m, n = self.num_infosets, self.num_sequences
        rows = np.concatenate(([0], self.infoset_of[1:] + 1, np.arange(1, m + 1)))
        cols = np.concatenate((np.arange(n), self.parent))
        data = np.concatenate((np.ones(n), -np.ones(m)))
        return sp.csr_array((data, (rows, cols)), shape=(m + 1, n))

    @cached_property
    def e(self) -> FloatArray:
        """The right-hand side of the flow equations."""
        rhs = np.zeros(self.num_infosets + 1)
        rhs[0] = 1.0
        return rhs

    def uniform(self) -> FloatArray:
        """Return the behavioural strategy that plays every action of an information set equally often."""
        sizes = np.diff(self.start)
        return np.append(1.0, np.repeat(1.0 / sizes, sizes))

    def realization(self, behavior: FloatArray) -> FloatArray:
        """Turn a behavioural strategy into the realization plan :math:`x_{ha} = x_{\\sigma_h} b_{ha}`.

        Parameters
        ----------
        behavior
            One probability per sequence, the empty one first.

        Returns
        -------
        FloatArray
            One weight per sequence.
        """
        self.require_vector(behavior)
        return _realization(self.parent, self.start, np.ascontiguousarray(behavior, dtype=np.float64))

    def behavior(self, plan: FloatArray, *, unreached: FloatArray | None = None) -> FloatArray:
        """Turn a realization plan into a behavioural strategy, clipping and renormalising rounding errors.

        Parameters
        ----------
        plan
            One weight per sequence.
        unreached
            The behavioural strategy to use where the plan never arrives, since any is consistent with it there; uniform
            by default.

        Returns
        -------
        FloatArray
            One probability per sequence.
        """
        self.require_vector(plan)
        fallback = self.uniform() if unreached is None else np.ascontiguousarray(unreached, dtype=np.float64)
        return _behavior(self.start, np.ascontiguousarray(plan, dtype=np.float64), fallback)

    def best_response(self, gradient: FloatArray) -> BestResponse:
        """Maximise ``gradient @ x`` over realization plans in one backward pass (ties: the first action).

        Parameters
        ----------
        gradient
            What each sequence earns per unit of its weight.

        Returns
        -------
        BestResponse
            The maximum and a pure plan that attains it.
        """
        self.require_vector(gradient)
        value, plan = _best_response(self.parent, self.start, np.ascontiguousarray(gradient, dtype=np.float64))
        return BestResponse(float(value), plan)

    def best_value(self, gradient: FloatArray) -> float:
        """Return the value of a best response alone."""
        return float(_best_value(self.parent, self.start, gradient))

    def best_behavior(self, gradient: FloatArray) -> FloatArray:
        """Return the behavioural strategy that maximises ``gradient`` from every information set on, reached or not."""
        self.require_vector(gradient)
        return _best_behavior(self.parent, self.start, np.ascontiguousarray(gradient, dtype=np.float64))

    def flow_residual(self, plan: FloatArray) -> float:
        """Return the largest violation of ``E x = e, x >= 0``."""
        self.require_vector(plan)
        balance = np.abs(self.E @ plan - self.e).max()
        return float(max(balance, -min(0.0, float(plan.min()))))

    def check_behavior(self, behavior: FloatArray, *, tolerance: float = 1e-9) -> None:
        """Refuse a vector that is not a behavioural strategy.

        Parameters
        ----------
        behavior
            One probability per sequence.
        tolerance
            How far probabilities may be negative, and their sums off one.

        Raises
        ------
        StrategyError
            If an information set does not carry a distribution.
        """
        self.require_vector(behavior)
        sums = np.add.reduceat(behavior, self.start[:-1]) if self.num_infosets else np.empty(0)
        lowest = behavior.min()
        if not np.isfinite(behavior).all() or lowest < -tolerance:
            s = int(np.argmin(np.where(np.isfinite(behavior), behavior, -np.inf)))
            raise StrategyError(
                f"a probability is {behavior[s]}",
                where=f"{self.player}, {self.sequence_label(s)}",
                fix="probabilities are finite and not negative",
            )
        off = np.flatnonzero(np.abs(sums - 1.0) > tolerance)
        if len(off):
            h = int(off[0])
            raise StrategyError(
                f"probabilities sum to {sums[h]:.12g}, not one",
                where=f"{self.player}, {self.infoset_label(h)}",
                fix="normalise the distribution at this information set",
            )

    def require_vector(self, vector: FloatArray) -> None:
        """Raise :class:`StrategyError` unless a vector has one number per sequence."""
        if np.shape(vector) != (self.num_sequences,):
            raise StrategyError(
                f"a vector of shape {np.shape(vector)} does not fit {self.num_sequences} sequences",
                where=self.player,
                fix="use one entry per sequence, the empty one first; for a Strategy, pass its plan",
            )
        if not np.isfinite(vector).all():
            s = int(np.flatnonzero(~np.isfinite(vector))[0])
            raise StrategyError(
                f"a vector over the sequences has the entry {vector[s]}",
                where=f"{self.player}, {self.sequence_label(s)}",
                fix="use finite numbers",
            )


@dataclass(frozen=True, eq=False)
class BestResponse:
    """A best response: its value and a pure realization plan."""

    value: float
    plan: FloatArray = field(repr=False)


@patient_jit
def _depths(parent: Int32Array, start: Int32Array) -> Int32Array:
    depth = np.zeros(start[-1], dtype=np.int32)
    for h in range(len(parent)):
        for s in range(start[h], start[h + 1]):
            depth[s] = depth[parent[h]] + 1
    return depth


@patient_jit
def _realization(parent: Int32Array, start: Int32Array, behavior: FloatArray) -> FloatArray:
    plan = np.empty_like(behavior)
    plan[0] = 1.0
    for h in range(len(parent)):
        reach = plan[parent[h]]
        for s in range(start[h], start[h + 1]):
            plan[s] = reach * behavior[s]
    return plan


@patient_jit
def _behavior(start: Int32Array, plan: FloatArray, fallback: FloatArray) -> FloatArray:
    behavior = np.empty_like(plan)
    behavior[0] = 1.0
    for h in range(len(start) - 1):
        total = 0.0
        for s in range(start[h], start[h + 1]):
            total += max(plan[s], 0.0)
        for s in range(start[h], start[h + 1]):
            behavior[s] = max(plan[s], 0.0) / total if total > 1e-13 else fallback[s]
    return behavior


@patient_jit
def _best_value(parent: Int32Array, start: Int32Array, gradient: FloatArray) -> float:
    value = gradient.copy()
    for h in range(len(parent) - 1, -1, -1):
        best = value[start[h]]
        for s in range(start[h] + 1, start[h + 1]):
            best = max(best, value[s])
        value[parent[h]] += best
    return float(value[0])


@patient_jit
def _best_response(parent: Int32Array, start: Int32Array, gradient: FloatArray) -> tuple[float, FloatArray]:
    value = gradient.copy()
    choice = np.empty(len(parent), dtype=np.int32)
    for h in range(len(parent) - 1, -1, -1):
        best = start[h]
        for s in range(start[h] + 1, start[h + 1]):
            if value[s] > value[best]:
                best = s
        choice[h] = best
        value[parent[h]] += value[best]
    plan = np.zeros_like(gradient)
    plan[0] = 1.0
    for h in range(len(parent)):
        plan[choice[h]] = plan[parent[h]]
    return float(value[0]), plan


@patient_jit
def _best_behavior(parent: Int32Array, start: Int32Array, gradient: FloatArray) -> FloatArray:
    value = gradient.copy()
    behavior = np.zeros_like(gradient)
    behavior[0] = 1.0
    for h in range(len(parent) - 1, -1, -1):
        best = start[h]
        for s in range(start[h] + 1, start[h + 1]):
            if value[s] > value[best]:
                best = s
        behavior[best] = 1.0
        value[parent[h]] += value[best]
    return behavior
