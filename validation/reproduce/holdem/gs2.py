"""GS2 (Gilpin and Sandholm 2007): the size of phase 1, and phase 2 in real time; GS3's size beside the slides'."""

from __future__ import annotations

from collections.abc import Sequence

from equiform.validation.reproduce.cell import Cell, Evidence, Rule
from equiform.validation.reproduce.experiment import Experiment, Part

#: Gigabytes and rounds as printed: GS2's linear program, and what the slides say of GS3.
GAMES = {"GS2, phase 1": ((15, 225, 900), "70"), "GS3": ((20, 800, 4800, 28800), "30")}
BOARDS = ("Kd7c2s9h", "AsKsQh2d", "8c8d3h4s", "Th9h8h2c", "QcJd5s5h")


def sizes() -> list[Cell]:
    """Count sequences and bytes of the abstract games."""
    from equiform.abstraction.holdem.planning import plan_holdem
    from equiform.games.poker.holdem.tree import HoldemBetting

    cells = []
    for name, (buckets, printed) in GAMES.items():
        plan = plan_holdem(buckets, HoldemBetting(rounds=len(buckets)))
        ours = round(plan.operator_bytes / 1e9, 3)
        note = "printed: the solver's memory there; ours: matrices and state of CFR on the operator"
        cells.append(Cell(name, "memory, GB", printed, ours, Evidence(Rule.NEW), note=note))
        cells.append(Cell(name, "sequences of player 1", "", float(plan.sequences[0]), Evidence(Rule.NEW)))
    return cells


def phase_2() -> list[Cell]:
    """Re-solve turns of raised pots with 10 and 100 buckets, all hands equally likely."""
    import numpy as np

    from equiform.endgames.turn.resolve import solve_turn
    from equiform.games.cards.card import STANDARD
    from equiform.games.poker.holdem.tree import HoldemBetting
    from equiform.validation.certificates.bucketed import certify_buckets

    betting, everybody = HoldemBetting(), (np.ones(1326), np.ones(1326))
    seconds, gap = 0.0, 0.0
    for board in BOARDS:
        solved = solve_turn(betting, STANDARD.parse(board), "rc/crc/", everybody)
        seconds = max(seconds, sum(solved.seconds))
        gap = max(gap, certify_buckets(solved.game, solved.strategies).nash_conv / betting.small_bet)
    row = "phase 2, 10/100 buckets"
    quick = seconds < 60.0
    note = "CPU time of buckets, card matrices and 300 iterations, the slowest of five boards"
    return [
        Cell(row, "under a minute", "yes", float(quick), Evidence(Rule.CLAIM, holds=quick), note=note),
        Cell(row, "largest gap, small bets", "", round(gap, 6), Evidence(Rule.NEW), note="certified, both players"),
    ]


def parts(quick: bool) -> Sequence[Part]:
    """Return both parts."""
    return [Part("sizes", sizes), Part("phase-2", phase_2)]


EXPERIMENT = Experiment(
    id="gs2",
    title="GS2: phase 1's size, and phase 2 at the table",
    source="Gilpin and Sandholm 2007, §3; GS3's size from the tutorial's slides",
    about="Abstract limit hold'em as a bucketed game; turns re-solved with new buckets for the board at hand.",
    tolerance="claims hold or do not; memory is reported side by side",
    parts=parts,
    seconds=(10, 10),
    column_title="figure",
)
