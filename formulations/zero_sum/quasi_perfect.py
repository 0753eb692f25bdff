r"""ε-quasi-perfect equilibrium: every player trembles a little, and less so deeper in the tree.

P. B. Miltersen and T. B. Sørensen, *Computing a quasi-perfect equilibrium of a two-player game*, Economic Theory 42
(2010); S. Ganzfried, PhD thesis (CMU 2015), §10.7.2. In the perturbed game :math:`G(\varepsilon)` every sequence σ must
be played with weight at least :math:`\varepsilon^{|\sigma|}`; a Nash equilibrium of it is an ε-quasi-perfect
equilibrium, and the limits for :math:`\varepsilon \to 0` are quasi-perfect.

Sets
    sequences of the player (:math:`x`) and of the opponent (:math:`y`), information sets of the opponent (:math:`q`).
Data
    :math:`\ell_s = \varepsilon^{|s|}` for the player's sequences, :math:`k_t = \varepsilon^{|t|}` for the opponent's; 0
    for the empty sequence, whose weight is fixed anyway, so that the program at ε = 0 is the Nash program.

With :math:`y = k + z,\; z \ge 0`, the opponent's problem is
:math:`(A^\top x)^\top k + \min_z \{(A^\top x)^\top z : Fz = f - Fk,\; z \ge 0\}`, and the dual of the second part gives

.. math::

    \max_{x, q}\; (Ak)^\top x + (f - Fk)^\top q \quad \text{s.t.} \quad Ex = e,\; x \ge \ell \quad (\text{flow}), \qquad
    A^\top x - F^\top q \ge 0 \quad (\text{response}).

The duals of the response rows are z, so that one program yields both players' plans.

**Do not trust it blindly.** Deep sequences have weight :math:`\varepsilon^{|\sigma|}`, which a solver that tolerates
errors of :math:`10^{-7}` cannot see: it still reports *optimal*. Every answer therefore carries :class:`Residuals`,
which judge each decision on the scale of its own information set. Dividing the variables by their bounds
(``route="scaled"``) moves the trouble to the other end, where weights are as large as
:math:`\varepsilon^{-|\sigma|}`. The remedy is exact arithmetic:
:mod:`equiform.validation.exact.quasi_perfect`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Real
from typing import Self

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.blocks import guarantee, plan_values, realization_plan
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, dot, vector_var
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.solution import Solution
from equiform.formulations.optimization.timing import timed
from equiform.formulations.result import Result
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.arguments import require_name
from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.errors import CertificateError, ParameterError
from equiform.models.common.jit import jit
from equiform.models.common.rational import short_text
from equiform.models.game import Game, as_sequence_form
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.models.treeplex import Treeplex

ROUTES = ("float", "scaled")

#: A profile counts as an equilibrium of the perturbed game if its relative residuals stay below this.
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Residuals:
    """How far two plans are from an equilibrium of the perturbed game, each decision on its own scale."""

    flow: float
    """The largest relative violation of a flow equation, ``|sum of the moves / weight of arriving - 1|``."""
    tremble: float
    """The largest relative shortfall of a weight below its bound."""
    mistake: float
    """The worst move that is played more than it has to be although another is better: the smaller of its excess over
    the tremble, relative to the tremble, and its loss, as a share of everything at stake there. Moves may differ by as
    little as the opponent's smallest tremble, so losses are measured in units of it."""
    gap: float
    """The sum of both players' gains from a best response within the perturbed game."""

    @property
    def worst(self) -> float:
        """The largest of the three relative residuals (NaN counts as infinite)."""
        parts = (self.flow, self.tremble, self.mistake)
        return max(parts) if np.isfinite(parts).all() else float("inf")


@dataclass(frozen=True, eq=False)
class QuasiPerfectResult(Result):
    """A result with its perturbation and the residuals that show whether a floating-point solver coped with it."""

    epsilon: float = 0.0
    route: str = "float"
    residuals: Residuals = field(default=Residuals(0.0, 0.0, 0.0, 0.0))

    def require_certified(self, tolerance: float = TOLERANCE) -> Self:
        """Return the result itself, or raise if it is not an equilibrium of the perturbed game."""
        if not self.residuals.worst <= tolerance:
            raise CertificateError(
                f"the solver's answer is not a {self.epsilon:g}-quasi-perfect equilibrium: "
                f"flow {self.residuals.flow:.1e}, tremble {self.residuals.tremble:.1e}, "
                f"mistake {self.residuals.mistake:.1e}",
                where=f"{self.game}, {self.backend}, route {self.route}",
                fix="use the exact route (--exact on the command line), or a larger epsilon",
            )
        return self


def trembles(treeplex: Treeplex, epsilon: float | Fraction) -> FloatArray:
    r"""Return the least weights :math:`\varepsilon^{|\sigma|}`, with 0 for the empty sequence."""
    require_room(treeplex, epsilon)
    bounds: FloatArray = np.float64(float(epsilon)) ** treeplex.depth
    if bounds.min() < np.finfo(np.float64).tiny:
        raise ParameterError(
            f"epsilon is too small for floats: the least weight of {treeplex.depth.max()} moves in a row rounds to 0",
            where=f"{treeplex.player}, epsilon {short_text(epsilon)}",
            fix="solve exactly (exact=True, --exact), or use a larger epsilon",
        )
    bounds[0] = 0.0
    return bounds


def largest_epsilon(treeplex: Treeplex) -> Fraction:
    """Return the largest ε for which the information set with the most moves has room."""
    return Fraction(1, int(np.diff(treeplex.start).max(initial=1)))


def require_room(treeplex: Treeplex, epsilon: float | Fraction) -> None:
    """Raise a ParameterError unless every information set has room for the trembles of all its moves."""
    largest = largest_epsilon(treeplex)
    if not isinstance(epsilon, Real) or isinstance(epsilon, bool):
        raise ParameterError(
            f"epsilon is {epsilon!r}", where="quasi-perfect equilibrium", fix="use a small number, such as 1/1000"
        )
    if not 0 < epsilon * largest.denominator <= 1:  # a product, as a float 1/5 lies a hair above the fraction
        raise ParameterError(
            f"epsilon is {short_text(epsilon)}",
            where=f"{treeplex.player} has up to {largest.denominator} moves at an information set",
            fix=f"use a number above 0 and up to {largest}",
        )


def build(game: Game, epsilon: float | Fraction, *, player: int = 0) -> pyo.ConcreteModel:
    """Build the program of the perturbed game.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    epsilon
        The tremble: above 0 and small enough for the information set with the most moves.
    player
        The player whose program is built, 0 or 1.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the blocks ``plan`` (x, bounded below by its trembles) and ``guarantee``, and the ``objective``.

    Raises
    ------
    ParameterError
        If ``epsilon`` is out of range or too small for floats.
    """
    game = as_sequence_form(game)
    seat = for_player(game, player)
    own, least = (trembles(t, epsilon) for t in seat.treeplexes)
    model = pyo.ConcreteModel(
        name=f"{float(epsilon):g}-quasi-perfect equilibrium of {game.name} for {seat.treeplexes[0].player}"
    )
    model.plan = realization_plan(seat.treeplexes[0])
    for variable, bound in zip(model.plan.x.values(), own.tolist(), strict=True):
        variable.setlb(bound)
    model.guarantee = guarantee(model.plan, seat)
    payoff = dot(seat.gradient(0, least), model.plan.x) + dot(seat.f - seat.F @ least, model.guarantee.q)
    model.objective = pyo.Objective(expr=payoff, sense=pyo.maximize)
    return model


def build_scaled(game: Game, epsilon: float | Fraction, *, player: int = 0) -> pyo.ConcreteModel:
    """Build the same program in :math:`u = x / \\ell` and :math:`w = q / k`, with its rows scaled accordingly."""
    game = as_sequence_form(game)
    seat = for_player(game, player)
    first, second = seat.treeplexes
    own, least = trembles(first, epsilon), trembles(second, epsilon)
    x_unit, y_unit = _units(own), _units(least)
    q_unit = np.append(1.0, y_unit[second.parent])
    flow_unit = np.append(1.0, x_unit[first.parent])
    model = pyo.ConcreteModel(
        name=f"scaled {float(epsilon):g}-quasi-perfect equilibrium of {game.name} for {seat.treeplexes[0].player}"
    )
    model.u = vector_var(first.num_sequences, lower=own / x_unit)
    model.w = vector_var(second.num_infosets + 1)
    flow = sp.csr_array(sp.diags_array(1 / flow_unit) @ first.E @ sp.diags_array(x_unit))
    model.flow = MatrixConstraint(flow, model.u, lower=first.e, upper=first.e)
    payoff = sp.diags_array(1 / y_unit) @ seat.matrix_payoff.transpose @ sp.diags_array(x_unit)
    prices = sp.diags_array(1 / y_unit) @ second.E.T @ sp.diags_array(q_unit)
    rows = sp.hstack([payoff, -prices], format="csr")
    model.response = MatrixConstraint(rows, [*model.u.values(), *model.w.values()], lower=0.0)
    gain = dot(seat.gradient(0, least) * x_unit, model.u) + dot((seat.f - seat.F @ least) * q_unit, model.w)
    model.objective = pyo.Objective(expr=gain, sense=pyo.maximize)
    return model


def solve(
    game: Game,
    epsilon: float | Fraction,
    *,
    player: int = 0,
    route: str = "float",
    solver: SolverOptions = DEFAULT,
) -> QuasiPerfectResult:
    """Solve the perturbed game in floating point and measure the answer.

    The answer may be wrong for small ε: look at ``residuals``, or call ``require_certified()``.

    Parameters
    ----------
    game, epsilon
        As for :func:`build`.
    player
        The player whose program is solved, 0 or 1; the other player's plan comes from its duals.
    route
        ``float`` for the program as written, ``scaled`` for the one divided by its bounds.
    solver
        The backend, which must return duals, and how to run it.

    Returns
    -------
    QuasiPerfectResult
        Both players' strategies with their residuals in the perturbed game.

    Raises
    ------
    ParameterError
        If ``epsilon`` is out of range or too small for floats, or ``route`` is unknown.
    SolveError
        If the solver stops before it proves optimality.
    """
    game = as_sequence_form(game)
    require_name(route, ROUTES, "route", "quasi-perfect equilibrium")
    model, built = timed(build if route == "float" else build_scaled, game, epsilon, player=player)
    solution = solve_model(model, solver)
    solution.require_optimal()
    own, other = _read_plans(for_player(game, player), epsilon, route, model, solution)
    plans = (own, other) if player == 0 else (other, own)
    return QuasiPerfectResult(
        game=game.name,
        concept="qpe",
        value=game.value(*plans),
        strategies=(Strategy.from_plan(game.treeplexes[0], plans[0]), Strategy.from_plan(game.treeplexes[1], plans[1])),
        plans=plans,
        solutions=(solution,),
        build_seconds=built,
        epsilon=float(epsilon),
        route=route,
        residuals=residuals(game, epsilon, plans),
    )


def _read_plans(
    seat: SequenceForm, epsilon: float | Fraction, route: str, model: pyo.ConcreteModel, solution: Solution
) -> tuple[FloatArray, FloatArray]:
    """Read the player's plan off the point and the opponent's off the duals: that of a "≥" row is −z."""
    first, second = seat.treeplexes
    least = trembles(second, epsilon)
    if route == "float":
        return plan_values(solution, model.plan), least - solution.dual_values(model.guarantee.response)
    own = solution.values(model.u) * _units(trembles(first, epsilon))
    return own, least - solution.dual_values(model.response) / _units(least)


def residuals(game: SequenceForm, epsilon: float | Fraction, plans: tuple[FloatArray, FloatArray]) -> Residuals:
    """Judge two plans as an equilibrium of the perturbed game, by backward passes that use no program."""
    stakes = (game.stakes(0, plans[1]), game.stakes(1, plans[0]))
    flow = tremble = mistake = gap = 0.0
    for p, treeplex in enumerate(game.treeplexes):
        plan, bounds = plans[p], trembles(treeplex, epsilon)
        unit = trembles(game.treeplexes[1 - p], epsilon)[1:].min(initial=1.0)
        if treeplex.num_infosets == 0:
            continue
        gradient = game.gradient(p, plans[1 - p])
        values, best, at_stake = _backward(treeplex.parent, treeplex.start, gradient, np.abs(stakes[p]))
        above = treeplex.infoset_of[1:]
        arriving = plan[treeplex.parent]
        with np.errstate(all="ignore"):
            sums = np.add.reduceat(plan, treeplex.start[:-1])
            flow = _largest(flow, np.abs(sums / arriving - 1))
            tremble = _largest(tremble, 1 - plan[1:] / bounds[1:])
            excess = np.abs(plan[1:] / bounds[1:] - 1)
            worse = np.where(at_stake[above] > 0, (best[above] - values[1:]) / at_stake[above], 0.0)
            mistake = _largest(mistake, np.minimum(excess, worse / unit))
        # the best response is worth (e − Eℓ)ᵀ best + gradientᵀ ℓ within the perturbed treeplex
        gap += values[0] - (treeplex.E @ bounds)[1:] @ best + gradient @ bounds - gradient @ plan
    return Residuals(flow, tremble, mistake, float(gap))


def _units(bounds: FloatArray) -> FloatArray:
    """Return the scale of each sequence: its least weight, and 1 for the empty sequence."""
    units = bounds.copy()
    units[0] = 1.0
    return units


def _largest(so_far: float, values: FloatArray) -> float:
    worst = float(np.max(values, initial=0.0))
    return max(so_far, worst) if np.isfinite(worst) else float("inf")


@jit
def _backward(
    parent: Int32Array, start: Int32Array, gradient: FloatArray, stakes: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the best value of each sequence and information set, and the total at stake below each of the latter."""
    values = gradient.copy()
    below = stakes.copy()
    best = np.empty(len(parent))
    total = np.zeros(len(parent))
    for h in range(len(parent) - 1, -1, -1):
        best[h] = values[start[h]]
        for s in range(start[h], start[h + 1]):
            best[h] = max(best[h], values[s])
            total[h] += below[s]
        values[parent[h]] += best[h]
        below[parent[h]] += total[h]
    return values, best, total
