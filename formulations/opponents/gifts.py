r"""Gifts: moves of the opponent that lose something even against an equilibrium strategy.

S. Ganzfried, PhD thesis (CMU 2015), §13.3 and Definition 28; S. Ganzfried and T. Sandholm, *Safe opponent
exploitation*, EC 2012. A strategy of the opponent is a gift if it is not a best response to *every* equilibrium
strategy; only where gifts exist can one leave equilibrium without risk (Proposition 22). Two programs decide whether
there are any (:func:`exist`): the value v, and the most that an equilibrium strategy earns against uniform play,

.. math::

    \hat v = \max_{x, q}\; (Ay)^\top x \quad \text{s.t.} \quad Ex = e,\; x \ge 0,\;
    A^\top x - F^\top q \ge 0,\; q_0 \ge v ;

there are gifts if and only if :math:`\hat v > v`. Against the equilibrium strategy x, a move t of the opponent gives
away what the opponent's best strategy *that plays t* loses,
:math:`\delta_t(x) = \min \{x^\top A y : Fy = f,\; y \ge 0,\; y_t = 1\} - v \ge 0`. Over all equilibria x,

* *at most*: a linear program, with a second set of prices p for an opponent who must play t (the rows of the other
  moves at the information sets leading to t are dropped),

  .. math:: \max_{x, q, p}\; p_0 - v \quad \text{s.t. the above}, \qquad (A^\top x - F^\top p)_s \ge 0
            \quad \text{for all } s \text{ but the excluded};

* *at least*: :math:`\min_x \delta_t(x)`, a minimum of minima, is a linear program if t leaves the opponent nothing more
  to decide, as in every matrix game; otherwise binary variables choose what else the opponent does,

  .. math:: \min\; \sum_s w_s - q_{r(t)} \quad \text{s.t. the above}, \qquad w_s \ge (A^\top x)_s - U_s (1 - z_s), \quad
            w_s \ge L_s z_s ,

  over the sequences s at and below the first information set r(t) on the path to t, with bounds
  :math:`L \le A^\top x \le U`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.blocks import guarantee, realization_plan
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.backends.reuse import ReusableProgram
from equiform.formulations.optimization.compiling.compiler import compile_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, vector_var
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.scaling import declare_unit, unit_of
from equiform.formulations.zero_sum import selection, sequence_form_lp
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.array_types import FloatArray
from equiform.models.common.records import plain
from equiform.models.game import Game, as_sequence_form
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex

#: Amounts below this are rounding errors of a floating-point solver.
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
    """The same against the equilibrium strategy that profits least; ``None`` if it was not computed."""
    inherited: bool
    """Whether an earlier move on the path is already a gift."""


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

    def to_dict(self) -> dict[str, Any]:
        """Return what ``equiform gifts --json`` prints; ``player`` receives, and counts from 1."""
        document: dict[str, Any] = plain(
            {
                "game": self.game,
                "player": 2 - self.giver,
                "value": self.value,
                "against_uniform": self.against_uniform,
                "exist": self.exist,
                "gifts": [asdict(gift) for gift in self.gifts],
            }
        )
        return document


def exist(
    game: Game,
    *,
    player: int = 0,
    solver: SolverOptions = DEFAULT,
) -> Gifts:
    """Decide with two programs whether the opponent of ``player`` can make gifts, without listing them.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    player
        The player who would receive the gifts, 0 or 1.
    solver
        The backend and how to run it.

    Returns
    -------
    Gifts
        The verdict, with an empty list of gifts.

    Raises
    ------
    SolveError
        If a solver stops before it proves optimality.
    """
    game = as_sequence_form(game)
    value = sequence_form_lp.solve(game, player=player, solver=solver).value
    opponent = game.treeplexes[1 - player]
    uniform = opponent.realization(opponent.uniform())
    model = selection.build(game, game.gradient(player, uniform), value=value, player=player)
    best = solve_model(model, solver).require_optimal().objective_value
    own = 0.0 + (value if player == 0 else -value)  # no negative zero
    return Gifts(game.name, 1 - player, own, 0.0 + best)


def solve(
    game: Game,
    *,
    player: int = 0,
    least: bool = True,
    solver: SolverOptions = DEFAULT,
) -> Gifts:
    """List the opponent's gifts to ``player``, with the least and the most that each gives away.

    The lower ends are solved by the chosen backend; the upper ends are one program, solved repeatedly by HiGHS.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    player
        The player who receives the gifts, 0 or 1.
    least
        Whether to compute the lower ends as well, whose programs may have binary variables.
    solver
        The backend and how to run it.

    Returns
    -------
    Gifts
        All gifts, in the order of the opponent's sequences.

    Raises
    ------
    SolveError
        If a solver stops before it proves optimality.
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
            smallest = max(0.0, solution.objective_value)
        action = opponent.actions[h][t - int(opponent.start[h])]
        inherited = bool(most[opponent.parent[h]] > TOLERANCE)
        gifts.append(Gift(opponent.infoset_label(h), action, t, float(most[t]), smallest, inherited))
    return Gifts(found.game, found.giver, found.value, found.against_uniform, tuple(gifts))


def build_most(seat: SequenceForm, sequence: int, *, value: float) -> pyo.ConcreteModel:
    """Build the program for the most that the opponent's move ``sequence`` can give to the player in seat 0.

    The blocks ``plan`` and ``guarantee`` keep x an equilibrium strategy; the block ``forced`` has the prices p.
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
    """Build the program for the least that the opponent's move ``sequence`` gives to the player in seat 0.

    ``w`` is what each sequence at stake hands over, ``z`` the opponent's pure plan on those that ``sequence`` leaves
    open. ``ranges`` are the bounds L and U; :func:`equilibrium_ranges` computes the tightest.
    """
    ranges = equilibrium_ranges(seat, value) if ranges is None else ranges
    own, opponent = seat.treeplexes
    leading = path(opponent, sequence)
    at_stake = _below(opponent, leading[0], excluded(opponent, sequence))
    model = pyo.ConcreteModel(name=f"the least that {opponent.sequence_label(sequence)} gives in {seat.name}")
    model.plan = realization_plan(own)
    model.guarantee = guarantee(model.plan, seat)
    model.guarantee.q[0].setlb(value)
    payoff = sp.csr_array(seat.matrix_payoff.transpose[at_stake])
    k = len(at_stake)
    model.w = vector_var(k)
    model.z = pyo.Var(range(k), domain=pyo.Binary)
    place = {s: i for i, s in enumerate(at_stake.tolist())}
    for s in leading:
        model.z[place[s]].fix(1)
    low, high = ranges[0][at_stake], ranges[1][at_stake]
    columns = [*model.w.values(), *model.plan.x.values(), *model.z.values()]
    one, none = sp.eye_array(k), sp.csr_array((k, own.num_sequences))
    model.taken = MatrixConstraint(sp.hstack([one, -payoff, -sp.diags_array(high)]), columns, lower=-high)
    model.left = MatrixConstraint(sp.hstack([one, none, -sp.diags_array(low)]), columns, lower=0.0)
    declare_unit(model, unit_of(seat.payoff_size), model.w, model.taken, model.left)
    model.choice = pyo.ConstraintList()
    for h in sorted(
        {int(opponent.infoset_of[s]) for s in at_stake.tolist()} - {int(opponent.infoset_of[s]) for s in leading}
    ):
        moves = range(int(opponent.start[h]), int(opponent.start[h + 1]))
        model.choice.add(sum(model.z[place[s]] for s in moves) == model.z[place[int(opponent.parent[h])]])
    root = 1 + int(opponent.infoset_of[leading[0]])
    model.objective = pyo.Objective(expr=sum(model.w.values()) - model.guarantee.q[root], sense=pyo.minimize)
    return model


def path(treeplex: Treeplex, sequence: int) -> list[int]:
    """Return the moves that lead to a sequence, ending with the sequence itself."""
    moves = [sequence]
    while (above := int(treeplex.parent[treeplex.infoset_of[moves[0]]])) != 0:
        moves.insert(0, above)
    return moves


def excluded(treeplex: Treeplex, sequence: int) -> list[int]:
    """Return the moves that playing ``sequence`` rules out: the alternatives at the information sets on its path."""
    others: list[int] = []
    for s in path(treeplex, sequence):
        h = int(treeplex.infoset_of[s])
        others += [o for o in range(int(treeplex.start[h]), int(treeplex.start[h + 1])) if o != s]
    return others


def _below(treeplex: Treeplex, first: int, without: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the sequences from ``first`` on that do not pass through an excluded one."""
    inside = np.zeros(treeplex.num_sequences, dtype=bool)
    inside[first] = True
    for h in range(treeplex.num_infosets):
        if inside[treeplex.parent[h]]:
            inside[treeplex.start[h] : treeplex.start[h + 1]] = True
            inside[[s for s in without if treeplex.start[h] <= s < treeplex.start[h + 1]]] = False
    return np.flatnonzero(inside)


def equilibrium_ranges(seat: SequenceForm, value: float) -> tuple[FloatArray, FloatArray]:
    """Return the least and the most that each sequence of the opponent gives an equilibrium strategy in seat 0."""
    own, opponent = seat.treeplexes
    model = selection.build(seat, np.zeros(own.num_sequences), value=value)
    program = compile_model(model)
    reusable, columns = ReusableProgram(program), program.columns(model.plan.x)
    ends = np.zeros((2, opponent.num_sequences))
    payoff = seat.matrix_payoff.transpose
    for t in range(opponent.num_sequences):
        handed = payoff[[t]].toarray()[0]
        for end, sign in enumerate((-1.0, 1.0)):
            reusable.set_cost(columns, sign * handed)
            ends[end, t] = sign * reusable.solve().require_optimal().objective_value
    return ends[0], ends[1]


def _most(seat: SequenceForm, value: float) -> FloatArray:
    """Compute the upper end for every move of the opponent: one program with different rows dropped each time."""
    opponent = seat.treeplexes[1]
    model = build_most(seat, 1, value=value)
    program = compile_model(model)
    reusable = ReusableProgram(program)
    rows = program.rows(model.forced.response)
    most = np.zeros(opponent.num_sequences)
    for t in range(1, opponent.num_sequences):
        lower = np.zeros(opponent.num_sequences)
        lower[excluded(opponent, t)] = -np.inf
        reusable.set_row_bounds(rows, lower=lower)
        most[t] = reusable.solve().require_optimal().objective_value
    return most
