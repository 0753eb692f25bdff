"""Which hands count: the proofs of §10.6, their counterexample, and what duplicate dealing does to them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from equiform.endgames.card_blueprint import card_blueprint
from equiform.endgames.cut import Cut, after_moves, cut
from equiform.endgames.methods import resolve
from equiform.games.registry import load_game
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.compile import compile_rules
from equiform.models.evaluation import expected_payoffs
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import TERMINAL
from equiform.play.endgame_estimators import COUPLINGS, PairedHands, expected_estimates, play_pairs
from equiform.play.seat import take_seat


class TwoSequences:
    """Proposition 12: the opponent opens with A or B, then the agent, player 2, is careful or bold."""

    name, players = "two sequences", ("player 1", "player 2")

    def initial(self) -> str:
        return ""

    def turn(self, state: str) -> int:
        return TERMINAL if len(state) == 2 else len(state)

    def actions(self, state: str) -> Sequence[str]:
        return "cb" if state else "AB"

    def probabilities(self, state: str) -> Sequence[Fraction]:
        return ()

    def next(self, state: str, action: str) -> str:
        return state + action

    def payoffs(self, state: str) -> Sequence[int]:
        win = {"Ac": 1, "Ab": 0, "Bc": 0, "Bb": 200}[state]
        return -win, win

    def infoset(self, state: str) -> str:
        return state

    def describe(self, key: str) -> str:
        return f"after {key}" if key else "to open"


def test_proposition_12() -> None:
    """A is opened 99 times in 100. Boldness gains on the whole and loses on hands that reach the same endgame."""
    game = compile_rules(TwoSequences())
    parts = cut(game, after_moves(game, 1))
    assert parts.num_endgames == 2
    opening = np.array([1.0, 0.99, 0.01])
    careful, bold = np.array([1.0, 1, 0, 1, 0]), np.array([1.0, 0, 1, 0, 1])
    found = expected_estimates(parts, (careful, bold), opening, player=1, coupling="independent")
    assert found["all"] == pytest.approx(-0.99 + 0.01 * 200)
    assert found["both"] == pytest.approx(found["all"])
    # one B for every 9,801 A (the thesis prints 9,802)
    assert pytest.approx(9801) == 0.99**2 / 0.01**2
    assert found["same"] == pytest.approx((-9801 + 200) / 9802)
    assert found["same"] < 0 < found["all"]


def leduc_pair() -> tuple[Cut, tuple[FloatArray, FloatArray], FloatArray, ExtensiveGame]:
    game = load_game("leduc")
    assert isinstance(game, ExtensiveGame)
    blueprint = card_blueprint(game, ((0, 0, 1), (0, 1, 1)))
    old = blueprint.strategies[0].floats
    new = resolve(blueprint, "unsafe", player=0).strategy.floats
    return blueprint.cut, (old, new), blueprint.strategies[1].floats, game


def test_proposition_13_needs_independent_hands() -> None:
    """With independent hands both = truth; with the same cards it is not, and counting each hand alone is."""
    parts, versions, opponent, game = leduc_pair()
    worth = [float(expected_payoffs(game, [v, opponent])[0]) for v in versions]
    independent = expected_estimates(parts, versions, opponent, player=0, coupling="independent")
    cards = expected_estimates(parts, versions, opponent, player=0, coupling="cards")
    reach = (worth[1] - worth[0]) / independent["all"]
    assert 0.0 < reach < 1.0  # the truth is the whole difference per hand that reaches an endgame
    assert independent["both"] == pytest.approx(independent["all"], abs=1e-12)
    assert independent["same"] != pytest.approx(independent["all"], abs=1e-3)
    assert cards["each"] == pytest.approx(independent["all"], abs=1e-12)
    assert cards["both"] != pytest.approx(cards["all"], abs=1e-3)


@pytest.mark.parametrize("coupling", sorted(COUPLINGS))
def test_samples_tend_to_their_expectations(coupling: str) -> None:
    parts, versions, opponent, game = leduc_pair()
    seat = take_seat(game)
    expected = expected_estimates(parts, versions, opponent, player=0, coupling=coupling)
    played = play_pairs(parts, seat, versions, opponent, hands=20_000, seed=3, coupling=coupling)
    for name, value in expected.items():
        found = played.estimate(name)
        assert abs(found.mean - value) < 2.5 * found.half_width, name  # five standard errors
    again = play_pairs(parts, seat, versions, opponent, hands=20_000, seed=3, coupling=coupling)
    assert (again.payoffs == played.payoffs).all()


def test_common_draws_narrow_the_interval_most() -> None:
    """Leaving out hands that end in the trunk takes out luck; but a pair counts only if both reach an endgame."""
    parts, versions, opponent, game = leduc_pair()
    seat = take_seat(game)
    apart, common = (
        play_pairs(parts, seat, versions, opponent, hands=20_000, seed=4, coupling=c) for c in ("independent", "common")
    )
    width = {name: apart.estimate(name).half_width for name in ("all", "each", "both")}
    assert width["each"] < width["all"]
    assert width["each"] < width["both"]  # half of all hands reach an endgame here, a quarter of all pairs
    assert common.estimate("all").half_width < 0.7 * width["each"]


def test_refusals() -> None:
    nothing = PairedHands(np.zeros((2, 3)), np.full((2, 3), -1))
    with pytest.raises(ParameterError, match="no pair"):
        nothing.estimate("both")
    with pytest.raises(ParameterError, match="no hand"):
        nothing.estimate("all")
    with pytest.raises(ParameterError, match="estimator"):
        nothing.estimate("mine")
