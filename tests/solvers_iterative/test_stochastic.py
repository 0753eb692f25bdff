"""Stochastic games with known solutions, all algorithms on one tournament, and games that are none."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from equiform.formulations.stochastic import mdp_lp
from equiform.formulations.stochastic.stage_lp import solve_stage
from equiform.games.tournament.deals import Deals, one_card_deals
from equiform.games.tournament.game import forced_all_in, jam_fold_tournament, tournament_outcomes
from equiform.games.tournament.histories import OUTCOMES
from equiform.games.tournament.structure import Tournament
from equiform.games.tree import ExplicitTree, TreeNode
from equiform.models.common.errors import ChanceError, GameError, ParameterError, UnsupportedGameError
from equiform.models.rules import CHANCE
from equiform.models.stochastic import Outcomes, StochasticGame, TreeStages
from equiform.models.stochastic.tree_stages import matrix_stages
from equiform.solvers_iterative import Until
from equiform.solvers_iterative.stochastic import ALGORITHMS, Interleaved, ViFp, best_responses, shapley
from equiform.validation.certificates.tournament import TournamentCertificate, certify_tournament
from tests.helpers.refusals import refusal


def matrix_game(
    name: str, states: list[dict[tuple[int, int], tuple[float, dict[int, float]]]], discount: float
) -> StochasticGame:
    """Build a two-player zero-sum game: per state and cell player 1's reward and where play goes."""
    shapes = [tuple(1 + max(cell[k] for cell in state) for k in (0, 1)) for state in states]
    first = np.concatenate([[0], np.cumsum([a * b for a, b in shapes])])
    rewards = np.zeros((first[-1], 2))
    moves = np.zeros((2 * first[-1], 2 * len(states)))
    for s, state in enumerate(states):
        for (i, j), (reward, successors) in state.items():
            outcome = first[s] + i * shapes[s][1] + j
            rewards[outcome] = reward, -reward
            for t, chance in successors.items():
                for seat in (0, 1):
                    moves[2 * outcome + seat, 2 * t + seat] += chance
    stages = matrix_stages(name, [(tuple("ab"[:m]), tuple("cd"[:n])) for m, n in shapes], ("one", "two"))
    names = tuple(f"s{k}" for k in range(len(states)))
    return StochasticGame(name, ("one", "two"), names, stages, Outcomes(first, rewards, sp.csr_array(moves)), discount)


def big_match(discount: float) -> StochasticGame:
    """Gillette 1957: the row player's second action ends the game, with 1 if the guess is right.

    Payoffs per stage are (1 - discount) of what is printed, so that the value is that of the normalised game.
    """
    scale = 1 - discount
    stay = {(0, 0): (0.0 * scale, {0: 1.0}), (0, 1): (1.0 * scale, {0: 1.0})}
    leave = {(1, 0): (1.0 * scale, {1: 1.0}), (1, 1): (0.0, {2: 1.0})}
    return matrix_game(
        "big match",
        [{**stay, **leave}, {(0, 0): (scale, {1: 1.0})}, {(0, 0): (0.0, {2: 1.0})}],
        discount,
    )


@pytest.mark.parametrize("interest", [0.5, 0.2, 0.05])
def test_the_discounted_big_match(interest: float) -> None:
    """Value 1/2; the absorbing action has probability λ/(1+λ), λ the weight of today's payoff."""
    found = shapley(big_match(1 - interest), solve_stage, tolerance=1e-10)
    assert found.values[0] == pytest.approx(0.5, abs=1e-9)
    assert found.profile[0][2] == pytest.approx(interest / (1 + interest), abs=1e-8)
    assert found.profile[1][1:3] == pytest.approx([0.5, 0.5], abs=1e-8)


def test_a_repeated_matrix_game() -> None:
    """Matching pennies with stakes 3 and 1, for ever: the one-shot value over one minus the discount."""
    table = {(0, 0): 3.0, (0, 1): -1.0, (1, 0): -1.0, (1, 1): 1.0}
    game = matrix_game("repeated", [{cell: (v, {0: 1.0}) for cell, v in table.items()}], 0.9)
    found = shapley(game, solve_stage, tolerance=1e-9)
    assert found.values[0] == pytest.approx((1 / 3) / 0.1, abs=1e-7)  # (3·1 − 1)/(3 + 1 + 1 + 1)
    assert found.profile[0][1:] == pytest.approx([1 / 3, 2 / 3], abs=1e-7)


def test_fictitious_play_solves_the_stage_of_a_game_with_one_state() -> None:
    """The first turn of value iteration, from zero: the one-shot value, up to what a player may still gain."""
    table = {(0, 0): 3.0, (0, 1): -1.0, (1, 0): -1.0, (1, 1): 1.0}
    game = matrix_game("repeated", [{cell: (v, {0: 1.0}) for cell, v in table.items()}], 0.9)
    run = ViFp(game, values=np.zeros((1, 2)), inner_tolerance=0.1)
    run.step()
    assert 1 < run.inner_steps < run.inner_limit
    assert run.values[0] == pytest.approx([1 / 3, -1 / 3], abs=0.1)


def test_the_only_one_to_move_takes_the_best() -> None:
    column, row = np.array([[1.0], [3.0], [2.0]]), np.array([[2.0, -1.0, 4.0]])
    value, first, second = solve_stage(column)
    assert (value, first.tolist(), second.tolist()) == (3.0, [0, 1, 0], [1])
    value, first, second = solve_stage(row)
    assert (value, first.tolist(), second.tolist()) == (-1.0, [1], [0, 1, 0])


def test_shapleys_stopping_game() -> None:
    """A game of Shapley's kind that can be solved by hand: v = (1 + v/2)/2 where play goes on with one half."""
    # Row 1 column 1 pays 1 and goes on with 1/2; row 2 column 2 pays 1 and ends; otherwise nothing, the end.
    state = {(0, 0): (1.0, {0: 0.5}), (0, 1): (0.0, {}), (1, 0): (0.0, {}), (1, 1): (1.0, {})}
    game = matrix_game("stopping", [state], 0.999999999)
    v = float(shapley(game, solve_stage, tolerance=1e-9).values[0])
    # diag(1 + v/2, 1) has value (1 + v/2)/(2 + v/2): v²/2 + 3v/2 - 1 = 0
    assert v == pytest.approx((-3 + np.sqrt(17)) / 2, abs=1e-7)


def test_a_markov_decision_process() -> None:
    """One player who may take 1 now or wait for 3 two steps on, discount 0.9: waiting is worth 2.43."""
    stages = matrix_stages("mdp", [(("take", "wait"),), (("on",),), (("collect",),)], ("one",))
    moves = np.zeros((4, 3))
    moves[1, 1] = moves[2, 2] = 1.0
    outcomes = Outcomes(np.array([0, 2, 3, 4]), np.array([[1.0], [0.0], [0.0], [3.0]]), sp.csr_array(moves))
    game = StochasticGame("mdp", ("one",), ("choose", "on the way", "there"), stages, outcomes, 0.9)
    found = best_responses(game, game.start())
    assert found.best_values[:, 0] == pytest.approx([2.43, 2.7, 3.0])
    assert found.policies[0][1:3].tolist() == [0.0, 1.0]
    assert found.values[0, 0] == pytest.approx(0.5 * 1 + 0.5 * 2.43)


# -- a small tournament ------------------------------------------------------------------------------------------------

SMALL = Tournament(900, 100, 200, (50, 30, 20), 100)
CARDS = one_card_deals(4)


def as_trees(tournament: Tournament, deals: Deals) -> StochasticGame:
    """Build the same tournament from game trees, a node at a time; leaves pay the number of their outcome."""
    batched = tournament_outcomes(tournament)
    lines, deck = OUTCOMES[3], list(permutations(range(deals.num_hands), 3))
    games = []
    for stacks in tournament.states().tolist():
        forced = [p >= s for p, s in zip(tournament.posted(stacks), stacks, strict=True)]

        def leaf(deal: tuple[int, ...], actions: tuple[int, ...]) -> TreeNode:
            live = [i for i in range(3) if actions[i]] or [2]
            places = tuple(sum(deal[j] > deal[i] for j in live) if i in live else None for i in range(3))
            number = next(k for k, o in enumerate(lines) if o.actions == actions and o.places == places)
            return TreeNode(payoffs=(number, 0, 0))

        def act(deal: tuple[int, ...], actions: tuple[int, ...], forced: list[bool] = forced) -> TreeNode:
            seat = len(actions)
            if seat == 3 or actions == (0, 0):
                return leaf(deal, (*actions, 0)[:3])
            moves = {"jam": act(deal, (*actions, 1), forced)}
            if not forced[seat]:  # fold first: ties go to it in both
                moves = {"fold": act(deal, (*actions, 0), forced), **moves}
            return TreeNode(seat, (seat, deal[seat], actions), children=moves)

        chance = [Fraction(1, len(deck))] * len(deck)
        root = TreeNode(CHANCE, probabilities=chance, children={str(d): act(d, ()) for d in deck})
        games.append(ExplicitTree("hand", tournament.seats, root).compile())
    stages = TreeStages(tuple(games))
    rows = np.concatenate(
        [25 * s + g.payoff_floats[g.outcome[g.terminals], 0].astype(int) for s, g in enumerate(games)]
    )
    by_seat = (3 * rows[:, None] + np.arange(3)).ravel()
    outcomes = Outcomes(stages.first, batched.rewards[rows], sp.csr_array(batched.successors[by_seat]))
    names = tuple(tournament.state_name(s) for s in range(len(games)))
    return StochasticGame("trees", tournament.seats, names, stages, outcomes)


def test_trees_and_the_batched_family_agree() -> None:
    batched, trees = jam_fold_tournament(SMALL, CARDS), as_trees(SMALL, CARDS)
    assert (batched.num_states, trees.num_states) == (28, 28)
    rng = np.random.default_rng(5)
    values = rng.random((28, 3)) * 20 + 20
    # The same play in both: the batched start is one half everywhere, and so is the uniform plan.
    ours, theirs = batched.stages.prospects(batched.start()), trees.stages.prospects(trees.start())
    for seat in range(3):
        worth, other = batched.payoffs(values)[:, seat], trees.payoffs(values)[:, seat]
        best = ours[seat].probabilities(ours[seat].respond(worth))
        tree_best = theirs[seat].probabilities(theirs[seat].respond(other))
        assert batched.outcomes.stage_values(best, worth[:, None]) == pytest.approx(
            trees.outcomes.stage_values(tree_best, other[:, None])
        )
    one, two = best_responses(batched, batched.start()), best_responses(trees, trees.start())
    assert one.values == pytest.approx(two.values) and one.best_values == pytest.approx(two.best_values)


TEN_STATES = Tournament(600, 100, 200, (50, 30, 20), 100)
HEADS_UP = Tournament(1000, 100, 200, (100, 0), 100, players=2)
NESTED = {"inner_tolerance": 0.01, "inner_limit": 600}
#: Iterations and options of each algorithm: with three players, and heads-up.
EFFORT: dict[str, tuple[int, int, dict[str, Any]]] = {
    "interleaved": (800, 800, {}),
    "vi-fp": (5, 5, NESTED),
    "pi-fp": (4, 4, NESTED),
    "fp-mdp": (500, 400, {}),
    "ftpl-mdp": (700, 400, {}),
}


@cache
def certified(tournament: Tournament, algorithm: str) -> TournamentCertificate:
    """Solve and have the result checked by code that shares nothing with the solver."""
    cards = CARDS if tournament.players == 3 else one_card_deals(5, players=2)
    *counts, options = EFFORT[algorithm]
    run = ALGORITHMS[algorithm](jam_fold_tournament(tournament, cards), values=tournament.icm_values(), **options)
    count = counts[3 - tournament.players]
    run.run(Until(iterations=count), checkpoint_every=count)
    check = certify_tournament(tournament, cards.orders, run.profile)
    assert run.measured is not None and run.measured.epsilon == pytest.approx(check.epsilon, abs=1e-7)
    assert check.values.sum(axis=1) == pytest.approx(np.full(len(check.values), 100.0))
    return check


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_all_algorithms_agree_with_three_players(algorithm: str) -> None:
    """Five algorithms, prizes of $100: nobody gains two cents against any, and no value differs by two cents."""
    check = certified(TEN_STATES, algorithm)
    assert check.epsilon < 0.02
    assert np.abs(check.values - certified(TEN_STATES, "interleaved").values).max() < 0.02


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_all_algorithms_agree_heads_up(algorithm: str) -> None:
    """The game is zero-sum: values of two profiles differ by no more than both their certified ε together."""
    check, other = certified(HEADS_UP, algorithm), certified(HEADS_UP, "interleaved")
    apart = np.abs(check.values - other.values).max()
    assert apart <= check.epsilon + other.epsilon < 1.0
    assert apart < 0.05  # in fact much less, of $100


def test_values_above_the_prizes_trap_value_iteration() -> None:
    """§9.4: with $100 everywhere all fold, VI-FP calls that converged, and the best responses say otherwise."""
    game = jam_fold_tournament(SMALL, CARDS)
    run = ViFp(game, values=np.full((28, 3), 100.0))
    before = run.values.copy()
    run.step()
    free = ~forced_all_in(SMALL).any(axis=1)
    assert free.any() and (run.values == before)[free].all()  # nobody risks anything, and nothing ever changes
    assert best_responses(game, run.profile).epsilon > 5


def test_a_run_resumes_bit_for_bit(tmp_path: Path) -> None:
    game = jam_fold_tournament(SMALL, CARDS)
    for name in ("interleaved", "ftpl-mdp"):
        whole, part = (ALGORITHMS[name](game, values=SMALL.icm_values()) for _ in range(2))
        whole.run(Until(iterations=6), checkpoint_every=2)
        part.run(Until(iterations=4), checkpoint_every=2, save_to=tmp_path / "run.npz")
        rest = ALGORITHMS[name](game, values=SMALL.icm_values()).load(tmp_path / "run.npz")
        rest.run(Until(iterations=6), checkpoint_every=2)
        assert (rest.values == whole.values).all()
        assert all((a == b).all() for a, b in zip(rest.profile, whole.profile, strict=True))


# -- games that are none -----------------------------------------------------------------------------------------------


def test_a_game_that_never_ends() -> None:
    """Total rewards that do not exist are refused; nothing for ever is worth nothing."""
    for reward, seats in ((1.0, True), (0.0, False)):
        stages = matrix_stages("loop", [(("on",),)], ("one",))
        game = StochasticGame(
            "loop", ("one",), ("here",), stages, Outcomes(np.array([0, 1]), np.array([[reward]]), sp.csr_array([[1.0]]))
        )
        if seats:
            refusal(GameError, lambda g=game: best_responses(g, g.start()), "goes on for ever", "state 0, seat 1")  # type: ignore[misc]
        else:
            assert best_responses(game, game.start()).values[0, 0] == 0.0


def test_bad_outcomes() -> None:
    one = np.array([[0.0]])
    refusal(ChanceError, lambda: Outcomes(np.array([0, 1]), one, sp.csr_array([[1.5]])), "1.5", "state 0, outcome 0")
    refusal(ChanceError, lambda: Outcomes(np.array([0, 1]), one, sp.csr_array([[-0.5]])), "negative")
    refusal(GameError, lambda: Outcomes(np.array([0, 1]), one * np.nan, sp.csr_array([[0.0]])), "not finite")
    refusal(GameError, lambda: Outcomes(np.array([0, 0]), np.zeros((0, 1)), sp.csr_array((0, 1))), "no outcome")


def test_bad_games() -> None:
    game = big_match(0.5)
    build = {"name": "x", "seats": game.seats, "states": game.states, "stages": game.stages, "outcomes": game.outcomes}
    refusal(ParameterError, lambda: StochasticGame(**build, discount=1.5), "discount is 1.5")  # type: ignore[arg-type]
    refusal(GameError, lambda: StochasticGame(**{**build, "states": ("a",)}), "1 states")  # type: ignore[arg-type]
    endless = StochasticGame(**build, discount=1.0)  # type: ignore[arg-type]
    refusal(UnsupportedGameError, lambda: shapley(endless, solve_stage), "discount below one")
    tournament = jam_fold_tournament(SMALL, CARDS)
    refusal(UnsupportedGameError, lambda: shapley(tournament, solve_stage), "two players and matrix stages")
    refusal(ParameterError, lambda: Interleaved(game, values=np.zeros(3)), "values of shape (3,)")


def test_the_linear_program_of_best_responses() -> None:
    """The decision process by simplex and by policy iteration, discounted and not, with seats that change."""
    trees = as_trees(SMALL, CARDS)
    found = mdp_lp.solve(trees, trees.start())
    assert found.values == pytest.approx(best_responses(trees, trees.start()).best_values, abs=1e-6)
    game = big_match(0.9)
    responses = best_responses(game, game.start())
    assert mdp_lp.solve(game, game.start()).values == pytest.approx(responses.best_values, abs=1e-7)
    refusal(
        UnsupportedGameError,
        lambda: mdp_lp.build(jam_fold_tournament(SMALL, CARDS), ()),
        "trees or tables",
        "best_responses",
    )
