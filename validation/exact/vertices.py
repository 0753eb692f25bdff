r"""All extreme equilibrium strategies of a small zero-sum game, in rational arithmetic.

A player's equilibrium plans are a polytope: realization plans that earn at least the value v against every pure
strategy of the opponent. The *double description method* starts from the vertices of the realization plans themselves,
the player's reduced pure strategies, and cuts with one inequality :math:`a_y^\top x \ge v` after the other: vertices on
the right side stay, and each edge that crosses the cut leaves a new one. Two vertices share an edge if no third is
tight wherever both are. Every equilibrium strategy is a mixture of what is left; there is only one if one vertex is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd

from equiform.formulations.zero_sum.proper import MOST_STRATEGIES
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.errors import LimitError
from equiform.models.common.rational import repr_of_fields
from equiform.models.common.rational_vector import RationalVector
from equiform.models.normal_form import reduced_plans
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.validation.exact.equilibrium import exact_equilibrium
from equiform.validation.exact.proper import pure_payoffs
from equiform.validation.exact.strategies import exact_strategy

#: The most vertices kept on the way.
MOST_VERTICES = 4_000


@dataclass(frozen=True, eq=False)
class OptimalVertices:
    """All extreme equilibrium plans of one player."""

    game: str
    player: int
    value: Fraction
    """The game's value for this player."""
    vertices: tuple[RationalVector, ...] = field(repr=False)
    strategies: tuple[Strategy, ...] = field(repr=False)

    __repr__ = repr_of_fields

    @property
    def unique(self) -> bool:
        """Whether the player has a single equilibrium plan."""
        return len(self.vertices) == 1


@dataclass(frozen=True)
class _Vertex:
    """A point as integers, its scale last; and the numbers of the inequalities that are tight there."""

    point: tuple[int, ...]
    tight: frozenset[int]


def optimal_vertices(game: SequenceForm, player: int = 0, *, limit: int = MOST_VERTICES) -> OptimalVertices:
    """List the vertices of a player's equilibrium plans.

    Raises
    ------
    ParameterError
        If a player has too many reduced pure strategies.
    LimitError
        If there are more than ``limit`` vertices on the way.

    Examples
    --------
    >>> from equiform.games.poker.kuhn import Kuhn
    >>> from equiform.models.compile import compile_rules
    >>> from equiform.models.sequence_form import sequence_form
    >>> kuhn = sequence_form(compile_rules(Kuhn()))
    >>> [len(optimal_vertices(kuhn, player).vertices) for player in (0, 1)]
    [2, 1]
    """
    seat = for_player(game, player)
    own = seat.treeplexes[0]
    value = exact_equilibrium(seat).value
    payoffs, unit = pure_payoffs(seat)
    floor = value * unit
    n = own.num_sequences
    starts = reduced_plans(own, limit=MOST_STRATEGIES).astype(int).tolist()
    vertices = [_Vertex((*p, 1), frozenset(s for s in range(n) if p[s] == 0)) for p in starts]
    for number, row in enumerate(payoffs.tolist(), n):
        cut = [int(v) * floor.denominator for v in row] + [-floor.numerator]
        vertices = _cut(vertices, cut, number)
        if len(vertices) > limit:
            raise LimitError(f"there are more than {limit:,} vertices", where=game.name, fix="use a smaller game")
    plans = tuple(RationalVector.of([Fraction(v, vertex.point[-1]) for v in vertex.point[:-1]]) for vertex in vertices)
    strategies = tuple(exact_strategy(own, plan) for plan in plans)
    return OptimalVertices(game.name, player, value, plans, strategies)


def _cut(vertices: list[_Vertex], cut: list[int], number: int) -> list[_Vertex]:
    """Keep what satisfies an inequality, and add the points where edges cross it."""
    sides = [sum(a * b for a, b in zip(cut, v.point, strict=True)) for v in vertices]
    kept = [
        _Vertex(v.point, v.tight | {number}) if side == 0 else v
        for v, side in zip(vertices, sides, strict=True)
        if side >= 0
    ]
    inside = [(v, side) for v, side in zip(vertices, sides, strict=True) if side > 0]
    outside = [(v, side) for v, side in zip(vertices, sides, strict=True) if side < 0]
    for good, plus in inside:
        for bad, minus in outside:
            common = good.tight & bad.tight
            if not any(common <= v.tight for v in vertices if v is not good and v is not bad):
                kept.append(_Vertex(_between(good.point, bad.point, plus, -minus), common | {number}))
    return kept


def _between(good: tuple[int, ...], bad: tuple[int, ...], plus: int, minus: int) -> tuple[int, ...]:
    """Return the point of an edge at which the inequality is tight, in lowest terms."""
    point = [plus * b + minus * g for g, b in zip(good, bad, strict=True)]
    divisor = gcd(*point)
    return tuple(v // divisor for v in point)
