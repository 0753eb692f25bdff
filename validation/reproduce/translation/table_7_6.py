"""Table 7.6: exploitability of the mappings in no-limit Leduc hold'em."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from equiform.validation.reproduce.cell import Cell, Verdict, by_equilibria, half_unit, new
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

_BELOW = (
    "below every abstract equilibrium of our game, whichever way ties go. Smaller raises, or an ante on top of the 12 "
    "chips, do not bring it down there (the rows after the table). What the agent does once the real pot differs from "
    "the one it perceives is not in the thesis, and ours is a guess"
)
_BETWEEN = (
    "between what equilibria attain with all ties up and with all ties down; the thesis sends ties up, and rounding "
    "may send some of them down"
)
#: Other readings of the rules, for the two cells of player 1 that do not fit: stack (ante included), minimum raise.
RULES = {"any raise allowed": (12, False), "the ante on top of 12": (13, True)}
UNFIT = ("Det-Arith", "Det-psHar")


def compute(stack: int, printed: bool) -> list[Cell]:
    """Measure both players under every mapping: the default abstract equilibrium, and the range over all of them."""
    from equiform.abstraction.actions.action_abstraction import pot_fractions
    from equiform.abstraction.actions.translated_strategy import translation_problem
    from equiform.abstraction.actions.translation import by_name
    from equiform.abstraction.actions.translation_tree import AfterZero
    from equiform.games.poker.leduc_nl import LeducNoLimit
    from equiform.models.compile import compile_rules

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
        spans, defaults = [], []
        for problem in problems:
            variants = problem.tree.tie_variants(mapping, limit=2)
            defaults.append(problem.exploitability(problem.strategy(variants[0])))
            spans.append([(s.low, s.high) for s in map(problem.attainable, variants)])
        called = forced.exploitability(forced.strategy(mapping))
        average = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in zip(*spans, strict=True)]
        columns = (
            ("P1", defaults[0], spans[0], ""),
            ("P2", defaults[1], spans[1], f"calling every bet perceived as a check: {called:.3f}"),
            ("average", sum(defaults) / 2, average, ""),
        )
        together = printed and all(_holds(own[0], text) for own, text in zip(spans, row[:2], strict=True))
        for (column, ours, ends, note), text in zip(columns, row, strict=True):
            if printed:
                # the players choose their equilibrium strategies independently: two numbers give the average
                attained = together if column == "average" else True
                cell = by_equilibria(name, column, text, ours, ends[0], attained=attained, others=ends[1:], note=note)
                if cell.verdict is Verdict.MISMATCH:
                    below = all(float(text) < low for low, _ in ends)
                    cell = replace(cell, note=_BELOW if below else _BETWEEN)
                cells.append(cell)
            else:
                low, high = min(e[0] for e in ends), max(e[1] for e in ends)
                cells.append(new(name, column, ours, low, high, note=note))
    return cells


def _holds(span: tuple[float, float], printed: str) -> bool:
    """Return whether a printed number lies between two that are attained."""
    return span[0] - half_unit(printed) <= float(printed) <= span[1] + half_unit(printed)


def under_other_rules(reading: str) -> list[Cell]:
    """Return the lowest exploitability of player 1, over abstract equilibria and ties, under another reading."""
    from equiform.abstraction.actions.action_abstraction import pot_fractions
    from equiform.abstraction.actions.translated_strategy import translation_problem
    from equiform.abstraction.actions.translation import by_name
    from equiform.abstraction.actions.translation_tree import AfterZero
    from equiform.games.poker.leduc_nl import LeducNoLimit

    stack, minimum_raise = RULES[reading]
    rules = LeducNoLimit(stack, minimum_raise=minimum_raise)
    problem = translation_problem(rules, pot_fractions(1), 0, after_zero=AfterZero.ABSTRACT)
    cells = []
    for name in UNFIT:
        lowest = min(problem.lowest(v) for v in problem.tree.tie_variants(by_name(name), limit=2))
        cells.append(new(f"{name}, {reading}", "P1", lowest, note="the lowest attainable"))
    return cells


def parts(quick: bool) -> Sequence[Part]:
    """Return the whole table as one part, to share the game's value; the quick set has a smaller, unprinted stack."""
    if quick:
        return [Part("stack 6", compute, (6, False))]
    return [Part("stack 12", compute, (12, True)), *(Part(reading, under_other_rules, (reading,)) for reading in RULES)]


EXPERIMENT = Experiment(
    id="7.6",
    title="Exploitability of mappings in no-limit Leduc hold'em, abstraction {fold, check or call, pot, all-in}",
    source="thesis §7.8.3, Table 7.6",
    about="Both players' exploitability. Stacks of 12, ante 1, whole bets, raises at least as large as the bet before.",
    tolerance="attained: between two abstract equilibria that were found; not excluded: with ties read as the smaller "
    "size, or an average of which only one half is attained",
    parts=parts,
    seconds=(4, 300),
    remarks=(
        "The thesis does not print its abstract equilibrium, nor whether a raise has a minimum size. Numbers are those "
        "of the rule that answers a bet perceived as a check as the abstract strategy would answer the check; the "
        "thesis's rule (always call) is in the notes for player 2. For player 1 the two agree. The last rows give, for "
        "the two cells that fit no equilibrium, the lowest exploitability that other readings of the rules allow.",
    ),
)
