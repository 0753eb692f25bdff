r"""Closed forms of parametric games by sympy: the example of §11.3 in ρ, and infinite Kuhn poker.

Two routes share nothing: the payoffs written down by hand, region by region, as the thesis does for §11.3
(:func:`bet_or_check_closed_form`, :func:`kuhn_closed_form`), and the generated indifference polynomials solved in
rational arithmetic (:func:`exact_thresholds`). The parametric program must agree with both.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from equiform.models.common.errors import ExactError, UnsupportedGameError
from equiform.models.signals.indifference import indifference
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.signal_game import SignalGame

RHO = sp.Symbol("rho", positive=True)


def bet_or_check_closed_form() -> dict[str, sp.Expr]:
    r"""Solve §11.3 for all pots ρ and a bet of 1; thresholds :math:`a \le c \le b`.

    >>> sorted(bet_or_check_closed_form().items())[0]
    ('a', rho*(rho + 1)/((rho + 2)*(2*rho + 1)))
    """
    a, b, c = sp.symbols("a b c")
    bet_a = (1 - c) * RHO + (c - a) * (RHO + 1) - a  # folds, worse calls, better calls
    check_a = (1 - a) * RHO
    bet_b = (1 - c) * RHO - c
    check_b = (1 - b) * RHO
    call_c = -a + (1 - b) * (RHO + 1)  # against value bets below a and bluffs above b, on top of what a fold gives
    solved = sp.solve([bet_a - check_a, bet_b - check_b, call_c], [a, b, c], dict=True)
    return {str(name): sp.factor(value) for name, value in solved[0].items()}


def kuhn_equations() -> list[sp.Eq]:
    r"""Write down the six indifference equations of :math:`G_\infty`, for a < d < b < f < c and d < e < f.

    Player 1 bets below a and above c, and between them checks, calling above b; player 2 calls above e, and after a
    check bets below d and above f. The higher signal wins 1 after two checks and 2 after a called bet.
    """
    a, b, c, d, e, f = sp.symbols("a b c d e f")
    return [
        sp.Eq(e - 2 * (1 - e), -1),  # at a: bet, or check and fold (a check is bluffed or beaten)
        sp.Eq(2 * d - 2 * (1 - f), -d - (1 - f)),  # at b: call or fold to bluffs below d and bets above f
        sp.Eq(
            2 * d + (f - d) + 2 * (c - f) - 2 * (1 - c), e + 2 * (c - e) - 2 * (1 - c)
        ),  # at c: check and call, or bet
        sp.Eq((b - a) - 2 * (c - b), (d - a) - (c - d)),  # at d: bluff after a check, or check
        sp.Eq(2 * a - 2 * (1 - c), -a - (1 - c)),  # at e: call bluffs and value bets, or fold
        sp.Eq((f - a) - (c - f), (b - a) + 2 * (f - b) - 2 * (c - f)),  # at f: check, or bet for value
    ]


def kuhn_closed_form() -> dict[str, Fraction]:
    """Solve the six equations.

    >>> kuhn_closed_form()["a"], kuhn_closed_form()["f"]
    (Fraction(1, 9), Fraction(1, 2))
    """
    symbols = sp.symbols("a b c d e f")
    (solved,) = sp.linsolve(kuhn_equations(), *symbols)
    return {str(s): Fraction(int(v.p), int(v.q)) for s, v in zip(symbols, solved, strict=True)}


def exact_thresholds(game: SignalGame, model: ParametricModel) -> dict[str, Fraction]:
    """Solve the generated indifference equations of a two-player game with uniform signals, in rational arithmetic."""
    uniform = not game.signals.is_finite and game.signals.num_cells == 1 and not game.signals.is_dependent
    if len(game.players) != 2 or not uniform or not model.is_total:
        raise UnsupportedGameError(
            "exact thresholds are for two players, uniform continuous signals and a model that orders all thresholds",
            where=f"{game.name}, {model.name}",
            fix="use the parametric program",
        )
    symbols = [sp.Symbol(name) for name in model.names]
    equations = []
    for k in range(len(symbols)):
        terms = indifference(game, model, k).terms
        equations.append(
            sum(
                sp.Rational(c.numerator, c.denominator) * sp.prod([symbols[v.thresholds[0]] for v in m])
                for m, c in terms.items()
            )
        )
    found = list(sp.linsolve(equations, *symbols))
    if not found or any(v.free_symbols for v in found[0]):
        raise ExactError(
            "the indifference equations do not have exactly one solution",
            where=model.name,
            fix="the model may be wrong for this game, or leave a threshold free",
        )
    return {name: Fraction(int(v.p), int(v.q)) for name, v in zip(model.names, found[0], strict=True)}
