"""Exact arithmetic: linear systems, linear programs, equilibria and what a profile of Fractions is worth."""

from __future__ import annotations

import dataclasses
import random
import sys
from fractions import Fraction
from itertools import combinations
from typing import Any

import flint
import numpy as np
import pytest

from equiform.formulations import sequence_form_lp
from equiform.formulations.solution import Basis, BasisStatus
from equiform.games.kuhn import Kuhn
from equiform.games.leduc import Leduc
from equiform.games.registry import load_game
from equiform.models import (
    ExtensiveGame,
    NormalForm,
    SequenceForm,
    Strategy,
    compile_rules,
    evaluate,
    reduced_normal_form,
    sequence_form,
)
from equiform.models.errors import ExactError, ParameterError, StrategyError, UnsupportedGameError
from equiform.validation import exact
from equiform.validation.exact import (
    ExactEquilibrium,
    equilibrium_program,
    exact_equilibrium,
    exact_evaluate,
    exact_nash_conv,
)
from equiform.validation.exact_evaluation import check_flow, evaluate_plans, exact_plan
from equiform.validation.exact_lp import exact_lp
from equiform.validation.exact_program import ExactProgram, check_optimal
from equiform.validation.integer_matrix import IntegerMatrix
from equiform.validation.rational_linalg import IntegerSystem, SingularError, reconstruct, solve_integer_system
from equiform.validation.rational_vector import RationalVector, integer_array

LEDUC = Fraction(-1454920850547486749701863871533, 16995463438839962469905132501930)  # measured prototype

# -- integer matrices and systems ----------------------------------------------------------------------------------


def random_table(rng: random.Random, rows: int, cols: int, size: int) -> list[list[int]]:
    return [[rng.randint(-size, size) if rng.random() < 0.6 else 0 for _ in range(cols)] for _ in range(rows)]


@pytest.mark.parametrize("entry_digits", [0, 3, 15, 18, 40])
@pytest.mark.parametrize("digits", [0, 9, 18, 120])
def test_products_with_integers_of_any_size(entry_digits: int, digits: int) -> None:
    entry, size = 4 * 10**entry_digits, 10**digits
    rng = random.Random(1000 * entry_digits + digits)
    for _ in range(5):
        m, n = rng.randint(1, 7), rng.randint(1, 7)
        table = random_table(rng, m, n, entry)
        vector = [rng.randint(-size, size) for _ in range(n)]
        got = IntegerMatrix.from_dense(table).times(integer_array(vector))
        assert got.tolist() == [sum(a * v for a, v in zip(row, vector, strict=True)) for row in table]


def test_matrix_refuses_repeated_cells_and_floats() -> None:
    at = np.array([0, 0])
    with pytest.raises(ParameterError, match="share a cell"):
        IntegerMatrix.from_coo((1, 1), at, at, np.array([1, 2]))
    with pytest.raises(ParameterError, match="not exact"):
        IntegerMatrix.from_coo((1, 1), at[:1], at[:1], np.array([0.5]))
    with pytest.raises(ParameterError, match="not exact"):
        RationalVector(np.array([0.5]))


@pytest.mark.parametrize(("entry_digits", "largest_order"), [(1, 9), (6, 9), (25, 6), (400, 3)])
@pytest.mark.parametrize("rhs_digits", [0, 12, 90])
def test_systems_agree_with_flint(entry_digits: int, largest_order: int, rhs_digits: int) -> None:
    entry, rhs = 10**entry_digits, 10**rhs_digits
    rng = random.Random(1000 * entry_digits + rhs_digits)
    solved = 0
    while solved < 8:
        n = rng.randint(1, largest_order)
        table = random_table(rng, n, n, entry)
        b = [rng.randint(-rhs, rhs) for _ in range(n)]
        witness = flint.fmpz_mat(n, n, [v for row in table for v in row])
        if witness.det() == 0:
            if any(b):
                with pytest.raises(SingularError):
                    IntegerSystem(IntegerMatrix.from_dense(table)).solve(integer_array(b))
            continue
        solved += 1
        system = IntegerSystem(IntegerMatrix.from_dense(table))
        for transposed in (False, True):
            matrix = witness.transpose() if transposed else witness
            want = matrix.solve(flint.fmpz_mat(n, 1, b)).entries()
            got = system.solve_transposed(integer_array(b)) if transposed else system.solve(integer_array(b))
            assert got.fractions.tolist() == [Fraction(int(v.p), int(v.q)) for v in want]


def test_lifting_alone_reaches_hundreds_of_bits() -> None:
    rng = random.Random(4)
    n = 60
    table = [[rng.randint(-9, 9) for _ in range(n)] for _ in range(n)]
    matrix = IntegerMatrix.from_dense(table)
    lifted = IntegerSystem(matrix, dense_limit=0).solve(np.arange(n))  # no dense solver to fall back on
    dense = IntegerSystem(matrix)._solve_dense(matrix, np.arange(n))
    assert lifted.fractions.tolist() == dense.fractions.tolist()
    assert lifted.denominator.bit_length() > 200


@pytest.mark.parametrize("digits", [200, 400, 3000])
def test_lifting_alone_takes_right_hand_sides_beyond_floats(digits: int) -> None:
    rng = random.Random(digits)
    n = 30
    system = IntegerSystem(
        IntegerMatrix.from_dense([[rng.randint(-9, 9) for _ in range(n)] for _ in range(n)]), dense_limit=0
    )
    solution = np.array([rng.randint(-9, 9) * 10 ** rng.randint(0, digits) for _ in range(n)], dtype=object)
    assert system.solve(system.matrix.times(solution)).fractions.tolist() == solution.tolist()
    assert system.solve_transposed(system.matrix.T.times(solution)).fractions.tolist() == solution.tolist()


def test_ill_conditioned_systems_go_to_the_dense_solver_or_are_refused() -> None:
    n = 14  # Hilbert's matrix, condition 10^19, times the common denominator
    common = int(np.lcm.reduce(np.arange(1, 2 * n).astype(object)))
    hilbert = IntegerMatrix.from_dense([[common // (i + j + 1) for j in range(n)] for i in range(n)])
    rhs = np.ones(n, dtype=np.int64)
    got = solve_integer_system(hilbert, rhs)
    # the sum of the entries of the inverse of Hilbert's matrix of order n is n²
    assert sum(got.fractions.tolist()) == Fraction(n**2, common)
    with pytest.raises(SingularError, match="inaccurate"):
        IntegerSystem(hilbert, dense_limit=0).solve(rhs)


def test_without_flint_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flint", None)
    assert solve_integer_system(IntegerMatrix.from_dense([[2]]), np.array([1])).fractions.tolist() == [Fraction(1, 2)]
    with pytest.raises(ExactError, match="pip install python-flint"):
        solve_integer_system(IntegerMatrix.from_dense([[1, 2], [2, 4]]), np.array([1, 2]))


def test_singular_and_misfit_systems_are_refused() -> None:
    with pytest.raises(SingularError, match="singular"):
        solve_integer_system(IntegerMatrix.from_dense([[1, 2], [2, 4]]), np.array([1, 2]))
    with pytest.raises(ParameterError, match="not square"):
        IntegerSystem(IntegerMatrix.from_dense([[1, 2]]))
    with pytest.raises(ParameterError, match="do not fit"):
        solve_integer_system(IntegerMatrix.from_dense([[1]]), np.array([1, 2]))


def test_reconstruction_does_not_guess() -> None:
    rng = random.Random(0)
    noise = np.array([rng.getrandbits(200) for _ in range(5)], dtype=object)
    assert reconstruct(noise, 200, 198) is None
    thirds = np.array([(1 << 200) // 3, (2 << 200) // 3, 0], dtype=object)
    found = reconstruct(thirds, 200, 198)
    assert found is not None
    assert found.fractions.tolist() == [Fraction(1, 3), Fraction(2, 3), 0]


# -- linear programs -----------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Case:
    """A small bounded program: min c x, lower ≤ A x ≤ upper, 0 ≤ x ≤ top."""

    c: list[Fraction]
    A: list[list[int]]
    lower: list[Fraction | None]
    upper: list[Fraction | None]
    top: list[Fraction]

    def program(self) -> ExactProgram:
        return ExactProgram(
            RationalVector.of(self.c),
            IntegerMatrix.from_dense(self.A),
            RationalVector.of(self.lower),
            RationalVector.of(self.upper),
            RationalVector.full(len(self.c), 0),
            RationalVector.of(self.top),
        )

    def optimum(self) -> Fraction:
        """Enumerate all vertices with FLINT's rationals: the oracle."""
        n = len(self.c)
        unit = [[int(i == j) for j in range(n)] for i in range(n)]
        planes = [(row, b) for row, b in zip(self.A * 2, self.lower + self.upper, strict=True) if b is not None]
        planes += [(row, Fraction(0)) for row in unit] + list(zip(unit, self.top, strict=True))
        best: Fraction | None = None
        for chosen in combinations(planes, n):
            matrix = flint.fmpz_mat(n, n, [v for row, _ in chosen for v in row])
            if matrix.det() == 0:
                continue
            rhs = flint.fmpq_mat(n, 1, [flint.fmpq(b.numerator, b.denominator) for _, b in chosen])
            x = [Fraction(int(v.p), int(v.q)) for v in (flint.fmpq_mat(matrix).solve(rhs)).entries()]
            if self.feasible(x):
                cost = sum((c * v for c, v in zip(self.c, x, strict=True)), Fraction(0))
                best = cost if best is None else min(best, cost)
        assert best is not None
        return best

    def feasible(self, x: list[Fraction]) -> bool:
        if any(not 0 <= v <= t for v, t in zip(x, self.top, strict=True)):
            return False
        sums = [sum(a * v for a, v in zip(row, x, strict=True)) for row in self.A]
        low = all(b is None or s >= b for s, b in zip(sums, self.lower, strict=True))
        return low and all(b is None or s <= b for s, b in zip(sums, self.upper, strict=True))


def random_case(rng: random.Random) -> Case:
    """A feasible program, degenerate more often than not, with details too small for floats."""
    m, n = rng.randint(1, 4), rng.randint(1, 3)
    tiny = rng.choice([Fraction(0), Fraction(1, 10**9), Fraction(1, 10**20), Fraction(1, 10**60)])
    table = random_table(rng, m, n, rng.choice([3, 1000, 10**12, 10**25]))
    inside = [rng.randint(0, 2) for _ in range(n)]
    sums = [sum(a * v for a, v in zip(row, inside, strict=True)) for row in table]
    lower = [s - rng.choice([0, 0, 1]) - rng.randint(0, 2) * tiny if rng.random() < 0.7 else None for s in sums]
    upper = [s + rng.choice([0, 0, 1]) + rng.randint(0, 2) * tiny if rng.random() < 0.5 else None for s in sums]
    top = [v + rng.randint(0, 2) + rng.randint(0, 2) * tiny for v in inside]
    costs = [rng.randint(-3, 3) + rng.randint(-2, 2) * tiny for _ in range(n)]
    return Case(list(map(Fraction, costs)), table, lower, upper, list(map(Fraction, top)))


def random_basis(rng: random.Random, program: ExactProgram) -> Basis:
    m, n = program.A.shape
    status = [BasisStatus.BASIC] * m + [BasisStatus.LOWER] * n
    rng.shuffle(status)
    return Basis(np.array(status[:n], dtype=np.int8), np.array(status[n:], dtype=np.int8))


def test_random_programs_agree_with_vertex_enumeration() -> None:
    rng = random.Random(20)
    repaired = 0
    for _ in range(150):
        case = random_case(rng)
        solution = exact_lp(case.program())
        assert case.feasible(solution.x.fractions.tolist())
        assert solution.objective == case.optimum()
        repaired += solution.repairs > 0
    assert repaired > 0  # some of them are beyond floats


def test_wrong_bases_are_repaired() -> None:
    rng = random.Random(21)
    repaired = 0
    for _ in range(100):
        case = random_case(rng)
        program = case.program()
        solution = exact_lp(program, random_basis(rng, program))
        assert solution.objective == case.optimum()
        repaired += solution.repairs > 0
    assert repaired > 50


def tight_corner() -> ExactProgram:
    """max x + y over x + 3y ≤ 1 + 10⁻³⁰, 3x + y ≤ 1, x ≤ 1/4: floats cannot tell which constraints meet."""
    hair = Fraction(1, 10**30)
    return ExactProgram(
        RationalVector.of([-1, -1]),
        IntegerMatrix.from_dense([[1, 3], [3, 1]]),
        RationalVector.full(2, None),
        RationalVector.of([1 + hair, 1]),
        RationalVector.full(2, 0),
        RationalVector.of([Fraction(1, 4), None]),
    )


def test_a_violation_too_small_for_floats_is_found_and_repaired() -> None:
    # x at its bound 1/4 and the first row tight: then 3x + y = 1 + 10⁻³⁰/3, a violation that no float sees
    wrong = Basis(
        np.array([BasisStatus.UPPER, BasisStatus.BASIC], dtype=np.int8),
        np.array([BasisStatus.UPPER, BasisStatus.BASIC], dtype=np.int8),
    )
    with pytest.raises(ExactError, match="no exactly optimal basis"):
        exact_lp(tight_corner(), wrong, max_repairs=0)
    solution = exact_lp(tight_corner(), wrong)
    assert solution.repairs > 0
    # both rows tight: x + y = (1 + 10⁻³⁰ + 1) / 4
    assert solution.objective == -(2 + Fraction(1, 10**30)) / 4


def test_a_basis_of_another_size_or_singular() -> None:
    program = tight_corner()
    with pytest.raises(ParameterError, match="does not fit"):
        exact_lp(program, Basis(np.zeros(3, dtype=np.int8), np.zeros(2, dtype=np.int8)))
    everything = Basis(np.ones(2, dtype=np.int8), np.ones(2, dtype=np.int8))
    assert exact_lp(program, everything).objective == exact_lp(program).objective


def test_programs_without_optimum_are_refused() -> None:
    free, zero = RationalVector.full(1, None), RationalVector.full(1, 0)
    row = IntegerMatrix.from_dense([[1]])
    unbounded = ExactProgram(RationalVector.of([-1]), row, zero, free, zero, free)
    infeasible = ExactProgram(RationalVector.of([1]), row, free, RationalVector.of([-1]), zero, free)
    for program in (unbounded, infeasible):
        with pytest.raises(ExactError, match="no basis to certify"):
            exact_lp(program)


def test_denominators_of_all_arrays() -> None:
    # min x/2 + y/3 s.t. (2x + 5y)/7 = 11/13, x ≥ 1/17, y ≥ 0; x is dearer a unit of the row (1/4 against 1/15)
    program = ExactProgram(
        RationalVector(np.array([3, 2]), 6),
        IntegerMatrix.from_dense([[2, 5]]),
        RationalVector(np.array([11]), 13),
        RationalVector(np.array([11]), 13),
        RationalVector.of([Fraction(1, 17), 0]),
        RationalVector.full(2, None),
        matrix_denominator=7,
    )
    solution = exact_lp(program)
    y = (7 * Fraction(11, 13) - 2 * Fraction(1, 17)) / 5
    assert solution.x.fractions.tolist() == [Fraction(1, 17), y]
    assert solution.duals.fractions.tolist() == [Fraction(7, 15)]
    assert solution.objective == Fraction(1, 34) + y / 3


def test_the_rounded_solution_answers_the_float_program() -> None:
    """Feasible, complementary, and c = Aᵀ duals + reduced costs, in the float program's own units."""
    for program in (tight_corner(), equilibrium_program(sequence_form(compile_rules(Leduc())))):
        exact_one = exact_lp(program)
        rounded = exact_one.rounded()
        p, x, duals, costs = rounded.program, rounded.x, rounded.duals, rounded.reduced_costs
        assert x is not None and duals is not None and costs is not None
        activity = p.A @ x
        assert (activity >= p.row_lower - 1e-12).all() and (activity <= p.row_upper + 1e-12).all()
        assert (x >= p.col_lower - 1e-12).all() and (x <= p.col_upper + 1e-12).all()
        np.testing.assert_allclose(p.A.T @ duals + costs, p.c, atol=1e-12)
        np.testing.assert_allclose(np.minimum(np.abs(costs), np.abs(x - p.col_lower)), 0, atol=1e-12)
        assert rounded.objective == float(exact_one.objective) == pytest.approx(p.c @ x, abs=1e-12)
        assert rounded.optimal and rounded.gap == 0.0


def test_the_proof_catches_tampering() -> None:
    program = tight_corner()
    solution = exact_lp(program)
    assert check_optimal(program, solution.x, solution.duals) == solution.objective
    half = RationalVector.of([v / 2 for v in solution.x.fractions])
    with pytest.raises(ExactError, match="objectives differ"):
        check_optimal(program, half, solution.duals)
    beyond = RationalVector.of([v * (1 + Fraction(1, 10**50)) for v in solution.x.fractions])
    with pytest.raises(ExactError, match="breaks a row"):
        check_optimal(program, beyond, solution.duals)
    flipped = RationalVector.of([-v for v in solution.duals.fractions])
    with pytest.raises(ExactError, match="does not exist"):
        check_optimal(program, solution.x, flipped)


# -- equilibria ----------------------------------------------------------------------------------------------------

# (game, value to player 1, source); "prototype": measured independently of this code before it was written
KNOWN: list[tuple[str, Fraction, str]] = [
    ("kuhn", Fraction(-1, 18), "Kuhn 1950"),
    ("one-card", Fraction(-5, 78), "prototype"),
    ("one-card:cards=200", Fraction(-13397, 238800), "prototype"),
    ("leduc", LEDUC, "prototype"),
    ("rps", Fraction(0), "symmetry"),
    ("rpst", Fraction(0), "symmetry"),
    ("goofspiel", Fraction(0), "symmetry"),
]


def assert_proved(found: ExactEquilibrium, game: ExtensiveGame | NormalForm, value: Fraction) -> None:
    """Everything the result claims, recomputed from its strategies alone."""
    assert found.value == value
    assert found.bracket == (value, value)
    assert found.exploitability == 0
    assert exact_nash_conv(game, found.strategies) == 0
    for treeplex, plan, strategy in zip(game.treeplexes, found.plans, found.strategies, strict=True):
        check_flow(treeplex, plan)
        # zero-reach information sets aside, plan and strategy are the same thing
        assert exact_plan(strategy).fractions.tolist() == plan.fractions.tolist()
        assert all(isinstance(p, Fraction) for p in strategy.probabilities)


@pytest.mark.parametrize(("spec", "value", "source"), KNOWN, ids=[k[0] for k in KNOWN])
def test_known_values(spec: str, value: Fraction, source: str) -> None:
    game = load_game(spec)
    assert isinstance(game, ExtensiveGame | NormalForm)
    assert_proved(exact_equilibrium(game), game, value)


@pytest.mark.slow
def test_one_card_poker_with_500_cards() -> None:
    game = compile_rules(Kuhn(500))
    assert_proved(exact_equilibrium(game), game, Fraction(-83497, 1497000))  # prototype


def test_interior_point_with_crossover_gives_the_same_value() -> None:
    assert exact_equilibrium(compile_rules(Leduc()), algorithm="ipm").value == LEDUC


def test_kuhn_strategies_are_kuhns() -> None:
    """Kuhn (1950): player 2's equilibrium is unique; player 1 bets the king three times as often as the jack."""
    found = exact_equilibrium(compile_rules(Kuhn()))
    first, second = (s.table() for s in found.strategies)
    assert second["holding J, after check"]["bet"] == "1/3"
    assert second["holding Q, after bet"]["call"] == "1/3"
    jack = Fraction(first["holding J, to open"]["bet"])
    assert Fraction(first["holding K, to open"]["bet"]) == 3 * jack
    assert Fraction(first["holding Q, after check–bet"]["call"]) == jack + Fraction(1, 3)
    assert found.bits <= 5


def value_of_2x2(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> Fraction:
    """A saddle point if there is one, else the formula of von Neumann's 2 × 2 case."""
    lower, upper = max(min(a, b), min(c, d)), min(max(a, c), max(b, d))
    return lower if lower == upper else (a * d - b * c) / (a + d - b - c)


def test_two_by_two_games_with_payoffs_of_all_sizes() -> None:
    rng = random.Random(3)
    for _ in range(60):
        sizes = [10 ** rng.choice([0, 1, 3, 10, 20, 40, 400]) for _ in range(4)]
        cells = [Fraction(rng.randint(-s, s), rng.choice([1, 1, 3, 10**20])) for s in sizes]
        game = NormalForm.from_matrix("two by two", "ab", "cd", [cells[:2], cells[2:]])
        assert_proved(exact_equilibrium(game), game, value_of_2x2(*cells))


@pytest.mark.parametrize(
    ("table", "value"),
    [
        ([[0]], 0),
        ([[Fraction(5, 3)]], Fraction(5, 3)),
        ([[0, 0, 0], [0, 0, 0]], 0),  # everything is optimal
        ([[2, 2], [2, 2]], 2),
        ([[3, 1, 2]], 1),  # one player has no choice
        ([[3], [1], [2]], 3),
        ([[0, -1, 1, 1], [1, 0, -1, -1], [-1, 1, 0, 0]], 0),  # rock-paper-scissors, one column twice
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0], [0, 0, 0]], 0),  # and a row equal to the mixture
        ([[0, -(10**30), 1], [10**30, 0, -1], [-1, 1, 0]], 0),  # antisymmetric
    ],
)
def test_degenerate_matrix_games(table: list[list[Any]], value: Any) -> None:
    rows, cols = (tuple(f"{k}" for k in range(n)) for n in (len(table), len(table[0])))
    game = NormalForm.from_matrix("degenerate", rows, cols, table)
    assert_proved(exact_equilibrium(game), game, Fraction(value))


def test_unreached_information_sets_play_uniformly() -> None:
    found = exact_equilibrium(compile_rules(Leduc()))
    seen = 0
    for strategy, plan in zip(found.strategies, found.plans, strict=True):
        t = strategy.treeplex
        for h in range(t.num_infosets):
            if plan.numerators[t.parent[h]] == 0:
                own = strategy.probabilities[t.start[h] : t.start[h + 1]]
                assert set(own.tolist()) == {Fraction(1, len(own))}
                seen += 1
    assert seen > 0


@pytest.mark.parametrize("seed", range(40))
def test_random_extensive_games(seed: int) -> None:
    """The value of the tree is the value of its reduced normal form, another program altogether."""
    game = load_game(f"random:seed={seed},depth=4")
    assert isinstance(game, ExtensiveGame)
    found = exact_equilibrium(game)
    assert_proved(found, game, found.value)
    matrix = reduced_normal_form(sequence_form(game))
    assert exact_equilibrium(matrix).value == found.value


def test_the_basis_of_another_solve_can_be_reused() -> None:
    form = sequence_form(compile_rules(Leduc()))
    basis = exact_lp(equilibrium_program(form)).basis
    found = exact_equilibrium(form, basis=basis)
    assert (found.value, found.repairs) == (LEDUC, 0)
    scrambled = Basis(np.roll(basis.columns, 1), np.roll(basis.rows, 1))
    repaired = exact_equilibrium(form, basis=scrambled)
    assert repaired.value == LEDUC
    assert repaired.repairs > 0


def test_the_basis_of_the_pyomo_program_is_that_of_the_exact_one() -> None:
    game = compile_rules(Leduc())
    form = sequence_form(game)
    result = sequence_form_lp.solve(form, player=0, backend="highs")
    found = exact_equilibrium(game, form=form, basis=result.solutions[0].basis)
    assert (found.value, found.repairs, found.seconds.program) == (LEDUC, 0, 0.0)


def test_games_that_are_not_two_player_zero_sum_are_refused() -> None:
    dilemma = np.array([[[-1, -3], [0, -2]], [[-1, 0], [-3, -2]]], dtype=object)
    game = NormalForm("dilemma", ("a", "b"), (("c", "d"), ("c", "d")), dilemma)
    with pytest.raises(UnsupportedGameError, match="zero-sum"):
        exact_equilibrium(game)


def test_a_wrong_plan_does_not_pass_the_independent_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the program's exact solution were wrong, the game itself would say so."""
    form = sequence_form(compile_rules(Kuhn()))
    right = exact_lp(equilibrium_program(form))

    def returns(**changes: Any) -> None:
        monkeypatch.setattr(exact, "exact_lp", lambda *_, **__: dataclasses.replace(right, **changes))

    returns()
    assert exact_equilibrium(form).value == Fraction(-1, 18)
    returns(objective=right.objective + Fraction(1, 10**60))
    with pytest.raises(ExactError, match="independent check disagrees"):
        exact_equilibrium(form)
    lost = right.x.numerators.copy()
    lost[3] += 1
    returns(x=RationalVector(lost, right.x.denominator))
    with pytest.raises(ExactError, match="flow equations"):
        exact_equilibrium(form)
    uniform = [Strategy(t, fractions(t.uniform())) for t in form.treeplexes]
    plan = exact_plan(uniform[0])
    swapped = [*plan.fractions, *right.x.fractions[len(plan) :]]
    returns(x=RationalVector.of(swapped))
    with pytest.raises(ExactError, match="independent check disagrees"):
        exact_equilibrium(form)


def test_a_program_of_another_game_does_not_pass() -> None:
    """The check reads the tree, not the payoff matrix: a matrix that is not the game's is found out."""
    game = compile_rules(Kuhn())
    form = sequence_form(game)
    doubled = dataclasses.replace(form.matrix_payoff, numerators=2 * form.matrix_payoff.numerators)
    forged = SequenceForm(form.name, form.treeplexes, doubled)
    assert exact_equilibrium(forged).value == Fraction(-1, 9)  # sound for the matrix it was given
    with pytest.raises(ExactError, match="independent check disagrees"):
        exact_equilibrium(game, form=forged)


# -- what a profile is worth ---------------------------------------------------------------------------------------


def fractions(behavior: Any) -> np.ndarray[Any, np.dtype[Any]]:
    result = np.empty(len(behavior), dtype=object)
    result[:] = [Fraction(p).limit_denominator(1000) for p in behavior]
    return result


def random_profile(game: ExtensiveGame | NormalForm, seed: int) -> list[Strategy]:
    rng = random.Random(seed)
    profile = []
    for t in game.treeplexes:
        behavior = np.empty(t.num_sequences, dtype=object)
        behavior[0] = Fraction(1)
        for h in range(t.num_infosets):
            weights = [rng.randint(0, 9) for _ in range(t.start[h], t.start[h + 1])]
            weights[0] += 1
            behavior[t.start[h] : t.start[h + 1]] = [Fraction(w, sum(weights)) for w in weights]
        profile.append(Strategy(t, behavior))
    return profile


def test_uniform_kuhn_is_worth_what_open_spiel_says() -> None:
    """OpenSpiel's tests give 1/2 and 5/12 as the best responses to uniform play."""
    game = compile_rules(Kuhn())
    got = exact_evaluate(game, [Strategy(t, fractions(t.uniform())) for t in game.treeplexes])
    assert got.best_responses == (Fraction(1, 2), Fraction(5, 12))
    assert got.payoffs == (Fraction(1, 8), Fraction(-1, 8))
    assert got.nash_conv == Fraction(11, 12)
    assert got.exploitability == Fraction(11, 24)


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "kuhn3", "rpst", "random:seed=3,depth=5"])
@pytest.mark.parametrize("seed", [0, 1])
def test_exact_evaluation_agrees_with_the_float_one(spec: str, seed: int) -> None:
    game = load_game(spec)
    assert isinstance(game, ExtensiveGame | NormalForm)
    profile = random_profile(game, seed)
    got = exact_evaluate(game, profile)
    behaviors = [s.floats for s in profile]
    if isinstance(game, ExtensiveGame):
        want = evaluate(game, behaviors)
        payoffs, regrets = want.payoffs, want.regrets
    else:
        mixed = [b[1:] for b in behaviors]
        payoffs, regrets = game.expected_payoffs(mixed), game.regrets(mixed)
    assert [float(v) for v in got.payoffs] == pytest.approx(list(payoffs), abs=1e-12)
    assert [float(v) for v in got.regrets] == pytest.approx(list(regrets), abs=1e-12)
    assert min(got.regrets) >= 0


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "random:seed=8,depth=5"])
def test_tree_and_matrix_give_the_same_fractions(spec: str) -> None:
    game = load_game(spec)
    assert isinstance(game, ExtensiveGame)
    profile = random_profile(game, 5)
    on_tree = exact_evaluate(game, profile)
    assert exact_evaluate(sequence_form(game), profile) == on_tree
    assert evaluate_plans(game, [exact_plan(s) for s in profile]) == on_tree


def test_the_smallest_deviation_is_exploitable() -> None:
    """No tolerance: 10⁻⁴⁰ away from equilibrium is not an equilibrium, and the loss is known in closed form."""
    game = NormalForm.from_matrix("rps", "rps", "rps", [[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    third, hair = Fraction(1, 3), Fraction(1, 10**40)
    row, column = game.treeplexes
    fair = Strategy(column, np.array([Fraction(1), third, third, third]))
    bent = Strategy(row, np.array([Fraction(1), third + hair, third - hair, third]))
    # paper against it wins a hair's worth from rock and another from the missing paper's scissors
    assert exact_nash_conv(game, [bent, fair]) == max(third + hair - third, third - (third - hair), -2 * hair)
    kuhn = compile_rules(Kuhn())
    found = exact_equilibrium(kuhn)
    off = found.strategies[1].probabilities.copy()
    at = next(s for s in range(1, len(off)) if off[s] == Fraction(1, 3))
    other = next(s for s in range(1, len(off)) if off[s] == Fraction(2, 3) and abs(s - at) == 1)
    off[at] += hair
    off[other] -= hair
    assert 0 < exact_nash_conv(kuhn, [found.strategies[0], Strategy(kuhn.treeplexes[1], off)]) < 10 * hair


def test_profiles_that_are_not_exact_are_refused() -> None:
    game = compile_rules(Kuhn())
    exact_ones = [Strategy(t, fractions(t.uniform())) for t in game.treeplexes]
    floats = [Strategy(t, t.uniform()) for t in game.treeplexes]
    with pytest.raises(StrategyError, match="floats"):
        exact_nash_conv(game, floats)
    with pytest.raises(StrategyError, match="1 strategies for 2 players"):
        exact_nash_conv(game, exact_ones[:1])
    bent = exact_ones[0].probabilities.copy()
    bent[1] += Fraction(1, 10**30)
    with pytest.raises(StrategyError, match="not a distribution"):
        exact_nash_conv(game, [Strategy(game.treeplexes[0], bent), exact_ones[1]])
    other = compile_rules(Kuhn(4))
    with pytest.raises(StrategyError, match="does not fit"):
        exact_nash_conv(game, [Strategy(other.treeplexes[0], fractions(other.treeplexes[0].uniform())), exact_ones[1]])
