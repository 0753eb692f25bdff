"""Programs without their repetitions: the same optimum, prices that prove it, and no basis."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import equiform
from equiform.formulations.optimization.backends import registry, solve_program, symmetry
from equiform.formulations.optimization.backends.base import RawAnswer
from equiform.formulations.optimization.backends.symmetry import Quotient, quotient
from equiform.formulations.optimization.compiling.compiler import compile_model
from equiform.formulations.optimization.kkt import kkt_error
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import TerminationCondition
from equiform.formulations.zero_sum import best_response_lp, sequence_form_lp


def repeated(seed: int, copies: int = 60, *, maximize: bool = True) -> Program:
    """A packing program with its rows and columns repeated and shuffled; some of its rows are empty."""
    rng = np.random.default_rng(seed)
    m, n = 5, 6
    pattern = rng.integers(1, 9, (m, n)) * (rng.random((m, n)) < 0.7)
    pattern[:, 0] = np.maximum(pattern[:, 0], 1)
    pattern[m - 1] = 0
    A = sp.kron(pattern, np.ones((copies, copies)), format="csr")
    rows, columns = rng.permutation(m * copies), rng.permutation(n * copies)
    sign = 1.0 if maximize else -1.0
    return Program.from_arrays(
        sign * np.repeat(rng.integers(1, 9, n), copies)[columns],
        A[rows][:, columns],
        row_upper=np.repeat(rng.integers(1, 9, m), copies).astype(float)[rows],
        col_upper=np.repeat(rng.integers(1, 3, n), copies).astype(float)[columns],
        maximize=maximize,
    )


@pytest.mark.parametrize("maximize", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_the_lifted_answer_is_optimal(seed: int, maximize: bool) -> None:
    program = repeated(seed, maximize=maximize)
    small = quotient(program)
    assert small is not None and small.program.shape <= (5, 6)
    plain, merged = solve_program(program, symmetry=False), solve_program(program)
    assert merged.objective == pytest.approx(plain.objective, abs=1e-9)
    assert merged.bound == pytest.approx(plain.bound, abs=1e-9)
    assert merged.x is not None and merged.duals is not None and merged.reduced_costs is not None
    assert kkt_error(program, merged.x, merged.duals).worst < 1e-9
    stationary = program.sign * program.c - program.AT @ merged.duals
    assert merged.reduced_costs == pytest.approx(stationary, abs=1e-9)
    assert plain.basis is not None and merged.basis is None


def test_other_backends_take_the_smaller_program_too() -> None:
    program = repeated(3)
    objectives = [solve_program(program, SolverOptions(b)).objective for b in ("highs", "scipy")]
    assert objectives[0] == pytest.approx(objectives[1], abs=1e-9)


def test_what_has_no_symmetry_or_little_to_win_is_left_alone() -> None:
    rng = np.random.default_rng(0)
    assert quotient(Program.from_arrays(rng.random(300), rng.random((300, 300)), row_upper=1.0)) is None
    assert quotient(Program.from_arrays(np.ones(9), np.ones((9, 9)), row_upper=1.0)) is None
    assert quotient(Program.from_arrays(np.ones(300), np.ones((300, 300)), row_upper=1.0, integer=True)) is None
    alike = Program.from_arrays(np.ones(300), np.ones((300, 300)), row_upper=1.0)
    assert (small := quotient(alike)) is not None and small.program.shape == (1, 1)


def test_last_bits_do_not_keep_costs_and_bounds_apart() -> None:
    """Sums over the opponent's plan come out a few bits apart when they are taken in another order."""
    program = repeated(2)
    rng = np.random.default_rng(0)

    def shaken(size: float) -> Program:
        c, upper = (a * (1 + size * rng.uniform(-1, 1, len(a))) for a in (program.c, program.row_upper))
        return replace(program, c=c, row_upper=upper)

    small, apart = quotient(shaken(1e-15)), quotient(shaken(1e-9))
    assert small is not None and small.program.shape <= (5, 6)
    assert apart is None
    noisy = shaken(1e-15)
    merged = solve_program(noisy)
    assert merged.basis is None and merged.x is not None and merged.duals is not None
    assert merged.objective == pytest.approx(solve_program(noisy, symmetry=False).objective, abs=1e-9)
    assert kkt_error(noisy, merged.x, merged.duals).worst < 1e-9


def test_a_wrong_merger_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were two colours to collide, the answer to the smaller program would fail, and the larger one be solved."""
    program = repeated(1)
    m, n = program.shape
    one = Program.from_arrays([float(n)], [[1.0]], row_upper=100.0, maximize=True)
    wrong = Quotient(one, np.zeros(m, dtype=np.int64), np.zeros(n, dtype=np.int64))
    monkeypatch.setattr(registry, "quotient", lambda _: wrong)
    found = solve_program(program)
    assert found.optimal and found.basis is not None
    assert found.objective == pytest.approx(solve_program(program, symmetry=False).objective, abs=1e-9)


def test_leduc_by_card_is_solved_as_leduc_by_rank() -> None:
    by_card = equiform.as_sequence_form(equiform.load_game("openspiel:leduc_poker"))
    by_rank = equiform.as_sequence_form(equiform.load_game("leduc"))
    small = quotient(compile_model(sequence_form_lp.build(by_card)))
    assert small is not None
    assert small.program.shape == compile_model(sequence_form_lp.build(by_rank)).shape
    value = sequence_form_lp.solve(by_rank).value
    for player in (0, 1):
        assert sequence_form_lp.solve(by_card, player=player).value == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(("concept", "epsilon"), [("nash", None), ("une", None), ("qpe", Fraction(1, 20))])
def test_the_front_door_merges_unless_a_kind_of_answer_is_asked_for(concept: str, epsilon: Fraction | None) -> None:
    game = equiform.load_game("openspiel:leduc_poker")
    free = equiform.solve(game, concept=concept, epsilon=epsilon)
    named = equiform.solve(game, concept=concept, epsilon=epsilon, algorithm="simplex")
    assert all(s.basis is None for s in free.result.solutions)
    assert all(s.basis is not None for s in named.result.solutions)
    assert free.value == pytest.approx(named.value, abs=1e-9)
    assert free.certificate.nash_conv == pytest.approx(named.certificate.nash_conv, abs=1e-9)
    assert concept == "qpe" or free.certificate.nash_conv < 1e-9


def test_a_best_response_stays_pure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colonel Blotto's fields differ by name only, so that many responses are best, and their average is too."""
    monkeypatch.setattr(symmetry, "MIN_NONZEROS", 0)
    form = equiform.as_sequence_form(equiform.load_game("openspiel:blotto(coins=5,fields=3)"))
    opponent = form.treeplexes[1]
    plan = best_response_lp.solve(form, opponent.realization(opponent.uniform())).plans[0]
    assert plan is not None
    assert np.minimum(plan, np.abs(plan - 1)).max() < 1e-9


def test_what_the_smaller_program_has_no_answer_for_the_larger_one_has_none_for() -> None:
    small = quotient(repeated(0))
    assert small is not None
    lifted = small.lift(RawAnswer(TerminationCondition.INFEASIBLE, "simplex"))
    assert lifted.x is None and lifted.duals is None and lifted.reduced_costs is None
