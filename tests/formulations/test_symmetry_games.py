"""Random games in several colours that mean nothing: every program merges them, and its answer holds in all colours."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import equiform
from equiform.formulations.opponents import gifts, safe_response
from equiform.formulations.optimization.backends import symmetry
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.solution import Solution
from equiform.formulations.result import Result
from equiform.formulations.zero_sum import dominance, quasi_perfect, selection, undominated
from equiform.games.random_game import random_game
from equiform.games.tree import ExplicitTree, TreeNode
from equiform.models import ExtensiveGame, SequenceForm, sequence_form
from equiform.models.common.array_types import FloatArray
from equiform.models.rules import CHANCE, TERMINAL
from equiform.validation.certificates.certificate import certify
from equiform.validation.exact.refinements import exact_undominated
from equiform.validation.reproduce.equilibria.pair_folds import pair_folds

COLORS = 4
CASES = [(seed, seen) for seed in range(8) for seen in ((True, True), (True, False), (False, True))]


def in_colors(game: ExtensiveGame, seen: tuple[bool, bool], seed: int) -> ExtensiveGame:
    """Let chance draw a colour first. Who sees it has an information set a colour, with the moves in another order."""
    rng = np.random.default_rng(seed)
    order: dict[tuple[int, int, int], list[int]] = {}

    def copy(node: int, color: int) -> TreeNode:
        turn = int(game.turn[node])
        if turn == TERMINAL:
            return TreeNode(payoffs=game.payoff_table[game.outcome[node]])
        first, moves = int(game.first_child[node]), list(range(int(game.num_children[node])))
        if turn == CHANCE:
            odds = [game.chance_values[game.edge[first + m]] for m in moves]
            return TreeNode(CHANCE, probabilities=odds, children={f"{m}": copy(first + m, color) for m in moves})
        key = (turn, color if seen[turn] else 0, int(game.infoset[node]))
        moves = order.setdefault(key, rng.permutation(moves).tolist())
        return TreeNode(turn, key=key, children={f"{m}": copy(first + m, color) for m in moves})

    children = {f"color {c}": copy(0, c) for c in range(COLORS)}
    root = TreeNode(CHANCE, probabilities=[Fraction(1, COLORS)] * COLORS, children=children)
    return ExplicitTree("colors", game.players, root).compile()


@pytest.fixture(autouse=True)
def _merge_small_programs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symmetry, "MIN_NONZEROS", 0)
    monkeypatch.setattr(symmetry, "MAX_CLASS_SHARE", 0.99)


@pytest.fixture(params=CASES, ids=str)
def game(request: pytest.FixtureRequest) -> ExtensiveGame:
    seed, seen = request.param
    return in_colors(random_game(seed=seed, depth=5), seen, seed)


def random_plan(form: SequenceForm, player: int) -> FloatArray:
    treeplex = form.treeplexes[player]
    return treeplex.realization(treeplex.behavior(np.random.default_rng(1).random(treeplex.num_sequences)))


def uniform_plan(form: SequenceForm, player: int) -> FloatArray:
    treeplex = form.treeplexes[player]
    return treeplex.realization(treeplex.uniform())


def assert_merged(*solutions: Solution) -> None:
    assert [s.basis for s in solutions] == [None] * len(solutions)


@pytest.mark.parametrize(("seed", "seen"), CASES)
def test_the_value_is_that_of_the_game_without_colors(seed: int, seen: tuple[bool, bool]) -> None:
    plain = random_game(seed=seed, depth=5)
    merged = equiform.solve(in_colors(plain, seen, seed))
    assert_merged(*merged.result.solutions)
    assert merged.value == pytest.approx(equiform.solve(plain, algorithm="simplex").value, abs=1e-9)
    assert merged.certificate.nash_conv < 1e-9


def test_undominated(game: ExtensiveGame) -> None:
    form = sequence_form(game)
    merged, vertex = undominated.solve(form), undominated.solve(form, solver=SolverOptions(algorithm="simplex"))
    assert_merged(*merged.solutions)
    assert [s.objective for s in merged.solutions] == pytest.approx([s.objective for s in vertex.solutions], abs=1e-9)
    strategies = [s for s in merged.strategies if s is not None]
    assert certify(game, strategies).nash_conv < 1e-8
    for player, strategy in enumerate(strategies):
        assert not dominance.solve(
            form, strategy.plan, player=player, solver=SolverOptions(algorithm="simplex")
        ).dominated


def test_quasi_perfect(game: ExtensiveGame) -> None:
    form = sequence_form(game)
    for route in quasi_perfect.ROUTES:
        merged = quasi_perfect.solve(form, 1 / 20, route=route).require_certified()
        vertex = quasi_perfect.solve(form, 1 / 20, route=route, solver=SolverOptions(algorithm="simplex"))
        assert_merged(merged.solution)
        assert merged.value == pytest.approx(vertex.value, abs=1e-9)


def test_dominance(game: ExtensiveGame) -> None:
    form = sequence_form(game)
    for player in (0, 1):
        plan = uniform_plan(form, player)
        merged = dominance.solve(form, plan, player=player)
        vertex = dominance.solve(form, plan, player=player, solver=SolverOptions(algorithm="simplex"))
        assert_merged(merged.solution)
        assert merged.gain == pytest.approx(vertex.gain, abs=1e-9)
        assert merged.worst > -1e-9


def test_safe_response_selection_and_gifts(game: ExtensiveGame) -> None:
    form = sequence_form(game)
    value = equiform.solve(game).value
    for player in (0, 1):
        against = uniform_plan(form, 1 - player)
        own = value if player == 0 else -value

        def respond(algorithm: str | None, player: int = player, against: FloatArray = against) -> Result:
            return safe_response.solve(
                form, against, epsilon=0.25, player=player, value=value, solver=SolverOptions(algorithm=algorithm)
            )

        merged, vertex = respond(None), respond("simplex")
        assert_merged(*merged.solutions)
        assert merged.value == pytest.approx(vertex.value, abs=1e-9)
        plan = merged.plans[player]
        assert plan is not None
        assert -form.best_response(1 - player, plan).value > own - 0.25 - 1e-9  # what it guarantees
        ends = [
            selection.solve(form, against, player=player, value=value, solver=SolverOptions(algorithm=a)).interval
            for a in (None, "simplex")
        ]
        assert ends[0] == pytest.approx(ends[1], abs=1e-9)
        found = gifts.exist(form, player=player)
        assert found.against_uniform == pytest.approx(ends[1][1], abs=1e-9)


def test_an_opponent_who_tells_colors_apart_is_told_apart(game: ExtensiveGame) -> None:
    """The costs are no longer alike, so that less or nothing can be merged; the answer must not notice."""
    form = sequence_form(game)
    for player in (0, 1):
        against = random_plan(form, 1 - player)
        found = [
            safe_response.solve(form, against, epsilon=0.25, player=player, solver=SolverOptions(algorithm=a)).value
            for a in (None, "simplex")
        ]
        assert found[0] == pytest.approx(found[1], abs=1e-9)


@pytest.fixture(scope="module")
def leduc() -> SequenceForm:
    return equiform.as_sequence_form(equiform.load_game("openspiel:leduc_poker"))


class TestLeducByCard:
    """Two suits that differ by name only: what is refined beyond Nash must stay so."""

    def test_undominated_equilibria_fold_no_pair(self, leduc: SequenceForm) -> None:
        found = undominated.solve(leduc)
        assert_merged(*found.solutions)
        folds = pair_folds(*(s for s in found.strategies if s is not None), above=0.0)
        assert (folds.folding, folds.total) == (0, 120)

    def test_wherever_a_vertex_is_quasi_perfect_the_average_is(self, leduc: SequenceForm) -> None:
        """Trembles of very different sizes are not mixed up: it copes with every ε that simplex copes with."""
        passed = 0
        for epsilon in (0.1, 0.05, 0.02, 0.01, 1e-3):
            for route in quasi_perfect.ROUTES:
                vertex = quasi_perfect.solve(leduc, epsilon, route=route, solver=SolverOptions(algorithm="simplex"))
                merged = quasi_perfect.solve(leduc, epsilon, route=route)
                assert_merged(merged.solution)
                if vertex.residuals.worst <= quasi_perfect.TOLERANCE:
                    passed += 1
                    assert merged.residuals.worst <= quasi_perfect.TOLERANCE
                    assert merged.value == pytest.approx(vertex.value, abs=1e-9)
        assert passed >= 4

    def test_exact_answers_start_from_a_basis_as_before(self, leduc: SequenceForm) -> None:
        exact = exact_undominated(leduc)
        assert float(exact.value) == pytest.approx(undominated.solve(leduc).value, abs=1e-9)
