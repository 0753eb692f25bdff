"""Exact arithmetic: equilibria, and what a profile of Fractions is worth."""

from __future__ import annotations

import dataclasses
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.solution import Basis
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.games.poker.kuhn import Kuhn
from equiform.games.poker.leduc import Leduc
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
from equiform.models.common.errors import ExactError, StrategyError, UnsupportedGameError
from equiform.models.common.rational_vector import RationalVector
from equiform.validation.certificates.exact_evaluation import check_flow, evaluate_plans, exact_plan
from equiform.validation.exact import equilibrium
from equiform.validation.exact.equilibrium import (
    ExactEquilibrium,
    equilibrium_program,
    exact_equilibrium,
    exact_evaluate,
    exact_nash_conv,
)
from equiform.validation.exact.linear.lp import exact_lp
from tests.helpers.games import tree

LEDUC = Fraction(-1454920850547486749701863871533, 16995463438839962469905132501930)  # measured prototype

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
    assert exact_equilibrium(compile_rules(Leduc()), solver=SolverOptions(algorithm="ipm")).value == LEDUC


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


def test_unreached_information_sets_play_uniformly_on_request() -> None:
    found = exact_equilibrium(compile_rules(Leduc()), unreached="uniform")
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
    game = tree(f"random:seed={seed},depth=4")
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
    result = sequence_form_lp.solve(form, player=0, solver=SolverOptions("highs"))
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
        monkeypatch.setattr(equilibrium, "exact_lp", lambda *_, **__: dataclasses.replace(right, **changes))

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


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "kuhn-multiplayer", "rpst", "random:seed=3,depth=5"])
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
    game = tree(spec)
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
