r"""Formulas from a basis: what is optimal at one point, solved in symbols.

At one value of the parameters the exact linear program ends with a basis: which sequences are played, and which of the
opponent's are best responses. Those are the guessed supports. With the same basis and symbolic payoffs, the equations

.. math:: Ex = e, \qquad (A^\top x - F^\top q)_s = 0 \ \text{ for the opponent's sequences } s \text{ in the basis}

(indifference) and their duals have one solution in symbols: plans and a value as rational functions of the parameters.
Nothing guarantees that they are an equilibrium at any other point; that is for the proof to say.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.polys.matrices import DomainMatrix
from sympy.polys.matrices.exceptions import DMError

from equiform.formulations.optimization.solution import BasisStatus
from equiform.models.common.rational_vector import RationalVector
from equiform.models.game import as_sequence_form
from equiform.models.treeplex import Treeplex
from equiform.validation.certificates.exact_evaluation import exact_gradient
from equiform.validation.closed_forms.families import Equilibrium, TableFamily, TreeFamily
from equiform.validation.closed_forms.proving.parameters import Point
from equiform.validation.exact.equilibrium import ExactEquilibrium, exact_equilibrium
from equiform.validation.exact.strategies import exact_best_behavior

Zero = sympy.Integer(0)


@dataclass(frozen=True, eq=False)
class _Form:
    """A two-player zero-sum family in sequence form: treeplexes at one point, payoffs in symbols."""

    treeplexes: tuple[Treeplex, Treeplex]
    payoff: dict[tuple[int, int], sympy.Expr]


def conjecture(family: TableFamily | TreeFamily, point: Point) -> Equilibrium | None:
    """Solve the indifference equations of the basis that is optimal at a point, in symbols.

    Returns the formulas as a claim about the family, or ``None`` if the equations have no single solution.
    """
    game = family.game(point).zero_sum()
    solved = exact_equilibrium(game)
    form = _symbolic(family, as_sequence_form(game).treeplexes)
    found = _solve_basis(form, solved)
    if found is None:
        return None
    x, y, value = found
    strategies = []
    for player, plan in ((0, x), (1, y)):
        gradient = exact_gradient(as_sequence_form(game), player, solved.plans[1 - player])
        behavior = _behavior(form.treeplexes[player], plan, gradient)
        strategies.append(_claimed(family, form.treeplexes[player], player, behavior))
    return Equilibrium(strategies, values=[value])


def _symbolic(family: TableFamily | TreeFamily, treeplexes: tuple[Treeplex, ...]) -> _Form:
    first, second = treeplexes
    payoff: dict[tuple[int, int], sympy.Expr] = {}
    if isinstance(family, TableFamily):
        for (i, j), payoffs in family.payoffs.items():
            payoff[1 + i, 1 + j] = payoffs[0]
        return _Form((first, second), payoff)
    starts = [{key: int(t.start[h]) for h, key in enumerate(t.infosets)} for t in (first, second)]
    for leaf in family.leaves:
        last = [0, 0]
        for player, key, k in leaf.moves:
            last[player] = starts[player][key] + k
        place = (last[0], last[1])
        payoff[place] = payoff.get(place, Zero) + leaf.chance * leaf.payoffs[0]
    return _Form((first, second), payoff)


def _solve_basis(form: _Form, solved: ExactEquilibrium) -> tuple[list[Any], list[Any], sympy.Expr] | None:
    """Solve the primal and the dual system of the basis; rows and columns as in ``equilibrium_program``."""
    first, second = form.treeplexes
    basis = solved.solutions[0].basis
    n, m = first.num_sequences, first.num_infosets + 1
    columns = [c for c, status in enumerate(basis.columns) if status == BasisStatus.BASIC]
    rows = [r for r, status in enumerate(basis.rows) if status != BasisStatus.BASIC]
    if len(columns) != len(rows):
        return None
    entries = _entries(form, n, m)
    matrix = [[entries.get((r, c), Zero) for c in columns] for r in rows]
    right = [[sympy.Integer(int(r == 0))] for r in rows]
    costs = [[sympy.Integer(-int(c == n))] for c in columns]
    primal, dual = _linear(matrix, right), _linear([list(column) for column in zip(*matrix, strict=True)], costs)
    if primal is None or dual is None:
        return None
    point, prices = dict(zip(columns, primal, strict=True)), dict(zip(rows, dual, strict=True))
    x = [point.get(c, Zero) for c in range(n)]
    y = [prices.get(m + s, Zero) for s in range(second.num_sequences)]
    return x, y, sympy.factor(point.get(n, Zero))


def _entries(form: _Form, n: int, m: int) -> dict[tuple[int, int], Any]:
    """Write the program's matrix: flow rows, then response rows; columns x, then q."""
    first, second = form.treeplexes
    entries: dict[tuple[int, int], Any] = {}
    for r, c, v in zip(*_coordinates(first), strict=True):
        entries[r, c] = sympy.Integer(v)
    for (i, j), value in form.payoff.items():
        entries[m + j, i] = entries.get((m + j, i), Zero) + value
    for r, c, v in zip(*_coordinates(second), strict=True):
        entries[m + c, n + r] = -sympy.Integer(v)
    return entries


def _coordinates(treeplex: Treeplex) -> tuple[list[int], list[int], list[int]]:
    flow = treeplex.E.tocoo()
    return flow.row.tolist(), flow.col.tolist(), [int(v) for v in flow.data]


def _linear(matrix: list[list[Any]], right: list[list[Any]]) -> list[sympy.Expr] | None:
    """Solve a square system over the field of rational functions."""
    if not matrix:
        return []
    joined = [[*a, *b] for a, b in zip(matrix, right, strict=True)]
    both = DomainMatrix.from_list_sympy(len(matrix), len(matrix) + 1, joined).to_field()
    left = both[:, : len(matrix)]
    try:
        solution = left.lu_solve(both[:, len(matrix) :])
    except (DMError, ZeroDivisionError):
        return None
    return [sympy.factor(v) for v in solution.to_Matrix()]


def _behavior(treeplex: Treeplex, plan: list[Any], gradient: RationalVector) -> list[Any]:
    """Divide the plan by what arrives; where nothing ever does, play what is best at the point of the guess."""
    best = exact_best_behavior(treeplex, gradient).tolist()
    behavior: list[Any] = []
    for h, above in enumerate(treeplex.parent.tolist()):
        for s in range(int(treeplex.start[h]), int(treeplex.start[h + 1])):
            arriving = plan[above]
            behavior.append(sympy.Integer(int(best[s])) if arriving == 0 else sympy.cancel(plan[s] / arriving))
    return behavior


def _claimed(family: TableFamily | TreeFamily, treeplex: Treeplex, player: int, behavior: list[Any]) -> Any:
    if isinstance(family, TableFamily):
        return behavior
    found: dict[Hashable, list[Any]] = {}
    for h, key in enumerate(treeplex.infosets):
        own = behavior[int(treeplex.start[h]) - 1 : int(treeplex.start[h + 1]) - 1]
        found[family.rules.describe(key)] = own
    return found
