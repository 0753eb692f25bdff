r"""Games in strategic form with symbolic payoffs: matrix games, bimatrix games, tables for any number of players.

A profile is an equilibrium if and only if every action that may be played earns the same and no other earns more:

.. math:: u_i(a, \sigma_{-i}) = u_i(\sigma) \ \text{ if } \sigma_i(a) \not\equiv 0, \qquad
          u_i(a, \sigma_{-i}) \le u_i(\sigma) \ \text{ else.}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import sympy

from equiform.models.common.errors import ParameterError, StrategyError
from equiform.models.normal_form import NormalForm
from equiform.validation.closed_forms.families.base import Family
from equiform.validation.closed_forms.families.equilibrium import (
    Equilibrium,
    check_profile,
    number_at,
    read_distribution,
)
from equiform.validation.closed_forms.proving.parameters import Parameters, Point
from equiform.validation.closed_forms.proving.prove import require_claim
from equiform.validation.closed_forms.proving.signs import Relation, is_zero
from equiform.validation.closed_forms.proving.verdict import Check, Obligation

_MOST_CELLS = 5_000


@dataclass(frozen=True, eq=False)
class TableFamily(Family[Equilibrium]):
    """A table of payoffs, one expression per player and cell. Build one with the functions below."""

    name: str
    players: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]
    payoffs: Mapping[tuple[int, ...], tuple[sympy.Expr, ...]]
    parameters: Parameters

    def read(self, claim: Any) -> Equilibrium:
        """Parse a claimed equilibrium."""
        require_claim(claim, Equilibrium, self.name)
        if len(claim.strategies) != len(self.players) or len(claim.values) > len(self.players):
            raise ParameterError(
                f"the claim has {len(claim.strategies)} strategies and {len(claim.values)} values",
                where=self.name,
                fix=f"pass {len(self.players)} strategies and at most as many values",
            )
        strategies = [
            read_distribution(s, a, self.parameters, f"{self.name}, {p}")
            for s, a, p in zip(claim.strategies, self.actions, self.players, strict=True)
        ]
        return Equilibrium(strategies, [self.parameters.parse(v, f"{self.name}, value") for v in claim.values])

    def earned(self, player: int, action: int, strategies: Sequence[Sequence[Any]]) -> sympy.Expr:
        """Return what an action earns against the others' strategies."""
        total = sympy.Integer(0)
        for cell, payoffs in self.payoffs.items():
            if cell[player] == action:
                weight = sympy.prod([strategies[j][k] for j, k in enumerate(cell) if j != player])
                total += weight * payoffs[player]
        return sympy.cancel(sympy.together(total))

    def obligations(self, claim: Equilibrium) -> Iterator[Obligation]:
        """Return the relations that make the claim an equilibrium."""
        for i, (player, actions) in enumerate(zip(self.players, self.actions, strict=True)):
            own = claim.strategies[i]
            yield self.must(f"{player}: the probabilities sum to one", sum(own) - 1, Relation.ZERO)
            for action, p in zip(actions, own, strict=True):
                yield self.must(f"{player}: {action} has a probability", p)
            earned = [self.earned(i, k, claim.strategies) for k in range(len(actions))]
            played = [k for k in range(len(actions)) if not is_zero(own[k])]
            if not played:
                continue  # the sum above fails
            best = earned[played[0]]
            name = actions[played[0]]
            for k, action in enumerate(actions):
                if k in played[1:]:
                    yield self.must(f"{player}: {action} earns what {name} earns", earned[k] - best, Relation.ZERO)
                elif k not in played:
                    yield self.must(f"{player}: {action} earns no more than {name}", best - earned[k])
            if i < len(claim.values):
                yield self.must(f"{player}: the payoff is as claimed", best - claim.values[i], Relation.ZERO)

    def game(self, point: Point) -> NormalForm:
        """Return the game at one point."""
        table = np.empty((len(self.players), *map(len, self.actions)), dtype=object)
        for cell, payoffs in self.payoffs.items():
            for i, payoff in enumerate(payoffs):
                table[(i, *cell)] = number_at(payoff, self.parameters, point)
        return NormalForm(self.name, self.players, self.actions, table)

    def check(self, claim: Equilibrium, point: Point) -> Check:
        """Evaluate the claim exactly; the value of a zero-sum game is compared with the linear program."""
        try:
            game = self.game(point)
            behaviors = [[number_at(p, self.parameters, point) for p in s] for s in claim.strategies]
            values = [number_at(v, self.parameters, point) for v in claim.values]
        except StrategyError as error:
            return Check(tuple(point.items()), problem=error.what)
        return check_profile(game, behaviors, values, point)

    @cached_property
    def is_zero_sum(self) -> bool:
        """Whether payoffs sum to zero in every cell, for all parameters."""
        return all(is_zero(sum(payoffs)) for payoffs in self.payoffs.values())


def matrix_game(
    name: str,
    rows: Sequence[str],
    columns: Sequence[str],
    matrix: Sequence[Sequence[Any]],
    parameters: Mapping[str, str] | Parameters | None = None,
) -> TableFamily:
    """Return a zero-sum family from the row player's payoffs: texts, numbers or sympy expressions."""
    return bimatrix_game(name, rows, columns, matrix, None, parameters)


def bimatrix_game(
    name: str,
    rows: Sequence[str],
    columns: Sequence[str],
    first: Sequence[Sequence[Any]],
    second: Sequence[Sequence[Any]] | None,
    parameters: Mapping[str, str] | Parameters | None = None,
) -> TableFamily:
    """Return a family of two-player games from both players' payoffs; zero-sum without the second."""
    known = Parameters.of(parameters)
    cells: dict[tuple[int, ...], tuple[Any, ...]] = {}
    for table in (first, first if second is None else second):
        if len(table) != len(rows) or any(isinstance(r, str) or len(r) != len(columns) for r in table):
            raise ParameterError(
                "the payoffs do not fit the actions", where=name, fix="pass one row per action, one entry per column"
            )
    for i, j in product(range(len(rows)), range(len(columns))):
        where = f"{name}, ({rows[i]}, {columns[j]})"
        mine = known.parse(first[i][j], where)
        cells[i, j] = (mine, -mine if second is None else known.parse(second[i][j], where))
    return _table(name, ("row", "column"), (tuple(rows), tuple(columns)), cells, known)


def table_game(
    name: str,
    players: Sequence[str],
    actions: Sequence[Sequence[str]],
    payoffs: Mapping[tuple[str, ...], Sequence[Any]],
    parameters: Mapping[str, str] | Parameters | None = None,
) -> TableFamily:
    """Return a family of n-player games: payoffs by the tuple of actions, one expression per player."""
    known = Parameters.of(parameters)
    cells: dict[tuple[int, ...], tuple[Any, ...]] = {}
    for numbers in product(*(range(len(a)) for a in actions)):
        key = tuple(a[k] for a, k in zip(actions, numbers, strict=True))
        if key not in payoffs or len(payoffs[key]) != len(players):
            raise ParameterError(
                f"the payoffs at ({', '.join(key)}) are missing", where=name, fix="pass one expression per player"
            )
        cells[numbers] = tuple(known.parse(p, f"{name}, {key}") for p in payoffs[key])
    return _table(name, tuple(players), tuple(map(tuple, actions)), cells, known)


def _table(name: str, players: Any, actions: Any, cells: Any, parameters: Parameters) -> TableFamily:
    if not cells or len(cells) > _MOST_CELLS:
        raise ParameterError(f"the table has {len(cells)} cells", where=name, fix=f"use 1 to {_MOST_CELLS}")
    return TableFamily(name, players, actions, cells, parameters)
