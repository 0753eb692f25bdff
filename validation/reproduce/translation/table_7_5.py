"""Table 7.5: the bet size that makes each mapping least exploitable in no-limit Kuhn poker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from equiform.validation.reproduce.cell import Cell, by_equilibria
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
    """Try every size; a printed one is not excluded if some choice of equilibria and ties makes it the best."""
    from equiform.abstraction.actions.bet_sizes import TIES, bet_sizes
    from equiform.abstraction.actions.translation import by_name
    from equiform.games.poker.kuhn_nl import KuhnNoLimit

    table = bet_sizes(KuhnNoLimit(stack))
    cells = []
    for name, row in PRINTED.items():
        printed = row.split()[STACKS.index(stack)]
        mapping = by_name(name)
        best = [table.best(mapping, ties=ties) for ties in TIES]
        size, note, others = float(printed), "", [float(b) for b in best[1:]]
        if Fraction(printed) == best[0]:
            pass
        elif Fraction(printed) in best:
            note = "the best size if the bet at the mapping's median is read as the smaller one"
        elif table.can_be_best(mapping, Fraction(printed)):
            others.append(size)
            note = "another abstract equilibrium for every size, and other ties, make this size the best"
        else:
            note = "we found no choice of equilibria and ties that makes this size the best"
        points = [(other, other) for other in others]
        cell = by_equilibria(
            name, str(stack), printed, float(best[0]), (float(best[0]),) * 2, attained=False, others=points, note=note
        )
        cells.append(replace(cell, low=None, high=None))
    return cells


def parts(quick: bool) -> Sequence[Part]:
    """Return one part per stack."""
    return [Part(str(n), compute, (n,)) for n in STACKS if not quick or n <= 5]


EXPERIMENT = Experiment(
    id="7.5",
    title="Optimal bet sizes for player 2 in no-limit Kuhn poker with one bet besides the all-in",
    source="thesis §7.8.2, Table 7.5",
    about="The size in pots, the smallest of equally good ones, over all multiples of 0.1 up to the stack.",
    tolerance="match: the best size if every size plays its least exploitable abstract equilibrium; not excluded: the "
    "best if every size may play another abstract equilibrium and break ties in its own way",
    parts=parts,
    seconds=(8, 700),
    column_title="stack n",
)
