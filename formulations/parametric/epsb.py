r"""The every-signal program: a parametric model whose plans are optimal at *every* signal, so no premise is needed.

The program of Ganzfried (2015, §11.6) requires indifference at the thresholds; that this suffices for an equilibrium is
a theorem with premises on the model (Theorems 6 and 8). For two players the conditions of an every-private-signal
equilibrium (Definition 20) can be written down completely, for finite (ties included), continuous piecewise-linear and
dependent signals (§11.7.2) alike: against a threshold strategy a plan's payoff is linear in the own signal between
finitely many points — the edges of the cells and both players' thresholds — so a plan that is best at both ends of
such a stretch is best inside. Any of the model's regions may turn out empty, and the order of the players' thresholds
need not be known.

Sets
    thresholds k, cells c, plans a of each player, regions r of the model.
Variables
    :math:`\delta_{k,c}` with binaries :math:`a, f` (:mod:`equiform.formulations.parametric.scale`);
    :math:`n_r \in \{0, 1\}` region r is not empty; :math:`o_{k,m} \in \{0,1\}` threshold k is not above the
    opponent's m; :math:`v_h` the best payoff at a checkpoint; :math:`e \ge 0` the slack, zero unless the closest
    profile is requested.

At each checkpoint h (a finite signal; both sides of each edge of a cell; own and opponent's thresholds)

.. math:: v_h \ge u_a(h) \;\; \forall a, \qquad
          u_{q_r}(h) \ge v_h - e - K (1 - [\text{region } r \text{ is used at } h]),

and every indicator is linear in the binaries: region r between thresholds k and k' is used just right of the edge below
cell c if :math:`a_{k',c} - a_{k,c} = 1`, just left of the edge above it if :math:`f_{k',c} - f_{k,c} = 1`, at a finite
signal if :math:`a_{k',c} - f_{k,c} = 1`, at an own threshold if :math:`n_r = 1`, and at the opponent's threshold m if
:math:`o_{k,m} - o_{k',m} = 1`.
"""

from __future__ import annotations

import pyomo.core as pyo

from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.solution import TerminationCondition
from equiform.formulations.optimization.timing import timed
from equiform.formulations.optimization.tolerances import tight
from equiform.formulations.parametric.checkpoints import Checkpoints
from equiform.formulations.parametric.result import ParametricResult
from equiform.formulations.parametric.scale import at_most, beliefs_block, read_scale, scale_block
from equiform.models.common.errors import InfeasibleError, UnsupportedGameError
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.polish import polish as newton
from equiform.models.signals.signal_game import SignalGame
from equiform.models.signals.threshold_profile import ThresholdProfile, without_empty_regions


def build(game: SignalGame, model: ParametricModel, *, closest: bool = False) -> pyo.ConcreteModel:
    """Build the program.

    Parameters
    ----------
    game
        A two-player game with signals.
    model
        The regions of each player and what is known about their order.
    closest
        Whether to minimise the EPSB ε over all profiles of the model's shape instead of requiring zero.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the blocks ``scale`` and ``beliefs``, the rows of all checkpoints and the ``objective``.

    Raises
    ------
    UnsupportedGameError
        If the game does not have two players.
    """
    model.check(game)
    if len(game.players) != 2:
        raise UnsupportedGameError(
            f"{game.name} has {len(game.players)} players, and this program is for two",
            fix="use equiform.formulations.parametric.milfp, which interpolates products (without --every-signal)",
        )
    program = pyo.ConcreteModel(name=f"every-signal program of {game.name}")
    program.scale = scale_block(game.signals, model)
    program.beliefs = beliefs_block(program.scale, game.signals, model)
    program.slack = pyo.Var(bounds=(0, None if closest else 0))
    program.objective = pyo.Objective(expr=program.slack)
    program.order = pyo.ConstraintList()
    index = {name: k for k, name in enumerate(model.names)}
    for lower, upper in sorted(model.order):
        at_most(program.scale, program.order, index[lower], index[upper], range(1, game.signals.num_cells + 1))
    Checkpoints(program, game, model).add_all()
    return program


def solve(
    game: SignalGame,
    model: ParametricModel,
    *,
    closest: bool = False,
    polish: bool = True,
    solver: SolverOptions = DEFAULT,
) -> ParametricResult:
    """Find an equilibrium of the model's shape; regions that turn out empty are left out of the result's model.

    Parameters
    ----------
    game, model
        As for :func:`build`.
    closest
        Whether to return the profile with the least EPSB ε if no equilibrium has this shape.
    polish
        Whether to take Newton steps from the solver's answer.
    solver
        The backend and how to run it.

    Returns
    -------
    ParametricResult
        The thresholds and their independent evaluation.

    Raises
    ------
    InfeasibleError
        If no equilibrium has the shape of the model.
    UnsupportedGameError
        If the game does not have two players.
    SolveError
        If the solver finds no point.
    """
    program, built = timed(build, game, model, closest=closest)
    solution = solve_model(program, tight(solver))
    if solution.termination is TerminationCondition.INFEASIBLE:
        raise InfeasibleError(
            f"no equilibrium of {game.name} has the shape of the model tried: {model.name}",
            where=solution.summary(),
            fix="solve with closest=True (--closest) to see how near the model comes, or change its regions or order",
        )
    if solution.x is None:
        solution.require_optimal()
    found = ThresholdProfile(game, model, read_scale(program.scale, model))
    # a region shorter than the solver's rounding may be meant to be empty: take whichever is closer to an equilibrium
    profiles = [without_empty_regions(found, tolerance=t) for t in (1e-9, 1e-6)]
    if polish:
        profiles = [newton(p) for p in profiles]
    profile = min(profiles, key=lambda p: p.evaluate().epsb_epsilon)
    return ParametricResult(profile, profile.evaluate(), solution, built, (model.name,))
