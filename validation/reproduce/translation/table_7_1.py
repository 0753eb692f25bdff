"""Table 7.1: how the randomised mappings react to the smaller size A."""

from __future__ import annotations

from collections.abc import Sequence

from equiform.validation.reproduce.cell import Cell, by_digits
from equiform.validation.reproduce.experiment import Experiment, Part

SIZES = ("0", "0.001", "0.01", "0.05", "0.1")
PRINTED = {
    "Rand-Arith": "0.75 0.751 0.758 0.789 0.833",
    "Rand-Geo-1": "0 0.012 0.111 0.429 0.667",
    "Rand-Geo-2": "0 0.015 0.131 0.439 0.641",
    "Rand-psHar": "0.6 0.601 0.612 0.663 0.733",
}


def compute() -> list[Cell]:
    """Evaluate the mappings at B = 1, x = 0.25."""
    from equiform.abstraction.actions.translation import by_name

    cells = []
    for name, row in PRINTED.items():
        for size, printed in zip(SIZES, row.split(), strict=True):
            ours = by_name(name).probability(float(size), 1.0, 0.25).item()
            cells.append(by_digits(name, size, printed, ours))
    return cells


def parts(quick: bool) -> Sequence[Part]:
    """Return the only part."""
    return [Part("all", compute)]


EXPERIMENT = Experiment(
    id="7.1",
    title="Effect of increasing A with B = 1 and x = 0.25",
    source="thesis §7.7, Table 7.1",
    about="The value of each randomised mapping; the geometric ones jump as soon as A leaves 0.",
    tolerance="printed digits",
    parts=parts,
    seconds=(0.1, 0.1),
    column_title="A",
)
