"""Abstract strategies in full games: the side-by-side walk, exploitability, and the best translation by LP."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from equiform.abstraction.actions.action_abstraction import AbstractRules, pot_fractions
from equiform.abstraction.actions.bet_sizes import bet_sizes
from equiform.abstraction.actions.public_tree import betting_view
from equiform.abstraction.actions.translated_strategy import TranslationProblem, translation_problem
from equiform.abstraction.actions.translation import MAPPINGS, RAND_PSHAR, read_bets
from equiform.abstraction.actions.translation_tree import AfterZero
from equiform.formulations.abstraction import optimal_translation
from equiform.games.poker.clairvoyance import Clairvoyance
from equiform.games.poker.kuhn import Kuhn
from equiform.games.poker.kuhn_nl import KuhnNoLimit
from equiform.games.poker.leduc import Leduc
from equiform.games.poker.leduc_nl import LeducNoLimit
from equiform.games.poker.single_bet import Deal, SingleBet
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError, StrategyError, UnsupportedGameError
from equiform.models.compile import compile_rules
from equiform.models.evaluation import expected_payoffs
from equiform.models.rules import CHANCE, TERMINAL
from equiform.models.strategy import Strategy
from equiform.models.treeplex import Treeplex


def random_behavior(treeplex: Treeplex, rng: np.random.Generator) -> FloatArray:
    weights = np.append(1.0, rng.random(treeplex.num_sequences - 1) ** 3 + 1e-3)
    return treeplex.behavior(weights)


def random_single_bet(rng: np.random.Generator) -> SingleBet:
    """Random holdings, odds and winners; random stack."""
    holdings = [(f"a{i}", f"b{j}") for i in range(rng.integers(1, 4)) for j in range(rng.integers(1, 4))]
    odds = rng.integers(1, 10, len(holdings))
    deals = [
        Deal("".join(h), Fraction(int(w), int(odds.sum())), h, bool(rng.random() < 0.5))
        for h, w in zip(holdings, odds, strict=True)
    ]
    return SingleBet("random", deals, int(rng.integers(1, 5)), Fraction(1, int(rng.integers(2, 6))))


# -- the walk ---------------------------------------------------------------------------------------------------------


def agent_payoff(
    problem: TranslationProblem, abstract: FloatArray, other: FloatArray, mapping: Any, state: Any, mind: Any
) -> float:
    """Play the agent move by move on rules objects: no public tree, no arrays, no plans."""
    rules, thought = problem.rules.full, problem.rules
    me = problem.player
    turn = rules.turn(state)
    if turn == TERMINAL:
        return float(rules.payoffs(state)[me])
    if turn == CHANCE:
        total = 0.0
        for move, p in zip(rules.actions(state), rules.probabilities(state), strict=True):
            then = thought.next(mind, move) if mind is not None or state is None else mind
            if mind is not None and thought.turn(mind) != CHANCE:
                then = mind
            total += float(p) * agent_payoff(problem, abstract, other, mapping, rules.next(state, move), then)
        return total
    moves = list(rules.actions(state))
    key = rules.infoset(state)
    in_sync = mind is not None and thought.turn(mind) == turn
    if turn != me:
        tree = problem.full.treeplexes[turn]
        h = list(tree.infosets).index(key)
        total = 0.0
        for k, move in enumerate(moves):
            p = float(other[tree.start[h] + k])
            after = rules.next(state, move)
            for weight, then in readings(problem, mapping, state, mind, move) if in_sync else [(1.0, mind)]:
                total += p * weight * agent_payoff(problem, abstract, other, mapping, after, then)
        return total
    passive = "call" if "call" in moves else "check"
    if not in_sync:
        return agent_payoff(problem, abstract, other, mapping, rules.next(state, passive), mind)
    own = list(thought.actions(mind))
    if "fold" in moves and "fold" not in own and problem.after_zero is AfterZero.CALL:
        after = rules.next(state, passive)
        return agent_payoff(problem, abstract, other, mapping, after, thought.next(mind, "check"))
    tree = problem.abstract.treeplexes[me]
    h = list(tree.infosets).index(thought.infoset(mind))
    total = 0.0
    for k, move in enumerate(own):
        real = implementation(problem, state, mind, move, moves, passive)
        p = float(abstract[tree.start[h] + k])
        after = rules.next(state, real)
        total += p * agent_payoff(problem, abstract, other, mapping, after, thought.next(mind, move))
    return total


def pots(state: Any, move: str) -> float:
    """The size of a Leduc bet in pots, from what the players have paid."""
    node = state[3]
    to = node.after[move].paid[node.turn]
    return (to - max(node.paid)) / (2 * max(node.paid))


def is_bet(move: str) -> bool:
    return move.startswith(("bet", "raise"))


def readings(problem: TranslationProblem, mapping: Any, state: Any, mind: Any, move: str) -> list[tuple[float, Any]]:
    thought = problem.rules
    options = list(thought.actions(mind))
    passive = "call" if "call" in options else "check"
    if move == "fold":
        return [(1.0, mind)]
    if not is_bet(move):
        return [(1.0, thought.next(mind, passive))]
    ladder = [passive, *(m for m in options if is_bet(m))]
    sizes = [0.0, *(pots(mind, m) for m in ladder[1:])]
    node = state[3]
    stack = problem.rules.full.stack  # type: ignore[attr-defined]
    if node.after[move].paid[node.turn] == stack and len(ladder) > 1:
        return [(1.0, thought.next(mind, ladder[-1]))]
    seen = read_bets(mapping, sizes, [pots(state, move)])
    low, high, p = int(seen.lower[0]), int(seen.upper[0]), float(seen.probability[0])
    return [(p, thought.next(mind, ladder[low])), (1 - p, thought.next(mind, ladder[high]))]


def implementation(
    problem: TranslationProblem, state: Any, mind: Any, move: str, moves: list[str], passive: str
) -> str:
    bets = [m for m in moves if is_bet(m)]
    if move == "fold":
        return "fold" if "fold" in moves else passive
    perceived = mind[3]
    stack = problem.rules.full.stack  # type: ignore[attr-defined]
    if not is_bet(move):
        return bets[-1] if bets and max(perceived.paid) == stack else passive
    if not bets:
        return passive
    if perceived.after[move].paid[perceived.turn] == stack:
        return bets[-1]
    return min(bets, key=lambda m: abs(pots(state, m) - pots(mind, move)))


@pytest.mark.parametrize("after_zero", AfterZero)
@pytest.mark.parametrize("player", [0, 1])
def test_the_walk_agrees_with_an_agent_that_plays_move_by_move(player: int, after_zero: AfterZero) -> None:
    problem = translation_problem(LeducNoLimit(stack=7, ranks=2), pot_fractions(1), player, after_zero=after_zero)
    rng = np.random.default_rng(player)
    abstract = random_behavior(problem.abstract.treeplexes[player], rng)
    other = random_behavior(problem.full.treeplexes[1 - player], rng)
    own = problem.tree.behavior(abstract, problem.tree.probabilities(RAND_PSHAR))
    behaviors = [own, other] if player == 0 else [other, own]
    played = agent_payoff(problem, abstract, other, RAND_PSHAR, None, None)
    assert expected_payoffs(problem.full, behaviors)[player] == pytest.approx(played, abs=1e-12)


def test_plan_map_and_realised_are_the_same_strategy() -> None:
    problem = translation_problem(LeducNoLimit(stack=7), pot_fractions(1), 1, after_zero=AfterZero.ABSTRACT)
    tree, rng = problem.tree, np.random.default_rng(0)
    abstract, readings_ = random_behavior(tree.abstract, rng), random_behavior(tree.translator, rng)
    w = tree.translator.realization(readings_)
    one = tree.realised(abstract) @ w
    two = tree.plan_map(w) @ tree.abstract.realization(abstract)
    assert one == pytest.approx(two, abs=1e-14)
    assert tree.full.flow_residual(one) < 1e-12
    assert tree.translator.depth.max() > 1  # several translations along a path


def test_forced_calls_are_not_linear_in_the_plan() -> None:
    problem = translation_problem(LeducNoLimit(stack=7), pot_fractions(1), 1)
    assert not problem.tree.is_linear_in_plan
    with pytest.raises(StrategyError, match="forced calls"):
        problem.lowest(RAND_PSHAR)


def test_keeping_every_bet_changes_nothing() -> None:
    rules = LeducNoLimit(stack=5)
    problem = translation_problem(rules, lambda node: [node.moves[k] for k in node.bets], 1)
    assert problem.tree.translator.num_infosets == 0
    assert problem.exploitability(problem.strategy(RAND_PSHAR)) == pytest.approx(0, abs=1e-9)


def test_abstractions_keep_cards_payoffs_and_keys() -> None:
    rules = LeducNoLimit(stack=12)
    abstract = AbstractRules(rules, pot_fractions(1))
    game = compile_rules(abstract)
    assert {len(m) for m in game.move_sets if "fold" in m} <= {2, 3, 4}
    full = set(compile_rules(rules).infoset_keys)
    assert set(game.infoset_keys) <= full
    assert [m.label for m in abstract.root.moves] == ["check", "bet 2", "bet 11"]  # the pot is 2, the stack 11 more


# -- exploitability ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stack", [1, 3, 10, 50])
def test_zero_in_the_clairvoyance_game(stack: int) -> None:
    problem = translation_problem(Clairvoyance(stack), pot_fractions(1), 1)
    calls = {"fold": lambda x: x / (1 + x), "call": lambda x: 1 / (1 + x)}  # thesis §7.5
    table = {}
    for key, actions in zip(problem.tree.abstract.infosets, problem.tree.abstract.actions, strict=True):
        x = float(str(key[1]).removeprefix("bet "))  # type: ignore[index]
        table[problem.abstract.describe(key)] = {a: calls[a](x) for a in actions}
    equilibrium = Strategy.from_table(problem.tree.abstract, table)
    best = problem.best_translation(equilibrium)
    assert best.exploitability(problem.value) == pytest.approx(0, abs=1e-9)
    assert problem.exploitability(problem.strategy(RAND_PSHAR, equilibrium)) == pytest.approx(0, abs=1e-9)


# Thesis, Table 7.3, stack 3: the cells whose value does not depend on the choice of equilibrium.
@pytest.mark.parametrize(
    ("name", "printed"), [("Rand-Arith", 0.055), ("Rand-Geo-1", 0.121), ("Rand-Geo-2", 0.121), ("Rand-psHar", 0.029)]
)
def test_table_7_3(name: str, printed: float) -> None:
    problem = translation_problem(KuhnNoLimit(3), pot_fractions(1), 1)
    mapping = next(m for m in MAPPINGS if m.name == name)
    assert problem.exploitability(problem.strategy(mapping)) == pytest.approx(printed, abs=0.0005)
    interval = problem.attainable(mapping)
    assert interval.high - interval.low < 1e-6


def test_the_choice_of_equilibrium_explains_a_cell() -> None:
    """Table 7.3 prints 0.244 for Det-Arith at n = 5; the default equilibrium gives less, some equilibrium gives it."""
    problem = translation_problem(KuhnNoLimit(5), pot_fractions(1), 1)
    mapping = MAPPINGS[0]
    spans = [problem.attainable(v) for v in problem.tree.tie_variants(mapping)]
    assert any(s.contains(0.244, tolerance=0.0005) for s in spans)
    assert problem.exploitability(problem.strategy(mapping)) < 0.24


@pytest.mark.parametrize("rules", [KuhnNoLimit(4), LeducNoLimit(6)], ids=lambda r: r.name)
@pytest.mark.parametrize("player", [0, 1])
def test_the_optimum_is_certified_from_both_sides(rules: Any, player: int) -> None:
    problem = translation_problem(rules, pot_fractions(1), player)
    best = problem.best_translation()
    own = Strategy(problem.tree.full, problem.tree.full.behavior(best.plan))
    measured = problem.exploitability(own)
    assert measured == pytest.approx(best.exploitability(problem.value), abs=1e-8)  # no worse than claimed
    # no translation does better against the nemesis
    gradient = problem.tree.realised(problem.equilibrium.floats).T @ problem.full_form.gradient(player, best.nemesis)
    most = problem.tree.translator.best_response(gradient).value
    assert problem.own_value - most == pytest.approx(measured, abs=1e-8)
    for mapping in MAPPINGS:
        assert problem.exploitability(problem.strategy(mapping)) >= measured - 1e-9


@pytest.mark.parametrize("seed", range(110))
def test_no_mapping_beats_the_program_in_random_games(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rules = random_single_bet(rng)
    all_sizes = list(rules.bets.values())
    sizes = [all_sizes[k] for k in rng.permutation(len(all_sizes))[:2]]
    problem = translation_problem(rules, pot_fractions(*sizes), 1)
    abstract = Strategy(problem.tree.abstract, random_behavior(problem.tree.abstract, rng))
    best = problem.best_translation(abstract)
    optimum = problem.exploitability(Strategy(problem.tree.full, problem.tree.full.behavior(best.plan)))
    assert optimum == pytest.approx(best.exploitability(problem.value), abs=1e-7)
    for mapping in MAPPINGS:
        assert problem.exploitability(problem.strategy(mapping, abstract)) >= optimum - 1e-8
    for _ in range(3):
        reading = random_behavior(problem.tree.translator, rng)
        assert problem.exploitability(problem.strategy(reading, abstract)) >= optimum - 1e-8


def test_a_wrong_matrix_would_be_noticed() -> None:
    """The program trusts M; the best response on the tree does not."""
    problem = translation_problem(KuhnNoLimit(3), pot_fractions(1), 1)
    matrix = problem.tree.realised(problem.equilibrium.floats)
    wrong = matrix.copy()
    wrong.data = wrong.data[::-1].copy()
    best = optimal_translation.solve(problem.full_form, wrong, problem.tree.translator, player=1)
    own = Strategy(
        problem.tree.full,
        problem.tree.behavior(problem.equilibrium.floats, problem.tree.translator.behavior(best.readings)),
    )
    assert abs(problem.exploitability(own) - best.exploitability(problem.value)) > 1e-3


# -- bet sizes --------------------------------------------------------------------------------------------------------


def test_table_7_5_at_stack_3() -> None:
    """Thesis, Table 7.5, n = 3; the randomised mappings' optima do not hang on the choice of equilibrium."""
    printed = {"Rand-Arith": "1/2", "Rand-psHar": "2/5", "Det-Arith": "2/5", "Det-Geo": "1/5"}
    table = bet_sizes(KuhnNoLimit(3))
    for name, size in printed.items():
        mapping = next(m for m in MAPPINGS if m.name == name)
        assert table.can_be_best(mapping, Fraction(size))
        if name.startswith("Rand"):
            assert table.best(mapping) == Fraction(size)
            assert not table.can_be_best(mapping, Fraction(2))
    with pytest.raises(ParameterError, match="not among the sizes"):
        table.can_be_best(MAPPINGS[0], Fraction(1, 7))


# -- errors -----------------------------------------------------------------------------------------------------------


def test_games_without_a_view_and_bad_arguments_are_refused() -> None:
    with pytest.raises(UnsupportedGameError, match="betting view"):
        betting_view(Kuhn())
    with pytest.raises(ParameterError, match="larger than 0"):
        pot_fractions(0)
    problem = translation_problem(KuhnNoLimit(2), pot_fractions(1), 1)
    with pytest.raises(ParameterError, match="matrix of realised plans"):
        optimal_translation.build(problem.full_form, np.zeros((2, 2)), problem.tree.translator, player=1)


def test_limit_games_have_a_view_too() -> None:
    view = betting_view(Leduc())
    assert not any(m.all_in for node in view.nodes() for m in node.moves)
