"""Purification, thresholding and their generalisation; the batch solver of small matrix games."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiform.abstraction.postprocess import (
    IDENTITY,
    PURIFICATION,
    PURIFY,
    PostProcessor,
    fold_call_bet,
    kind_of_move,
    thresholding,
)
from equiform.formulations.zero_sum import matrix_game_lp
from equiform.formulations.zero_sum.matrix_game_batch import solve_batch
from equiform.games.matrix import figure_8_2
from equiform.games.poker.kuhn import Kuhn
from equiform.models.common.errors import ParameterError, StrategyError
from equiform.models.compile import compile_rules
from equiform.models.normal_form import NormalForm
from equiform.models.strategy import Strategy

distributions = st.lists(st.floats(0.001, 1), min_size=2, max_size=7).map(lambda w: np.array(w) / sum(w))

# Thesis §8.7's example: fold, call, then bets of 0.5, 0.75, 1, 1.5, 2, 5 pots and all-in.
ACTIONS = ("fold", "call", "bet 0.5", "bet 0.75", "bet 1", "bet 1.5", "bet 2", "bet 5", "all-in")
EXAMPLE = (0.1, 0.25, 0.15, 0.15, 0.2, 0.15, 0.0, 0.0, 0.0)


def test_the_example_of_section_8_7() -> None:
    assert ACTIONS[int(np.argmax(PURIFICATION.mixed(EXAMPLE)))] == "call"
    ours = fold_call_bet(0.2).mixed(EXAMPLE, ACTIONS)
    assert ours.tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]


def test_folding_is_preferred_above_the_threshold() -> None:
    mostly_call = [0.21, 0.5, 0.29]
    actions = ("fold", "call", "bet")
    assert fold_call_bet(0.2).mixed(mostly_call, actions).tolist() == [1, 0, 0]
    assert fold_call_bet(0.21).mixed(mostly_call, actions).tolist() == [0, 1, 0]  # must exceed, not reach


@given(distributions)
def test_purification_is_the_member_without_bundles_and_preference(weights: np.ndarray) -> None:
    family = PostProcessor("p", between=PURIFY, within=PURIFY, conservative="0", prefer_above=1.0)
    assert np.array_equal(PURIFICATION.mixed(weights), family.mixed(weights))
    expected = (weights >= weights.max() - 1e-9) / (weights >= weights.max() - 1e-9).sum()
    assert PURIFICATION.mixed(weights) == pytest.approx(expected)


@given(distributions, st.floats(0, 1))
def test_thresholding_is_algorithm_6(weights: np.ndarray, epsilon: float) -> None:
    kept = np.where(weights < epsilon, 0.0, weights)
    ours = thresholding(epsilon).mixed(weights)
    assert ours.sum() == pytest.approx(1)
    if kept.sum() > 0:
        assert ours == pytest.approx(kept / kept.sum())
    else:
        assert ours == pytest.approx(PURIFICATION.mixed(weights))


@given(distributions)
def test_no_threshold_changes_nothing(weights: np.ndarray) -> None:
    assert IDENTITY.mixed(weights) == pytest.approx(weights)
    assert thresholding(0.0).mixed(weights) == pytest.approx(weights)


@settings(max_examples=50)
@given(st.lists(st.floats(0.001, 1), min_size=9, max_size=9), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_family_against_a_plain_loop(raw: list[float], between: float, within: float, prefer: float) -> None:
    weights = np.array(raw) / sum(raw)
    ours = PostProcessor("x", between, within, kind_of_move, "fold", prefer).mixed(weights, ACTIONS)

    def rounded(p: np.ndarray, t: float) -> np.ndarray:
        kept = np.where(p < t, 0.0, p) if p.max() >= t else (p >= p.max() - 1e-9).astype(float)
        return kept / kept.sum()

    if weights[0] > prefer:
        expected = np.eye(9)[0]
    else:
        kinds = [kind_of_move(a) for a in ACTIONS]
        names = list(dict.fromkeys(kinds))
        masses = rounded(
            np.array([sum(w for w, k in zip(weights, kinds, strict=True) if k == n) for n in names]), between
        )
        expected = np.zeros(9)
        for name, mass in zip(names, masses, strict=True):
            own = [i for i, k in enumerate(kinds) if k == name]
            expected[own] = mass * rounded(weights[own] / weights[own].sum(), within)
    assert ours == pytest.approx(expected)


def test_behavioural_strategies_are_rounded_at_every_information_set() -> None:
    treeplex = compile_rules(Kuhn()).treeplexes[0]
    rng = np.random.default_rng(3)
    weights = np.append(1.0, rng.random(treeplex.num_sequences - 1))
    behavior = treeplex.behavior(
        treeplex.realization(
            weights / np.append(1.0, np.repeat(np.add.reduceat(weights, treeplex.start[:-1]), np.diff(treeplex.start)))
        )
    )
    for processor in (PURIFICATION, thresholding(0.4), fold_call_bet(0.2)):
        ours = processor.behavior(treeplex, behavior)
        treeplex.check_behavior(ours)
        for h in range(treeplex.num_infosets):
            own = slice(treeplex.start[h], treeplex.start[h + 1])
            assert ours[own] == pytest.approx(processor.mixed(behavior[own], treeplex.actions[h]))
    rounded = PURIFICATION.strategy(Strategy(treeplex, behavior))
    assert set(rounded.floats.tolist()) == {0.0, 1.0}


def test_equal_up_to_rounding_is_a_tie() -> None:
    assert PURIFICATION.mixed([1 / 3, 1 / 3 - 1e-14, 1 / 3 + 1e-14]).tolist() == pytest.approx([1 / 3] * 3)


def test_bad_parameters_and_rows_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"epsilon is 1\.5"):
        thresholding(1.5)
    with pytest.raises(ParameterError, match=r"prefer_fold_above is -0\.1"):
        fold_call_bet(-0.1)
    with pytest.raises(StrategyError, match="not a distribution"):
        PURIFICATION.mixed([0.5, 0.6])
    with pytest.raises(ParameterError, match="name every column"):
        PURIFICATION.mixed([0.5, 0.5], ["only one"])


# -- the batch solver -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (5, 1), (2, 2), (3, 5), (4, 4), (6, 3)])
def test_a_batch_is_solved_to_rounding(shape: tuple[int, int]) -> None:
    payoffs = np.random.default_rng(sum(shape)).uniform(-1, 1, (2_000, *shape))
    solved = solve_batch(payoffs)
    assert solved.nash_conv(payoffs).max() < 1e-11
    assert np.abs(solved.rows.sum(axis=1) - 1).max() < 1e-12
    assert np.einsum("gi,gij,gj->g", solved.rows, payoffs, solved.columns) == pytest.approx(solved.values, abs=1e-11)


def test_degenerate_games_do_not_cycle() -> None:
    payoffs = np.random.default_rng(0).integers(-1, 2, (20_000, 4, 5)).astype(float)
    assert solve_batch(payoffs).nash_conv(payoffs).max() < 1e-11


def test_the_batch_agrees_with_the_pyomo_program() -> None:
    payoffs = np.random.default_rng(1).uniform(-1, 1, (10, 4, 4))
    solved = solve_batch(payoffs)
    for k, matrix in enumerate(payoffs):
        game = NormalForm.from_matrix("random", "abcd", "efgh", matrix.tolist())
        result = matrix_game_lp.solve(game)
        assert result.value == pytest.approx(solved.values[k], abs=1e-9)
        plans = result.plans
        assert plans[0] is not None and plans[1] is not None
        assert plans[0][1:] == pytest.approx(solved.rows[k], abs=1e-7)  # generic games have one equilibrium
        assert plans[1][1:] == pytest.approx(solved.columns[k], abs=1e-7)


@pytest.mark.parametrize("k", [0.5, 1, 10, 1000])
def test_proposition_5(k: float) -> None:
    full = figure_8_2(k).payoff_floats[0]
    whole, part = solve_batch(full[None]), solve_batch(full[None, :, :2])
    unpurified = part.rows[0] @ full @ whole.columns[0]
    purified = PURIFICATION.mixed(part.rows[0]) @ full @ whole.columns[0]
    assert purified == pytest.approx(unpurified + k)


def test_nonsense_batches_are_refused() -> None:
    with pytest.raises(ParameterError, match="games, rows, columns"):
        solve_batch(np.zeros((3, 3)))
    with pytest.raises(ParameterError, match="finite"):
        solve_batch(np.full((1, 2, 2), np.nan))
