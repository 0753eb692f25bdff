"""MIP Nash: bimatrix games against Gambit's full lists of equilibria; three players in normal and extensive form."""

from __future__ import annotations

import io
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from equiform.formulations.general_sum import mip_nash, mip_nash_extensive, refinement
from equiform.formulations.general_sum.support_newton import polish_profile
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.piecewise_product import Pieces
from equiform.formulations.optimization.solution import Solution, TerminationCondition
from equiform.games.formats.nfg import format_nfg
from equiform.games.poker.kuhn import Kuhn
from equiform.games.poker.signal_games import three_player
from equiform.models import CHANCE, TERMINAL, NormalForm, compile_rules, evaluate
from equiform.models.common.errors import LimitError, ParameterError, PayoffError
from equiform.models.signals.deals import Signals
from equiform.models.signals.extensive import BettingRules, SignalRules
from equiform.validation.certificates.certificate import certify


def random_game(seed: int, shape: tuple[int, ...]) -> NormalForm:
    rng = np.random.default_rng(seed)
    values = [Fraction(int(v)) for v in rng.integers(-20, 21, len(shape) * int(np.prod(shape)))]
    payoffs = np.array(values, dtype=object).reshape((len(shape), *shape))
    names = tuple(tuple(f"a{k}" for k in range(n)) for n in shape)
    return NormalForm(f"random {seed}", tuple(f"player {i}" for i in range(len(shape))), names, payoffs)


def gambit_equilibria(game: NormalForm) -> list[list[np.ndarray]]:
    gambit = pytest.importorskip("pygambit")
    theirs = gambit.read_nfg(io.StringIO(format_nfg(game)))
    found = gambit.nash.enummixed_solve(theirs, rational=True).equilibria
    return [[np.array([float(p) for _, p in profile[i]]) for i in game.players] for profile in found]


@pytest.mark.parametrize("block", range(6))
def test_bimatrix_games_agree_with_gambit(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        size = 2 + seed % 4
        game = random_game(seed, (size, size + seed % 2))
        everything = gambit_equilibria(game)
        found = mip_nash.solve(game)
        assert found.epsilon < 1e-9, seed
        # random games are not degenerate: the list is complete and ours is on it
        distances = [max(np.abs(p - q).max() for p, q in zip(found.profile, e, strict=True)) for e in everything]
        assert min(distances) < 1e-7, seed
        best = mip_nash.solve(game, objective="welfare")
        assert best.epsilon < 1e-9
        assert best.payoffs.sum() == pytest.approx(max(game.expected_payoffs(e).sum() for e in everything), abs=1e-6)


def everybody_mixes(game: NormalForm) -> bool:
    """Whether no equilibrium of a 2×2×2 game has a player who does not mix."""
    for i in range(3):
        for a in range(2):
            others = [j for j in range(3) if j != i]
            tables = np.moveaxis(game.payoffs, i + 1, 1)[others, a]
            rest = NormalForm("rest", ("x", "y"), (("0", "1"), ("0", "1")), tables)
            for left, right in gambit_equilibria(rest):
                profile = [left, right]
                profile.insert(i, np.eye(2)[a])
                if game.regrets(profile)[i] <= 1e-12:
                    return False
    return True


def mixed_game(start: int) -> NormalForm:
    return next(g for g in (random_game(s, (2, 2, 2)) for s in range(start, start + 300)) if everybody_mixes(g))


@pytest.mark.parametrize("start", [0, 300])
def test_three_player_normal_form(start: int) -> None:
    game = mixed_game(start)
    rough = mip_nash.solve(game, pieces=Pieces(5), polish=False, objective="regret", refinements=0)
    fine = mip_nash.solve(game, pieces=Pieces(17), polish=False, objective="regret", refinements=0)
    spread = float(game.payoff_floats.max() - game.payoff_floats.min())
    assert 1e-9 < fine.epsilon < 0.02 * spread
    # ε itself need not fall with every breakpoint (§11.8.3 says so too), but what the pieces allow does
    assert rough.epsilon <= rough.guarantee + 1e-6 and fine.epsilon <= fine.guarantee + 1e-6
    assert fine.guarantee < rough.guarantee
    exact = mip_nash.solve(game, pieces=Pieces(17), objective="regret")
    assert exact.epsilon < 1e-9
    assert all((p > 0).all() for p in exact.profile)


def test_the_default_slack_keeps_true_equilibria() -> None:
    # with three breakpoints exact indifference of the interpolated game may be impossible; the default ε allows for it
    game = mixed_game(0)
    result = mip_nash.solve(game, pieces=Pieces(3), polish=False, refinements=0)
    assert result.solution.optimal and result.approximate


SHAPES = ((2, 2, 2), (2, 2, 3), (2, 3, 3), (3, 3, 3), (2, 2, 2, 2))


@pytest.mark.parametrize(
    "seeds", [(11, 20), *(pytest.param(range(k, k + 10), marks=pytest.mark.slow) for k in range(0, 100, 10))]
)
def test_three_players_and_more_reach_an_equilibrium_or_say_approximate(seeds: Sequence[int]) -> None:
    # with five breakpoints the first program of seed 11 returns a profile in which a player gains more than 2
    for seed in seeds:
        game = random_game(seed, SHAPES[seed % 4] if seed != 11 else SHAPES[0])
        found = mip_nash.solve(game, pieces=Pieces(5))
        certificate = certify(game, found.strategies)
        assert found.approximate or max(certificate.regrets) < 1e-6, seed
        assert not found.approximate, seed


def test_refinement_repairs_what_one_program_leaves() -> None:
    game = random_game(11, (2, 2, 2))
    once = mip_nash.solve(game, pieces=Pieces(5), refinements=0)
    assert once.approximate and once.epsilon > 1
    more = mip_nash.solve(game, pieces=Pieces(5))
    assert not more.approximate and more.programs > 1 and more.epsilon < 1e-9


@pytest.mark.parametrize("exponent", [-30, -9, 9, 30])
@pytest.mark.parametrize("shape", [(3, 3), (2, 2, 2)])
def test_the_unit_of_one_players_payoffs_does_not_matter(shape: tuple[int, ...], exponent: int) -> None:
    game = random_game(5, shape)
    payoffs = game.payoffs.copy()
    payoffs[0] *= Fraction(10) ** exponent
    other = NormalForm("other units", game.players, game.actions, payoffs)
    found = mip_nash.solve(other)
    assert not found.approximate
    assert game.regrets(found.profile).max() < 1e-7  # the same strategies are an equilibrium of the game in other units


def test_newton_repairs_a_rounded_profile() -> None:
    game = NormalForm.from_matrix("pennies", "HT", "HT", [[1, -1], [-1, 1]])
    rounded = (np.array([0.501, 0.499]), np.array([0.498, 0.502]))
    assert game.regrets(rounded).max() > 1e-4
    assert game.regrets(polish_profile(game, rounded)).max() < 1e-15


def test_unknown_objectives_are_refused() -> None:
    game = random_game(0, (2, 2))
    with pytest.raises(ParameterError, match="no objective"):
        mip_nash.solve(game, objective="fair")  # type: ignore[arg-type]


def test_a_bimatrix_game_in_one_line() -> None:
    """The battle of the sexes: welfare picks the better of its two pure equilibria, and the strategies have names."""
    battle = NormalForm.from_matrix("battle", "AB", "AB", [[3, 0], [0, 1]], [[1, 0], [0, 2]])
    found = mip_nash.solve(battle, objective="welfare")
    assert [s.table() for s in found.strategies] == [{"the only choice": {"A": 1.0, "B": 0.0}}] * 2
    assert certify(battle, found.strategies).payoffs == pytest.approx((3, 1))


def test_tables_of_plain_numbers_become_exact() -> None:
    table = np.array([[[0.1, 0.0]], [[-0.1, 0.0]]])
    game = NormalForm("tenth", ("one", "two"), (("a",), ("b", "c")), table)
    assert game.payoffs[0, 0, 0] == Fraction(1, 10) and game.is_zero_sum
    with pytest.raises(PayoffError, match="not a finite number"):
        NormalForm("nothing", ("one", "two"), (("a",), ("b", "c")), table * np.nan)


# -- extensive form ---------------------------------------------------------------------------------------------------


class Hidden:
    """A normal-form game played in turn without seeing the others' moves: one information set per player."""

    def __init__(self, game: NormalForm) -> None:
        self.name, self.players, self.game = game.name, game.players, game

    def initial(self) -> tuple[int, ...]:
        return ()

    def turn(self, state: tuple[int, ...]) -> int:
        return len(state) if len(state) < len(self.players) else TERMINAL

    def actions(self, state: tuple[int, ...]) -> tuple[str, ...]:
        return self.game.actions[len(state)]

    def probabilities(self, state: tuple[int, ...]) -> tuple[Fraction, ...]:
        raise AssertionError("there is no chance")

    def next(self, state: tuple[int, ...], action: str) -> tuple[int, ...]:
        return (*state, self.actions(state).index(action))

    def payoffs(self, state: tuple[int, ...]) -> list[Any]:
        return [self.game.payoffs[(i, *state)] for i in range(len(self.players))]

    def infoset(self, state: tuple[int, ...]) -> int:
        return len(state)

    def describe(self, key: int) -> str:
        return f"move {key}"


class Horse:
    """Selten's horse (Selten 1975): player 3 does not see which of the others let the move come to them."""

    name = "Selten's horse"
    players = ("one", "two", "three")
    ends = {"cc": (1, 1, 1), "cdL": (4, 4, 0), "cdR": (0, 0, 1), "dL": (3, 2, 2), "dR": (0, 0, 0)}  # noqa: RUF012

    def initial(self) -> str:
        return ""

    def turn(self, state: str) -> int:
        return {"": 0, "c": 1, "d": 2, "cd": 2}.get(state, TERMINAL)

    def actions(self, state: str) -> tuple[str, ...]:
        return ("L", "R") if state in ("d", "cd") else ("c", "d")

    def probabilities(self, state: str) -> tuple[Fraction, ...]:
        raise AssertionError("there is no chance")

    def next(self, state: str, action: str) -> str:
        return state + action

    def payoffs(self, state: str) -> tuple[int, ...]:
        return self.ends[state]

    def infoset(self, state: str) -> str:
        return "three" if self.turn(state) == 2 else state

    def describe(self, key: str) -> str:
        return f"at {key or 'the root'}"


def test_selten_horse() -> None:
    game = compile_rules(Horse())
    result = mip_nash_extensive.solve(game, pieces=Pieces(9))
    assert result.epsilon < 1e-6 and not result.approximate


def test_refinement_on_a_tree() -> None:
    normal = mixed_game(0)
    tree = compile_rules(Hidden(normal))
    once = mip_nash_extensive.solve(tree, pieces=Pieces(5), refinements=0)
    assert once.approximate and once.epsilon > 1e-3
    more = mip_nash_extensive.solve(tree, pieces=Pieces(5))
    assert not more.approximate and more.programs > 1


@pytest.mark.parametrize("seed", range(8))
def test_welfare_on_a_tree_is_that_of_the_table(seed: int) -> None:
    """One move each: the program in extensive form finds the same best equilibrium as the one in normal form."""
    normal = random_game(seed, (3, 3))
    best = mip_nash_extensive.solve(compile_rules(Hidden(normal)), objective="welfare")
    assert best.epsilon < 1e-6
    same = mip_nash.solve(normal, objective="welfare")
    assert best.payoffs.sum() == pytest.approx(same.payoffs.sum(), abs=1e-6)
    assert best.solution.objective == pytest.approx(best.payoffs.sum(), abs=1e-6)


class BeerQuiche:
    """Cho and Kreps (1987): a sender who is strong or weak picks breakfast, a receiver who sees it fights or not."""

    name = "beer or quiche"
    players = ("sender", "receiver")

    def initial(self) -> tuple[str, ...]:
        return ()

    def turn(self, state: tuple[str, ...]) -> int:
        return (CHANCE, 0, 1, TERMINAL)[len(state)]

    def actions(self, state: tuple[str, ...]) -> tuple[str, ...]:
        return (("strong", "weak"), ("beer", "quiche"), ("fight", "retreat"))[len(state)]

    def probabilities(self, state: tuple[str, ...]) -> tuple[Fraction, ...]:
        return Fraction(9, 10), Fraction(1, 10)

    def next(self, state: tuple[str, ...], action: str) -> tuple[str, ...]:
        return (*state, action)

    def payoffs(self, state: tuple[str, ...]) -> tuple[int, int]:
        kind, meal, reply = state
        liked = meal == ("beer" if kind == "strong" else "quiche")
        return liked + 2 * (reply == "retreat"), int((reply == "fight") == (kind == "weak"))

    def infoset(self, state: tuple[str, ...]) -> str:
        return state[-1]

    def describe(self, key: str) -> str:
        return key


def test_a_signalling_game_pools_on_beer_at_its_best() -> None:
    """Both equilibria pool (Cho and Kreps 1987): on beer the sender gets 2.9, on quiche 2.1; the receiver 0.9."""
    best = mip_nash_extensive.solve(compile_rules(BeerQuiche()), objective="welfare")
    assert best.payoffs == pytest.approx([2.9, 0.9], abs=1e-6)
    assert best.regrets == pytest.approx([0, 0], abs=1e-6)


def test_three_player_extensive_form_with_mixing() -> None:
    normal = mixed_game(0)
    game = compile_rules(Hidden(normal))
    result = mip_nash_extensive.solve(game, pieces=Pieces(17), objective="regret")
    same = mip_nash.solve(normal, pieces=Pieces(17), objective="regret", polish=False)
    # the same interpolation, so the same least slack; ε is certified on the tree
    assert result.solution.objective == pytest.approx(same.solution.objective, abs=1e-6)
    spread = float(normal.payoff_floats.max() - normal.payoff_floats.min())
    assert result.epsilon < 0.02 * spread
    assert result.epsilon == pytest.approx(evaluate(game, [s.floats for s in result.strategies]).regrets.max())


def test_three_player_poker_with_two_cards() -> None:
    signals = Signals.finite([0.5, 0.5], [0.5, 0.5], [0.5, 0.5])
    game = compile_rules(BettingRules(three_player(signals=signals)))
    result = mip_nash_extensive.solve(game, pieces=Pieces(3))
    assert result.epsilon < 1e-6


def test_two_player_zero_sum_is_exact() -> None:
    game = compile_rules(Kuhn(3))
    result = mip_nash_extensive.solve(game)
    assert result.epsilon < 1e-6
    assert result.evaluation.payoffs[0] == pytest.approx(-1 / 18, abs=1e-6)


def test_both_trees_of_a_signal_game_have_the_same_payoffs() -> None:
    rules = three_player(signals=Signals.finite([0.5, 0.5], [0.25, 0.75], [0.5, 0.5]))
    moves, plans = compile_rules(BettingRules(rules)), compile_rules(SignalRules(rules))
    values = []
    for game in (moves, plans):
        behaviors = []
        for treeplex in game.treeplexes:
            behavior = np.ones(treeplex.num_sequences)
            for h in range(treeplex.num_infosets):
                for k, action in enumerate(treeplex.actions[h]):
                    behavior[treeplex.start[h] + k] = float("FOLD" not in action)  # never fold: one plan
            behaviors.append(behavior)
        values.append(evaluate(game, behaviors).payoffs)
    assert values[0] == pytest.approx(values[1])


def _random_three_player_game(seed: int, shape: tuple[int, int, int]) -> NormalForm:
    payoffs = np.random.default_rng([14, seed]).integers(-9, 10, (3, *shape)).astype(object)
    actions = tuple(tuple(f"{p}{i}" for i in range(k)) for p, k in enumerate(shape))
    return NormalForm("random", ("A", "B", "C"), actions, payoffs)


def test_presolve_that_calls_a_feasible_program_infeasible_is_not_believed() -> None:
    found = mip_nash.solve(_random_three_player_game(12, (2, 2, 2)))
    assert not found.approximate and not found.regrets.any()  # a pure equilibrium


def test_a_limit_before_the_first_point_leaves_what_regret_matching_finds() -> None:
    found = mip_nash.solve(_random_three_player_game(3, (3, 3, 3)), solver=SolverOptions(time_limit=1e-3))
    assert found.solution.termination is TerminationCondition.TIME_LIMIT and found.guarantee == np.inf
    assert all(p.sum() == pytest.approx(1.0) and (p >= 0).all() for p in found.profile)
    uniform = tuple(np.full(3, 1 / 3) for _ in range(3))
    assert found.epsilon < found.game.regrets(uniform).max()
    with pytest.raises(LimitError):
        mip_nash.solve(found.game, objective="welfare", solver=SolverOptions(time_limit=1e-3))


def test_all_programs_of_a_refinement_share_one_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float | None] = []

    def watched(model: Any, solver: SolverOptions) -> Solution:
        limits.append(solver.time_limit)
        return solve_model(model, solver)

    monkeypatch.setattr(refinement, "solve_model", watched)
    mip_nash.solve(_random_three_player_game(3, (2, 2, 2)), pieces=Pieces(2), solver=SolverOptions(time_limit=50.0))
    seconds = [limit for limit in limits if limit is not None]
    assert len(seconds) == len(limits) > 1
    assert seconds == sorted(seconds, reverse=True) and len(set(seconds)) == len(seconds) and seconds[0] <= 50.0
