"""Proposition 5: purification gains exactly k."""

from __future__ import annotations

from collections.abc import Sequence

from equiform.validation.reproduce.cell import Cell, by_digits
from equiform.validation.reproduce.experiment import Experiment, Part

KS = ("1", "10", "100", "1000")


def compute() -> list[Cell]:
    """Solve both games exactly for several k."""
    from fractions import Fraction

    from equiform.validation.closed_forms import closed_form

    form = closed_form("proposition-5")
    cells = []
    for k in KS:
        at = {c.what: c.computed for c in form.verify(k=Fraction(k)).require().comparisons}
        printed = {"the unpurified payoff": str(-int(k) - 1), "the purified payoff": "-1", "the gain": k}
        cells += [by_digits(what, k, text, float(at[what])) for what, text in printed.items()]
    return cells


def parts(quick: bool) -> Sequence[Part]:
    """Return the only part."""
    return [Part("all", compute)]


EXPERIMENT = Experiment(
    id="prop-5",
    title="A game in which purification gains k",
    source="thesis §8.3, Proposition 5 and Figure 8.2",
    about="Payoffs against the full equilibrium, from exact rational solves; the formula is proved for all k.",
    tolerance="printed digits",
    parts=parts,
    seconds=(1, 1),
    column_title="k",
)
