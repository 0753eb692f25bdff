r"""The matrix games of chapter 13 of the thesis, each with the parameter on which its argument depends.

========  ============================================================  =============================================
RPST      T pays :math:`(t+1, t, t)`; the thesis has t = 3              T is a gift worth :math:`t + 1/3`
13.5      U pays r against R; the thesis has r = 10                     for r > 5, R is a gift worth :math:`(r-5)/2`
13.6      D pays :math:`(-a, b)`; the thesis has a = 2, b = 1           player 2 plays L at least b/(a+b) of the time
13.7–8    all payoffs times λ; Figure 13.8 is λ = 2                     D is a gift worth 3λ; answering it risks λ
========  ============================================================  =============================================

Equilibria come from indifference on the supports that mix and are proved by the best-response inequalities. In Figure
13.6 they contradict the caption in the thesis: player 2's equilibria form an interval, and all but one have R in the
support.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy

from equiform.formulations.zero_sum import selection
from equiform.models.normal_form import NormalForm
from equiform.validation.closed_forms.base import (
    Claim,
    ClosedForm,
    Comparison,
    Derivation,
    Parameters,
    Scope,
    rational,
    truth,
)
from equiform.validation.closed_forms.proofs import Domain, is_zero
from equiform.validation.closed_forms.strategies import evaluate_behaviors
from equiform.validation.exact.equilibrium import exact_equilibrium

T, R, A, B, SCALE = sympy.symbols("t r a b lambda", positive=True)
_ROUNDING = 1e-6


class MatrixForm(ClosedForm):
    """A matrix game with a parameter: strategies ``row 0, row 1, …`` and ``column 0, …``, and the ``value``."""

    rows: str
    columns: str
    matrix: Sequence[Sequence[sympy.Expr]]
    domain: Domain
    supports: tuple[tuple[int, ...], tuple[int, ...]]
    """Which rows and columns the equilibrium mixes."""
    gift: tuple[int, int]
    """The move that gives something away: player and number."""

    @abstractmethod
    def parameters(self) -> Mapping[str, sympy.Symbol]:
        """Return the symbols by the names that ``verify`` uses."""

    def _derive(self) -> Derivation:
        m = self.matrix
        x = sympy.symbols(f"x:{len(m)}")
        y = sympy.symbols(f"y:{len(m[0])}")
        v = sympy.Symbol("v")
        used_rows, used_columns = self.supports
        equations = [sympy.Eq(sum(x), 1), sympy.Eq(sum(y), 1)]
        equations += [sympy.Eq(x[i], 0) for i in range(len(m)) if i not in used_rows]
        equations += [sympy.Eq(y[j], 0) for j in range(len(m[0])) if j not in used_columns]
        equations += [sympy.Eq(sum(x[i] * m[i][j] for i in range(len(m))), v) for j in used_columns]
        equations += [sympy.Eq(sum(y[j] * m[i][j] for j in range(len(m[0]))), v) for i in used_rows]
        solution = sympy.solve(equations, [*x, *y, v], dict=True)[0]
        formulas = {f"row {i}": sympy.simplify(solution[s]) for i, s in enumerate(x)}
        formulas |= {f"column {j}": sympy.simplify(solution[s]) for j, s in enumerate(y)}
        formulas["value"] = sympy.simplify(solution[v])
        player, number = self.gift
        if player == 1:
            earned = sum(formulas[f"row {i}"] * m[i][number] for i in range(len(m)))
            formulas["gift"] = sympy.simplify(earned - formulas["value"])
        else:
            earned = sum(formulas[f"column {j}"] * m[number][j] for j in range(len(m[0])))
            formulas["gift"] = sympy.simplify(formulas["value"] - earned)
        return Derivation(tuple(equations), formulas)

    def _prove(self, d: Derivation) -> Sequence[Claim]:
        m, v = self.matrix, d["value"]
        x = [d[f"row {i}"] for i in range(len(m))]
        y = [d[f"column {j}"] for j in range(len(m[0]))]
        claims = [Claim("probabilities sum to one", is_zero(sum(x) - 1) and is_zero(sum(y) - 1))]
        claims += [Claim(f"{e} is not negative", self.domain.nonnegative(e)) for e in (*x, *y)]
        for j, name in enumerate(self.columns):
            earned = sum(x[i] * m[i][j] for i in range(len(m)))
            if j in self.supports[1]:
                claims.append(Claim(f"player 1 makes player 2 indifferent to {name}", is_zero(earned - v)))
            else:
                claims.append(Claim(f"player 1 earns the value against {name}", self.domain.nonnegative(earned - v)))
        for i, name in enumerate(self.rows):
            earned = sum(y[j] * m[i][j] for j in range(len(m[0])))
            if i in self.supports[0]:
                claims.append(Claim(f"player 2 makes player 1 indifferent to {name}", is_zero(earned - v)))
            else:
                claims.append(Claim(f"player 2 concedes the value to {name}", self.domain.nonnegative(v - earned)))
        claims.append(Claim("the gift is one", self.domain.positive(d["gift"])))
        return claims

    def game(self, **parameters: Fraction) -> NormalForm:
        """The game at one value of the parameters."""
        cells = [[self._rational(c, parameters) for c in row] for row in self.matrix]
        return NormalForm.from_matrix(self.name, self.rows, self.columns, cells)

    def _rational(self, formula: Any, parameters: Mapping[str, Fraction]) -> Fraction:
        at = {self.parameters()[k]: sympy.Rational(v) for k, v in parameters.items()}
        return rational(sympy.sympify(formula).subs(at))

    def _at(self, d: Derivation, name: str, parameters: Mapping[str, Fraction]) -> Fraction:
        return self._rational(d[name], parameters)

    def _compare(self, d: Derivation, **parameters: Fraction) -> Sequence[Comparison]:
        game = self.game(**parameters)
        solved = exact_equilibrium(game)
        rows = [self._at(d, f"row {i}", parameters) for i in range(len(self.rows))]
        columns = [self._at(d, f"column {j}", parameters) for j in range(len(self.columns))]
        conv = evaluate_behaviors(game, ([1, *rows], [1, *columns])).nash_conv
        player, number = self.gift
        mine = game.payoffs[0][:, number] @ rows if player == 1 else game.payoffs[1][number] @ columns
        value = solved.value if player == 1 else -solved.value
        return [
            Comparison("the value", self._at(d, "value", parameters), solved.value),
            Comparison("nash_conv of the formulas' profile", Fraction(0), conv),
            Comparison("the gift", self._at(d, "gift", parameters), Fraction(mine - value)),
        ]


class Rpst(MatrixForm):
    """Rock-paper-scissors with a dominated fourth move."""

    name = "rpst"
    title = "RPST: rock-paper-scissors with a gift"
    source = "thesis §13.2.2, Figure 13.4"
    scope = Scope("t > 0", lambda t: t > 0)
    rows, columns = "RPS", "RPST"
    matrix = ((0, -1, 1, T + 1), (1, 0, -1, T), (-1, 1, 0, T))
    domain = Domain({T: T})
    supports = ((0, 1, 2), (0, 1, 2))
    gift = (1, 3)

    def parameters(self) -> Mapping[str, sympy.Symbol]:
        """Return t, what T loses to P and S."""
        return {"t": T}

    def grid(self) -> Sequence[Parameters]:
        """Take t up to 10; the thesis's game is t = 3."""
        return [{"t": Fraction(k, 2)} for k in range(1, 21)]


class Figure135(MatrixForm):
    """A gift that no dominance rules out."""

    name = "fig-13.5"
    title = "A gift that is not dominated"
    source = "thesis §13.3, Figure 13.5"
    scope = Scope("r > 5", lambda r: r > 5)
    rows, columns = "UD", "LMR"
    matrix = ((3, 2, R), (2, 3, 0))
    domain = Domain.above(R, 5 + sympy.Symbol("e", positive=True))
    supports = ((0, 1), (0, 1))
    gift = (1, 2)

    def parameters(self) -> Mapping[str, sympy.Symbol]:
        """Return r, what U earns against R."""
        return {"r": R}

    def grid(self) -> Sequence[Parameters]:
        """Take r above 5; the thesis's game is r = 10."""
        return [{"r": Fraction(5) + Fraction(k, 2)} for k in range(1, 21)]


class Figure136(MatrixForm):
    """A move that player 2 may play in equilibrium, and how often."""

    name = "fig-13.6"
    title = "Player 2's interval of equilibria"
    source = "thesis §13.3, Figure 13.6"
    scope = Scope("a > 0 and b > 0", lambda a, b: a > 0 and b > 0)
    rows, columns = "UD", "LR"
    matrix = ((0, 0), (-A, B))
    domain = Domain({A: A, B: B})
    supports = ((0,), (0,))
    gift = (0, 1)

    def parameters(self) -> Mapping[str, sympy.Symbol]:
        """Return a and b, what D pays against L and R."""
        return {"a": A, "b": B}

    def _derive(self) -> Derivation:
        base = super()._derive()
        left = sympy.Symbol("l")
        tempted = sympy.Eq(left * self.matrix[1][0] + (1 - left) * self.matrix[1][1], base["value"])
        lowest = sympy.simplify(sympy.solve(tempted, left)[0])
        return Derivation((*base.equations, tempted), {**base.formulas, "lowest L": lowest})

    def _prove(self, d: Derivation) -> Sequence[Claim]:
        low = d["lowest L"]
        s = sympy.Symbol("s", nonnegative=True)
        inside = low + (1 - low) * s / (1 + s)
        down = inside * self.matrix[1][0] + (1 - inside) * self.matrix[1][1]
        below = (low - 1) * self.matrix[1][0] + (2 - low) * self.matrix[1][1]
        return [
            *super()._prove(d),
            Claim("L may be played less than always", self.domain.positive(1 - low)),
            Claim("from there on D does not gain", self.domain.nonnegative(d["value"] - down)),
            Claim("below, D gains", self.domain.positive(below - d["value"])),
        ]

    def grid(self) -> Sequence[Parameters]:
        """Take twenty pairs; the thesis's game is (2, 1)."""
        return [{"a": Fraction(a), "b": Fraction(b)} for a in (2, 1, 3, 5, 10) for b in (1, 2, 4, 9)]

    def _compare(self, d: Derivation, **parameters: Fraction) -> Sequence[Comparison]:
        game = self.game(**parameters)
        low = self._at(d, "lowest L", parameters)
        found = list(super()._compare(d, **parameters))
        for share, what in ((low, "at the end of the interval"), ((1 + low) / 2, "inside the interval")):
            conv = evaluate_behaviors(game, ([1, 1, 0], [1, share, 1 - share])).nash_conv
            found.append(Comparison(f"nash_conv {what}", Fraction(0), conv))
        outside = low - Fraction(1, 1000)
        gains = evaluate_behaviors(game, ([1, 1, 0], [1, outside, 1 - outside])).nash_conv > 0
        found.append(Comparison("player 1 gains outside the interval", truth(True), truth(gains)))
        form = game.sequence_form()
        weights = form.treeplexes[1].uniform() * 0.0
        weights[1] = 1.0
        ends = selection.solve_functional(form, weights, player=1).interval
        same = abs(ends[0] - float(low)) < _ROUNDING and abs(ends[1] - 1.0) < _ROUNDING
        found.append(Comparison("the program finds the same interval", truth(True), truth(same)))
        return found


class Figure137(MatrixForm):
    """The stage games of the two-stage gift game."""

    name = "fig-13.7"
    title = "The stages of the gift game"
    source = "thesis §13.6.3, Figures 13.7 and 13.8"
    scope = Scope("scale > 0", lambda scale: scale > 0)
    rows, columns = "UD", "LR"
    matrix = ((4 * SCALE, 5 * SCALE), (SCALE, sympy.Integer(0)))
    domain = Domain({SCALE: SCALE})
    supports = ((0,), (0,))
    gift = (0, 1)

    def parameters(self) -> Mapping[str, sympy.Symbol]:
        """Return λ: 1 in Figure 13.7 and 2 in Figure 13.8."""
        return {"scale": SCALE}

    def _derive(self) -> Derivation:
        base = super()._derive()
        risk = sympy.simplify(self.matrix[0][1] - base["value"])
        return Derivation(base.equations, {**base.formulas, "risk of R": risk})

    def _prove(self, d: Derivation) -> Sequence[Claim]:
        m = self.matrix
        return [
            *super()._prove(d),
            Claim("D is strictly dominated", all(self.domain.positive(m[0][j] - m[1][j]) for j in (0, 1))),
            Claim("R beats L against D", self.domain.positive(m[1][0] - m[1][1])),
            Claim(
                "what the first stage gives covers the risk in the second",
                bool(d["gift"].subs(SCALE, 1) >= d["risk of R"].subs(SCALE, 2)),
            ),
        ]

    def grid(self) -> Sequence[Parameters]:
        """Take λ up to 10; the thesis's stages are 1 and 2."""
        return [{"scale": Fraction(k, 2)} for k in range(1, 21)]
