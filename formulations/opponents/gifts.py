r"""Gifts: moves of the opponent that hand over something even to an equilibrium strategy.

S. Ganzfried, PhD thesis (CMU 2015), §13.3 and Definition 28; S. Ganzfried and T. Sandholm, *Safe opponent
exploitation*, EC 2012. A strategy of the opponent is a gift if it is not a best response to *every* equilibrium
strategy; only where gifts exist can one leave equilibrium without risk (Proposition 22). Two programs decide whether
there are any (:func:`exist`): the value v, and the most that an equilibrium strategy earns against uniform play,

.. math::

    \hat v = \max_{x, q}\; (Ay)^\top x \quad \text{s.t.} \quad Ex = e,\; x \ge 0,\;
    A^\top x - F^\top q \ge 0,\; q_0 \ge v ;

there are gifts if and only if :math:`\hat v > v`. A move t of the opponent gives, against the equilibrium strategy x,
what the opponent's best strategy *that plays t* loses,
:math:`\delta_t(x) = \min \{x^\top A y : Fy = f,\; y \ge 0,\; y_t = 1\} - v \ge 0`. Over all equilibria x,

* *at most*: a linear program, with a second set of prices p for an opponent who must play t (the rows of the other
  moves at the information sets on the way are dropped),

  .. math:: \max_{x, q, p}\; p_0 - v \quad \text{s.t. the above}, \qquad (A^\top x - F^\top p)_s \ge 0
            \quad \text{for all } s \text{ but the excluded};

* *at least*: :math:`\min_x \delta_t(x)`, a minimum of minima, is a linear program if t leaves the opponent nothing more
  to decide, as in every matrix game, and else has a binary plan of what the opponent does besides t,

  .. math:: \min\; \sum_s w_s - q_{r(t)} \quad \text{s.t. the above}, \qquad w_s \ge (A^\top x)_s - U_s (1 - z_s), \quad
            w_s \ge L_s z_s ,

  over the sequences s at and below the first information set r(t) on the way to t, with bounds
  :math:`L \le A^\top x \le U`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyomo.environ as pyo
import scipy.sparse as sp

from equiform.formulations.blocks import guarantee, realization_plan
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.backends.resolve import Resolver
from equiform.formulations.optimization.compiler import compile_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, vector_var
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.zero_sum import selection, sequence_form_lp
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.array_types import FloatArray
from equiform.models.game import Game, as_sequence_form
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex

#: Amounts below this are a float solver's rounding.
TOLERANCE = 1e-7


@dataclass(frozen=True)
class Gift:
    """A move of the opponent that is not a best response to every equilibrium strategy."""

    infoset: str
    action: str
    sequence: int
    most: float
    """What the opponent loses by it against the equilibrium strategy that profits most."""
    least: float | None
    """The same against the equilibrium strategy that profits least; ``None`` if it was not asked for."""
    inherited: bool
    """Whether the way there is a gift already."""


@dataclass(frozen=True)
class Gifts:
    """All gifts of one player to the other."""

    game: str
    giver: int
    value: float
    """The game's value for the receiver."""
    against_uniform: float
    """The most that an equilibrium strategy of the receiver earns against uniform play."""
    gifts: tuple[Gift, ...] = field(default=())

    @property
    def exist(self) -> bool:
        """Whether safe exploitation is possible."""
        return self.against_uniform > self.value + TOLERANCE


def exist(
    game: Game,
    *,
    player: int = 0,
    solver: SolverOptions = DEFAULT,
) -> Gifts:
    """Decide by two programs whether the opponent of ``player`` can give anything (none is listed)."""
    game = as_sequence_form(game)
    value = sequence_form_lp.solve(game, player=player, solver=solver).value
    opponent = game.treeplexes[1 - player]
    uniform = opponent.realization(opponent.uniform())
    model = selection.build(game, game.gradient(player, uniform), value=value, player=player)
    best = solve_model(model, solver).require_optimal().objective
    own = 0.0 + (value if player == 0 else -value)  # no negative zero
    return Gifts(game.name, 1 - player, own, float("nan") if best is None else 0.0 + best)


def solve(
    game: Game,
    *,
    player: int = 0,
    least: bool = True,
    solver: SolverOptions = DEFAULT,
) -> Gifts:
    """List the moves by which the opponent of ``player`` gives something, and how much at least and at most.

    ``least=False`` leaves out the lower ends, whose programs may have binary variables. The backend solves these; the
    upper ends are one program re-solved by HiGHS.
    """
    game = as_sequence_form(game)
    found = exist(game, player=player, solver=solver)
    if not found.exist:
        return found
    seat = for_player(game, player)
    opponent = seat.treeplexes[1]
    most = _most(seat, found.value)
    ranges = equilibrium_ranges(seat, found.value) if least else None
    mixed = replace(solver, algorithm=None)  # an algorithm for linear programs need not take binary variables
    gifts = []
    for t in np.flatnonzero(most > TOLERANCE).tolist():
        h = int(opponent.infoset_of[t])
        smallest = None
        if ranges is not None:
            solution = solve_model(build_least(seat, t, value=found.value, ranges=ranges), mixed).require_optimal()
            smallest = max(0.0, float("nan") if solution.objective is None else solution.objective)
        action = opponent.actions[h][t - int(opponent.start[h])]
        inherited = bool(most[opponent.parent[h]] > TOLERANCE)
        gifts.append(Gift(opponent.infoset_label(h), action, t, float(most[t]), smallest, inherited))
    return Gifts(found.game, found.giver, found.value, found.against_uniform, tuple(gifts))


def build_most(seat: SequenceForm, sequence: int, *, value: float) -> pyo.ConcreteModel:
    """Build the program of the most that player 0 can win by the opponent's move ``sequence``.

    Blocks ``plan`` and ``guarantee`` keep x an equilibrium strategy; block ``forced`` has the prices p.
    """
    model = pyo.ConcreteModel(name=f"the most that {seat.treeplexes[1].sequence_label(sequence)} gives in {seat.name}")
    model.plan = realization_plan(seat.treeplexes[0])
    model.guarantee = guarantee(model.plan, seat)
    model.guarantee.q[0].setlb(value)
    model.forced = guarantee(model.plan, seat)
    lower = np.zeros(seat.treeplexes[1].num_sequences)
    lower[excluded(seat.treeplexes[1], sequence)] = -np.inf
    model.forced.response.set_row_bounds(lower=lower)
    model.objective = pyo.Objective(expr=model.forced.q[0] - value, sense=pyo.maximize)
    return model


def build_least(
    seat: SequenceForm, sequence: int, *, value: float, ranges: tuple[FloatArray, FloatArray] | None = None
) -> pyo.ConcreteModel:
    """Build the program of the least that player 0 wins by the opponent's move ``sequence``.

    ``w`` is what each sequence at stake hands over, ``z`` the opponent's pure plan on those that ``sequence`` leaves
    open. ``ranges`` are the bounds L and U; :func:`equilibrium_ranges` gives the tightest.
    """
    ranges = equilibrium_ranges(seat, value) if ranges is None else ranges
    own, opponent = seat.treeplexes
    way = path(opponent, sequence)
    at_stake = _below(opponent, way[0], excluded(opponent, sequence))
    model = pyo.ConcreteModel(name=f"the least that {opponent.sequence_label(sequence)} gives in {seat.name}")
    model.plan = realization_plan(own)
    model.guarantee = guarantee(model.plan, seat)
    model.guarantee.q[0].setlb(value)
    payoff = sp.csr_array(seat.matrix_payoff.transpose[at_stake])
    k = len(at_stake)
    model.w = vector_var(k)
    model.z = pyo.Var(range(k), domain=pyo.Binary)
    place = {s: i for i, s in enumerate(at_stake.tolist())}
    for s in way:
        model.z[place[s]].fix(1)
    low, high = ranges[0][at_stake], ranges[1][at_stake]
    columns = [*model.w.values(), *model.plan.x.values(), *model.z.values()]
    one, none = sp.eye_array(k), sp.csr_array((k, own.num_sequences))
    model.taken = MatrixConstraint(sp.hstack([one, -payoff, -sp.diags_array(high)]), columns, lower=-high)
    model.left = MatrixConstraint(sp.hstack([one, none, -sp.diags_array(low)]), columns, lower=0.0)
    model.choice = pyo.ConstraintList()
    for h in sorted(
        {int(opponent.infoset_of[s]) for s in at_stake.tolist()} - {int(opponent.infoset_of[s]) for s in way}
    ):
        moves = range(int(opponent.start[h]), int(opponent.start[h + 1]))
        model.choice.add(sum(model.z[place[s]] for s in moves) == model.z[place[int(opponent.parent[h])]])
    root = 1 + int(opponent.infoset_of[way[0]])
    model.objective = pyo.Objective(expr=sum(model.w.values()) - model.guarantee.q[root], sense=pyo.minimize)
    return model


def path(treeplex: Treeplex, sequence: int) -> list[int]:
    """Give the moves that lead to a sequence, itself the last."""
    way = [sequence]
    while (above := int(treeplex.parent[treeplex.infoset_of[way[0]]])) != 0:
        way.insert(0, above)
    return way


def excluded(treeplex: Treeplex, sequence: int) -> list[int]:
    """Give the moves that whoever plays ``sequence`` cannot play: the others at the information sets on the way."""
    others: list[int] = []
    for s in path(treeplex, sequence):
        h = int(treeplex.infoset_of[s])
        others += [o for o in range(int(treeplex.start[h]), int(treeplex.start[h + 1])) if o != s]
    return others


def _below(treeplex: Treeplex, first: int, without: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Give the sequences from ``first`` on that do not pass through an excluded one."""
    inside = np.zeros(treeplex.num_sequences, dtype=bool)
    inside[first] = True
    for h in range(treeplex.num_infosets):
        if inside[treeplex.parent[h]]:
            inside[treeplex.start[h] : treeplex.start[h + 1]] = True
            inside[[s for s in without if treeplex.start[h] <= s < treeplex.start[h + 1]]] = False
    return np.flatnonzero(inside)


def equilibrium_ranges(seat: SequenceForm, value: float) -> tuple[FloatArray, FloatArray]:
    """Give the least and the most that each sequence of the opponent hands to an equilibrium strategy of player 0."""
    own, opponent = seat.treeplexes
    model = selection.build(seat, np.zeros(own.num_sequences), value=value)
    program = compile_model(model)
    resolver, columns = Resolver(program), program.columns(model.plan.x)
    ends = np.zeros((2, opponent.num_sequences))
    payoff = seat.matrix_payoff.transpose
    for t in range(opponent.num_sequences):
        handed = payoff[[t]].toarray()[0]
        for end, sign in enumerate((-1.0, 1.0)):
            resolver.set_cost(columns, sign * handed)
            objective = resolver.solve().require_optimal().objective
            ends[end, t] = sign * (float("nan") if objective is None else objective)
    return ends[0], ends[1]


def _most(seat: SequenceForm, value: float) -> FloatArray:
    """Solve the upper end for every move of the opponent: one program, other rows dropped each time."""
    opponent = seat.treeplexes[1]
    model = build_most(seat, 1, value=value)
    program = compile_model(model)
    resolver = Resolver(program)
    rows = program.rows(model.forced.response)
    most = np.zeros(opponent.num_sequences)
    for t in range(1, opponent.num_sequences):
        lower = np.zeros(opponent.num_sequences)
        lower[excluded(opponent, t)] = -np.inf
        resolver.set_row_bounds(rows, lower=lower)
        objective = resolver.solve().require_optimal().objective
        most[t] = float("nan") if objective is None else objective
    return most
