r"""Discounted regret matching on a public game: vectors over hands, one board at a time.

The rules are those of :mod:`equiform.solvers_iterative.regret.cfr` with alternating updates. What differs is the
layout: hands are innermost, strategies are matched from the regrets where they are needed, and the state is two numbers
per sequence, a regret and an average, in 32 or 64 bits. The average is kept with weight one for the latest plan,

.. math:: S_t = \Bigl(\frac{t-1}{t}\Bigr)^\gamma S_{t-1} + x_t,

which is the sum with weights :math:`t^\gamma` up to a factor and neither grows nor loses digits.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.arguments import require_name, require_workers
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.public.game import PublicGame
from equiform.models.public.layout import AnyFloat, Seat, from_blocks
from equiform.models.public.strategy import PublicStrategy
from equiform.models.public.vectors import aligned
from equiform.models.strategy import Strategy
from equiform.runs.fingerprint import fingerprint
from equiform.solvers_iterative.base import IterativeSolver, Measurement
from equiform.solvers_iterative.public.sweeps import Numbers, average_decay, iterate, make_works, sweep
from equiform.solvers_iterative.regret.rule import discount, rule

#: Regrets and plans below these count as zero.
_LEAST = {"float32": (1e-30, 1e-20), "float64": (1e-290, 1e-200)}


class PublicCFR(IterativeSolver):
    """The CFR family on a :class:`PublicGame`.

    Parameters
    ----------
    game
        The game.
    variant
        One of ``cfr``, ``cfr+``, ``linear-cfr`` and ``dcfr``, with ``weights`` that change its rule.
    dtype
        ``float32`` halves the memory and is faster; ``float64`` converges further.
    threads
        How many share the boards of the last street.
    fixed
        For each player, in the layout of blocks, the probabilities of moves that are fixed and -1 elsewhere.
    """

    state_version = "2"
    # measuring costs no more than an iteration: look often, but not while everything is far off
    first_checkpoint = 10
    growth = 1.12
    falls_by = 2.0  # rivers to 0.1% and 0.01% of the pot: between 1.5 and 2.1

    def __init__(
        self,
        game: PublicGame,
        variant: str = "dcfr",
        *,
        dtype: str = "float64",
        threads: int = 1,
        fixed: tuple[FloatArray, FloatArray] | None = None,
        **weights: Any,
    ) -> None:
        super().__init__(f"public-{variant}", game.name)
        self.game = game
        self.dtype = np.dtype(require_name(dtype, _LEAST, "type of numbers", "public CFR"))
        self.threads = require_workers(threads, "threads", "public CFR")
        self.rule = rule(variant, **weights)
        if self.rule.predictive or not self.rule.alternating:
            raise ParameterError(f"{variant} is not made for public games", fix="use dcfr, cfr+, linear-cfr or cfr")
        self._weights = weights
        self._seats = _seats_in(game.seats, self.dtype)
        self._upper = game.boards.of_street(game.betting.num_streets - 1).start
        sizes = [int(s.offset[-1]) for s in game.seats]
        self._regrets = aligned(sizes[0], self.dtype), aligned(sizes[1], self.dtype)
        self._totals = aligned(sizes[0], self.dtype), aligned(sizes[1], self.dtype)
        self._weight = np.zeros(1)
        self._fixed = self._locks(fixed, sizes)
        made = [make_works(game.layout, self._seats, self._upper, self.dtype) for _ in range(self.threads)]
        self._works = [pair[0] for pair in made], [pair[1] for pair in made]
        self._scalars = np.array([0.0, 1.0, *_LEAST[dtype], 0.0, 0.0, 0.0], self.dtype)
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None

    def _locks(self, fixed: tuple[FloatArray, FloatArray] | None, sizes: list[int]) -> tuple[AnyFloat, AnyFloat]:
        if fixed is None:
            return np.zeros(0, self.dtype), np.zeros(0, self.dtype)
        if [len(f) for f in fixed] != sizes:
            raise ParameterError(
                "the fixed moves do not fit the game", where="public CFR", fix="one number per sequence"
            )
        first, second = (np.ascontiguousarray(f, self.dtype) for f in fixed)
        return first, second

    @property
    def options(self) -> dict[str, Any]:
        """The changed weights, the type of numbers and the number of threads."""
        return {**self._weights, "dtype": self.dtype.name, "threads": self.threads}

    def _advance(self, count: int) -> None:
        done = self._iteration
        if self._pool is None:
            self._compiled(done, count, respond=False)
        for t in range(done + 1, done + count + 1):
            if self._pool is not None:
                self._threaded(t)
            self._weight[0] = self._weight[0] * average_decay(t, self.rule.weights) + 1.0

    def _compiled(self, done: int, count: int, *, respond: bool) -> None:
        iterate(
            self.game.layout, self._seats, self._upper, self._regrets, self._totals, self._fixed,
            (self._works[0][0], self._works[1][0]), self._scalars, self.rule.weights, done, count, respond,
        )  # fmt: skip

    def _threaded(self, t: int) -> None:
        weights = self.rule.weights
        powers = discount(t, weights.alpha), discount(t, weights.beta), average_decay(t, weights)
        numbers = Numbers(*self._scalars[:4], *(self.dtype.type(p) for p in powers))
        for player in range(2):
            self._sweep_by_threads(player, numbers)

    def _sweep_by_threads(self, player: int, numbers: Numbers) -> None:
        """Share the last street's boards; each thread adds up its own values, and they are joined in order."""
        assert self._pool is not None
        boards, upper, works = len(self.game.boards), self._upper, self._works[player]
        order = (player, 1 - player)
        shared: Any = (
            self.game.layout, self._seats[player], self._seats[1 - player], upper
        )  # fmt: skip
        state: Any = tuple(tuple(pair[p] for p in order) for pair in (self._regrets, self._totals, self._fixed))
        head = works[0]
        run: Any = sweep
        run(*shared, 0, upper, True, False, False, True, *state, numbers, head)
        stored = int(self._seats[player].offset[upper])
        for work in works[1:]:
            work.plan[:stored] = head.plan[:stored]
            work.other_plan[: len(head.other_plan)] = head.other_plan
            work.values[:stored] = 0.0
        cuts = np.linspace(upper, boards, self.threads + 1).astype(int).tolist()
        submit: Any = self._pool.submit
        jobs = [
            submit(run, *shared, low, high, True, True, False, True, *state, numbers, work)
            for low, high, work in zip(cuts[:-1], cuts[1:], works, strict=True)
        ]
        for job in jobs:
            job.result()
        for work in works[1:]:
            head.values[:stored] += work.values[:stored]
        run(*shared, 0, upper, False, True, False, True, *state, numbers, head)

    def _state(self) -> dict[str, NDArray[Any]]:
        arrays = {f"regret{p}": self._regrets[p] for p in (0, 1)} | {f"total{p}": self._totals[p] for p in (0, 1)}
        return {**arrays, "weight": self._weight}

    def _measure(self) -> Measurement:
        if self._iteration == 0:
            if self.compile_seconds == 0.0:
                self.compile()
            return Measurement(math.nan, math.nan, (math.nan, math.nan))  # there is no average yet
        self._scalars[6] = 1.0 / self._weight[0]
        self._compiled(0, 1, respond=True)
        lower, upper = -float(self._works[1][0].empty[0]), float(self._works[0][0].empty[0])
        gap = max(upper - lower, 0.0)
        return Measurement(lower, upper, (gap / 2, gap / 2))

    def _fingerprint(self) -> str:
        layout, seats = self.game.layout, self.game.seats
        arrays = [layout.street, layout.factor, layout.winner, layout.stake, layout.joint, layout.wins, *self._fixed]
        for seat in seats:
            arrays += [seat.first, seat.above_column, seat.up, seat.cards, seat.member_weight, seat.member_rank]
        return fingerprint(arrays)

    @property
    def strategies(self) -> tuple[PublicStrategy, PublicStrategy]:
        """The averaged profile."""
        first, second = (PublicStrategy(self.game, p, self._average(p), self._fixed[p]) for p in (0, 1))
        return first, second

    def _average(self, player: int) -> AnyFloat:
        if self._weight[0] == 0.0:
            return np.zeros_like(self._totals[player])
        return self._totals[player] * self.dtype.type(1.0 / self._weight[0])

    @property
    def average(self) -> tuple[Strategy, ...]:
        """The averaged profile on the treeplexes; for games that fit into memory so."""
        found = []
        for player, treeplex in enumerate(self.game.treeplexes):
            plan = np.ones(treeplex.num_sequences)
            from_blocks(self.game.layout, self.game.seats[player], self._average(player), plan)
            found.append(Strategy.from_plan(treeplex, plan))
        return tuple(found)

    @property
    def current(self) -> tuple[Strategy, ...]:
        """The last iterate is not kept; the averaged profile stands in for it."""
        return self.average

    def _strategies_or_none(self) -> tuple[Strategy, ...]:
        return ()  # millions of sequences: `strategies` has them in blocks


def _seats_in(seats: tuple[Seat, Seat], dtype: Any) -> tuple[Seat, Seat]:
    """Return the seats with weights in the type of the state."""
    first, second = (
        s._replace(member_weight=s.member_weight.astype(dtype), scale=s.scale.astype(dtype)) for s in seats
    )
    return first, second
