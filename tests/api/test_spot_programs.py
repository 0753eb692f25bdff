"""Rivers by linear programs: the toy game in three concepts, CFR's bracket, what is refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equiform.api.spots import Accuracy, Lock, read_solution, solve_spot, spot
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.games.poker.holdem.bet_sizes import BetSizes
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.payoffs.factored import FactoredPayoff
from equiform.models.public.factors import factored_form
from tests.api.test_spots import TOY, random_spot

BOARD = "2c2d2h3c3d"


def test_the_toy_game_to_a_tiny_gap(tmp_path: Path) -> None:
    solution = spot(BOARD, **TOY, method="lp")
    assert solution.stopped_by == "gap" and solution.certificate.nash_conv <= 2e-9 * 100
    assert solution.ev == pytest.approx(75, abs=1e-7)
    found = solution.summary()
    assert (found["method"], found["concept"]) == ("lp", "nash")
    program = found["program"]
    assert program["rounds"] == len(program["programs"]) == solution.iterations and program["reached"]
    assert program["gap"] <= 1e-9
    facing = {row.hand[0]: row.probabilities for row in solution.table("check–all-in 100").rows}
    assert facing["A"][1] == 1.0  # aces never check, and would call: unreached decisions are played sensibly
    solution.write(tmp_path / "lp.json")
    again = read_solution(tmp_path / "lp.json")
    assert again.program == program and again.ev == pytest.approx(75, abs=1e-6)


@pytest.mark.parametrize(("concept", "epsilon", "shoves"), [("une", None, 0.5), ("qpe", 1e-3, 1e-3)])
def test_refinements_of_the_toy_game(concept: str, epsilon: float | None, shoves: float) -> None:
    """After a check, kings shove half the time if undominated, and only by slips if quasi-perfect."""
    solution = spot(BOARD, **TOY, method="lp", concept=concept, epsilon=epsilon)
    assert solution.concept == concept and solution.stopped_by == "optimal"
    assert solution.table("check").frequencies[1] == pytest.approx(shoves, abs=1e-6)
    slips = 0.0 if epsilon is None else 100 * epsilon
    assert solution.ev == pytest.approx(75, abs=slips + 1e-6)
    assert solution.certificate.nash_conv <= slips + 1e-6
    assert solution.certificate.residual < 1e-12


@pytest.mark.parametrize(("concept", "shoves"), [("nash", None), ("une", 0.5), ("qpe", 1e-3)])
def test_the_toy_game_in_rationals(concept: str, shoves: float | None) -> None:
    epsilon = 1e-3 if concept == "qpe" else None
    solution = spot(BOARD, **TOY, method="lp", concept=concept, epsilon=epsilon, options={"exact": True})
    assert solution.program is not None
    if concept != "qpe":
        assert solution.program["exact_ev"] == "75" and solution.program["gap"] == 0
    assert solution.ev == pytest.approx(float(Fraction(solution.program["exact_ev"])), abs=1e-9)
    assert shoves is None or solution.table("check").frequencies[1] == pytest.approx(shoves, abs=1e-9)


def test_exact_answers_agree_with_floats() -> None:
    made = random_spot(3)
    exact = solve_spot(made, method="lp", options={"exact": True})
    assert exact.certificate.nash_conv <= 1e-10
    assert exact.ev == pytest.approx(solve_spot(made, method="lp").ev, abs=2e-8)


@pytest.mark.parametrize("seed", range(3))
def test_the_value_lies_in_the_bracket_of_cfr(seed: int) -> None:
    made = random_spot(seed, hands=25)
    rough = solve_spot(made, until="0.1%").certificate
    exact = solve_spot(made, method="lp")
    assert exact.certificate.nash_conv <= 2e-9 * made.betting.pot
    assert rough.lower - 1e-9 <= exact.certificate.lower and exact.certificate.upper <= rough.upper + 1e-9
    refined = solve_spot(made, method="lp", concept="une")
    assert refined.ev == pytest.approx(exact.ev, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "places"), [("clarabel", 1e-6), ("scip", 1e-7), ("cbc", 1e-7)])
@pytest.mark.parametrize("seed", range(3))
def test_other_solvers_find_the_same_value(backend: str, places: float, seed: int) -> None:
    """The whole program of a small river, in factors; the tolerance is a share of the pot."""
    pytest.importorskip({"scip": "pyscipopt", "cbc": "pulp"}.get(backend, backend))
    made = random_spot(seed, hands=25)
    exact = solve_spot(made, method="lp").ev - made.betting.pot / 2
    found = sequence_form_lp.solve(factored_form(made.game()), solver=SolverOptions(backend))
    assert found.value == pytest.approx(exact, abs=places * made.betting.pot)


@pytest.mark.slow
def test_large_rivers_by_clarabel() -> None:
    """All 1,081 hands, all-in only: interior points of another solver, to 1e-6 of the pot; 1 in 50 of the entries."""
    pytest.importorskip("clarabel")
    made = Spot.of("Td9d6hQc2s", pot=200, stack=200, sizes=BetSizes("a", "a"))
    form = factored_form(made.game())
    found = sequence_form_lp.solve(form, solver=SolverOptions("clarabel"))
    assert found.value == pytest.approx(solve_spot(made, method="lp").ev - 100, abs=200e-6)
    pairs = 1081 * 990 * len(np.concatenate(made.betting.tree.terminals))  # who shares no card, at every end
    assert isinstance(form.payoff, FactoredPayoff) and form.payoff.factors().nnz < pairs / 50


def test_hundreds_of_hands_and_56_sequences() -> None:
    """Deep stacks make payoffs that are large beside the pot: the last digits depend on the units of the rows."""
    made = Spot.of(
        "Jc6s2cKdQc", pot=2250, stack=18_875, sizes=BetSizes("50%,100%,a", "100%,a", cap=3),
        oop="22+,A2s+,K9s+,QTs+,JTs,T9s,98s,ATo+,KTo+,QJo",
        ip="22+,A2s+,K2s+,Q5s+,J7s+,T7s+,97s+,86s+,75s+,65s,54s,A2o+,K8o+,Q9o+,J9o+,T9o",
    )  # fmt: skip
    found = solve_spot(made, method="lp")
    assert found.certificate.nash_conv <= 1e-9 * made.betting.pot
    assert found.program is not None and found.program["reached"] and found.program["rounds"] <= 8
    assert found.program["start"] > 1000, "programs begin near the answer"


def test_limits_of_a_run() -> None:
    made = random_spot(1)
    assert Accuracy.parse("gap=1e-3").until(200).gap == pytest.approx(0.2)
    coarse = solve_spot(made, method="lp", until="5%")
    assert coarse.stopped_by == "gap" and coarse.certificate.percent <= 5
    cut = solve_spot(made, method="lp", until="gap=0,iterations=1", options={"start": 10})
    assert cut.stopped_by == "rounds" and cut.program is not None
    assert cut.program["rounds"] == 1 and not cut.program["reached"]
    assert cut.certificate.nash_conv == pytest.approx(10 * cut.program["gap"], abs=1e-9)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"locks": [Lock(2, "all-in 100", {"fold": 0.0, "call": 1.0})]}, "locks"),
        ({"options": {"buckets": 3}}, "buckets"),
        ({"options": {"max_sequences": 10}}, "method cfr, smaller ranges"),
        ({"concept": "une", "options": {"max_sequences": 10}}, "concept nash, smaller ranges"),
        ({"concept": "une", "until": "1%"}, "nothing to stop"),
        ({"until": "1%", "options": {"exact": True}}, "nothing to stop"),
        ({"options": {"exact": True, "max_sequences": 10}}, "use floats, smaller ranges"),
        ({"concept": "qpe"}, "needs an epsilon"),
        ({"epsilon": 0.1}, "takes no epsilon"),
        ({"concept": "best"}, "concept"),
        ({"method": "cfr", "concept": "une"}, "use method lp"),
    ],
)
def test_refusals(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        spot(BOARD, **TOY, **{"method": "lp", **change})


def test_turns_are_for_cfr() -> None:
    made = Spot.of("2c2d2h3c", pot=10, stack=20, oop="AA", ip="KK", sizes=BetSizes("a", "a"))
    with pytest.raises(UnsupportedGameError, match="use method cfr"):
        solve_spot(made, method="lp")
