"""OpenSpiel as a witness: the loader, our own rules of its games, and its nash_conv of our strategies."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pyspiel
import pytest

import equiform
from equiform.games import from_openspiel_policy, load_game, load_openspiel, openspiel_game, to_openspiel_policy
from equiform.games.formats.openspiel import exact_distribution
from equiform.models import ExtensiveGame, Strategy, evaluate, expected_payoffs
from equiform.models.common.errors import (
    BackendMissingError,
    EquiformError,
    GameError,
    ImperfectRecallError,
    ParameterError,
    StrategyError,
    UnsupportedGameError,
)
from equiform.validation.reproduce.equilibria.pair_folds import pair_folds
from tests.helpers.games import tree

HIDDEN4 = "goofspiel(num_cards=4,imp_info=True,points_order=descending)"
OPEN4 = "goofspiel(num_cards=4,points_order=descending)"
RANDOM3 = "goofspiel(num_cards=3,imp_info=True,points_order=random)"


def count(name: str) -> tuple[int, int, list[int]]:
    """Count nodes, leaves and sequences of each player by walking OpenSpiel's states."""
    game = openspiel_game(name)
    moves: dict[tuple[int, str], int] = {}
    nodes = leaves = 0
    stack = [game.new_initial_state()]
    while stack:
        state = stack.pop()
        nodes += 1
        if state.is_terminal():
            leaves += 1
            continue
        actions = state.legal_actions()
        if not state.is_chance_node():
            moves[state.current_player(), state.information_state_string()] = len(actions)
        stack.extend(state.child(a) for a in actions)
    sizes = [1 + sum(n for (p, _), n in moves.items() if p == player) for player in range(game.num_players())]
    return nodes, leaves, sizes


@pytest.mark.parametrize("name", ["kuhn_poker", "kuhn_poker(players=3)", "leduc_poker", HIDDEN4, RANDOM3, "matrix_rps"])
def test_the_loader_sees_every_node_and_sequence(name: str) -> None:
    game = load_openspiel(name)
    players = range(len(game.players))
    assert (game.num_nodes, len(game.terminals), [game.num_sequences(p) for p in players]) == count(name)


def test_games_written_in_python_are_walked_like_those_in_cpp() -> None:
    import open_spiel.python.games  # noqa: F401  registers them

    python, cpp = load_openspiel("python_kuhn_poker"), load_openspiel("kuhn_poker")
    for array in ("layers", "turn", "parent", "branch", "infoset"):
        assert np.array_equal(getattr(python, array), getattr(cpp, array))
    pay = [[g.payoff_table[k] for k in g.outcome[g.terminals]] for g in (python, cpp)]
    assert pay[0] == pay[1]


def uniform(game: ExtensiveGame) -> list[Strategy]:
    return [Strategy(plex, plex.uniform()) for plex in game.treeplexes]


def their_payoffs(name: str, policy: Any) -> list[float]:
    payoffs: list[float] = pyspiel.expected_returns(openspiel_game(name).new_initial_state(), policy, -1, True)
    return payoffs


def their_nash_conv(name: str, policy: Any) -> float:
    value: float = pyspiel.nash_conv(openspiel_game(name), policy)
    return value


def scrambled(game: ExtensiveGame) -> list[Strategy]:
    rng = np.random.default_rng(5)
    return [Strategy.from_plan(plex, rng.random(plex.num_sequences)) for plex in game.treeplexes]


RECALLED = ("kuhn_poker", "kuhn_poker(players=3)", "leduc_poker", HIDDEN4, RANDOM3)
PROFILES = [(name, make) for name in RECALLED for make in (uniform, scrambled)]
# its strings forget the order of bids: only a strategy that does so too can be handed over
PROFILES.append((OPEN4, uniform))


@pytest.mark.parametrize(("name", "make"), PROFILES)
def test_payoffs_and_nash_conv_agree(name: str, make: Callable[[ExtensiveGame], list[Strategy]]) -> None:
    game = load_openspiel(name)
    strategies = make(game)
    policy = to_openspiel_policy(game, strategies)
    ours = evaluate(game, [s.floats for s in strategies])
    assert ours.payoffs == pytest.approx(their_payoffs(name, policy), abs=1e-12)
    assert ours.nash_conv == pytest.approx(their_nash_conv(name, policy), abs=1e-9)


def test_leduc_pairs_are_folded_by_their_lp_and_not_by_ours() -> None:
    """A pair with the board cannot lose. Their LP, perturbed or not, folds it somewhere; ``une`` nowhere."""
    from open_spiel.python.algorithms import sequence_form_lp as theirs

    game = load_openspiel("leduc_poker")
    spiel = openspiel_game("leduc_poker")
    for _, _, *policies in (theirs.solve_zero_sum_game(spiel), theirs.solve_perturbed_zero_sum_game(spiel, eps=1e-8)):
        strategies = from_openspiel_policy(game, policies)
        assert evaluate(game, [s.floats for s in strategies]).nash_conv < 1e-5
        found = pair_folds(*strategies)
        assert found.total == 120 and found.folding > 0
    une = equiform.solve(game, concept="une").result.strategies
    assert (found := pair_folds(*(s for s in une if s is not None), above=0.0)).total == 120
    assert found.folding == 0


def test_policies_come_back_as_they_went() -> None:
    from open_spiel.python import policy

    game = load_openspiel("leduc_poker")
    table = policy.TabularPolicy(openspiel_game("leduc_poker"))
    rng = np.random.default_rng(2)
    table.action_probability_array = rng.random(table.action_probability_array.shape) * table.legal_actions_mask
    there = from_openspiel_policy(game, [table, table])
    back = to_openspiel_policy(game, there)
    for text, row in table.state_lookup.items():
        weights = table.action_probability_array[row]
        assert dict(back.policy_table()[text]) == pytest.approx(
            {a: p for a, p in enumerate(weights / weights.sum()) if table.legal_actions_mask[row][a]}
        )
    with pytest.raises(StrategyError, match="no such state"):
        from_openspiel_policy(game, [policy.TabularPolicy(openspiel_game("kuhn_poker"))] * 2)


@pytest.mark.parametrize("language", ["python", "c++"])
def test_a_policy_of_cfr_stands_for_all_players(language: str) -> None:
    """What OpenSpiel's own solvers return: one policy for everybody."""
    from open_spiel.python.algorithms import cfr

    spiel = openspiel_game("leduc_poker")
    solver = pyspiel.CFRPlusSolver(spiel) if language == "c++" else cfr.CFRPlusSolver(spiel)
    for _ in range(5):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    game = load_openspiel("leduc_poker")
    ours = equiform.certify(game, from_openspiel_policy(game, policy))
    assert ours.nash_conv > 0.1  # five iterations do not make an equilibrium
    table = policy if language == "c++" else pyspiel.TabularPolicy(policy.to_dict())
    assert ours.nash_conv == pytest.approx(their_nash_conv("leduc_poker", table), abs=1e-9)


def test_policies_that_cannot_be_read_are_refused() -> None:
    from open_spiel.python import policy

    game, spiel = load_openspiel("leduc_poker"), openspiel_game("leduc_poker")
    with pytest.raises(StrategyError, match="1 policies do not make a profile"):
        from_openspiel_policy(game, [policy.TabularPolicy(spiel)])
    with pytest.raises(StrategyError, match="UniformRandomPolicy cannot be queried"):
        from_openspiel_policy(game, policy.UniformRandomPolicy(spiel))
    with pytest.raises(StrategyError, match="no such state"):
        from_openspiel_policy(game, pyspiel.UniformRandomPolicy(openspiel_game("kuhn_poker")))


def test_recovered_numbers_are_exact() -> None:
    game = load_openspiel("leduc_poker")
    assert set(game.chance_values) == {Fraction(1, k) for k in (6, 5, 4)}
    assert all(v.denominator == 1 for row in game.payoff_table for v in row)
    assert game.is_zero_sum


def test_rounded_distributions_are_made_whole() -> None:
    odd = (0.1234567890123, 0.3, 1 - 0.1234567890123 - 0.3)
    assert sum(exact_distribution(odd)) == 1
    assert exact_distribution(odd)[1] == pytest.approx(0.3)
    assert sum(exact_distribution((0.5, 0.4))) == Fraction(9, 10)  # not rounding: left for the compiler to refuse


# -- our own rules of the same games -----------------------------------------------------------------------------------

# (our spec, OpenSpiel's name, whether the trees are alike node by node)
TWINS = [
    ("kuhn", "kuhn_poker", False),  # we deal both cards in one move
    ("kuhn-multiplayer", "kuhn_poker(players=3)", False),
    ("kuhn-multiplayer:players=4", "kuhn_poker(players=4)", False),
    ("liars-dice:sides=3", "liars_dice(dice_sides=3)", True),
    ("goofspiel:cards=4", HIDDEN4, True),
    ("goofspiel:cards=4,imp_info=false", OPEN4, True),
    ("goofspiel:cards=3,order=random", RANDOM3, True),
    ("goofspiel:cards=3,order=ascending", "goofspiel(num_cards=3,imp_info=True,points_order=ascending)", True),
    (
        "goofspiel:cards=4,returns=point_difference",
        "goofspiel(num_cards=4,imp_info=True,points_order=descending,returns_type=point_difference)",
        True,
    ),
    (
        "goofspiel:cards=3,returns=total_points",
        "goofspiel(num_cards=3,imp_info=True,points_order=descending,returns_type=total_points)",
        True,
    ),
    ("rps-sequential", "matrix_rps", True),
]


@pytest.mark.parametrize(("spec", "name", "alike"), TWINS, ids=[t[0] for t in TWINS])
def test_our_rules_are_theirs(spec: str, name: str, alike: bool) -> None:
    ours, theirs = tree(spec), load_openspiel(name)
    players = range(len(ours.players))
    assert [ours.num_sequences(p) for p in players] == [theirs.num_sequences(p) for p in players]
    assert len(ours.terminals) == len(theirs.terminals)
    if alike:
        assert ours.num_nodes == theirs.num_nodes
        assert np.array_equal(ours.turn, theirs.turn)
        assert np.array_equal(ours.infoset, theirs.infoset)
        pay = [[g.payoff_table[k] for k in g.outcome[g.terminals]] for g in (ours, theirs)]
        assert pay[0] == pay[1]
    first, second = (evaluate(g, [s.floats for s in uniform(g)]) for g in (ours, theirs))
    assert first.payoffs == pytest.approx(second.payoffs, abs=1e-12)
    assert first.best_responses == pytest.approx(second.best_responses, abs=1e-12)


def test_one_die_each_with_six_sides_is_their_default() -> None:
    ours, theirs = tree("liars-dice"), load_openspiel("liars_dice")
    assert ours.num_nodes == theirs.num_nodes == 294_883
    assert np.array_equal(ours.infoset, theirs.infoset)
    assert [ours.payoff_table[k] for k in ours.outcome[ours.terminals]] == [
        theirs.payoff_table[k] for k in theirs.outcome[theirs.terminals]
    ]


def test_leduc_by_rank_is_leduc_by_card() -> None:
    """Fewer sequences, the same game: payoffs of the uniform profile, best responses and the value agree."""
    merged, cards = tree("leduc"), load_openspiel("leduc_poker")
    assert (merged.num_sequences(0), cards.num_sequences(0)) == (337, 1093)
    results = [evaluate(g, [s.floats for s in uniform(g)]) for g in (merged, cards)]
    assert results[0].payoffs == pytest.approx(results[1].payoffs, abs=1e-12)
    assert results[0].best_responses == pytest.approx(results[1].best_responses, abs=1e-12)
    values = [equiform.solve(s).value for s in ("leduc", "openspiel:leduc_poker")]
    assert values[0] == pytest.approx(values[1], abs=1e-9)
    assert values[0] == pytest.approx(-0.085606, abs=1e-6)  # Lanctot et al. 2019 and many others


# -- strategies --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["kuhn_poker", "leduc_poker", HIDDEN4, OPEN4, pytest.param("liars_dice", marks=pytest.mark.slow)]
)
def test_openspiel_finds_nothing_to_gain_against_our_equilibrium(name: str) -> None:
    solved = equiform.solve(f"openspiel:{name}")
    assert isinstance(solved.game, ExtensiveGame)
    policy = to_openspiel_policy(solved.game, solved.strategies)
    assert their_nash_conv(name, policy) < 1e-8
    assert solved.value == pytest.approx(their_payoffs(name, policy)[0], abs=1e-8)


def test_only_openspiels_own_games_have_policies() -> None:
    game = tree("kuhn")
    with pytest.raises(StrategyError, match="kuhn was not loaded from OpenSpiel"):
        to_openspiel_policy(game, uniform(game))


def test_strings_that_forget_are_split_or_reported() -> None:
    """Open-bid goofspiel: OpenSpiel's strings show the hands left but not in which order cards were bid."""
    raw = load_openspiel(OPEN4, perfect_recall=False)
    assert raw.num_infosets == 2 * 135
    with pytest.raises(ImperfectRecallError, match="imperfect recall"):
        raw.treeplexes  # noqa: B018
    assert load_openspiel(OPEN4).num_infosets == 2 * 161


# -- refusals ----------------------------------------------------------------------------------------------------------

REFUSALS: list[tuple[str, type[EquiformError], str]] = [
    ("kuhn_pokr", ParameterError, "did you mean 'kuhn_poker'"),
    ("", ParameterError, "has no game called ''"),
    ("kuhn_poker(foo=3)", ParameterError, "Unknown parameter 'foo'"),
    ("kuhn_poker(", ParameterError, "Missing closing bracket"),
    ("kuhn_poker(players=99)", ParameterError, "refuses the game"),
    ("mfg_crowd_modelling", UnsupportedGameError, "mean-field"),
    ("hanabi", UnsupportedGameError, "no information_state_string"),
    ("tic_tac_toe", GameError, "more than 2,000 nodes"),
]


@pytest.mark.parametrize(("name", "kind", "message"), REFUSALS, ids=[r[0] or "empty" for r in REFUSALS])
def test_what_cannot_be_loaded_is_said(name: str, kind: type[EquiformError], message: str) -> None:
    with pytest.raises(kind) as caught:
        load_openspiel(name, max_nodes=2000)
    assert message in str(caught.value)


def test_a_missing_installation_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(BackendMissingError, match=r"equiform\[oracles\]"):
        load_game("openspiel:kuhn_poker")


def test_uniform_payoffs_of_a_four_player_game() -> None:
    game = load_openspiel("kuhn_poker(players=4)")
    policy = to_openspiel_policy(game, uniform(game))
    ours = expected_payoffs(game, [s.floats for s in uniform(game)])
    assert ours == pytest.approx(their_payoffs("kuhn_poker(players=4)", policy), abs=1e-12)
