"""Rhode Island hold'em: sizes, small decks by program, by CFR and in rational numbers, judged over every deal."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from equiform.api.rhode_island import RhodeIslandSolution, read_rhode_island, solve_rhode_island
from equiform.api.rhode_island.solution import public_nodes
from equiform.games.cards.one_card import three_card_strengths
from equiform.games.poker.rhode_island import RhodeIsland
from equiform.models.common.errors import FormatError, ParameterError
from equiform.models.public.expansion import expand
from equiform.models.public.game import PublicGame
from equiform.models.public.layout import from_blocks, to_blocks
from equiform.models.public.strategy import PublicStrategy
from equiform.models.sequence_form import sequence_form
from equiform.validation.certificates.rhode_island import _hand, certify_rhode_island

TINY = RhodeIsland(ranks=3, suits=2, raises=1)


def random_solution(rules: RhodeIsland, game: PublicGame, seed: int) -> RhodeIslandSolution:
    rng = np.random.default_rng(seed)
    found = []
    for player, treeplex in enumerate(game.treeplexes):
        plan = treeplex.realization(treeplex.behavior(np.append(1.0, rng.random(treeplex.num_sequences - 1))))
        blocks = np.empty(len(plan) - 1)
        to_blocks(game.layout, game.seats[player], plan, blocks)
        found.append(PublicStrategy(game, player, blocks))
    return RhodeIslandSolution(rules, "random", (found[0], found[1]), "", 0, 0.0)


def test_the_game_has_the_size_that_its_betting_and_its_boards_say() -> None:
    """Public rounds of eight decisions: one before the flop, 7 on each of 13 flops, 49 on each of 325 turns."""
    game = RhodeIsland().public()
    by_street = np.bincount(game.betting.street[game.betting.turn >= 0])
    assert by_street.tolist() == [8, 7 * 8, 49 * 8]
    assert len(game.boards) == 1 + 13 + 325
    assert public_nodes(game) == 8 + 56 * 13 + 392 * 325
    # a round is eight decisions, six folds and seven ways to go on: 6.7 billion nodes with the ends (slides: 3.1)
    assert np.bincount(game.betting.street).tolist() == [21, 7 * 21, 49 * 21]
    hands = int(np.diff(game.boards.hands[0].start)[14:].sum())
    assert game.num_infosets[1] == 13 * 4 + 28 * int(np.diff(game.boards.hands[0].start)[1:14].sum()) + 196 * hands


def test_strengths_of_small_decks_follow_the_same_rules() -> None:
    """The certificate's own order of hands and the game's agree on every pair of hands, deck by deck."""
    for rules in (RhodeIsland(ranks=4, suits=3), RhodeIsland(ranks=3, suits=2), RhodeIsland(ranks=13, suits=2)):
        hands = list(itertools.combinations(range(len(rules.deck)), 3))
        strengths = three_card_strengths(hands, rules.deck)
        keys = [_hand(hand, rules.ranks, rules.suits) for hand in hands]
        order = {key: k for k, key in enumerate(sorted(set(keys)))}
        ours = np.array([order[key] for key in keys])
        assert (
            np.argsort(np.unique(strengths, return_inverse=True)[1].ravel(), kind="stable")
            == np.argsort(ours, kind="stable")
        ).all()
        assert (np.unique(strengths, return_inverse=True)[1].ravel() == ours).all()


@pytest.mark.parametrize("rules", [TINY, RhodeIsland(ranks=2, suits=3, ante=2, bets="1/2/4", raises=1)])
def test_the_certificate_the_operator_and_the_tree_agree(rules: RhodeIsland) -> None:
    game = rules.public()
    solution = random_solution(rules, game, 3)
    proof = certify_rhode_island(rules, solution)
    form = game.sequence_form()
    plans = [np.append(1.0, np.empty(len(s.plan))) for s in solution.strategies]
    for player, (plan, strategy) in enumerate(zip(plans, solution.strategies, strict=True)):
        from_blocks(game.layout, game.seats[player], strategy.plan, plan)
    assert proof.payoffs[0] == pytest.approx(form.value(*plans), abs=1e-9)
    assert proof.bracket == pytest.approx(form.bracket(*plans), abs=1e-9)
    assert proof.residuals == pytest.approx((0, 0), abs=1e-12)
    tree = sequence_form(expand(game))
    assert [t.num_infosets for t in tree.treeplexes] == list(game.num_infosets)


def test_a_tiny_deck_in_rational_numbers_by_program_and_by_cfr() -> None:
    exact = solve_rhode_island(TINY, method="exact")
    assert exact.exact_value is not None
    top, bottom = map(int, exact.exact_value.split("/"))
    value = top / bottom
    assert exact.value == pytest.approx(value, abs=1e-12)
    assert exact.certificate.nash_conv < 1e-12
    program = solve_rhode_island(TINY)
    assert program.method == "lp"
    assert program.bracket[0] - 1e-9 <= value <= program.bracket[1] + 1e-9
    assert program.certificate.nash_conv < 1e-6
    iterated = solve_rhode_island(TINY, method="cfr", until="gap=0.01")
    assert iterated.bracket[0] <= value <= iterated.bracket[1]
    assert iterated.certificate.nash_conv <= 0.01
    assert iterated.history[-1][2] == pytest.approx(iterated.certificate.exploitability, abs=1e-9)


@pytest.mark.parametrize("method", ["egt", "iterated-smoothing"])
def test_first_order_methods_on_the_operator_bracket_the_value(method: str) -> None:
    tiny = RhodeIsland(ranks=4, suits=1, raises=1)
    solved = solve_rhode_island(tiny, method=method, until="gap=0.2,iterations=400")
    assert solved.bracket[0] <= -1 / 6 <= solved.bracket[1]  # the value by the exact program
    assert solved.history[-1][2] == pytest.approx(solved.certificate.exploitability, abs=1e-9)


@pytest.fixture
def solved() -> RhodeIslandSolution:
    return solve_rhode_island(TINY, method="cfr", until="iterations=30")


def test_solutions_are_written_and_read_again(solved: RhodeIslandSolution, tmp_path: Path) -> None:
    solved.write(tmp_path / "solution.npz")
    again = read_rhode_island(tmp_path / "solution.npz")
    assert again.rules == solved.rules and again.history == solved.history
    assert again.certificate == solved.certificate
    (tmp_path / "bad.npz").write_bytes((tmp_path / "solution.npz").read_bytes()[:2000])
    with pytest.raises(FormatError):
        read_rhode_island(tmp_path / "bad.npz")


def test_runs_go_on_from_their_state_bit_for_bit(solved: RhodeIslandSolution, tmp_path: Path) -> None:
    state = tmp_path / "state.npz"
    solve_rhode_island(TINY, method="cfr", until="iterations=12", state=state)
    resumed = solve_rhode_island(TINY, method="cfr", until="iterations=30", state=state)
    assert resumed.iterations == 30
    for one, two in zip(resumed.strategies, solved.strategies, strict=True):
        assert (one.plan == two.plan).all()


def test_tables_name_cards_and_moves(solved: RhodeIslandSolution) -> None:
    opening = solved.table()
    assert opening.moves == ("check", "bet") and opening.hands == ("J", "Q", "K")
    later = solved.table("bet–call/check", "Kc")
    assert later.player == 1 and later.moves == ("check", "bet")
    assert len(later.hands) == 5 and all(sum(row) == pytest.approx(1) for row in later.probabilities)
    assert [t.history for t in solved.first_round()] == ["", "check", "bet", "check–bet"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ranks": 14}, "ranks"),
        ({"ranks": 2, "suits": 1}, "two private"),
        ({"bets": "10/20"}, "three sizes"),
        ({"bets": "10/x/20"}, "three sizes"),
        ({"ante": 0}, "ante"),
        ({"raises": 9}, "raises"),
    ],
)
def test_bad_parameters_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        RhodeIsland(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "simplex"}, "method"),
        ({"method": "lp"}, "limit of lp"),
        ({"method": "exact"}, "limit of exact"),
        ({"method": "cfr", "max_memory": 1e8}, "float32 halves"),
        ({"method": "egt", "max_memory": 1e9}, "cfr needs less"),
        ({"method": "egt", "dtype": "float32"}, "64 bits"),
        ({"method": "cfr", "backend": "highs"}, "no solver of programs"),
        ({"method": "cfr", "dtype": "float16"}, "type of numbers"),
    ],
)
def test_what_would_not_fit_is_refused_before_the_work(options: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        solve_rhode_island(RhodeIsland(), **options)  # type: ignore[arg-type]
