r"""Endgame solving on the river as published: Algorithm 13 of Ganzfried's thesis (CMU 2015, §10.3).

1. The joint distribution of hands from the trunk strategies (:mod:`equiform.endgames.river.distribution`).
2. Each hand's equity against the hands that the opponent holds then: not against a uniform distribution.
3. :math:`k_i = \lfloor T / b_i \rfloor` buckets for a player with :math:`b_i` betting sequences, by percentiles of
   equity (:mod:`equiform.endgames.river.percentiles`).
4. A linear program between buckets, with their joint distribution: Nash, undominated or ε-quasi-perfect.

Pot and stacks are inputs, so it does not matter whether the opponent's bets were in anybody's betting abstraction.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from equiform.endgames.river.bucket_game import bucket_game, by_place, lifted
from equiform.endgames.river.distribution import HandDistribution, LookUp, by_ranges, hand_distribution
from equiform.endgames.river.percentiles import interval_buckets
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.result import Result
from equiform.formulations.zero_sum import quasi_perfect, sequence_form_lp, undominated
from equiform.games.cards.card import STANDARD, CardsLike
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.arguments import require_count, require_name, require_number
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.public.factors import factored_form
from equiform.models.public.game import PublicGame
from equiform.models.public.strategy import PublicStrategy, from_profile

#: T and α of the thesis's experiments; its example has 10,000 and .995.
BUDGET, TOP = 7500, 0.99
CONCEPTS = ("nash", "une", "qpe")


@dataclass(frozen=True, eq=False)
class RiverEndgame:
    """A river solved between buckets, and what every step found and took."""

    spot: Spot
    game: PublicGame = field(repr=False)
    """The river between hands, in which ``strategies`` are plans."""
    strategies: tuple[PublicStrategy, PublicStrategy] = field(repr=False)
    distribution: HandDistribution = field(repr=False)
    equities: tuple[FloatArray, FloatArray] = field(repr=False)
    labels: tuple[IntArray, IntArray] = field(repr=False)
    """The bucket of each hand, in the order of ``distribution.holes``; −1 for hands that are never held."""
    sequences: tuple[int, int]
    """The players' betting sequences, b."""
    asked: tuple[int, int]
    """The buckets that were asked for, k."""
    buckets: tuple[int, int]
    """Those that contain hands."""
    result: Result = field(repr=False)
    gap: float
    """What both players together could gain in the game between buckets, in chips."""
    nonzeros: int
    """Of the payoff matrix between buckets."""
    seconds: dict[str, float] = field(repr=False)
    """CPU seconds of each step."""

    def hand(self, cards: CardsLike, player: int) -> tuple[float, int]:
        """Return the equity and the bucket of a player's hand; NaN and −1 if it is never held."""
        low, high = sorted(STANDARD.cards(cards))
        place = self.distribution.holes.searchsorted(high * (high - 1) // 2 + low)
        return float(self.equities[player][place]), int(self.labels[player][place])

    def to_dict(self) -> dict[str, Any]:
        """Return what the steps found, as plain data."""
        return {
            "sequences": list(self.sequences),
            "asked": list(self.asked),
            "buckets": list(self.buckets),
            "concept": self.result.concept,
            "backend": self.result.backend,
            "algorithm": self.result.algorithm,
            "payoff_nonzeros": self.nonzeros,
            "gap": self.gap / self.spot.betting.pot,
            "rounds": len(self.result.solutions),
            "seconds": dict(self.seconds),
        }


def solve_river(
    spot: Spot,
    *,
    look_up: LookUp | None = None,
    budget: int = BUDGET,
    top: float = TOP,
    concept: str = "nash",
    epsilon: float | None = None,
    solver: SolverOptions = DEFAULT,
) -> RiverEndgame:
    """Solve a river between buckets of hands.

    Parameters
    ----------
    spot
        Board, pot, stacks and bet sizes; its ranges are the trunk strategies unless ``look_up`` is given.
    look_up
        The trunk strategies as a table (:data:`~equiform.endgames.river.distribution.LookUp`). Hands outside the
        ranges of the spot do not count.
    budget
        T: buckets times betting sequences.
    top
        α: hands of this equity or more have a bucket of their own.
    concept, epsilon
        ``nash``, ``une`` (undominated) or ``qpe`` (quasi-perfect), the last with an ``epsilon``.
    solver
        The backend and how to run it.
    """
    require_name(concept, CONCEPTS, "concept", spot.name)
    require_number(top, "top", spot.name, least=0, most=1)
    if len(spot.board) != 5:
        raise UnsupportedGameError("endgames are solved on the river", where=spot.name, fix="deal all five cards")
    clock = _Clock()
    with clock("joint distribution"):
        distribution = hand_distribution(spot.board, _trunk(spot, look_up))
    with clock("equities"):
        equities = distribution.equities()
    first, second = (int(seat.width[0]) for seat in spot.betting.tree.seats)
    asked = _counts(budget, (first, second), spot.name)
    with clock("card abstraction"):
        labels = (interval_buckets(equities[0], asked[0], top), interval_buckets(equities[1], asked[1], top))
    with clock("matrices"):
        small = _bucket_game(spot, distribution, labels)
        form = factored_form(small)
        nonzeros = sum(form.payoff.factor(p).nnz for p in (0, 1)) // 2  # type: ignore[attr-defined]
    with clock("linear programs"):
        result = _solve(form, concept, epsilon, solver)
    with clock("strategies"):
        strategies = result.strategies
        assert strategies[0] is not None and strategies[1] is not None
        game = spot.game()
        places = tuple(by_place(game, p, distribution.holes, labels[p]) for p in (0, 1))
        played = lifted(game, from_profile(small, (strategies[0], strategies[1])), (places[0], places[1]))
        gap = form.nash_conv(strategies[0].plan, strategies[1].plan)
    found = int(labels[0].max()) + 1, int(labels[1].max()) + 1
    return RiverEndgame(
        spot, game, played, distribution, equities, labels, (first, second), asked, found, result, gap, nonzeros,
        clock.seconds,
    )  # fmt: skip


def _trunk(spot: Spot, look_up: LookUp | None) -> LookUp:
    """Return the trunk strategies: the table, if there is one, on the hands in the ranges."""
    held = by_ranges(*spot.ranges)
    return held if look_up is None else lambda player, holes: look_up(player, holes) * (held(player, holes) > 0)


def _bucket_game(spot: Spot, distribution: HandDistribution, labels: tuple[IntArray, IntArray]) -> PublicGame:
    """Return the spot between buckets of hands."""
    name, board = f"{spot.name} in buckets", STANDARD.text(spot.board)
    return bucket_game(name, spot.betting.tree, distribution.joint, distribution.sign, labels, board)


def _counts(budget: int, sequences: tuple[int, int], where: str) -> tuple[int, int]:
    """Return how many buckets either player gets: T over the number of betting sequences."""
    require_count(budget, "budget", where)
    first, second = (budget // b if b else 1 for b in sequences)
    if min(first, second) < 2:
        raise ParameterError(
            f"a budget of {budget:,} leaves fewer than two buckets to a player with {max(sequences):,} sequences",
            where=where,
            fix=f"use a budget from {2 * max(sequences):,}, or fewer bet sizes",
        )
    return min(first, 1326), min(second, 1326)


def _solve(form: Any, concept: str, epsilon: float | None, solver: SolverOptions) -> Result:
    if concept == "nash":
        return sequence_form_lp.solve(form, solver=solver)
    if concept == "une":
        return undominated.solve(form, solver=solver)
    if epsilon is None:
        raise ParameterError("qpe needs an epsilon", where="river endgame", fix="pass the least weight of a move")
    return quasi_perfect.solve(form, epsilon, solver=solver).require_certified()


class _Clock:
    """CPU seconds by step: a busy machine does not change them much."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        started = time.process_time()
        yield
        self.seconds[step] = time.process_time() - started
