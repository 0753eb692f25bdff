"""Solvers on the tree: more players, forgetful players, and Monte Carlo sampling that is right on average."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from equiform.games.random_game import random_game
from equiform.models import CHANCE, TERMINAL, compile_rules, evaluate, sequence_form
from equiform.models.common.errors import ImperfectRecallError, ParameterError, UnsupportedGameError
from equiform.solvers_iterative import CFR, MCCFR, MultiplayerFictitiousPlay, TreeCFR, Until, create
from equiform.solvers_iterative.kernels.rng import next_word, seeded, uniform
from equiform.solvers_iterative.kernels.sampling import alias_tables, draw_chance
from equiform.solvers_iterative.kernels.tree import flat_tree
from equiform.solvers_iterative.regret.mccfr import SAMPLINGS
from equiform.validation.certificates.certificate import certify
from tests.helpers.games import tree

# -- tree CFR ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["cfr", "cfr+", "linear-cfr", "dcfr"])
@pytest.mark.parametrize("alternating", [True, False])
def test_tree_and_sequence_form_agree(variant: str, alternating: bool) -> None:
    for seed in range(6):
        game = random_game(seed=seed, depth=6)
        on_tree = TreeCFR(game, variant, alternating=alternating)
        on_plans = CFR(sequence_form(game), variant, alternating=alternating)
        for _ in range(20):
            on_tree.step()
            on_plans.step()
        for mine, other in zip(on_tree.average, on_plans.average, strict=True):
            assert np.abs(mine.plan - other.plan).max() < 1e-9, seed


@pytest.mark.parametrize("algorithm", ["fp", "cfr", "cfr+"])
def test_three_player_kuhn_reports_regrets(algorithm: str) -> None:
    game = tree("kuhn-multiplayer")
    result = create(algorithm, game).run(Until(iterations=3000))
    certificate = certify(game, result.strategies)
    assert np.allclose(certificate.regrets, result.checkpoint.regrets, atol=1e-12)
    assert math.isnan(result.checkpoint.lower)
    assert result.nash_conv == pytest.approx(sum(result.checkpoint.regrets))
    # no theorem promises it, but on this game all of them come close to an equilibrium
    assert max(result.checkpoint.regrets) < 0.01


def test_general_sum_games_run_on_the_tree() -> None:
    game = random_game(seed=3, depth=5, zero_sum=False)
    for algorithm, kind in {"cfr+": TreeCFR, "fp": MultiplayerFictitiousPlay}.items():
        solver = create(algorithm, game)
        assert isinstance(solver, kind)
        result = solver.run(Until(iterations=200))
        assert result.nash_conv == pytest.approx(evaluate(game, [s.floats for s in result.strategies]).nash_conv)
    with pytest.raises(UnsupportedGameError):
        create("egt", game)


class Forgetful:
    """One player moves twice and forgets the first move; only right-then-left pays 2."""

    name = "forgetful"
    players = ("player 1", "dummy")

    def initial(self) -> str:
        return ""

    def turn(self, state: str) -> int:
        return 0 if len(state) < 2 else TERMINAL

    def actions(self, state: str) -> Sequence[str]:
        return ("L", "R")

    def probabilities(self, state: str) -> Sequence[int]:
        return ()

    def next(self, state: str, action: str) -> str:
        return state + action

    def payoffs(self, state: str) -> Sequence[int]:
        gain = {"LL": 0, "LR": 1, "RL": 2, "RR": 0}[state]
        return (gain, -gain)

    def infoset(self, state: str) -> int:
        return len(state)

    def describe(self, key: Any) -> str:
        return f"move {key + 1}"


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "mccfr-external", "mccfr-outcome", "mccfr-chance"])
def test_imperfect_recall_runs_without_a_gap(algorithm: str) -> None:
    game = compile_rules(Forgetful())
    solver = create(algorithm, game)
    result = solver.run(Until(iterations=50_000))
    assert isinstance(solver, TreeCFR | MCCFR)
    assert math.isnan(result.nash_conv)
    assert result.strategies == ()
    (_, _, right, left, _), _ = (b.tolist() for b in solver.average_behaviors)
    assert right > 0.97 and left > 0.97
    with pytest.raises(ImperfectRecallError):
        _ = solver.average
    with pytest.raises(UnsupportedGameError, match="forgets"):
        create(algorithm, game).run(Until(gap=0.1))


# -- Monte Carlo -------------------------------------------------------------------------------------------------------


def test_generator_is_xoshiro256plusplus() -> None:
    """The first words of the reference C code of Blackman and Vigna for the state (1, 2, 3, 4)."""
    state = np.array([1, 2, 3, 4], dtype=np.uint64)
    expected = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    assert [int(next_word(state)) for _ in expected] == expected
    state = seeded(7)
    draws = np.array([uniform(state) for _ in range(20_000)])
    assert draws.min() >= 0.0 and draws.max() < 1.0
    assert abs(draws.mean() - 0.5) < 5 * math.sqrt(1 / 12 / 20_000)
    with pytest.raises(ParameterError, match="seed"):
        seeded(-1)


def test_alias_tables_hold_the_exact_distribution() -> None:
    """A child's probability is what its own cell keeps plus what other cells hand over."""
    for seed in range(8):
        game = random_game(seed=seed, depth=5, chance=0.6, branching=5)
        flat = flat_tree(game)
        alias = alias_tables(game, flat)
        for node in np.flatnonzero(game.turn == CHANCE):
            children = np.arange(game.first_child[node], game.first_child[node] + game.num_children[node])
            mass = np.zeros(game.num_nodes)
            np.add.at(mass, children, alias.keep[children])
            np.add.at(mass, alias.other[children], 1.0 - alias.keep[children])
            assert np.allclose(mass[children] / len(children), flat.chance[children], atol=1e-12)
            assert draw_chance(flat, alias, np.uint64(node), seeded(seed)) in children  # type: ignore[arg-type]


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_sampled_regrets_are_right_on_average(sampling: str) -> None:
    """From uniform play player 1's regrets of one traversal have the mean that full CFR computes."""
    for seed in (1, 4):
        game = random_game(seed=seed, depth=5, chance=0.3)
        exact = TreeCFR(game, "cfr", alternating=False)
        exact.step()
        own = slice(1, game.num_sequences(0))
        solver = MCCFR(game, sampling, seed=5)
        samples = np.empty((8000, game.num_sequences(0) - 1))
        for row in samples:
            solver._learned.regret[:] = 0.0
            solver.step()
            row[:] = solver._learned.regret[own]
        error = samples.mean(axis=0) - exact._regret[own]
        spread = samples.std(axis=0) / math.sqrt(len(samples))
        assert (np.abs(error) <= 5.0 * spread + 1e-12).all(), (seed, error, spread)


@pytest.mark.parametrize(
    ("sampling", "iterations", "gap"),
    [("external", 200_000, 0.02), ("outcome", 1_000_000, 0.02), ("chance", 100_000, 0.02)],
)
def test_monte_carlo_converges_on_kuhn(sampling: str, iterations: int, gap: float) -> None:
    result = MCCFR(tree("kuhn"), sampling, seed=11).run(Until(iterations=iterations))
    assert result.nash_conv < gap
    assert result.checkpoint.lower <= -1 / 18 <= result.checkpoint.upper


def test_external_sampling_converges_on_leduc() -> None:
    result = MCCFR(tree("leduc"), "external", seed=2).run(Until(iterations=300_000))
    assert result.nash_conv < 0.1


def test_seeds_decide_the_run() -> None:
    game = tree("leduc")
    for sampling in SAMPLINGS:
        first, again, other = (MCCFR(game, sampling, seed=s) for s in (1, 1, 2))
        for solver in (first, again, other):
            solver.run(Until(iterations=50))
        assert (first._learned.regret == again._learned.regret).all()
        assert (first._learned.regret != other._learned.regret).any()


def test_bad_sampling_options_are_refused() -> None:
    with pytest.raises(ParameterError, match="no sampling"):
        MCCFR(tree("kuhn"), "all")
    with pytest.raises(ParameterError, match="never drawn"):
        MCCFR(tree("kuhn"), "outcome", exploration=0.0)
    with pytest.raises(UnsupportedGameError, match="tree"):
        create("mccfr-external", sequence_form(tree("kuhn")))
    with pytest.raises(ParameterError, match="sequence form"):
        TreeCFR(tree("kuhn"), "pcfr+")


@pytest.mark.parametrize("seed", range(8))
def test_what_outcome_sampling_adds_to_an_average(seed: int) -> None:
    """The first iteration by hand: a strategy counts once, divided by the odds of the draws that led to it.

    While player 1's moves are sampled player 2's average grows, below one of player 1's two even draws: by 1 / (1/2).
    Then player 1's own grows: by 1 at his first decision, by 1 / (1/2) at his second, below a draw of player 2.
    """
    game = tree("kuhn")
    solver = MCCFR(game, "outcome", seed=seed)
    solver.run(Until(iterations=1))
    added: dict[int, list[tuple[str, float]]] = {0: [], 1: []}
    for player, treeplex in enumerate(game.treeplexes):
        total = np.split(solver._learned.total, 2)[player]
        for h in range(treeplex.num_infosets):
            mass = float(total[treeplex.start[h] : treeplex.start[h + 1]].sum())
            if mass:
                added[player].append((treeplex.infoset_label(h), mass))
    assert [mass for _, mass in added[1]] == [pytest.approx(2.0)]
    first = {label.split(", ")[1]: mass for label, mass in added[0]}
    assert first["to open"] == pytest.approx(1.0)
    assert first.get("after check–bet", 2.0) == pytest.approx(2.0)


def test_outcome_sampling_averages_without_bias() -> None:
    """What a decision of player 2 adds is, on average, how often chance deals its card: whatever is explored."""
    game = tree("kuhn")
    second = game.treeplexes[1]
    for exploration in (0.3, 1.0):
        solver = MCCFR(game, "outcome", seed=3, exploration=exploration)
        solver.run(Until(iterations=20_000))
        total = np.split(solver._learned.total, 2)[1] / 20_000
        shares = np.add.reduceat(total, second.start[:-1])
        # after a check and after a bet: each is below one draw of player 1, and is divided by its odds
        np.testing.assert_allclose(shares, 1 / 3, atol=0.05)
