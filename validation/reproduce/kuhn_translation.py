"""Tables 7.3 and 7.4: exploitability of the mappings in no-limit Kuhn poker, for two abstractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from equiform.validation.reproduce.cell import Cell, Verdict, by_interval, rounds_to
from equiform.validation.reproduce.experiment import Experiment, Part

STACKS = (1, 3, 5, 10, 20, 50, 100)
TABLE_7_3 = {
    "Det-Arith": "0.205 0.205 0.244 0.271 0.287 0.298 0.301",
    "Rand-Arith": "0.055 0.055 0.055 0.055 0.055 0.055 0.055",
    "Det-Geo": "0.121 0.121 0.121 0.217 0.297 0.366 0.399",
    "Rand-Geo-1": "0.121 0.121 0.121 0.121 0.121 0.121 0.121",
    "Rand-Geo-2": "0.121 0.121 0.121 0.121 0.121 0.121 0.121",
    "Det-psHar": "0.171 0.171 0.233 0.365 0.454 0.520 0.545",
    "Rand-psHar": "0.029 0.029 0.029 0.029 0.029 0.029 0.029",
}
TABLE_7_4 = {
    "Det-Arith": "0.088 0.110 0.285 0.485 0.848 1.926 3.714",
    "Rand-Arith": "0.012 0.033 0.068 0.157 0.336 0.871 1.764",
    "Det-Geo": "0.086 0.114 0.294 0.425 0.548 0.714 0.873",
    "Rand-Geo-1": "0.071 0.085 0.095 0.116 0.145 0.203 0.269",
    "Rand-Geo-2": "0.071 0.083 0.094 0.114 0.144 0.203 0.269",
    "Det-psHar": "0.064 0.090 0.302 0.420 0.500 0.556 0.574",
    "Rand-psHar": "0.008 0.010 0.017 0.027 0.037 0.047 0.054",
}


def compute(table: dict[str, str], bet: str, stack: int) -> list[Cell]:
    """Translate player 2's abstract equilibria: the default one, and the interval over all of them."""
    from fractions import Fraction

    from equiform.abstraction.action_abstraction import pot_fractions
    from equiform.abstraction.translated_strategy import translation_problem
    from equiform.abstraction.translation import by_name
    from equiform.games.kuhn_nl import KuhnNoLimit

    problem = translation_problem(KuhnNoLimit(stack), pot_fractions(Fraction(bet)), 1)
    cells = []
    for name, row in table.items():
        printed = row.split()[STACKS.index(stack)]
        variants = problem.tree.tie_variants(by_name(name))
        ours = [problem.exploitability(problem.strategy(v)) for v in variants]
        spans = [problem.attainable(v) for v in variants]
        low, high = min(s.low for s in spans), max(s.high for s in spans)
        cell = by_interval(name, str(stack), printed, ours, low, high)
        if cell.verdict is Verdict.INSIDE and not any(s.contains(float(printed), tolerance=0.0005) for s in spans):
            cell = Cell(
                name, str(stack), printed, ours[0], Verdict.MISMATCH, low, high, "between two ways to break ties"
            )
        cells.append(_explained(cell, ours))
    return cells


def _explained(cell: Cell, ours: list[float]) -> Cell:
    note = cell.note
    if cell.verdict is Verdict.MATCH and not rounds_to(ours[0], cell.printed):
        note = "with another way to break the mapping's ties"
    elif cell.verdict is Verdict.INSIDE:
        note = "another equilibrium of the abstraction (player 2 need not call the unused all-in with every King)"
    unique = cell.high is not None and cell.low is not None and cell.high - cell.low < 1e-6
    return Cell(
        cell.row, cell.column, cell.printed, cell.ours, cell.verdict,
        None if unique else cell.low, None if unique else cell.high, note,
    )  # fmt: skip


def _parts(table: dict[str, str], bet: str) -> Callable[[bool], Sequence[Part]]:
    def parts(quick: bool) -> Sequence[Part]:
        return [Part(str(n), compute, (table, bet, n)) for n in STACKS if not quick or n <= 10]

    return parts


_TOLERANCE = "printed digits; where the abstract equilibrium is not unique, the interval over all of them and over ties"

TABLE_7_3_EXPERIMENT = Experiment(
    id="7.3",
    title="Exploitability of mappings in no-limit Kuhn poker, abstraction {fold, check, pot, all-in}",
    source="thesis §7.8.2, Table 7.3",
    about="Player 2's exploitability with an equilibrium of the abstraction.",
    tolerance=_TOLERANCE,
    parts=_parts(TABLE_7_3, "1"),
    seconds=(2, 6),
    column_title="stack n",
    remarks=(
        "The value of the full game does not depend on the stack; in the abstraction it is 0 and player 1 never bets, "
        "so that player 2's answer to the all-in is free within limits. That freedom moves the deterministic mappings' "
        "cells.",
    ),
)
TABLE_7_4_EXPERIMENT = Experiment(
    id="7.4",
    title="Exploitability of mappings in no-limit Kuhn poker, abstraction {fold, check, 0.4 pot, all-in}",
    source="thesis §7.8.2, Table 7.4",
    about="The same with the bet that player 1 makes in equilibrium: for large stacks every mapping gets worse.",
    tolerance=_TOLERANCE,
    parts=_parts(TABLE_7_4, "0.4"),
    seconds=(3, 7),
    column_title="stack n",
)
