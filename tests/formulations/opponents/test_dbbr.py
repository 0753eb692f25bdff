"""Opponent models from public frequencies: histories, posteriors and the three ways to fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiform.formulations.opponents import dbbr_l1, dbbr_l2
from equiform.formulations.opponents.opponent_model import (
    Fit,
    FrequencyProblem,
    bucket_posteriors,
    fit_opponent,
    posterior_actions,
    public_frequencies,
    shift_weights,
)
from equiform.formulations.optimization.backends import available
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.extensive import ExtensiveGame
from equiform.models.public_histories import PublicHistories, public_histories
from equiform.models.sequence_form import sequence_form
from tests.helpers.games import tree

GAMES = ["kuhn", "leduc", "leduc-nl:stack=5"]
FITS: dict[str, Fit] = {"weights": shift_weights, "l1": dbbr_l1.behavior, "l2": dbbr_l2.behavior}


def equilibrium(game: ExtensiveGame) -> list[FloatArray]:
    return [s.floats for s in sequence_form_lp.solve(sequence_form(game)).strategies if s is not None]


@pytest.fixture(scope="module", params=GAMES)
def case(request: pytest.FixtureRequest) -> tuple[ExtensiveGame, list[FloatArray]]:
    game = tree(request.param)
    return game, equilibrium(game)


def random_counts(view: PublicHistories, seed: int) -> FloatArray:
    """Some histories seen often, some never."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 40, view.num_slots).astype(float)
    silent = rng.random(view.num_histories) < 0.3
    counts[np.repeat(silent, np.diff(view.start))] = 0.0
    return counts


class TestPublicHistories:
    def test_kuhn(self) -> None:
        view = public_histories(tree("kuhn"), 0)
        assert view.labels == ("", "check–bet")
        assert view.actions == (("check", "bet"), ("fold", "call"))
        assert view.level.tolist() == [0, 1]
        assert np.bincount(view.history_of).tolist() == [3, 3]
        assert view.slot("check–bet", "call") == 3
        with pytest.raises(UnsupportedGameError, match="no public move"):
            view.slot("bet", "call")

    @pytest.mark.parametrize(("grouping", "count"), [("public", 48), ("moves", 18)])
    def test_leduc_has_a_history_per_board_unless_boards_are_merged(self, grouping: str, count: int) -> None:
        """Three buckets behind each betting history of a round; nine where boards are merged."""
        for player in (0, 1):
            assert public_histories(tree("leduc"), player, grouping).num_histories == count
        view = public_histories(tree("leduc"), 1, grouping)
        sizes = dict(zip(view.labels, np.bincount(view.history_of).tolist(), strict=True))
        assert sizes["check"] == 3
        if grouping == "public":
            assert sizes["bet–call–Q–check"] == 3
        else:
            assert sizes["bet–call–check"] == 9

    def test_the_board_is_part_of_the_history(self) -> None:
        view = public_histories(tree("leduc:ranks=4"), 1)
        boards = {label.split("–")[2] for label in view.labels if label.startswith("bet–call–")}
        assert boards == {"J", "Q", "K", "A"}

    def test_bucket_weights_are_what_chance_deals(self) -> None:
        view = public_histories(tree("kuhn"), 1)
        assert view.bucket_weights() == pytest.approx(np.full(6, 1 / 3))
        ours = np.zeros(13)
        ours[0] = 1.0
        treeplex = tree("kuhn").treeplexes[0]
        for card in "JQK":  # we bet kings only
            ours[treeplex.sequence(f"holding {card}, to open", "bet" if card == "K" else "check")] = 1.0
        weights = dict(zip([view.treeplex.infoset_label(h) for h in range(6)], view.bucket_weights(ours), strict=True))
        assert weights["holding J, after bet"] == pytest.approx(1 / 6)
        assert weights["holding K, after bet"] == 0.0
        assert weights["holding K, after check"] == pytest.approx(1 / 3)

    def test_counts_of_played_hands(self) -> None:
        game = tree("kuhn")
        view = public_histories(game, 1)
        wanted = [n for n in game.terminals.tolist() if game.path(n) in ("JQ > bet > call", "KQ > check > bet > fold")]
        counts = view.counts(np.array(wanted * 3))
        expected = np.zeros(view.num_slots)
        expected[view.slot("bet", "call")] = expected[view.slot("check", "bet")] = 3
        assert counts.tolist() == expected.tolist()
        everything = view.counts(game.terminals)
        assert everything.sum() == sum(game.path(n).count(" > ") >= 2 for n in game.terminals.tolist())

    def test_counts_of_a_log_are_those_of_the_leaves(self) -> None:
        """A log is what a leaf's path says, without chance; hands that break off count as far as they went."""
        game = tree("leduc")
        chance = {m for k in np.unique(game.move_set[game.turn == -1]).tolist() for m in game.move_sets[k]}
        leaves = np.random.default_rng(3).choice(game.terminals, 50)
        paths = [game.path(n).split(" > ")[1:] for n in leaves.tolist()]  # without the private deal
        logs = {"public": paths, "moves": [[m for m in path if m not in chance] for path in paths]}
        for player in (0, 1):
            for grouping, log in logs.items():
                view = public_histories(game, player, grouping)
                assert view.count_moves(log).tolist() == view.counts(leaves).tolist()
                assert view.count_moves([["check"]]).sum() == 1 - player
        with pytest.raises(ParameterError, match="'call' cannot follow 'bet–raise–call–bet–call'"):
            view.count_moves([["check"], ["bet", "raise", "call", "bet", "call", "call"]])
        with pytest.raises(ParameterError, match=r"'bet' cannot follow 'check–check'.*public moves of chance"):
            public_histories(game, 0).count_moves([["check", "check", "bet"]])

    def test_hidden_moves_are_refused(self) -> None:
        with pytest.raises(UnsupportedGameError, match="hidden"):
            public_histories(tree("rps-sequential"), 1)


class TestPosteriors:
    def test_equation_12_1(self) -> None:
        view = public_histories(tree("kuhn"), 1)
        prior = np.array([0.5, 0.5, 0.75, 0.25])
        counts = np.array([3.0, 12.0, 0.0, 0.0])
        alpha = posterior_actions(view, prior, counts, prior_plays=5)
        assert alpha == pytest.approx([(2.5 + 3) / 20, (2.5 + 12) / 20, 0.75, 0.25])
        assert posterior_actions(view, prior, counts, prior_plays=0) == pytest.approx([0.2, 0.8, 0.75, 0.25])
        with pytest.raises(ParameterError, match="counts"):
            posterior_actions(view, prior, -counts)

    def test_algorithm_20(self) -> None:
        """Player 1 of Kuhn poker checks J, Q, K with 1, 1/2, 0: facing a bet, the buckets weigh 2 : 1 : 0."""
        game = tree("kuhn")
        view, treeplex = public_histories(game, 0), game.treeplexes[0]
        behavior = treeplex.uniform()
        for card, check in (("J", 1.0), ("Q", 0.5), ("K", 0.0)):
            behavior[treeplex.sequence(f"holding {card}, to open", "check")] = check
            behavior[treeplex.sequence(f"holding {card}, to open", "bet")] = 1 - check
        beta = bucket_posteriors(view, treeplex.realization(behavior), view.bucket_weights())
        by_label = {treeplex.infoset_label(h): beta[h] for h in range(treeplex.num_infosets)}
        assert by_label["holding J, to open"] == pytest.approx(1 / 3)
        assert by_label["holding J, after check–bet"] == pytest.approx(2 / 3)
        assert by_label["holding Q, after check–bet"] == pytest.approx(1 / 3)
        assert by_label["holding K, after check–bet"] == 0.0


@pytest.mark.parametrize("variant", list(FITS))
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("with_our_plan", [False, True])
def test_models_explain_what_was_seen(
    case: tuple[ExtensiveGame, list[FloatArray]], variant: str, player: int, with_our_plan: bool
) -> None:
    """The model's public frequencies are the posterior ones, at every history."""
    game, profile = case
    view = public_histories(game, player)
    ours = game.treeplexes[1 - player].realization(game.treeplexes[1 - player].uniform()) if with_our_plan else None
    model = fit_opponent(view, profile[player], random_counts(view, 1), FITS[variant], others_plan=ours)
    behavior = model.strategy.floats
    view.treeplex.check_behavior(behavior)
    beta = bucket_posteriors(view, model.strategy.plan, view.bucket_weights(ours))
    assert np.abs(public_frequencies(view, beta, behavior) - model.actions).max() < 1e-9


def test_without_observations_the_model_is_the_equilibrium(case: tuple[ExtensiveGame, list[FloatArray]]) -> None:
    game, profile = case
    view = public_histories(game, 1)
    for fit in FITS.values():
        model = fit_opponent(view, profile[1], np.zeros(view.num_slots), fit)
        assert np.abs(model.strategy.floats - profile[1]).max() < 1e-6


def problems(case: tuple[ExtensiveGame, list[FloatArray]], seed: int) -> list[FrequencyProblem]:
    game, profile = case
    found: list[FrequencyProblem] = []
    for player in (0, 1):
        view = public_histories(game, player)
        found += fit_opponent(view, profile[player], random_counts(view, seed)).problems
    return found


class TestPrograms:
    @pytest.mark.parametrize("backend", ["highs", "scipy", "cbc", "clarabel"])
    def test_l1_agrees_across_backends(self, case: tuple[ExtensiveGame, list[FloatArray]], backend: str) -> None:
        if backend not in available():
            pytest.skip(f"{backend} is not installed")
        for problem in problems(case, 2):
            reference = dbbr_l1.solve(problem, solver=SolverOptions("highs"))
            found = dbbr_l1.solve(problem, solver=SolverOptions(backend))
            assert found.distance == pytest.approx(reference.distance, abs=1e-7)
            assert problem.l1(found.x) == pytest.approx(reference.distance, abs=1e-7)
            assert found.residual < 1e-9

    @pytest.mark.parametrize("backend", ["piqp", "highs"])
    def test_l2_agrees_across_backends(self, case: tuple[ExtensiveGame, list[FloatArray]], backend: str) -> None:
        if not {backend, "clarabel"} <= set(available()):
            pytest.skip(f"{backend} or clarabel is not installed")
        for problem in problems(case, 3):
            reference = dbbr_l2.solve(problem, solver=SolverOptions("clarabel"))
            found = dbbr_l2.solve(problem, solver=SolverOptions(backend))
            assert found.distance == pytest.approx(reference.distance, abs=1e-7)
            assert found.solution.objective == pytest.approx(reference.distance, abs=1e-7)  # before polishing
            assert problem.l2(found.x) == pytest.approx(reference.distance, abs=1e-12)
            assert found.residual < 1e-9

    def test_each_program_is_best_at_its_own_distance(self, case: tuple[ExtensiveGame, list[FloatArray]]) -> None:
        for seed in range(3):
            for problem in problems(case, seed):
                shifted = shift_weights(problem)
                assert problem.residual(shifted) < 1e-12
                l1, l2 = dbbr_l1.solve(problem), dbbr_l2.solve(problem)
                assert problem.l1(shifted) >= l1.distance - 1e-9
                assert problem.l1(l2.x) >= l1.distance - 1e-9
                assert problem.l2(shifted) >= l2.distance - 1e-9
                assert problem.l2(l1.x) >= l2.distance - 1e-9


def one_history(weights: list[float], prior: list[list[float]], target: list[float]) -> FrequencyProblem:
    moves = len(target)
    return FrequencyProblem(
        weights=np.array(weights),
        prior=np.array(prior, dtype=float).ravel(),
        start=np.arange(0, moves * len(weights) + 1, moves),
        slot=np.tile(np.arange(moves), len(weights)),
        target=np.array(target),
        first_bucket=np.array([0, len(weights)]),
    )


class TestWeightShifting:
    def test_the_example_of_the_thesis(self) -> None:
        """Equilibrium raises 50%, the opponent 30%: the worst of the raising hands leave the range first (§12.2)."""
        prior = [[1 - p, p] for p in (0.0, 0.2, 0.4, 0.9, 1.0)]
        problem = one_history([0.2] * 5, prior, [0.7, 0.3])
        raises = shift_weights(problem).reshape(5, 2)[:, 1]
        # 0.2 and 0.4 leave altogether, then 0.4 of the next
        assert raises == pytest.approx([0.0, 0.0, 0.0, 0.5, 1.0])

    def test_too_many_raises_fill_the_best_buckets(self) -> None:
        problem = one_history([0.5, 0.25, 0.25], [[0.7, 0.1, 0.2], [0.1, 0.3, 0.6], [0.4, 0.5, 0.1]], [0.3, 0.2, 0.5])
        x = shift_weights(problem).reshape(3, 3)
        assert x[1] == pytest.approx([0.0, 0.0, 1.0])  # plays it most already: filled first, least played move first
        assert problem.residual(x.ravel()) < 1e-15
        # the rest of the missing 0.225 - 0.25 * 0.4 = 0.125 comes from the next bucket, its rarest move first
        assert x[0, 2] == pytest.approx(0.2 + 0.125 / 0.5)

    @settings(max_examples=150, deadline=None)
    @given(st.integers(1, 6), st.integers(2, 5), st.integers(0, 10**6))
    def test_always_feasible(self, buckets: int, moves: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        weights = rng.dirichlet(np.ones(buckets))
        prior = rng.dirichlet(np.full(moves, 0.3), size=buckets)
        problem = one_history(weights.tolist(), prior.tolist(), rng.dirichlet(np.full(moves, 0.5)).tolist())
        assert problem.residual(shift_weights(problem)) < 1e-9


def test_a_best_response_to_the_model_beats_the_opponent_it_saw() -> None:
    """Against the uniform player of Leduc, whose public play is known, every variant wins more than equilibrium."""
    game = tree("leduc")
    form = sequence_form(game)
    profile = equilibrium(game)
    opponent = game.treeplexes[1]
    uniform = opponent.realization(opponent.uniform())
    view = public_histories(game, 1)
    seen = public_frequencies(view, bucket_posteriors(view, uniform, view.bucket_weights()), opponent.uniform())
    from_equilibrium = form.value(game.treeplexes[0].realization(profile[0]), uniform)
    for fit in FITS.values():
        model = fit_opponent(view, profile[1], 1000 * seen, fit)
        response = form.best_response(0, model.strategy.plan).plan
        assert form.value(response, uniform) > from_equilibrium + 0.05


@pytest.mark.parametrize("fit", FITS.values(), ids=list(FITS))
def test_public_cards_in_the_histories_find_an_opponent_who_plays_the_board(fit: Fit) -> None:
    """Whatever he holds, he folds to bets on a king and calls them on other boards: frequencies per board say it all.

    With boards merged the same counts describe somebody who folds a third of the time everywhere.
    """
    game = tree("leduc")
    form = sequence_form(game)
    profile = equilibrium(game)
    opponent = game.treeplexes[1]
    behavior = opponent.uniform()
    for h in range(opponent.num_infosets):
        moves = opponent.actions[h]
        king = "board K" in opponent.infoset_label(h)
        wanted = ("fold" if king else "call") if "fold" in moves else moves[0]
        for k, move in enumerate(moves):
            behavior[opponent.start[h] + k] = float(move == wanted)
    plan = opponent.realization(behavior)
    best = form.value(form.best_response(0, plan).plan, plan)
    earned = {}
    for grouping in ("public", "moves"):
        view = public_histories(game, 1, grouping)
        seen = public_frequencies(view, bucket_posteriors(view, plan, view.bucket_weights()), behavior)
        model = fit_opponent(view, profile[1], 1e9 * seen, fit)
        earned[grouping] = form.value(form.best_response(0, model.strategy.plan).plan, plan)
    assert earned["public"] == pytest.approx(best, abs=1e-6)
    assert earned["moves"] < best - 0.1
