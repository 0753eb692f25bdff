r"""Equilibrium from qualitative models: the parametric mixed-integer linear feasibility program.

Ganzfried (2015), chapter 11: §11.6 (two players), §11.7.1 (continuous signals), §11.7.3 (many players) and §11.7.4
(several models). Everything is derived from the game and the models.

Sets
    thresholds k of the model (of the common US-refinement, if several are given), cells c of the scale, players j,
    models m.
Variables
    :math:`t_k` and :math:`x_{j,k} = F_j(t_k)`, with binaries that say in which cell t_k lies;
    :math:`\zeta_m \in \{0,1\}` model m is the one that holds; for pairs of thresholds whose order a model leaves open
    :math:`o_{k,l} \in \{0,1\}` and :math:`F_j(\min(t_k, t_l))`; for three players or more, one variable per product
    (:mod:`equiform.formulations.optimization.piecewise_product`).

.. math::

    & t, x \text{ consistent (see } \texttt{thresholds} \text{)}, \qquad \sum_m \zeta_m = 1, \\
    & |u_a(t_k) - u_b(t_k)| \le \tfrac{\varepsilon}{2} + K (1 - \zeta_m) && \text{(indifference)} \\
    & t_k \le t_l + K (1 - \zeta_m) \quad \text{if } t_k \prec_m t_l && \text{(order)} \\
    & u_a(t_k) \ge u_o(t_k) - K (1 - \zeta_m) \quad \text{for plans } o \text{ omitted at } t_k && \text{(preference)}

where :math:`u_a(t_k)` is the polynomial of :mod:`equiform.models.signals.indifference`. Under a model that omits
regions of the refinement, the thresholds around an omitted region coincide. Conditions that several models share are
stated once, with the sum of their :math:`\zeta_m`: those shared by all models need no K, and a relaxation that mixes
two models cannot evade them.

Regions may be allowed to be empty (``regions="any"``): thresholds that coincide or sit at an end of the scale, where
only weak preferences are required (:mod:`equiform.formulations.parametric.empty_regions`).

With finite signals this is the thesis's program, in which a threshold inside a signal's cell may split ties freely; it
is exact where ties cannot happen. :mod:`equiform.formulations.parametric.epsb` is exact for ties as well, and needs no
premise on the models.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar

import pyomo.core as pyo

from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.piecewise_product import Pieces, encoding_for
from equiform.formulations.optimization.solution import Solution, TerminationCondition
from equiform.formulations.optimization.tolerances import tight
from equiform.formulations.parametric.bounds import Bounds, tighten_bounds
from equiform.formulations.parametric.conditions import ModelConditions, conditions
from equiform.formulations.parametric.empty_regions import empty, empty_regions_block, loss
from equiform.formulations.parametric.polynomials import Linearizer, cdf_variable
from equiform.formulations.parametric.result import ParametricResult
from equiform.formulations.parametric.thresholds import (
    Consistency,
    keep_order,
    read_positions,
    restrict,
    thresholds_block,
)
from equiform.models.common.errors import InfeasibleError, ParameterError, UnsupportedGameError
from equiform.models.signals.parametric_model import ParametricModel, common_us_refinement
from equiform.models.signals.polish import polish as newton
from equiform.models.signals.signal_game import SignalGame
from equiform.models.signals.threshold_profile import ThresholdProfile

logger = logging.getLogger(__name__)

Item = TypeVar("Item", bound=Hashable)
Models = ParametricModel | Sequence[ParametricModel]
Regions = Literal["used", "any"]
Preferences = Literal["omitted", "all"]

ROUNDING = 1e-9
"""The share of the payoffs' range by which indifference may fail by default; polishing removes it."""
EQUILIBRIUM = 1e-9
"""The share of the payoffs' range that a player may gain at any signal of a profile that counts as an equilibrium."""


def build(
    game: SignalGame,
    models: Models,
    *,
    refinement: ParametricModel | None = None,
    consistency: Consistency = "incremental",
    regions: Regions = "used",
    preferences: Preferences = "omitted",
    epsilon: float | None = None,
    pieces: Pieces | None = None,
    closest: bool = False,
    bounds: Bounds | None = None,
    relaxed: bool = False,
) -> pyo.ConcreteModel:
    """Build the program.

    Parameters
    ----------
    game, models
        A game with independent signals, and one qualitative model or several of which one holds.
    refinement
        The common US-refinement of the models; by default one of them.
    consistency
        How the block of thresholds ties positions to CDF values (:mod:`equiform.formulations.parametric.thresholds`).
    regions
        Whether every threshold is indifferent between the plans around it (``used``), or regions may be empty and their
        plans worse (``any``).
    preferences
        ``omitted`` compares with the plans omitted at a threshold, ``all`` with every plan.
    epsilon, pieces
        The allowed indifference gap, by default what rounding and interpolation require; how products are interpolated.
    closest
        Whether every condition may be violated, minimising the sum of the violations.
    bounds, relaxed
        Known bounds of CDF values, which the pieces then cover; whether to use convex hulls in place of pieces.

    Raises
    ------
    UnsupportedGameError
        If the signals are dependent.
    """
    candidates = as_models(game, models)
    refinement = common_us_refinement(candidates, refinement)
    _require_independent(game)
    model = pyo.ConcreteModel(name=f"parametric program of {game.name}")
    model.thresholds = thresholds_block(game.signals, refinement, consistency=consistency)
    model.zeta = pyo.Var(range(len(candidates)), domain=pyo.Binary)
    model.one_model = pyo.Constraint(expr=sum(model.zeta.values()) == 1)
    wanted = [conditions(game, m, refinement, every_plan=preferences == "all") for m in candidates]
    polynomials = [c.polynomial for w in wanted for c in w.conditions]
    linear = Linearizer(model.thresholds, polynomials, None if relaxed else pieces or Pieces(), bounds)
    restrict(model.thresholds, game.signals, bounds or {})
    model.polynomials = linear.block
    model.order = pyo.ConstraintList()
    _order(model, wanted, game.signals.num_cells)
    model.regions = empty_regions_block(model.thresholds, refinement, _payoff_ranges(game), allowed=regions == "any")
    _conditions(model, game, wanted, linear, epsilon, closest)
    return model


def as_models(game: SignalGame, models: Models) -> list[ParametricModel]:
    """Accept one model or several, and check that they fit the game."""
    candidates = [models] if isinstance(models, ParametricModel) else list(models)
    if not candidates:
        raise ParameterError("no parametric model was passed", where=game.name, fix="pass at least one")
    for candidate in candidates:
        candidate.check(game)
    return candidates


def _require_independent(game: SignalGame) -> None:
    if game.signals.is_dependent:
        raise UnsupportedGameError(
            f"{game.name} has dependent signals", fix="use equiform.formulations.parametric.epsb, which accepts them"
        )


def _order(model: Any, wanted: list[ModelConditions], cells: int) -> None:
    """Order thresholds as the model that holds does, and close the regions it omits."""
    block = model.thresholds
    for (lower, upper), models in _by_content(own.order for own in wanted).items():
        keep_order(block, model.order, lower, upper, unless=_none_of(model, models))
    for (first, other), models in _by_content(own.coincidence.equal for own in wanted).items():
        keep_order(block, model.order, other, first, unless=_none_of(model, models))
    for k, models in _by_content(own.coincidence.at_bottom for own in wanted).items():
        model.order.add(block.position[k] <= cells * _none_of(model, models))
    for k, models in _by_content(own.coincidence.at_top for own in wanted).items():
        model.order.add(block.position[k] >= cells * (1 - _none_of(model, models)))


def _by_content(lists: Iterable[Iterable[Item]]) -> dict[Item, list[int]]:
    """Collect what several models state: each item once, with the models that state it."""
    found: dict[Item, list[int]] = {}
    for number, items in enumerate(lists):
        for item in dict.fromkeys(items):
            found.setdefault(item, []).append(number)
    return found


def _none_of(model: Any, models: list[int]) -> Any:
    """Return an expression that is one if the model that holds is not among these, and zero otherwise."""
    return 0 if len(models) == len(model.zeta) else 1 - sum(model.zeta[m] for m in models)


def _conditions(
    model: Any,
    game: SignalGame,
    wanted: list[ModelConditions],
    linear: Linearizer,
    epsilon: float | None,
    closest: bool,
) -> None:
    rows = list(_by_content(own.conditions for own in wanted).items())
    keys = range(len(rows))
    model.violation = pyo.Var(keys if closest else [], domain=pyo.NonNegativeReals)
    model.at_most = pyo.Constraint([n for n, (c, _) in enumerate(rows) if c.is_equation])
    model.at_least = pyo.Constraint(keys)
    ranges = _payoff_ranges(game)
    for n, (condition, models) in enumerate(rows):
        gap = linear(condition.polynomial)
        rounding = ROUNDING * ranges[condition.player] if condition.is_equation else 0.0
        slack = gap.error + rounding if epsilon is None else max(epsilon / 2, rounding)
        if isinstance(gap.expression, float | int) and abs(gap.expression) <= slack:
            continue  # the two plans never differ here: an equation 0 = 0
        # under another model's order this polynomial need not be a payoff difference: only its terms bound it
        low, high = condition.polynomial.bounds
        off = _none_of(model, models)
        room = slack + (model.violation[n] if closest else 0)
        at_least = -(room + max(gap.error - low, 0.0) * off)
        if condition.is_equation:
            below, above = (loss(model.regions, condition.player, r) for r in condition.regions)
            highest = above - below + room + max(high + gap.error, 0.0) * off
            model.at_most[n] = _row(gap.expression <= highest)
            model.at_least[n] = _row(gap.expression >= above - below + at_least)
        else:
            void = (ranges[condition.player] + slack) * empty(model.regions, condition.player, *condition.regions)
            model.at_least[n] = _row(gap.expression >= at_least - void)
    model.total_violation = pyo.Objective(expr=sum(model.violation.values()) if closest else 0.0)


def _row(relation: Any) -> Any:
    """Let a relation between numbers, which Python has decided already, stand as a row."""
    if isinstance(relation, bool):
        return pyo.Constraint.Feasible if relation else pyo.Constraint.Infeasible
    return relation


def _payoff_ranges(game: SignalGame) -> list[float]:
    pays = [[*win.ravel(), *lose.ravel()] for win, lose in zip(game.win, game.lose, strict=True)]
    return [float(max(pay) - min(pay)) for pay in pays]


def _tightened(program: Callable[..., Any], wanted: list[ModelConditions], rounds: int) -> Bounds:
    return tighten_bounds(
        lambda bounds: program(relaxed=True, bounds=bounds),
        lambda model, value: cdf_variable(model.thresholds, model.polynomials, value),
        {v for own in wanted for c in own.conditions for monomial in c.polynomial.terms for v in monomial},
        rounds,
    )


def solve(
    game: SignalGame,
    models: Models,
    *,
    refinement: ParametricModel | None = None,
    consistency: Consistency = "incremental",
    regions: Regions = "used",
    preferences: Preferences = "omitted",
    epsilon: float | None = None,
    pieces: Pieces | None = None,
    closest: bool = False,
    polish: bool = True,
    tighten: int = 8,
    solver: SolverOptions = DEFAULT,
) -> ParametricResult:
    """Find thresholds that fit one of the models, and evaluate them independently.

    With ``regions="any"`` an equilibrium that uses all regions is tried first, then one with empty regions, then the
    closest profile: polished, it may be an equilibrium with thresholds in another order than the model's.

    Parameters
    ----------
    game, models, refinement, consistency, regions, preferences, epsilon, pieces
        As for :func:`build`.
    closest
        Whether to return the closest profile if no equilibrium fits, instead of raising :class:`InfeasibleError`.
    polish, solver
        Whether to take Newton steps from the solver's answer; the backend and how to run it.
    tighten
        With three players or more, the number of rounds in which CDF values are bounded first
        (:mod:`equiform.formulations.parametric.bounds`); 0 spreads the pieces over [0, 1] as the thesis does.
    """
    candidates = as_models(game, models)
    common = common_us_refinement(candidates, refinement)
    program = partial(
        build,
        game,
        candidates,
        refinement=refinement,
        consistency=consistency,
        regions=regions,
        preferences=preferences,
        epsilon=epsilon,
        pieces=pieces or Pieces(encoding=encoding_for(solver.backend)),
    )
    wanted = [conditions(game, m, common, every_plan=preferences == "all") for m in candidates]
    search = _Search(game, candidates, common, wanted, program, solver, polish, closest)
    rounds = tighten if len(game.players) > 2 else 0
    return search.feasible(rounds, empty_allowed=regions == "any")


class _Run(NamedTuple):
    """A program, the seconds that building it took, and its solution."""

    model: Any
    seconds: float
    solution: Solution

    @property
    def infeasible(self) -> bool:
        return self.solution.termination is TerminationCondition.INFEASIBLE


@dataclass(frozen=True)
class _Search:
    """The programs of one question: the one that was asked, and those that check a verdict of infeasibility."""

    game: SignalGame
    candidates: list[ParametricModel]
    refinement: ParametricModel
    wanted: list[ModelConditions]
    program: Callable[..., Any]
    solver: SolverOptions
    polish: bool
    closest: bool

    def feasible(self, rounds: int, *, empty_allowed: bool) -> ParametricResult:
        """Solve the program; check a verdict of infeasibility by the closest profile.

        This may fail only by rounding. Where regions may be empty, it also counts if, after polishing, it is an
        equilibrium with thresholds in another order than the model's: the evaluation at every signal decides.
        """
        found = self.run(self.closest) if self.closest else self.run(False, rounds, regions="used")
        if found.infeasible and (rounds or empty_allowed):
            found = self.run(self.closest)  # pieces fine enough for the room left, and empty regions if allowed
        if found.infeasible:
            verdict, violation = found.solution, None
            if not self.closest:
                found = self.run(True)
                violation = found.solution.objective
                if empty_allowed and found.solution.x is not None:
                    result = self.read(found)
                    if result.epsb_epsilon <= EQUILIBRIUM * self.game.payoff_range:
                        return result
            _require_rounding_only(self.game, self.tried, verdict, violation)
            logger.info("%s called a program infeasible that only rounding violates", verdict.backend)
        if found.solution.x is None:
            found.solution.require_optimal()
        return self.read(found)

    @property
    def tried(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(m.name for m in self.candidates)

    def run(self, closest: bool, rounds: int = 0, **more: Any) -> _Run:
        """Build and solve a program, after so many rounds of tightening its bounds."""
        begun = time.perf_counter()
        bounds = _tightened(partial(self.program, **more), self.wanted, rounds)
        model = self.program(closest=closest, bounds=bounds, **more)
        return _Run(model, time.perf_counter() - begun, solve_model(model, tight(self.solver)))

    def read(self, found: _Run) -> ParametricResult:
        """Read the profile off a solved program, and evaluate it."""
        positions = read_positions(found.model.thresholds, self.game.signals, self.refinement)
        number = max(found.model.zeta, key=lambda m: pyo.value(found.model.zeta[m]))
        profile = ThresholdProfile(self.game, self.candidates[number], positions[list(self.wanted[number].number)])
        profile = newton(profile) if self.polish else profile
        violations = _violations(found.model, self.wanted, number) if self.closest else {}
        return ParametricResult(profile, profile.evaluate(), found.solution, found.seconds, self.tried, violations)


def _require_rounding_only(
    game: SignalGame, tried: tuple[str, ...], verdict: Solution, violation: float | None
) -> None:
    """Raise an InfeasibleError unless the closest profile violates its conditions by no more than rounding."""
    if violation is not None and violation <= 100 * ROUNDING * game.payoff_range:
        return
    distance = "" if violation is None else f"; the closest profile misses its conditions by {violation:.3g} in all"
    raise InfeasibleError(
        f"no equilibrium of {game.name} fits the models tried: {', '.join(tried)}{distance}",
        where=verdict.summary(),
        fix="solve with closest=True (--closest) to see at which thresholds the model fails, or add a model",
    )


def _violations(model: Any, wanted: list[ModelConditions], number: int) -> dict[str, float]:
    """Return by how much the model that holds violates each of its conditions."""
    place = {c: n for n, c in enumerate(_by_content(w.conditions for w in wanted))}
    return {c.name: float(pyo.value(model.violation[place[c]])) for c in wanted[number].conditions}
