r"""The action translation with the lowest exploitability, for a given abstraction and abstract strategy.

S. Ganzfried, PhD thesis (CMU 2015), chapter 16, question 8, announces a linear program for this but does not print it.
This is one.

An agent plays an abstract strategy in the full game and interprets every bet outside its abstraction as one inside, at
random. Its *translator* chooses the readings; a plan :math:`w` of the translator assigns to each sequence of readings
the product of their probabilities. What the agent then plays is linear in :math:`w`, :math:`x = Mw`, where
:math:`M_{s\sigma}` sums the abstract probabilities of all ways to play the real sequence s while having read σ. So the
translator faces the opponent in a zero-sum game with payoff :math:`M^\top A`, and its best plan is an equilibrium
strategy of that game:

.. math::

    \max_{w, q}\; q_0 \quad \text{s.t.} \quad Ww = e,\; w \ge 0 \quad (\text{flow}), \qquad
    (A^\top M)\, w - F^\top q \ge 0 \quad (\text{response}).

The agent's exploitability is :math:`v - q_0`. The duals of the response rows are the opponent's plan :math:`y` that
holds *every* translation to it: :math:`\max_w w^\top M^\top A y = q_0`.

**What class of translations.** The readings may depend on everything public: the real history, the earlier readings
and the bet. With one translated bet along every path (the games of §7.8.1–2) that is exactly a mapping
:math:`f_{A,B}(x)` for each bet. With several it is larger than the class of one function used everywhere, over which
exploitability is polynomial rather than linear; every mapping of chapter 7 lies in it, so the optimum bounds them all
from below.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.blocks import plan_values, realization_plan
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, vector_var
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.scaling import declare_unit, unit_of
from equiform.formulations.optimization.solution import Solution
from equiform.formulations.optimization.timing import timed
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.records import Record
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex


@dataclass(frozen=True, eq=False)
class OptimalTranslation(Record):
    """The best translation: what it guarantees the player, and the opponent's plan that no translation beats."""

    player: int
    guaranteed: float
    """The player's payoff against a best response."""
    readings: FloatArray = field(repr=False)
    """The translator's realization plan w."""
    plan: FloatArray = field(repr=False)
    """The player's own realization plan x = Mw in the full game."""
    nemesis: FloatArray = field(repr=False)
    """The opponent's plan y."""
    solution: Solution = field(repr=False)
    build_seconds: float = 0.0

    def exploitability(self, value: float) -> float:
        """Return the exploitability in a game with this value for the first player."""
        return (value if self.player == 0 else -value) - self.guaranteed


def guarantee_of(variables: Any, matrix: sp.csr_array, seat: SequenceForm) -> Any:
    """Return a block with prices ``q``; the plan ``matrix @ variables`` of the player in seat 0 guarantees ``q[0]``."""
    own, opponent = seat.treeplexes
    expected = own.num_sequences, len(variables)
    if np.shape(matrix) != expected:
        raise ParameterError(
            f"the matrix of realised plans is {np.shape(matrix)}, not {expected}",
            where=seat.name,
            fix="use one row per sequence of the player in the full game, one column per sequence of the chosen plan",
        )
    block = pyo.Block(concrete=True)
    block.q = vector_var(opponent.num_infosets + 1)
    rows = sp.hstack([seat.matrix_payoff.transpose @ matrix, -opponent.E.T], format="csr")
    block.response = MatrixConstraint(rows, [*variables.values(), *block.q.values()], lower=0.0)
    declare_unit(block, unit_of(seat.payoff_size), block.q, block.response)
    return block


def build(game: SequenceForm, realised: sp.csr_array, translator: Treeplex, *, player: int = 0) -> pyo.ConcreteModel:
    """Build the translator's program.

    Parameters
    ----------
    game
        The full game.
    realised
        The matrix M: the player's sequences in the full game by the translator's sequences.
    translator
        The translator's treeplex.
    player
        The player who translates, 0 or 1.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the blocks ``plan`` (w, flow) and ``guarantee`` (q, response), and the ``objective``.

    Raises
    ------
    ParameterError
        If the shape of ``realised`` does not match the game and the translator.
    """
    seat = for_player(game, player)
    model = pyo.ConcreteModel(name=f"optimal translation in {game.name} for {seat.treeplexes[0].player}")
    model.plan = realization_plan(translator)
    model.guarantee = guarantee_of(model.plan.x, realised, seat)
    model.objective = pyo.Objective(expr=model.guarantee.q[0], sense=pyo.maximize)
    return model


def solve(
    game: SequenceForm,
    realised: sp.csr_array,
    translator: Treeplex,
    *,
    player: int = 0,
    solver: SolverOptions = DEFAULT,
) -> OptimalTranslation:
    """Find the translation with the lowest exploitability.

    Parameters
    ----------
    game, realised, translator, player
        As for :func:`build`.
    solver
        The backend, which must return duals for the nemesis, and how to run it.

    Returns
    -------
    OptimalTranslation
        The translation, its guarantee and the opponent's plan that no translation beats.

    Raises
    ------
    ParameterError
        If the shape of ``realised`` does not match the game and the translator.
    SolveError
        If the solver stops before it proves optimality, or returns no duals.
    """
    model, built = timed(build, game, realised, translator, player=player)
    solution = solve_model(model, solver)
    solution.require_optimal()
    # clip and renormalise the solver's point, so that it is a strategy
    behavior = translator.behavior(plan_values(solution, model.plan))
    readings = translator.realization(behavior)
    opponent = game.treeplexes[1 - player]
    duals = -solution.dual_values(model.guarantee.response)
    return OptimalTranslation(
        player=player,
        guaranteed=solution.objective_value,
        readings=readings,
        plan=realised @ readings,
        nemesis=opponent.realization(opponent.behavior(duals)),
        solution=solution,
        build_seconds=built,
    )
