"""Solved spots: the solver's bracket against the certificate from the rules, tables, locks, files, reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equiform.api.spots import Accuracy, Lock, compare, read_locks, read_solution, report, solve_spot, spot
from equiform.games.cards.card import STANDARD
from equiform.games.poker.holdem.bet_sizes import BetSizes
from equiform.games.poker.holdem.ranges import Range
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.errors import CertificateError, EquiformError, FormatError, ParameterError
from equiform.runs.progress import Progress

TOY: dict[str, Any] = {"pot": 100, "stack": 100, "oop": "AA,QQ", "ip": "KK", "bets": "a", "raises": "a"}


def random_spot(seed: int, cards: int = 5, hands: int = 40) -> Spot:
    rng = np.random.default_rng(seed)
    board = rng.choice(52, cards, replace=False)
    ranges = []
    for _ in range(2):
        weights = np.zeros(1326)
        weights[rng.choice(1326, hands, replace=False)] = rng.integers(1, 5, hands) / 4
        ranges.append(Range(weights))
    sizes = BetSizes("60%,a", "a")
    return Spot.of(board, pot=10, stack=int(rng.integers(5, 40)), oop=ranges[0], ip=ranges[1], sizes=sizes)


@pytest.mark.parametrize("seed", range(12))
def test_the_certificate_sees_what_the_solver_measured(seed: int) -> None:
    """Two pieces of code, one that sorts and sums and one with dense matrices, on one averaged profile."""
    solution = solve_spot(random_spot(seed), until="1%,iterations=400")
    certificate = solution.certificate
    assert certificate.percent == pytest.approx(solution.history[-1][2], abs=1e-9)
    assert certificate.lower <= certificate.ev <= certificate.upper
    assert certificate.residual < 1e-12
    root = solution.table()
    assert root.ev == pytest.approx(certificate.ev, abs=1e-9)  # a third way: values of moves, hand by hand


@pytest.mark.parametrize(("seed", "symmetric"), [(0, False), (1, True)])
def test_turns(seed: int, symmetric: bool) -> None:
    made = random_spot(seed, cards=4, hands=25)
    if symmetric:
        made = Spot.of("2c2d2h3c", pot=10, stack=20, oop="TT+,AKs", ip="99-66,KQo:0.5", sizes=BetSizes("a", "a"))
    for isomorphism in (True, False):
        options = {"dtype": "float64", "isomorphism": isomorphism}
        solution = solve_spot(made, until="2%,iterations=100", options=options)
        assert solution.certificate.percent == pytest.approx(solution.history[-1][2], abs=1e-9)
        assert solution.table().ev == pytest.approx(solution.ev, abs=1e-9)
        card = next(c for c in range(52) if c not in made.board)
        below = solution.table("check–check/", [card])
        assert sum(below.frequencies) == pytest.approx(1.0) and 0 <= below.equity <= 1


def test_the_toy_game_has_its_published_value() -> None:
    """AA and QQ against KK on 22233: OOP gets 75 of 100, bluffs with half of QQ, and KK calls half the time."""
    solution = spot("2c2d2h3c3d", **TOY, until="0.01%")
    certificate = solution.certificate.require(0.01)
    assert certificate.lower <= 75 <= certificate.upper
    rows = {row.hand: row for row in solution.table().rows}
    assert rows["QdQc"].probabilities[1] == pytest.approx(0.5, abs=0.01)
    assert rows["AdAc"].probabilities[1] == pytest.approx(1.0, abs=0.01)
    assert rows["QdQc"].equity == 0 and rows["AdAc"].equity == 1
    call = solution.table("all-in 100")
    assert call.frequencies[1] == pytest.approx(0.5, abs=0.01)
    assert call.rows[0].ev_of_moves[0] == pytest.approx(0, abs=1e-9)  # a fold is worth nothing


def test_locks_bind_and_are_certified() -> None:
    lock = Lock(2, "all-in 100", {"fold": 0.0, "call": 1.0})  # KK always calls: then QQ must not bluff
    solution = spot("2c2d2h3c3d", **TOY, until="0.01%", locks=[lock])
    assert solution.certificate.locked
    assert solution.certificate.lower <= 100 <= solution.certificate.upper  # AA wins 200 at 100, QQ nothing
    assert {r.hand: r for r in solution.table().rows}["QdQc"].probabilities[0] > 0.99
    some = Lock(1, "", {"check": 0.25, "all-in 100": 0.75}, hands="QdQc")
    partly = spot("2c2d2h3c3d", **TOY, until="1%", locks=[some])
    rows = {r.hand: r for r in partly.table().rows}
    assert rows["QdQc"].probabilities == pytest.approx((0.25, 0.75)) and rows["QsQh"].probabilities[1] < 0.74


@pytest.mark.parametrize(
    "change",
    [{"player": 3}, {"node": "bet 7"}, {"actions": {"check": 1}}, {"actions": {"fold": 0.6, "call": 0.6}},
     {"hands": "22"}, {"player": 1}, {"actions": {"fold": "x", "call": 1}}, {"hands": "zz"}],
)  # fmt: skip
def test_locks_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    good: dict[str, Any] = {"player": 2, "node": "all-in 100", "actions": {"fold": 0.5, "call": 0.5}}
    with pytest.raises(EquiformError):
        spot("2c2d2h3c3d", **TOY, locks=[Lock(**{**good, **change})])


def test_files(tmp_path: Path) -> None:
    solution = spot("2c2d2h3c3d", **TOY, until="0.5%", locks=[Lock(2, "check", {"check": 1.0, "all-in 100": 0.0})])
    solution.write(tmp_path / "spot.json")
    again = read_solution(tmp_path / "spot.json")
    assert again.ev == pytest.approx(solution.ev, abs=1e-6) and again.certificate.locked
    found = compare(solution, again, ["", "check"])
    move = found["nodes"][1]["moves"][0]
    assert move["move"] == "check" and (move["first"], move["second"]) == pytest.approx((1.0, 1.0), abs=1e-9)
    document = json.loads((tmp_path / "spot.json").read_text())
    (tmp_path / "bad.json").write_text(json.dumps({**document, "plans": [[1.0], [1.0]]}))
    with pytest.raises(EquiformError):
        read_solution(tmp_path / "bad.json")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(FormatError, match="not a solved spot"):
        read_solution(tmp_path / "bad.json")
    (tmp_path / "locks.json").write_text('{"locks": [{"player": 1, "node": "", "actions": {"check": 1}}]}')
    assert read_locks(tmp_path / "locks.json")[0].actions == {"check": 1}
    (tmp_path / "locks.json").write_text('{"locks": 3}')
    with pytest.raises(FormatError):
        read_locks(tmp_path / "locks.json")


def test_a_wrong_profile_is_refused() -> None:
    solution = spot("2c2d2h3c3d", **TOY, until="iterations=1")
    with pytest.raises(CertificateError, match="exploited"):
        solution.certificate.require(0.1)


def test_reports_resume(tmp_path: Path) -> None:
    made = Spot.of("2c2d2h3c", pot=100, stack=100, oop="AA,QQ", ip="KK", sizes=BetSizes("a", "a"))
    boards = ["2c2d2h3c3d", "2c2d2h3cAs", "2c2d2h3cKs"]
    calls: list[Progress] = []
    first = report(made, boards[:2], until="1%", folder=tmp_path)
    second = report(made, boards, until="1%", folder=tmp_path, progress=calls.append)
    assert [event.done for event in calls] == [2, 3] and second.rows[:2] == first.rows
    assert [row["board"] for row in second.rows] == boards
    assert second.rows[2]["ev"] < second.rows[0]["ev"]  # the king makes a full house
    assert STANDARD.text(made.board) == "2c2d2h3c"


@pytest.mark.parametrize("text", ["", "abc", "0.1%,0.2%", "iterations=1.5", "-1%", "nan%"])
def test_bad_limits_are_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        Accuracy.parse(text)


def test_large_games_are_refused() -> None:
    with pytest.raises(ParameterError, match="sequences"):
        spot("2c2d2h3c3d", **TOY, options={"max_sequences": 10})
    with pytest.raises(ParameterError, match="no method"):
        spot("2c2d2h3c3d", **TOY, method="magic")
