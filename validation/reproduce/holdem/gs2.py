"""GS2 (Gilpin and Sandholm 2007): phase 1 solved, phase 2 in real time; GS3's size beside the slides'."""

from __future__ import annotations

from collections.abc import Sequence

from equiform.validation.reproduce.cell import Cell, Evidence, Rule, new
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


def phase_1(buckets: tuple[int, ...], flops: int, gap: float) -> list[Cell]:
    """Solve three rounds of limit hold'em with rollouts as leaves; all flops are dealt if ``flops`` is 0."""
    import time

    from equiform.games.poker.holdem.tree import HoldemBetting
    from equiform.validation.reproduce.holdem.solving import buckets_by_strength, deal, solved

    started, betting = time.process_time(), HoldemBetting(rounds=3)
    abstraction = buckets_by_strength(buckets)
    built = time.process_time()
    game = deal(abstraction, betting, flops, 0)
    dealt, unit = time.process_time(), betting.small_bet
    found = solved(game, gap * unit)
    seconds = (built - started, dealt - built, time.process_time() - dealt)
    proof, spent = found.proof, "buckets {:.0f} s, boards {:.0f} s, iterations and proof {:.0f} s".format(*seconds)
    note = f"{_boards(flops)}, {found.iterations} iterations; CPU time: {spent}"
    row, reached = f"{'/'.join(map(str, buckets))}, solved", proof.nash_conv / unit
    return [
        new(row, "value, small bets", proof.value / unit, proof.lower / unit, proof.upper / unit, note=_boards(flops)),
        new(row, "gap, small bets", reached, holds=reached <= gap, note=note),
    ]


def program(buckets: tuple[int, ...], raises: int, flops: int, gap: float) -> list[Cell]:
    """Solve a coarser game by CFR and by the linear program, whose value must lie in CFR's bracket."""
    from equiform.formulations.optimization.options import SolverOptions
    from equiform.formulations.zero_sum import sequence_form_lp
    from equiform.games.poker.holdem.tree import HoldemBetting
    from equiform.models.bucketed import BucketStrategy
    from equiform.validation.certificates.bucketed import certify_buckets
    from equiform.validation.reproduce.holdem.solving import buckets_by_strength, deal, solved

    betting = HoldemBetting(rounds=3, raises=(raises - 1, raises, raises, raises))
    game, unit = deal(buckets_by_strength(buckets), betting, flops, 2), betting.small_bet
    found = solved(game, gap * unit).proof
    answer = sequence_form_lp.solve(game.sequence_form(), solver=SolverOptions("highs", algorithm="ipm"))
    first, second = (BucketStrategy.from_behavior(game, p, s.floats) for p, s in enumerate(answer.strategies) if s)
    proof = certify_buckets(game, (first, second))
    inside = found.lower <= proof.upper and proof.lower <= found.upper
    row = f"{'/'.join(map(str, buckets))}, {raises} bet{'s' * (raises > 1)}"
    cells = []
    for name, known, holds in (("CFR", found, True), ("LP", proof, inside)):
        value, low, high = known.value / unit, known.lower / unit, known.upper / unit
        cells.append(new(f"{row}: {name}", "value, small bets", value, low, high, holds=holds, note=_boards(flops)))
        cells.append(new(f"{row}: {name}", "gap, small bets", known.nash_conv / unit))
    return cells


def _boards(flops: int) -> str:
    return f"{flops} drawn flops" if flops else "all boards"


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
        Cell(row, "gap, small bets", "", round(gap, 6), Evidence(Rule.NEW), note="the largest of five, certified"),
    ]


def parts(quick: bool) -> Sequence[Part]:
    """Return the parts; the quick set draws flops and has fewer buckets."""
    solved = ((5, 25, 100), 8, 0.001) if quick else ((15, 225, 900), 0, 0.001)
    coarse = [((5, 25, 100), 1)] if quick else [((5, 25, 100), 2), ((5, 15, 30), 4)]
    return [
        Part("sizes", sizes),
        Part("phase-1", phase_1, solved),
        *(Part(f"program-{bets}-bets", program, (buckets, bets, 24, 0.0001)) for buckets, bets in coarse),
        Part("phase-2", phase_2),
    ]


EXPERIMENT = Experiment(
    id="gs2",
    title="GS2: phase 1 solved, and phase 2 at the table",
    source="Gilpin and Sandholm 2007, §3; GS3's size from the tutorial's slides",
    about=(
        "Abstract limit hold'em of three rounds as a bucketed game, solved by discounted CFR on its operator and, with "
        "fewer buckets or bets per street, also by the linear program; turns re-solved with new buckets for the board."
    ),
    tolerance=("claims hold or do not; the program's value must lie in CFR's bracket; memory is reported side by side"),
    parts=parts,
    seconds=(120, 700),
    column_title="game",
    remarks=("GS2's own linear program for phase 1 took six to seven days.",),
)
