r"""Fictitious play of normal-form games (Brown 1951), by counting.

The average strategy of (9.1) is a player's empirical distribution: counts of past answers over t. Two players' expected
payoffs are sums over past answers, so an iteration of an m × n game costs O(m + n). With more players the payoffs of a
product distribution are contracted again in each iteration.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.jit import jit
from equiform.models.normal_form import NormalForm
from equiform.models.strategy import Strategy
from equiform.runs.fingerprint import fingerprint
from equiform.solvers_iterative.base import IterativeSolver, Measurement


class MatrixFictitiousPlay(IterativeSolver):
    """Fictitious play of a normal-form game with any number of players."""

    def __init__(self, game: NormalForm) -> None:
        super().__init__("fp", game.name)
        self.game = game
        self._counts = [np.zeros(len(actions), dtype=np.int64) for actions in game.actions]
        self._answers = np.zeros(len(game.players), dtype=np.int64)
        start = [np.full(len(a), 1.0 / len(a)) for a in game.actions]
        # what each action has earned against the past answers; before the first, against uniform play
        self._earned = [np.array(game.action_values(p, start)) for p in range(len(game.players))]
        # payoffs with the opponent's action first: an answer adds one contiguous row
        two = len(game.players) == 2
        self._payoffs: tuple[FloatArray, FloatArray] = (
            (np.ascontiguousarray(game.payoff_floats[0].T), np.ascontiguousarray(game.payoff_floats[1]))
            if two
            else (np.empty((0, 0)), np.empty((0, 0)))
        )

    @property
    def options(self) -> dict[str, Any]:
        """There are none."""
        return {}

    def _advance(self, count: int) -> None:
        if len(self.game.players) == 2:
            (e0, e1), (c0, c1) = self._earned, self._counts
            _run(*self._payoffs, e0, e1, c0, c1, self._answers, self._iteration, count)
            return
        for _ in range(count):
            self._answers[:] = [int(np.argmax(earned)) for earned in self._earned]
            for counts, answer in zip(self._counts, self._answers, strict=True):
                counts[answer] += 1
            profile = [c / c.sum() for c in self._counts]
            for p, earned in enumerate(self._earned):
                earned[:] = self.game.action_values(p, profile)

    def _state(self) -> dict[str, NDArray[Any]]:
        numbered = {f"counts{p}": c for p, c in enumerate(self._counts)}
        return {**numbered, **{f"earned{p}": e for p, e in enumerate(self._earned)}, "answers": self._answers}

    def _profile(self) -> list[FloatArray]:
        return [c / c.sum() if c.any() else np.full(len(c), 1.0 / len(c)) for c in self._counts]

    def _measure(self) -> Measurement:
        profile = self._profile()
        regrets = tuple(self.game.regrets(profile).tolist())
        if len(profile) == 2 and self.game.is_zero_sum:
            lower = float(-self.game.action_values(1, profile).max())
            return Measurement(lower, float(self.game.action_values(0, profile).max()), regrets)
        return Measurement(math.nan, math.nan, regrets)

    def _fingerprint(self) -> str:
        return fingerprint([self.game.payoff_floats])

    @property
    def average(self) -> tuple[Strategy, ...]:
        """The empirical distributions."""
        return self._strategies(self._profile())

    @property
    def current(self) -> tuple[Strategy, ...]:
        """The last answers."""
        return self._strategies([np.eye(len(c))[a] for c, a in zip(self._counts, self._answers, strict=True)])

    def _strategies(self, profile: list[FloatArray]) -> tuple[Strategy, ...]:
        pairs = zip(self.game.treeplexes, profile, strict=True)
        return tuple(Strategy(treeplex, np.append(1.0, mixed)) for treeplex, mixed in pairs)


@jit
def _run(
    payoff0: FloatArray,
    payoff1: FloatArray,
    earned0: FloatArray,
    earned1: FloatArray,
    counts0: IntArray,
    counts1: IntArray,
    answers: IntArray,
    done: int,
    count: int,
) -> None:
    for t in range(done, done + count):
        first, second = np.argmax(earned0), np.argmax(earned1)
        answers[0], answers[1] = first, second
        counts0[first] += 1
        counts1[second] += 1
        if t == 0:  # the uniform start is forgotten: its weight 1 - 1/t is zero at t = 1
            earned0[:] = 0.0
            earned1[:] = 0.0
        earned0 += payoff0[second]
        earned1 += payoff1[first]
