r"""Best responses in a stochastic game as a linear program (Puterman 1994, §7.2; the oracle of thesis Algorithm 12).

With the others' strategies fixed, a player faces a Markov decision process whose nodes are a state and a seat. A seat's
decisions within a stage are a treeplex: sequences :math:`\sigma`, information sets :math:`h`. Let :math:`\rho_o` be
the probability that chance and the others let outcome o happen, :math:`r_o` its reward and :math:`q_{o,n}` the chance
that it leads to node n. The values :math:`v_n` of the nodes and :math:`w_h` of the information sets are the smallest
that keep up with every choice:

.. math:: \min_{v \ge 0,\, w}\; \sum_n v_n \quad \text{s.t.} \quad
          w_{h(\sigma)} - \sum_{h' \text{ after } \sigma} w_{h'} -
          \gamma \sum_{o \text{ at } \sigma} \rho_o \sum_n q_{o,n} v_n \ge \sum_{o \text{ at } \sigma} \rho_o r_o
          \quad (\text{choice}),

and the same with :math:`v_n` in place of :math:`w_h` for what happens before the player's first choice (root). With
:math:`\gamma = 1` the bound :math:`v \ge 0` selects the total reward among many solutions; rewards must not be negative
then. One program answers for all players and all seats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, vector_var
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.solution import Solution
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import UnsupportedGameError
from equiform.models.stochastic import StochasticGame, TreeStages
from equiform.models.stochastic.tree_stages import TreeProspects


@dataclass(frozen=True, eq=False)
class MdpResult:
    """The value of a best response from every state and seat, as the program has it."""

    values: FloatArray = field(repr=False)
    """A row per state, a column per seat."""
    solution: Solution = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"values": self.values.tolist(), "backend": self.solution.backend}


def build(game: StochasticGame, profile: Sequence[FloatArray]) -> pyo.ConcreteModel:
    """Build the program: ``v`` by node (state by state, seat by seat), ``w`` by seat, ``choice`` and ``root``.

    Parameters
    ----------
    game
        A stochastic game whose stages are trees or tables.
    profile
        The strategies that the others keep to.
    """
    stages = _require(game)
    nodes = game.num_states * game.num_seats
    model = pyo.ConcreteModel(name=f"best responses in {game.name}")
    model.v = vector_var(nodes, lower=0.0 if game.discount == 1 else None)
    prospects = stages.prospects(tuple(profile))
    model.w = pyo.Block(range(game.num_seats))
    for seat, own in enumerate(prospects):
        block = model.w[seat]
        block.w = vector_var(own.treeplex.num_infosets)
        matrix, rewards = _rows(game, seat, own)
        columns = [*block.w.values(), *model.v.values()]
        block.choice = MatrixConstraint(matrix, columns, lower=rewards)
    model.objective = pyo.Objective(expr=sum(model.v.values()), sense=pyo.minimize)
    return model


def solve(game: StochasticGame, profile: Sequence[FloatArray], *, solver: SolverOptions = DEFAULT) -> MdpResult:
    """Compute the values of best responses to a profile."""
    model = build(game, profile)
    solution = solve_model(model, solver)
    solution.require_optimal()
    return MdpResult(solution.values(model.v).reshape(game.num_states, game.num_seats), solution)


def _require(game: StochasticGame) -> TreeStages:
    if not isinstance(game.stages, TreeStages):
        raise UnsupportedGameError(
            "the program needs stages that are trees or tables",
            where=game.name,
            fix="use best_responses of the iterative solvers, which takes any family of stages",
        )
    if game.discount == 1 and game.outcomes.rewards.min() < 0:
        outcome = int(game.outcomes.rewards.min(axis=1).argmin())
        raise UnsupportedGameError(
            "total rewards by this program must not be negative",
            where=f"{game.name}, state {game.states[int(game.outcomes.state[outcome])]}",
            fix="add a constant to the payoffs at the end of the game, or use a discount below one",
        )
    return game.stages


def _rows(game: StochasticGame, seat: int, own: TreeProspects) -> tuple[sp.csr_array, FloatArray]:
    """Write the rows of one seat: one per state for the root, then one per sequence; columns are w, then v."""
    stages, outcomes, seats = game.stages, game.outcomes, game.num_seats
    treeplex, states = own.treeplex, game.num_states
    sequences, infosets = treeplex.num_sequences - 1, treeplex.num_infosets
    row = np.where(own.sequences == 0, outcomes.state, states + own.sequences - 1)
    collect = sp.csr_array((own.reach, (row, np.arange(len(row)))), shape=(states + sequences, len(row)))
    mine = np.arange(len(row)) * seats + seat
    ahead = collect @ outcomes.successors[mine] * game.discount
    state_of_infoset = stages.state_of(seat)[treeplex.start[:-1]]
    below = np.where(treeplex.parent == 0, state_of_infoset, states + treeplex.parent - 1)
    values = sp.csr_array(
        (
            np.concatenate([np.ones(sequences), -np.ones(infosets)]),
            (
                np.concatenate([states + np.arange(sequences), below]),
                np.concatenate([treeplex.infoset_of[1:], np.arange(infosets)]),
            ),
        ),
        shape=(states + sequences, infosets),
    )
    roots = sp.csr_array(
        (np.ones(states), (np.arange(states), np.arange(states) * seats + seat)),
        shape=(states + sequences, states * seats),
    )
    return sp.csr_array(sp.hstack([values, roots - ahead])), collect @ outcomes.rewards[:, seat]
