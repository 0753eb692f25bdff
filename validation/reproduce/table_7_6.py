"""Table 7.6: exploitability of the mappings in no-limit Leduc hold'em."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from equiform.validation.reproduce.cell import Cell, Verdict, by_interval
from equiform.validation.reproduce.experiment import Experiment, Part

PRINTED = {  # player 1, player 2, average
    "Det-Arith": ("0.427", "0.904", "0.666"),
    "Rand-Arith": ("0.431", "0.853", "0.642"),
    "Det-Geo": ("0.341", "0.922", "0.632"),
    "Rand-Geo-1": ("0.295", "0.853", "0.574"),
    "Rand-Geo-2": ("0.296", "0.853", "0.575"),
    "Det-psHar": ("0.359", "0.826", "0.593"),
    "Rand-psHar": ("0.323", "0.603", "0.463"),
}


def compute(stack: int, printed: bool) -> list[Cell]:
    """Measure both players under every mapping: the default abstract equilibrium, and the range over all of them."""
    from equiform.abstraction.action_abstraction import pot_fractions
    from equiform.abstraction.translated_strategy import translation_problem
    from equiform.abstraction.translation import by_name
    from equiform.abstraction.translation_tree import AfterZero
    from equiform.games.leduc_nl import LeducNoLimit
    from equiform.models.extensive import compile_rules

    rules = LeducNoLimit(stack)
    full = compile_rules(rules)
    # player 1 acts first in every round: a bet perceived as a check has ended the round, and both rules agree
    problems = [
        translation_problem(rules, pot_fractions(1), p, after_zero=AfterZero.ABSTRACT, full=full) for p in (0, 1)
    ]
    forced = translation_problem(rules, pot_fractions(1), 1, full=full)
    form, value = problems[0].full_form, problems[0].value
    for problem in (problems[1], forced):
        problem.__dict__.update(full_form=form, value=value)
    cells = []
    for name, row in PRINTED.items():
        mapping = by_name(name)
        defaults, lows, highs = [], [], []
        for problem in problems:
            variants = problem.tree.tie_variants(mapping, limit=2)
            defaults.append([problem.exploitability(problem.strategy(v)) for v in variants])
            spans = [problem.attainable(v) for v in variants]
            lows.append(min(s.low for s in spans))
            highs.append(max(s.high for s in spans))
        called = forced.exploitability(forced.strategy(mapping))
        averages = [sum(pair) / 2 for pair in zip(*defaults, strict=True)]
        columns = (
            ("P1", defaults[0], lows[0], highs[0], ""),
            ("P2", defaults[1], lows[1], highs[1], f"calling every bet perceived as a check: {called:.3f}"),
            ("average", averages, sum(lows) / 2, sum(highs) / 2, ""),
        )
        for (column, ours, low, high, note), text in zip(columns, row, strict=True):
            if printed:
                cell = by_interval(name, column, text, ours, low, high, note=note)
                why = "below every abstract equilibrium of our game; the thesis may allow smaller raises"
                cells.append(replace(cell, note=why) if cell.verdict is Verdict.MISMATCH else cell)
            else:
                cells.append(Cell(name, column, "", ours[0], Verdict.OURS, low, high, note))
    return cells


def parts(quick: bool) -> Sequence[Part]:
    """Everything at once: the full game's value is shared. The quick set is a smaller stack: no printed numbers."""
    return [Part("stack 6", compute, (6, False))] if quick else [Part("stack 12", compute, (12, True))]


EXPERIMENT = Experiment(
    id="7.6",
    title="Exploitability of mappings in no-limit Leduc hold'em, abstraction {fold, check or call, pot, all-in}",
    source="thesis §7.8.3, Table 7.6",
    about="Both players' exploitability. Stacks of 12, ante 1, whole bets, raises at least as large as the bet before.",
    tolerance="the interval over all abstract equilibria",
    parts=parts,
    seconds=(4, 45),
    remarks=(
        "The thesis does not print its abstract equilibrium, nor whether a raise has a minimum size. Numbers are those "
        "of the rule that answers a bet perceived as a check as the abstract strategy would answer the check; the "
        "thesis's rule (always call) is in the notes for player 2. For player 1 the two agree.",
    ),
)
