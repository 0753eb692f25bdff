"""Table 7.5: the bet size that makes each mapping least exploitable in no-limit Kuhn poker."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from equiform.validation.reproduce.cell import Cell, Verdict
from equiform.validation.reproduce.experiment import Experiment, Part

STACKS = (1, 3, 5, 10, 20, 50, 100)
PRINTED = {
    "Det-Arith": "0.3 0.4 0.7 0.9 0.9 1.0 1.0",
    "Rand-Arith": "0.3 0.5 0.6 0.8 0.9 1.0 1.0",
    "Det-Geo": "0.3 0.2 1.0 2.6 2.5 14.6 29.8",
    "Rand-Geo-1": "0.2 0.1 0.3 0.4 1.0 1.0 1.0",
    "Rand-Geo-2": "0.2 0.1 0.3 0.3 1.0 1.0 1.0",
    "Det-psHar": "0.4 0.3 2.3 7.9 4.5 49.9 71.5",
    "Rand-psHar": "0.1 0.4 0.5 0.6 0.6 0.7 0.7",
}


def compute(stack: int) -> list[Cell]:
    """Try every size; a printed size counts as inside if some choice of equilibria and ties makes it the best."""
    from equiform.abstraction.actions.bet_sizes import TIES, bet_sizes
    from equiform.abstraction.actions.translation import by_name
    from equiform.games.poker.kuhn_nl import KuhnNoLimit

    table = bet_sizes(KuhnNoLimit(stack))
    cells = []
    for name, row in PRINTED.items():
        printed = row.split()[STACKS.index(stack)]
        mapping = by_name(name)
        best = [table.best(mapping, ties=ties) for ties in TIES]
        note = ""
        if Fraction(printed) in best:
            verdict = Verdict.MATCH
            if best[0] != Fraction(printed):
                note = "with the bet at the mapping's median read as the smaller size"
        elif table.can_be_best(mapping, Fraction(printed)):
            verdict = Verdict.INSIDE
            note = "another choice of abstract equilibria, or of ties, makes this size the best"
        else:
            verdict = Verdict.MISMATCH
            note = "we found no choice of equilibria and ties that makes this size the best"
        cells.append(Cell(name, str(stack), printed, float(best[0]), verdict, note=note))
    return cells


def parts(quick: bool) -> Sequence[Part]:
    """Return one part per stack."""
    return [Part(str(n), compute, (n,)) for n in STACKS if not quick or n <= 5]


EXPERIMENT = Experiment(
    id="7.5",
    title="Optimal bet sizes for player 2 in no-limit Kuhn poker with one bet besides the all-in",
    source="thesis §7.8.2, Table 7.5",
    about="The size in pots, the smallest of equally good ones, over all multiples of 0.1 up to the stack.",
    tolerance="match: the best size if every size plays its least exploitable abstract equilibrium; inside: the best "
    "for some choice of abstract equilibria",
    parts=parts,
    seconds=(8, 700),
    column_title="stack n",
)
