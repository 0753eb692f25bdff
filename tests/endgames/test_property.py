"""The (ε, δ)-endgame property: the thesis's two examples, and brute force over the opponent's pure strategies."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyomo.environ as pyo
import pytest

from equiform.endgames.endgame_property import epsilon_star
from equiform.endgames.methods import Blueprint
from equiform.formulations.endgames import joint, unsafe
from equiform.formulations.endgames.blocks import conceded
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import dot
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from tests.helpers.blueprints import at_equilibrium


def by_enumeration(blueprint: Blueprint, delta: float, value: float, player: int) -> float:
    """Fix every pure strategy of the opponent in turn and let a linear program choose the worst good play."""
    other = 1 - player
    plans = [s.plan for s in blueprint.strategies]
    model = joint.build(blueprint.form, plans[player], blueprint.cut.trunk_sequences(player), player=player)
    model.del_component(model.guarantee)
    model.del_component(model.objective)
    model.part = pyo.Block(range(len(blueprint.endgames)))
    for k, endgame in enumerate(blueprint.endgames):
        own, faced = endgame.weights(player, plans[player]), endgame.weights(other, plans[other])
        mass = float(endgame.entry_reach(plans).sum())
        if mass == 0.0:
            continue
        best = unsafe.solve(endgame.form, own, faced, player=player).objective
        variables = [model.plan.x[s] for s in endgame.sequences[player].tolist()]
        model.part[k].conceded = conceded(variables, for_player(endgame.form, player))
        model.part[k].near = pyo.Constraint(expr=dot(faced, model.part[k].conceded.w) >= best - delta * mass)
    treeplex = blueprint.form.treeplexes[other]
    fair = value if player == 0 else -value
    worst = -np.inf
    for choice in product(*(range(int(n)) for n in np.diff(treeplex.start))):
        behavior = np.zeros(treeplex.num_sequences)
        behavior[0] = 1.0
        behavior[treeplex.start[:-1] + np.array(choice)] = 1.0
        gradient = blueprint.form.gradient(player, treeplex.realization(behavior))
        model.objective = pyo.Objective(expr=dot(gradient, model.plan.x), sense=pyo.minimize)
        solution = solve_model(model).require_optimal()
        assert solution.objective is not None
        worst = max(worst, fair - solution.objective)
        model.del_component(model.objective)
    return worst


@pytest.mark.parametrize("delta", [0.0, 0.3, 1.0])
def test_rock_paper_scissors_is_the_worst_case(delta: float) -> None:
    """The thesis: ε*(δ) = 1 for every δ, since player 1 does not move in the endgame."""
    blueprint, value = at_equilibrium("rps-sequential")
    found = epsilon_star(blueprint, delta, value=value, player=1)
    assert found.epsilon == pytest.approx(1.0, abs=1e-9)
    assert found.exploitability == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("player", [0, 1])
def test_figure_10_2_is_the_best_case(player: int) -> None:
    """The thesis: ε*(δ) = δ. For player 2 it needs that every game is chosen, or else nothing limits the play there."""
    blueprint, value = at_equilibrium("fig-10.2")
    for delta in (0.0, 0.25, 0.5):
        found = epsilon_star(blueprint, delta, value=value, player=player)
        assert found.epsilon == pytest.approx(found.exploitability, abs=1e-9)
        if player == 0:
            assert found.epsilon == pytest.approx(delta, abs=1e-9)
        else:
            assert found.epsilon > delta + 0.1


@pytest.mark.parametrize("player", [0, 1])
def test_kuhn_by_enumeration(player: int) -> None:
    blueprint, value = at_equilibrium("kuhn")
    found = epsilon_star(blueprint, 0.2, value=value, player=player)
    assert found.epsilon == pytest.approx(found.exploitability, abs=1e-8)
    assert found.epsilon == pytest.approx(by_enumeration(blueprint, 0.2, value, player), abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("player", [0, 1])
def test_leduc_is_attained(player: int) -> None:
    blueprint, value = at_equilibrium("leduc")
    found = epsilon_star(blueprint, 0.1, value=value, player=player)
    assert found.epsilon == pytest.approx(found.exploitability, abs=1e-8)
    assert found.epsilon > 0.1
