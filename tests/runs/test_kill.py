"""Kill -9 in the middle of a match, a league, a tournament and others: the next run goes on, to the same bytes.

(The same for an iterative solver is in ``tests/solvers_iterative/test_runs.py``.)
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from equiform.api.spots.report import all_next_boards, report
from equiform.games.poker.holdem import BetSizes, Spot
from equiform.games.tournament.deals import one_card_deals
from equiform.games.tournament.game import jam_fold_tournament
from equiform.games.tournament.structure import Tournament
from equiform.play.league.league import League, play_league
from equiform.play.match import MatchSpec, play_match
from equiform.solvers_iterative import Until
from equiform.solvers_iterative.stochastic import ALGORITHMS, StochasticSolver
from equiform.validation.reproduce.registry import EXPERIMENTS
from equiform.validation.reproduce.runner import outcome_path, run

ROOT = Path(__file__).parents[2]
SPEC = MatchSpec("kuhn", "rwywe", "random", hands=300, opponents=60)

MATCH = """
import sys
from equiform.play.match import MatchSpec, play_match
play_match(MatchSpec("kuhn", "rwywe", "random", hands=300, opponents=60), chunk=2, checkpoint=sys.argv[1])
"""

REPRODUCTION = """
import sys
from equiform.validation.reproduce.registry import EXPERIMENTS
from equiform.validation.reproduce.runner import run
run(EXPERIMENTS["7.2"], quick=True, store=sys.argv[1])
"""


REPORT = """
import sys
from equiform.api.spots.report import all_next_boards, report
from equiform.games.poker.holdem import BetSizes, Spot
spot = Spot.of("2c2d2h3c", pot=100, stack=100, oop="AA,QQ", ip="KK", sizes=BetSizes("a", "a"))
report(spot, all_next_boards(spot)[:16], until="1%", folder=sys.argv[1])
"""

LEAGUE_OF = {
    "game": "limit",
    "hands": 3000,
    "players": [{"agent": "always-call"}, {"agent": "always-raise"}, {"agent": "uniform"}],
}

LEAGUE = f"""
import sys
from equiform.play.league.league import League, play_league
play_league(League.of({LEAGUE_OF!r}), store=sys.argv[1])
"""

TOURNAMENT = """
import sys
from tests.runs.test_kill import three_players
from equiform.solvers_iterative import Until
three_players("{algorithm}").run(Until(iterations={iterations}), checkpoint_every=2, save_to=sys.argv[1] + "/run.npz")
"""


def three_players(algorithm: str) -> StochasticSolver:
    """Return a solver of a jam-or-fold tournament with three players, 28 stacks and a card each of a deck of six."""
    tournament = Tournament(900, 100, 200, (50, 30, 20), 100)
    return ALGORITHMS[algorithm](jam_fold_tournament(tournament, one_card_deals(6)), values=tournament.icm_values())


def killed(script: str, folder: Path, enough: Callable[[], bool]) -> None:
    """Run a script on a folder and kill it as soon as enough was stored."""
    folder.mkdir(exist_ok=True)
    victim = subprocess.Popen([sys.executable, "-c", script, str(folder)], cwd=ROOT)
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and victim.poll() is None and not enough():
            time.sleep(0.002)
    finally:
        if victim.poll() is None:
            os.kill(victim.pid, signal.SIGKILL)
        victim.wait()


def records(folder: Path) -> dict[str, int]:
    return {p.name: p.stat().st_mtime_ns for p in folder.glob("[!.]*.npz")} if folder.exists() else {}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_a_killed_match_goes_on(tmp_path: Path) -> None:
    killed(MATCH, tmp_path, lambda: len(records(tmp_path)) >= 3)
    before = records(tmp_path)
    assert 3 <= len(before) < 30
    resumed = play_match(SPEC, chunk=2, checkpoint=tmp_path)
    after = records(tmp_path)
    assert len(after) == 30 and before.items() <= after.items()  # what was there was read and not written again
    whole = play_match(SPEC, chunk=2)
    for name, array in vars(whole.scores).items():
        assert getattr(resumed.scores, name).tobytes() == array.tobytes()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_a_killed_reproduction_goes_on(tmp_path: Path) -> None:
    parts, whole = tmp_path / "cut" / "parts", tmp_path / "whole"
    killed(REPRODUCTION, tmp_path / "cut", lambda: len(records(parts)) >= 2)
    before = records(parts)
    assert 2 <= len(before) < 5
    outcome = run(EXPERIMENTS["7.2"], quick=True, store=tmp_path / "cut")
    assert outcome.reused == len(before) and outcome.parts == 5 and before.items() <= records(parts).items()
    run(EXPERIMENTS["7.2"], quick=True, store=whole)
    texts = [outcome_path(store, "7.2", True).read_bytes() for store in (tmp_path / "cut", whole)]
    assert texts[0] == texts[1]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_a_killed_report_over_boards_goes_on(tmp_path: Path) -> None:
    killed(REPORT, tmp_path / "cut", lambda: len(records(tmp_path / "cut")) >= 3)
    before = records(tmp_path / "cut")
    assert 3 <= len(before) < 16
    spot = Spot.of("2c2d2h3c", pot=100, stack=100, oop="AA,QQ", ip="KK", sizes=BetSizes("a", "a"))
    boards = all_next_boards(spot)[:16]
    resumed = report(spot, boards, until="1%", folder=tmp_path / "cut")
    after = records(tmp_path / "cut")
    assert len(after) == 16 and before.items() <= after.items()
    assert resumed.to_dict() == report(spot, boards, until="1%", folder=tmp_path / "whole").to_dict()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
@pytest.mark.parametrize(("algorithm", "iterations"), [("interleaved", 60), ("ftpl-mdp", 20)])
def test_a_killed_tournament_of_three_players_goes_on(tmp_path: Path, algorithm: str, iterations: int) -> None:
    saved = tmp_path / "run.npz"
    resumed, whole = three_players(algorithm), three_players(algorithm)
    script = TOURNAMENT.format(algorithm=algorithm, iterations=iterations)
    killed(script, tmp_path, lambda: saved.exists() and resumed.load(saved).iteration > 0)
    assert 0 < resumed.load(saved).iteration < iterations
    for solver in (resumed, whole):
        solver.run(Until(iterations=iterations), checkpoint_every=2)
    assert resumed.iteration == whole.iteration == iterations
    assert resumed.values.tobytes() == whole.values.tobytes()
    for mine, other in zip(resumed.profile, whole.profile, strict=True):
        assert mine.tobytes() == other.tobytes()
    assert [c.nash_conv for c in resumed.history] == [c.nash_conv for c in whole.history]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_a_killed_league_goes_on(tmp_path: Path) -> None:
    killed(LEAGUE, tmp_path / "cut", lambda: len(records(tmp_path / "cut")) >= 3)
    before = records(tmp_path / "cut")
    assert 3 <= len(before) < 18
    league = League.of(LEAGUE_OF)
    resumed = play_league(league, store=tmp_path / "cut")
    after = records(tmp_path / "cut")
    assert len(after) == 18 and before.items() <= after.items()
    assert resumed.to_dict() == play_league(league, store=tmp_path / "whole").to_dict()
