"""Section 7.7: which mapping satisfies which desideratum."""

from __future__ import annotations

from collections.abc import Sequence

from equiform.validation.reproduce.cell import Cell, by_claim
from equiform.validation.reproduce.experiment import Experiment, Part

_DET = {"Det-Arith", "Det-Geo", "Det-psHar"}
_GEO = {"Det-Geo", "Rand-Geo-1", "Rand-Geo-2"}
# Who violates what, as §7.7 says in words; the required form and the stronger one (strict, Lipschitz).
CLAIMS = {
    ("boundary constraints", "A > 0", False): set(),
    ("boundary constraints", "A = 0", False): _GEO,
    ("monotonicity", "A > 0", False): set(),
    ("monotonicity", "A = 0", False): set(),
    ("monotonicity", "A > 0", True): _DET,
    ("monotonicity", "A = 0", True): _DET | _GEO,
    ("scale invariance", "A > 0", False): set(),
    ("scale invariance", "A = 0", False): set(),
    ("action robustness", "A > 0", False): _DET,
    ("action robustness", "A = 0", False): _DET - {"Det-Geo"},  # constant at A = 0, the thesis notes
    ("boundary robustness", "A > 0", False): _DET,
    ("boundary robustness", "A = 0", False): _DET | _GEO,
    ("boundary robustness", "A > 0", True): _DET | _GEO,
    ("boundary robustness", "A = 0", True): _DET | _GEO,
}


def compute() -> list[Cell]:
    """Look for a counterexample to every claim; 1 means satisfied."""
    from equiform.abstraction.actions.desiderata import Case, Desideratum, check
    from equiform.abstraction.actions.translation import MAPPINGS

    cells = []
    for (desideratum, case, strong), violators in CLAIMS.items():
        for mapping in MAPPINGS:
            found = check(mapping, Desideratum(desideratum), Case(case), strong=strong)
            printed = "0" if mapping.name in violators else "1"
            note = ""
            if found.witness:
                p = found.witness[0]
                note = f"{found.why}: A = {p.A:.4g}, B = {p.B:.4g}, x = {p.x:.4g}, f = {p.f:.4g}"
            name = f"{desideratum}{' (strong)' if strong else ''}, {case}"
            agrees = found.holds == (printed == "1")
            cells.append(by_claim(name, mapping.name, printed, float(found.holds), agrees, note=note))
    return cells


def parts(quick: bool) -> Sequence[Part]:
    """Return the only part."""
    return [Part("all", compute)]


EXPERIMENT = Experiment(
    id="7.7",
    title="Who satisfies the desiderata of an action translation mapping",
    source="thesis §7.7",
    about="1: satisfied, 0: violated. Every violation comes with a witness; strong means strict or Lipschitz.",
    tolerance="yes or no",
    parts=parts,
    seconds=(3, 3),
    column_title="mapping",
    remarks=(
        "Scale invariance holds if the pot is scaled too. With the pot held fixed the pseudo-harmonic mappings violate "
        "it as the thesis words it: f is 1/3 at (A, B, x) = (0, 1, 1/2) and 1/4 at (0, 2, 1).",
    ),
)
