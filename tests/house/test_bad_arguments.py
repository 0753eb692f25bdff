"""Numbers beyond floats, players and arguments that are not what they should be: refused by type, with a way out."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import equiform
from equiform.formulations.abstraction import least_exploitable, optimal_translation, purified_selection
from equiform.formulations.opponents import gifts, safe_responder, safe_response, tradeoff
from equiform.formulations.optimization.piecewise_product import guaranteed_epsilon
from equiform.formulations.zero_sum import (
    best_response_lp,
    dominance,
    quasi_perfect,
    selection,
    sequence_form_lp,
    undominated,
)
from equiform.games import (
    Clairvoyance,
    ExplicitTree,
    Goofspiel,
    Kuhn,
    KuhnMultiplayer,
    Leduc,
    LeducNoLimit,
    LiarsDice,
    load_game,
    random_game,
)
from equiform.games.cards.equity import river_distribution
from equiform.models import (
    ExtensiveGame,
    NormalForm,
    Strategy,
    as_sequence_form,
    compile_rules,
    evaluate,
    sequence_gradient,
)
from equiform.models.common.errors import (
    EquiformError,
    ParameterError,
    PayoffError,
    StrategyError,
    UnsupportedGameError,
)
from equiform.models.common.rational import short_text
from equiform.models.completion import complete
from equiform.play import MatchSpec, play_match, take_seat
from equiform.solvers_iterative import Until, create
from tests.helpers.refusals import Case, Use, below, leaf, refusal, refused

# -- numbers beyond floats ---------------------------------------------------------------------------------------------

HUGE = 10**400


def huge_tree(payoff: Fraction | int) -> ExtensiveGame:
    return ExplicitTree("huge", ("A", "B"), below(leaf(payoff, -payoff))).compile()


def huge_matrix(payoff: Fraction | int) -> NormalForm:
    return NormalForm.from_matrix("huge", "ab", "cd", [[0, 1], [payoff, 0]])


FLOAT_USES: dict[str, Callable[[ExtensiveGame], object]] = {
    "solve": lambda game: equiform.solve(game),
    "evaluate": lambda game: evaluate(game, [t.uniform() for t in game.treeplexes]),
    "the tree of CFR": lambda game: create("tree-cfr", game),
    "sampling": lambda game: create("mccfr-outcome", game),
}


@pytest.mark.parametrize("use", FLOAT_USES)
def test_payoffs_beyond_floats_are_named_by_their_node(use: str) -> None:
    refusal(UnsupportedGameError, lambda: FLOAT_USES[use](huge_tree(HUGE)), "1e+400", "A at 'right'", "exact=True")


def test_payoffs_beyond_floats_are_named_by_their_moves() -> None:
    refusal(UnsupportedGameError, lambda: equiform.solve(huge_matrix(-HUGE)), "-1e+400", "row at (b, c)")
    refusal(UnsupportedGameError, lambda: create("cfr", huge_matrix(HUGE)), "the only choice: b", "the only choice: c")
    refusal(UnsupportedGameError, lambda: huge_matrix(HUGE).sequence_form().flipped().A, "choice: c' and", "choice: b'")


def test_payoffs_that_round_to_zero_are_no_trouble() -> None:
    assert equiform.solve(huge_tree(Fraction(1, HUGE))).value == 1  # the other leaf pays one


@pytest.mark.parametrize("concept", ["nash", "une", "qpe"])
@pytest.mark.parametrize("scale", [Fraction(HUGE), Fraction(1, HUGE)], ids=["huge", "tiny"])
def test_exact_answers_scale_with_the_payoffs(concept: str, scale: Fraction) -> None:
    table = [[3, -1], [-2, 1]]
    epsilon = Fraction(1, 100) if concept == "qpe" else None
    plain, scaled = (
        equiform.solve(
            NormalForm.from_matrix("g", "ab", "cd", [[k * v for v in row] for row in table]),
            concept=concept,
            epsilon=epsilon,
            exact=True,
        ).exact
        for k in (Fraction(1), scale)
    )
    assert plain is not None and scaled is not None
    assert scaled.value == scale * plain.value != 0
    assert [s.table() for s in scaled.strategies] == [s.table() for s in plain.strategies]


TOO_SMALL: dict[str, float | Fraction] = {"a fraction": Fraction(1, HUGE), "its square": 1e-200, "denormal": 1e-310}


@pytest.mark.parametrize("epsilon", TOO_SMALL.values(), ids=TOO_SMALL)
def test_an_epsilon_too_small_for_floats(epsilon: float | Fraction) -> None:
    def ask() -> object:
        return equiform.solve("kuhn", concept="qpe", epsilon=epsilon)

    refusal(ParameterError, ask, "too small for floats", f"epsilon {short_text(epsilon)}", "exact=True")


@pytest.mark.parametrize("epsilon", [Fraction(HUGE), 10**5000, Fraction(0), -1], ids=["huge", "long", "zero", "less"])
def test_an_epsilon_out_of_range(epsilon: Fraction) -> None:
    for exact in (False, True):
        refusal(
            ParameterError,
            lambda exact=exact: equiform.solve("kuhn", concept="qpe", epsilon=epsilon, exact=exact),  # type: ignore[misc]
            f"epsilon is {short_text(epsilon)}",
            "up to 1/2",
        )


def test_exponents_that_would_fill_the_memory() -> None:
    refusal(
        ParameterError,
        lambda: equiform.solve("kuhn", concept="qpe", epsilon="1e-999999999"),  # type: ignore[arg-type]
        "is not a number",
    )


# -- players -----------------------------------------------------------------------------------------------------------

NOBODY: list[Any] = [2, 5, -1, True, "0", 0.0, None]
FORM = as_sequence_form(load_game("kuhn"))
PLAN = FORM.treeplexes[0].realization(FORM.treeplexes[0].uniform())  # both players of kuhn have as many sequences
NOTHING = np.zeros(len(PLAN))
IMAGE = sp.eye_array(len(PLAN), format="csr")

PLAYERS: dict[str, Use] = {
    "api nash": lambda p: equiform.solve("kuhn", player=p),
    "api une": lambda p: equiform.solve("kuhn", concept="une", player=p),
    "api qpe": lambda p: equiform.solve("kuhn", concept="qpe", epsilon=0.01, player=p),
    "api exact": lambda p: equiform.solve("kuhn", concept="une", exact=True, player=p),
    "nash": lambda p: sequence_form_lp.solve(FORM, player=p),
    "une build": lambda p: undominated.build(FORM, value=0.0, player=p),
    "complete": lambda p: complete(FORM, PLAN, PLAN, player=p),
    "qpe": lambda p: quasi_perfect.solve(FORM, 0.01, player=p),
    "qpe scaled": lambda p: quasi_perfect.build_scaled(FORM, 0.01, player=p),
    "safe response": lambda p: safe_response.solve(FORM, PLAN, epsilon=0.1, value=0.0, player=p),
    "safe responder": lambda p: safe_responder.SafeResponder(FORM, player=p),
    "selection": lambda p: selection.solve(FORM, PLAN, player=p),
    "functional": lambda p: selection.solve_functional(FORM, NOTHING, value=0.0, player=p),
    "purified": lambda p: purified_selection.build(FORM, NOTHING, value=0.0, player=p),
    "dominance": lambda p: dominance.solve(FORM, PLAN, player=p),
    "tradeoff": lambda p: tradeoff.solve(FORM, PLAN, player=p),
    "gifts": lambda p: gifts.solve(FORM, player=p),
    "gifts exist": lambda p: gifts.exist(FORM, player=p),
    "best response program": lambda p: best_response_lp.solve(FORM, PLAN, player=p),
    "translation": lambda p: optimal_translation.solve(FORM, IMAGE, FORM.treeplexes[0], player=p),
    "least exploitable": lambda p: least_exploitable.solve(FORM, FORM, IMAGE, abstract_value=None, player=p),
    "gradient": lambda p: FORM.gradient(p, PLAN),
    "best response": lambda p: FORM.best_response(p, PLAN),
    "matrix": lambda p: huge_matrix(1).action_values(p, [np.array([0.5, 0.5])] * 2),
    "tree": lambda p: sequence_gradient(compile_rules(Kuhn()), [PLAN, PLAN], p),
    "seat": lambda p: take_seat("kuhn", p),
    "match": lambda p: MatchSpec("kuhn", "rwywe", "random", player=p),
}


@pytest.mark.parametrize("nobody", NOBODY, ids=repr)
@pytest.mark.parametrize("use", PLAYERS)
def test_there_is_no_such_player(use: str, nobody: object) -> None:
    refusal(ParameterError, lambda: PLAYERS[use](nobody), f"there is no player {nobody!r}", "0 to 1")


@pytest.mark.parametrize("nobody", [n for n in NOBODY if n is not None], ids=repr)
def test_undominated_play_of_no_such_player(nobody: Any) -> None:
    refusal(ParameterError, lambda: undominated.solve(FORM, player=nobody), f"there is no player {nobody!r}")


def test_plans_of_another_game() -> None:
    refusal(StrategyError, lambda: FORM.gradient(0, PLAN[1:]), "does not fit 13 sequences", "player 2")


def test_plans_that_are_no_numbers() -> None:
    nan = np.where(np.arange(len(PLAN)) == 3, np.nan, PLAN)
    label = FORM.treeplexes[1].sequence_label(3)
    refusal(StrategyError, lambda: FORM.gradient(0, nan), "has the entry nan", f"player 2, {label}")
    refusal(StrategyError, lambda: safe_responder.SafeResponder(FORM).respond(nan), "has the entry nan")
    refusal(StrategyError, lambda: Strategy.from_plan(FORM.treeplexes[0], nan), "has the entry nan")
    refusal(StrategyError, lambda: evaluate(compile_rules(Kuhn()), [nan, nan]), "not a finite number", "player 1")


@pytest.mark.parametrize("count", [0, 1, 3])
def test_profiles_of_another_number_of_players(count: int) -> None:
    first, _ = equiform.solve("kuhn").strategies
    for game in (compile_rules(Kuhn()), FORM):
        refusal(
            StrategyError,
            lambda game=game: equiform.certify(game, [first] * count),  # type: ignore[misc]
            f"{count} strategies do not make",
        )


@pytest.mark.parametrize("game", [compile_rules(Kuhn()), FORM], ids=["tree", "sequence form"])
def test_profiles_whose_probabilities_do_not_add_up(game: Any) -> None:
    first, second = equiform.solve("kuhn").strategies
    assert first is not None and second is not None
    more = second.floats.copy()
    more[1] += 1e-4
    refusal(StrategyError, lambda: equiform.certify(game, [first, Strategy(second.treeplex, more)]), "player 2")


# -- arguments that are not what they should be ------------------------------------------------------------------------

MATCH = MatchSpec("rps", "rwywe", "random", hands=2, opponents=2)
RIVER = river_distribution("KcQc", "7dQh4h2c3d")

ARGUMENTS: dict[str, Case] = {
    "a class for a game": (lambda: equiform.solve(Kuhn), ParameterError, "is a class"),
    "ragged payoffs": (lambda: equiform.solve([[0, 1], [2]]), ParameterError, "not a game"),
    "a name for a game": (lambda: as_sequence_form("kuhn"), ParameterError, "not a game"),  # type: ignore[arg-type]
    "nothing to iterate": (lambda: create("cfr", None), ParameterError, "not a game"),  # type: ignore[arg-type]
    "a number for a name": (lambda: load_game(3), ParameterError, "by its name"),  # type: ignore[arg-type]
    "a seat at a form": (lambda: take_seat(FORM), ParameterError, "from a game tree"),
    "no backend": (lambda: equiform.solve("rps", backend=None), ParameterError, "its name"),  # type: ignore[arg-type]
    "words for options": (
        lambda: equiform.solve("rps", options="presolve"),  # type: ignore[arg-type]
        ParameterError,
        "not a mapping",
    ),
    "words for seconds": (
        lambda: equiform.solve("rps", time_limit="1"),  # type: ignore[arg-type]
        ParameterError,
        "not a positive number",
    ),
    "true seconds": (lambda: equiform.solve("rps", time_limit=True), ParameterError, "not a positive number"),
    "words for risk": (
        lambda: safe_response.solve(FORM, PLAN, epsilon="x"),  # type: ignore[arg-type]
        ParameterError,
        "epsilon is 'x'",
    ),
    "infinite risk": (
        lambda: safe_responder.SafeResponder(FORM).respond(PLAN, float("inf")),
        ParameterError,
        "epsilon is inf",
    ),
    "true trembles": (lambda: quasi_perfect.solve(FORM, True), ParameterError, "epsilon is True"),
    "an image of another size": (
        lambda: least_exploitable.solve(FORM, FORM, IMAGE[1:], abstract_value=None),
        ParameterError,
        "(12, 13), not (13, 13)",
    ),
    "a payoff that is nan": (
        lambda: NormalForm.from_matrix("m", "a", "b", [[float("nan")]]),
        PayoffError,
        "nan is not a finite number",
    ),
    "a stack that is nan": (lambda: Clairvoyance(float("nan")), ParameterError, "nan is not a finite number"),
    "kuhn of nan": (lambda: Kuhn(float("nan")), ParameterError, "cards is nan"),  # type: ignore[arg-type]
    "leduc without end": (lambda: Leduc(ranks=10**24), ParameterError, "ranks is 1e+24"),
    "dice without end": (lambda: LiarsDice(sides=10**24), ParameterError, "sides is 1e+24"),
    "players without end": (lambda: KuhnMultiplayer(10**24), ParameterError, "players is 1e+24"),
    "a stack without end": (lambda: LeducNoLimit(stack=10**24), ParameterError, "stack is 1e+24"),
    "goofspiel without end": (lambda: Goofspiel(10**24), ParameterError, "cards is 1e+24"),
    "depth without end": (lambda: random_game(seed=1, depth=10**24), ParameterError, "depth is 1e+24"),
    "an infinite payoff": (
        lambda: random_game(seed=1, payoff=float("inf")),  # type: ignore[arg-type]
        ParameterError,
        "payoff is inf",
    ),
    "a stage without end": (lambda: create("iterated-smoothing", FORM, gamma=1e29), ParameterError, "improve the gap"),
    "a norm of zero": (lambda: create("iterated-smoothing", FORM, norm=0.0), ParameterError, "not positive"),
    "threads without end": (lambda: create("cfr", FORM, threads=10**24), ParameterError, "threads is 1e+24"),
    "true iterations": (lambda: Until(iterations=True), ParameterError, "iterations is True"),
    "words for a gap": (lambda: Until(gap="small"), ParameterError, "gap='small'"),  # type: ignore[arg-type]
    "a limit twice": (lambda: Until.parse("gap=1,gap=2"), ParameterError, "gap is given twice"),
    "matches in no process": (lambda: play_match(MATCH, on="processes:0"), ParameterError, "processes is 0"),
    "matches by no opponent": (lambda: play_match(MATCH, chunk=0), ParameterError, "chunk is 0"),
    "a nemesis without a rule": (
        lambda: MatchSpec("rps", "rwywe", "random", nemesis_ties="both"),
        ParameterError,
        "there is no way to break ties 'both'",
    ),
    "an opponent that is none": (
        lambda: MatchSpec("rps", "rwywe", "martian"),
        ParameterError,
        "there is no opponent 'martian'",
    ),
    "a word for a seed": (
        lambda: MatchSpec("rps", "rwywe", "random", seed="x"),  # type: ignore[arg-type]
        ParameterError,
        "seed is 'x'",
    ),
    "no segments": (
        lambda: guaranteed_epsilon(0, thresholds=3, players=3, payoff_range=12.0),
        ParameterError,
        "segments is 0",
    ),
    "endless bins": (
        lambda: RIVER.histogram(10**24),
        ParameterError,
        "bins is 1e+24",
    ),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_arguments(case: str) -> None:
    refused(ARGUMENTS[case])


MISSPELLED: dict[str, tuple[Callable[[], object], str]] = {
    "game": (lambda: equiform.solve("leduk"), "leduc"),
    "OpenSpiel game": (lambda: equiform.solve("openspiel:kuhn_pokr"), "kuhn_poker"),
    "parameter of a game": (lambda: equiform.solve("leduc:rank=4"), "ranks"),
    "concept": (lambda: equiform.solve("rps", concept="nahs"), "nash"),
    "formulation": (lambda: equiform.build_model("rps", "best-respons"), "best-response"),
    "backend": (lambda: equiform.solve("rps", backend="hihgs"), "highs"),
    "algorithm of a backend": (lambda: equiform.solve("rps", algorithm="simplx"), "simplex"),
}


@pytest.mark.parametrize("case", MISSPELLED)
def test_a_misspelled_name_is_answered_with_the_nearest(case: str) -> None:
    call, meant = MISSPELLED[case]
    with pytest.raises(EquiformError) as caught:
        call()
    assert f"did you mean {meant!r}" in caught.value.fix
