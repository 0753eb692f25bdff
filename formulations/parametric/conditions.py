r"""The conditions that a parametric model imposes on its thresholds, as polynomials derived from the game.

For a model m whose common US-refinement has more regions (Ganzfried 2015, §11.7.4), thresholds are numbered as in the
refinement: a threshold of m between regions a and b stands for all thresholds of the refinement between them, which
coincide under m.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import lru_cache

from equiform.models.signals.indifference import BOTTOM, TOP, CdfValue, Polynomial, indifference, plan_polynomial
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.signal_game import SignalGame


@dataclass(frozen=True)
class Condition:
    """``polynomial = 0`` (indifference) or ``>= 0`` (the plan on one side of the point is weakly preferred).

    The point is a threshold of the refinement or an end of the scale. ``regions`` are the refinement's numbers of the
    player's regions that are compared: those on the two sides of an indifferent threshold, or that of the preferred
    plan, whose condition is void if the region is empty.
    """

    name: str = field(compare=False)
    player: int
    regions: tuple[int, ...]
    polynomial: Polynomial
    is_equation: bool = True


@dataclass(frozen=True)
class Coincidence:
    """What a model says about the refinement's thresholds around regions that it omits: equal, or at an end."""

    equal: tuple[tuple[int, int], ...]
    at_bottom: tuple[int, ...]
    at_top: tuple[int, ...]


@dataclass(frozen=True)
class ModelConditions:
    """Everything that holds if a model does."""

    model: ParametricModel
    conditions: tuple[Condition, ...]
    coincidence: Coincidence
    order: tuple[tuple[int, int], ...]
    number: tuple[int, ...]
    """The refinement's number of each of the model's own thresholds."""


@lru_cache(maxsize=32)  # used to build the program, and again to read its answer
def conditions(
    game: SignalGame, model: ParametricModel, refinement: ParametricModel, *, every_plan: bool = False
) -> ModelConditions:
    """Derive the conditions of a model; ``every_plan`` compares with all plans, not only with those omitted."""
    places = refinement.embedding(model)
    number = tuple(refinement.number(p, places[p][k]) for p, k in model.owners)
    found: list[Condition] = []
    for k, (player, place) in enumerate(model.owners):
        gap = _renumbered(indifference(game, model, k), number)
        found.append(Condition(model.names[k], player, places[player][place : place + 2], gap))
    for player, plans in enumerate(model.regions):
        found += _preferences(game, model, refinement, player, plans, places[player], number, every_plan)
    own = {(model.number(p, k), model.number(p, k + 1)) for p, k in model.owners if k + 1 < len(model.thresholds[p])}
    index = {name: k for k, name in enumerate(model.names)}
    order = {(index[a], index[b]) for a, b in model.order} - own
    return ModelConditions(
        model,
        tuple(found),
        _coincidence(refinement, places),
        tuple(sorted((number[a], number[b]) for a, b in order)),
        number,
    )


def _preferences(
    game: SignalGame,
    model: ParametricModel,
    refinement: ParametricModel,
    player: int,
    plans: tuple[str, ...],
    places: tuple[int, ...],
    number: tuple[int, ...],
    every_plan: bool,
) -> list[Condition]:
    """Prefer the neighbouring plans to plans omitted between them (or to all), at thresholds and at the ends."""
    found = []
    regions = refinement.regions[player]
    points: list[tuple[int, int | None, int | None, tuple[str, ...]]] = [(BOTTOM, None, 0, regions[: places[0]])]
    for k in range(len(plans) - 1):
        at = model.number(player, k)
        points.append((at, k, k + 1, regions[places[k] + 1 : places[k + 1]]))
    points.append((TOP, len(plans) - 1, None, regions[places[-1] + 1 :]))
    for at, below, above, omitted in points:
        others = game.plans[player] if every_plan else tuple(dict.fromkeys(omitted))
        neighbours = {plans[r] for r in (below, above) if r is not None}
        for region in (below, above):
            if region is None:
                continue
            own = plan_polynomial(game, model, player, plans[region], at)
            for other in others:
                if other in neighbours:
                    continue
                gain = own - plan_polynomial(game, model, player, other, at)
                where = {BOTTOM: "bottom", TOP: "top"}.get(at) or model.names[at]
                found.append(
                    Condition(
                        f"{game.players[player]} at {where}: {plans[region]} over {other}",
                        player,
                        (places[region],),
                        _renumbered(gain, number),
                        is_equation=False,
                    )
                )
    return found


def _coincidence(refinement: ParametricModel, places: tuple[tuple[int, ...], ...]) -> Coincidence:
    equal, bottom, top = [], [], []
    for player, own in enumerate(places):
        last = len(refinement.thresholds[player])
        bottom += [refinement.number(player, k) for k in range(own[0])]
        top += [refinement.number(player, k) for k in range(own[-1], last)]
        for a, b in itertools.pairwise(own):
            equal += [(refinement.number(player, a), refinement.number(player, k)) for k in range(a + 1, b)]
    return Coincidence(tuple(equal), tuple(bottom), tuple(top))


def _renumbered(polynomial: Polynomial, number: tuple[int, ...]) -> Polynomial:
    terms = {}
    for monomial, coefficient in polynomial.terms.items():
        renamed = tuple(CdfValue(v.player, tuple(sorted(number[k] for k in v.thresholds))) for v in monomial)
        terms[renamed] = coefficient
    return Polynomial(terms)
