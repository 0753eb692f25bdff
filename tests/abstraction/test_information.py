"""Merging information sets, lifting strategies, and the 24 abstract equilibria of Leduc."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.abstraction.cards.build import build_abstraction
from equiform.abstraction.cards.card_view import card_view as card_view_of
from equiform.abstraction.cards.leduc_cards import (
    ABSTRACTIONS,
    abstract_equilibria,
    abstract_equilibrium,
    attainable_gains,
    card_view,
    leduc_abstraction,
)
from equiform.abstraction.information_abstraction import abstract_information
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.games.cards.one_card import KUHN, LEDUC
from equiform.games.poker.kuhn import Kuhn
from equiform.games.poker.leduc import Leduc
from equiform.models.common.errors import ActionMismatchError, ImperfectRecallError, ParameterError, StrategyError
from equiform.models.compile import compile_rules
from equiform.models.evaluation import evaluate
from equiform.models.sequence_form import sequence_form
from equiform.solvers_iterative.progress import Until
from equiform.solvers_iterative.regret.tree_cfr import TreeCFR


def test_the_identity_changes_nothing() -> None:
    game = compile_rules(Leduc())
    same = abstract_information(game, lambda player, key: key)
    assert same.abstract.num_infosets == game.num_infosets
    uniform = [t.uniform() for t in game.treeplexes]
    for p in (0, 1):
        np.testing.assert_array_equal(same.lift(p, uniform[p]), uniform[p])
    assert sequence_form_lp.solve(same.sequence_form).value == pytest.approx(
        sequence_form_lp.solve(sequence_form(game)).value, abs=1e-9
    )


def test_lifted_strategies_earn_what_they_earn_in_the_abstract_game() -> None:
    """Same tree, same play: the expected payoff of a profile cannot change by lifting."""
    abstraction = leduc_abstraction("JQ.K", "J.QK")
    result = sequence_form_lp.solve(abstraction.sequence_form)
    behaviors = [s.floats for s in result.strategies if s is not None]
    measured = abstraction.evaluate(behaviors)
    assert measured.payoffs[0] == pytest.approx(result.value, abs=1e-7)
    for p, behavior in enumerate(behaviors):
        abstraction.full.treeplexes[p].check_behavior(abstraction.lift(p, behavior))


def test_infosets_of_the_five_abstractions() -> None:
    """Groups before the public card, groups times (pair or not) after it; each betting has 6 decisions, then 5 x 6."""
    ends = 5  # check-check, bet-call, check-bet-call, bet-raise-call, check-bet-raise-call
    for name in ABSTRACTIONS:
        groups = 3 if name == "full" else len(name.split("."))
        after = 9 if name == "full" else 2 * groups
        assert leduc_abstraction(name, name).abstract.num_infosets == 6 * (groups + ends * after)


def test_the_24_abstract_equilibria() -> None:
    """No strategy beats an equilibrium; assuming an opponent who sees everything is the least exploitable."""
    found = {(e.own, e.assumed): e for e in abstract_equilibria()}
    assert len(found) == 24
    for e in found.values():
        assert e.against_equilibrium <= 1e-9
        assert e.exploitability >= -e.against_equilibrium - 1e-9  # a best responder does no worse than an equilibrium
    for own in ABSTRACTIONS[:-1]:
        # its program minimises real exploitability over all strategies with the player's own view
        floor = found[own, "full"].exploitability
        for assumed in ABSTRACTIONS[:-1]:
            assert found[own, assumed].exploitability >= floor - 1e-7
    # a finer view of one's own cards can only help against an opponent who sees everything
    assert found["J.Q.K", "full"].exploitability <= found["JQ.K", "full"].exploitability + 1e-7
    assert found["JQ.K", "full"].exploitability <= found["JQK", "full"].exploitability + 1e-7


def test_the_solvers_choice_lies_in_the_range_of_all_abstract_equilibria() -> None:
    for pair in (("JQK", "JQK"), ("full", "JQK"), ("J.Q.K", "J.Q.K")):
        found, gains = abstract_equilibrium(*pair), attainable_gains(*pair)
        assert gains.low - 1e-6 <= found.against_equilibrium <= gains.high + 1e-6
        assert gains.high <= 1e-6
    # against an opponent thought blind, equilibria of one abstract game differ widely in the real one
    wide, narrow = attainable_gains("full", "JQK"), attainable_gains("J.Q.K", "J.Q.K")
    assert wide.high - wide.low > 10 * (narrow.high - narrow.low)


def test_forgetful_abstractions_go_to_cfr() -> None:
    """After the public card only the pair is remembered, not the private group: imperfect recall."""
    game = compile_rules(Leduc())

    def forget(_player: int, key: tuple[int, int, str]) -> object:
        card, board, history = key
        return key if board < 0 else (card == board, history)

    forgetful = abstract_information(game, forget)
    with pytest.raises(ImperfectRecallError):
        _ = forgetful.sequence_form
    solver = TreeCFR(forgetful.abstract, "cfr+")
    solver.run(Until(iterations=200))
    measured = forgetful.evaluate(solver.average_behaviors)
    blind = evaluate(game, [t.uniform() for t in game.treeplexes])
    assert measured.exploitability < 0.5 * blind.exploitability


def test_nonsense_is_refused() -> None:
    game = compile_rules(Kuhn())
    with pytest.raises(ActionMismatchError, match="different moves"):
        abstract_information(game, lambda player, key: None)
    with pytest.raises(ParameterError, match="abstraction"):
        card_view("Q.K", (0, -1, ""))
    with pytest.raises(StrategyError):
        abstract_information(game, lambda player, key: key).lift(0, np.ones(3))


@pytest.mark.parametrize("method", ["expectation", "potential"])
def test_buckets_of_any_method_make_a_game(method: str) -> None:
    """More buckets never hurt the least exploitable strategy; remembering makes any abstraction solvable by LP."""
    game = compile_rules(Leduc())
    worth = []
    for buckets in ((1, 2), (3, 7)):
        rounds = build_abstraction("leduc", method, buckets).rounds
        mine = card_view_of(LEDUC, [r.labels for r in rounds], remember=True)
        # only player 1 is abstracted: the program minimises real exploitability over what that player can express
        half = abstract_information(game, lambda player, key, mine=mine: mine(0, key) if player == 0 else key)  # type: ignore[misc]
        worth.append(sequence_form_lp.solve(half.sequence_form).value)
    assert worth[0] < worth[1] - 1e-6
    assert worth[1] <= sequence_form_lp.solve(sequence_form(game)).value + 1e-7


def test_buckets_that_tell_suits_apart_are_refused() -> None:
    labels = np.arange(LEDUC.indexer.sizes[1])
    with pytest.raises(ParameterError, match="suits"):
        card_view_of(LEDUC, [np.zeros(3), labels])
    with pytest.raises(ParameterError, match="hand classes"):
        card_view_of(LEDUC, [np.zeros(2), labels])
    with pytest.raises(ParameterError, match="one public"):
        card_view_of(KUHN, [np.zeros(3)])
