"""The ex post check of tournaments: the same ε as the solver's, by other code; and §9.4's trap."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.games.tournament.deals import one_card_deals
from equiform.games.tournament.game import forced_all_in, jam_fold_tournament, tournament_outcomes
from equiform.games.tournament.structure import Tournament
from equiform.models.common.errors import CertificateError, ParameterError, StrategyError
from equiform.solvers_iterative import Until
from equiform.solvers_iterative.stochastic import Interleaved, ViFp, best_responses
from equiform.validation.certificates.tournament import certify_tournament
from tests.helpers.refusals import refusal

SMALL = Tournament(900, 100, 200, (50, 30, 20), 100)
CARDS = one_card_deals(4)
VARIANTS = {
    "plain": SMALL,
    "ante": Tournament(900, 100, 200, (50, 30, 20), 100, ante=100),
    "shared": Tournament(800, 100, 200, (50, 30, 20), 100, double_bust="shared"),
    "better hand": Tournament(800, 100, 200, (60, 30, 10), 100, double_bust="better-hand", odd_chip="first-seat"),
    "equal blinds": Tournament(800, 200, 200, (50, 30, 20), 100),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_solver_and_check_agree(variant: str) -> None:
    """Two settlements, two summations, two linear algebras: one ε, for a profile far from any equilibrium."""
    tournament = VARIANTS[variant]
    game = jam_fold_tournament(tournament, CARDS)
    rng = np.random.default_rng(7)
    profile = tuple(np.where(s == 1, 1.0, rng.random(len(s))) for s in game.start())
    ours, check = best_responses(game, profile), certify_tournament(tournament, CARDS.orders, profile)
    assert check.values == pytest.approx(ours.values) and check.best_values == pytest.approx(ours.best_values)
    assert check.epsilon == pytest.approx(ours.epsilon) and check.epsilon > 0.5
    assert check.values.sum(axis=1) == pytest.approx(np.full(len(check.values), sum(tournament.payouts)))


def test_two_players() -> None:
    tournament = Tournament(1000, 100, 200, (1, 0), 100, players=2)
    cards = one_card_deals(5, players=2)
    game = jam_fold_tournament(tournament, cards)
    run = Interleaved(game, values=tournament.icm_values())
    run.run(Until(iterations=200), checkpoint_every=200)
    assert run.measured is not None
    check = certify_tournament(tournament, cards.orders, run.profile)
    assert check.values == pytest.approx(run.measured.values)
    assert check.epsilon == pytest.approx(run.measured.epsilon) and check.epsilon < 0.01


def test_everybody_folds_for_ever() -> None:
    """§9.4: values of $100 everywhere keep VI-FP where nobody plays a hand; the check refuses that profile."""
    game = jam_fold_tournament(SMALL, CARDS)
    run = ViFp(game, values=np.full((28, 3), 100.0))
    run.step()
    run.step()
    refusal(
        CertificateError,
        lambda: certify_tournament(SMALL, CARDS.orders, run.profile).require(0.05),
        "not an equilibrium",
        "stacks",
    )


def test_solver_and_check_settle_alike() -> None:
    """Every outcome of every state: prizes and next stacks, by layers here and by caps there."""
    from equiform.validation.certificates.tournament import _Process

    for tournament in VARIANTS.values():
        game = jam_fold_tournament(tournament, CARDS)
        process = _Process(tournament, CARDS.orders, game.start())
        outcomes = tournament_outcomes(tournament)
        assert outcomes.rewards == pytest.approx(process.prizes.reshape(-1, 3))
        moves = np.zeros(outcomes.successors.shape)
        for (s, o), to, chance in zip(process.link_from, process.link_to, process.link_chance, strict=True):
            for seat in range(3):
                moves[(s * 25 + o) * 3 + seat, to * 3 + (seat - 1) % 3] += chance
        assert outcomes.successors.toarray() == pytest.approx(moves)


def test_bad_profiles() -> None:
    game = jam_fold_tournament(SMALL, CARDS)
    profile = list(game.start())
    refusal(
        ParameterError, lambda: certify_tournament(SMALL, CARDS.orders, [profile[0] * 3, *profile[1:]]), "entry 1.5"
    )
    refusal(ParameterError, lambda: certify_tournament(SMALL, CARDS.orders, [p[:5] for p in profile]), "of shape (5,)")
    assert forced_all_in(SMALL)[:, 1].any()
    refusal(
        StrategyError,
        lambda: certify_tournament(SMALL, CARDS.orders, [p * 0.5 for p in profile]),
        "all in from the blinds",
    )
