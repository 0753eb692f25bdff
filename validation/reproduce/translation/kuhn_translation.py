"""Tables 7.3 and 7.4: exploitability of the mappings in no-limit Kuhn poker, for two abstractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from equiform.validation.reproduce.cell import Cell, Verdict, by_equilibria
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
    """Translate player 2's abstract equilibria: the least exploitable one, and the interval over all of them."""
    from fractions import Fraction

    from equiform.abstraction.actions.action_abstraction import pot_fractions
    from equiform.abstraction.actions.translated_strategy import translation_problem
    from equiform.abstraction.actions.translation import by_name
    from equiform.games.poker.kuhn_nl import KuhnNoLimit
    from equiform.validation.reproduce.translation.one_equilibrium import whole_column

    problem = translation_problem(KuhnNoLimit(stack), pot_fractions(Fraction(bet)), 1)
    column = {name: row.split()[STACKS.index(stack)] for name, row in table.items()}
    variants = {name: problem.tree.tie_variants(by_name(name)) for name in table}
    words = ("larger", "smaller")  # ties up as the text has it, and down
    together = " or ".join(
        word
        for word, k in zip(words, (0, -1), strict=True)
        if whole_column(problem, {name: v[k] for name, v in variants.items()}, column) is not None
    )
    cells = []
    for name, printed in column.items():
        own, *others = (problem.attainable(v) for v in variants[name])
        ends = [(s.low, s.high) for s in others]
        cell = by_equilibria(
            name, str(stack), printed, own.low, (own.low, own.high), attained=True, selected=[own.low], others=ends
        )
        unique = max(s.high for s in (own, *others)) - min(s.low for s in (own, *others)) < 1e-6
        low, high = (None, None) if unique else (cell.low, cell.high)
        cells.append(replace(cell, note=_note(cell, together), low=low, high=high))
    return cells


def _note(cell: Cell, together: str) -> str:
    whole = (
        f"one equilibrium attains the whole column if ties are read as the {together} size"
        if together
        else "we found no equilibrium that attains the whole column"
    )
    if cell.verdict is Verdict.ATTAINED:
        return f"another equilibrium of the abstraction (player 2 need not call the unused all-in); {whole}"
    if cell.verdict is Verdict.NOT_EXCLUDED:
        return f"only if ties are read as the smaller size, where the text says the larger; {whole}"
    if cell.verdict is Verdict.MISMATCH:
        return "no equilibrium of the abstraction attains it, however ties are broken"
    return ""


def _parts(table: dict[str, str], bet: str) -> Callable[[bool], Sequence[Part]]:
    def parts(quick: bool) -> Sequence[Part]:
        return [Part(str(n), compute, (table, bet, n)) for n in STACKS if not quick or n <= 10]

    return parts


_TOLERANCE = (
    "printed digits with the least exploitable abstract equilibrium; attained: between two abstract equilibria, which "
    "are a convex set; not excluded: so with another way to break ties than the text's"
)

TABLE_7_3_EXPERIMENT = Experiment(
    id="7.3",
    title="Exploitability of mappings in no-limit Kuhn poker, abstraction {fold, check, pot, all-in}",
    source="thesis §7.8.2, Table 7.3",
    about="Player 2's exploitability with an equilibrium of the abstraction. Where there are many, ours is the least "
    "exploitable one, found by a linear program, and the brackets span all of them.",
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
