"""Tables 10.2 and 10.3: an equilibrium of one-card poker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from equiform.validation.reproduce.cell import Cell, Verdict, by_equilibria
from equiform.validation.reproduce.experiment import Experiment, Part

if TYPE_CHECKING:
    from equiform.models.common.array_types import FloatArray
    from equiform.models.sequence_form import SequenceForm


def compute(player: int) -> list[Cell]:
    """Find an equilibrium that rounds to the whole table, and the range of each probability."""
    from equiform.formulations.zero_sum import sequence_form_lp
    from equiform.games.poker.kuhn import Kuhn
    from equiform.models.compile import compile_rules
    from equiform.models.sequence_form import sequence_form
    from equiform.validation.reproduce.equilibria.one_card_tables import (
        RANKS,
        TABLE_10_2,
        TABLE_10_3,
        equilibrium_within,
        printed_profile,
    )

    form = sequence_form(compile_rules(Kuhn(13, "one-card")))
    solved = sequence_form_lp.solve(form)
    printed = printed_profile(form)[player]
    plan = equilibrium_within(form, printed, player=player, value=solved.value)
    joint = plan is not None and _is_equilibrium(form, plan, player=player, value=solved.value)
    treeplex, strategy = form.treeplexes[player], solved.strategies[player]
    cells = []
    for situation, row in (TABLE_10_2, TABLE_10_3)[player].items():
        for rank, text in zip(RANKS, row.split(), strict=True):
            label = f"holding {rank}, {situation}"
            h = next(h for h in range(treeplex.num_infosets) if treeplex.infoset_label(h) == label)
            sequence = int(treeplex.start[h]) + 1
            low, high = _range(form, player, sequence, int(treeplex.parent[h]), solved.value)
            ours = float(strategy.floats[sequence]) if strategy is not None else float("nan")
            ours = min(max(ours, low), high)  # where our plan does not get there, its own entry says nothing
            cell = by_equilibria(situation, rank, text, ours, (low, high), attained=joint)
            notes = {
                Verdict.ATTAINED: "one of many equilibria; we found one that rounds to the whole table",
                Verdict.NOT_EXCLUDED: "some equilibrium plays it, but none rounds to the whole table",
                Verdict.MISMATCH: "no equilibrium plays it",
            }
            cells.append(replace(cell, note=notes.get(cell.verdict, "")))
    return cells


def _is_equilibrium(form: SequenceForm, plan: FloatArray, *, player: int, value: float) -> bool:
    """Say whether a best response of the opponent leaves the player the value of the game."""
    conceded = form.best_response(1 - player, plan).value
    return conceded <= (-value if player == 0 else value) + 1e-8


def _range(form: SequenceForm, player: int, sequence: int, parent: int, value: float) -> tuple[float, float]:
    """Return the lowest and highest behavioural probability over all equilibrium plans that reach the decision.

    A ratio of two plan variables: r is attainable as a maximum where the largest of ``x[s] - r x[parent]`` is zero.
    """
    import numpy as np

    from equiform.formulations.zero_sum import selection

    n = form.treeplexes[player].num_sequences

    def extreme(r: float, sign: float) -> float:
        functional = np.zeros(n)
        functional[sequence] += 1.0
        functional[parent] -= r
        low, high = selection.solve_functional(form, functional, player=player, value=value).interval
        return high if sign > 0 else low

    if parent == 0:
        return max(0.0, extreme(0.0, -1.0)), min(1.0, extreme(0.0, 1.0))
    ends = []
    for sign in (-1.0, 1.0):
        bottom, top = 0.0, 1.0
        for _ in range(14):  # to four digits, one more than the table prints
            middle = 0.5 * (bottom + top)
            beyond = extreme(middle, sign) * sign > 1e-7
            bottom, top = (middle, top) if beyond == (sign > 0) else (bottom, middle)
        ends.append(round(0.5 * (bottom + top), 4))
    return ends[0], ends[1]


def _parts(player: int) -> Callable[[bool], Sequence[Part]]:
    def parts(quick: bool) -> Sequence[Part]:
        return [Part("all", compute, (player,))]

    return parts


_TOLERANCE = (
    "printed digits if all equilibria agree; attained: one equilibrium, which we computed, rounds to the whole table"
)

TABLE_10_2_EXPERIMENT = Experiment(
    id="10.2",
    title="Player 1 of one-card poker",
    source="thesis §10.7.3, Table 10.2 (after Gordon)",
    about="The probability of betting, and of calling after check–bet, by card.",
    tolerance=_TOLERANCE,
    parts=_parts(0),
    seconds=(7, 7),
    column_title="card",
)
TABLE_10_3_EXPERIMENT = Experiment(
    id="10.3",
    title="Player 2 of one-card poker",
    source="thesis §10.7.3, Table 10.3 (after Gordon)",
    about="The probability of betting after a check, and of calling a bet, by card.",
    tolerance=_TOLERANCE,
    parts=_parts(1),
    seconds=(1, 1),
    column_title="card",
)
