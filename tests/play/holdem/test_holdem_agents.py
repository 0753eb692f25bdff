"""Agents of hold'em: abstractions, strategies, reading bets, folders, endgames."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equiform.games.cards.card import STANDARD
from equiform.models.common.errors import EquiformError, FormatError, ParameterError, UnsupportedGameError
from equiform.play.dealer import LIMIT, NO_LIMIT, BettingState, View, play_duplicate, read_log
from equiform.play.dealer.betting import CALL, Action
from equiform.play.dealer.hand_log import write_log
from equiform.play.holdem.abstract_betting import AbstractBetting, BetMenu, real_action
from equiform.play.holdem.agent import HoldemAgent
from equiform.play.holdem.blueprint import Blueprint, train
from equiform.play.holdem.buckets import StrengthBuckets, TableBuckets
from equiform.play.holdem.endgame import RiverSolver
from equiform.play.holdem.folder import open_agent, write_agent
from equiform.play.holdem.simple import always_call, uniform_player
from equiform.play.protocols import play_over_tcp
from tests.helpers.referee import referee_chips

BUCKETS = StrengthBuckets((4, 4, 4))


@pytest.fixture(scope="module")
def limit() -> HoldemAgent:
    return HoldemAgent("limit-base", train(AbstractBetting.build(LIMIT), BUCKETS, deals=4000, block=2000), BUCKETS)


@pytest.fixture(scope="module")
def no_limit() -> HoldemAgent:
    betting = AbstractBetting.build(NO_LIMIT, BetMenu((1.0,), 1))
    return HoldemAgent("no-limit-base", train(betting, BUCKETS, deals=4000, block=2000), BUCKETS)


# -- betting -----------------------------------------------------------------------------------------------------------


def test_every_limit_line_is_in_the_abstraction() -> None:
    """Counted by streets: with b raises to come there are 2b + 2 decisions and 2b + 1 ways on to the next street."""
    tree = AbstractBetting.build(LIMIT).tree
    ways, decisions = 1, []
    for own, on in ((8, 7), (10, 9), (10, 9), (10, 9)):
        decisions.append(ways * own)
        ways *= on
    found = [int(((tree.turn >= 0) & (tree.street == s)).sum()) for s in range(4)]
    assert found == decisions == [8, 70, 630, 5670]


def constant(chance: float) -> Callable[[int], float]:
    """Draw the same number for every move."""
    return lambda _: chance


def test_bets_between_two_sizes_are_read_by_the_mapping() -> None:
    betting = AbstractBetting.build(NO_LIMIT, BetMenu((1.0,), 1))
    state = BettingState.read(NO_LIMIT, "r250")  # 150 into 200: 0.75 pots, between a call and a pot
    draws = np.linspace(0.0, 1.0, 1000, endpoint=False)
    lines = [betting.states[betting.read(state, constant(u)) or 0].line for u in draws.tolist()]
    assert set(lines) == {"c", "r300"}
    lower = (1 - 0.75) * (1 + 0) / ((1 - 0) * (1 + 0.75))  # the pseudo-harmonic formula
    assert np.mean([line == "c" for line in lines]) == pytest.approx(lower, abs=2e-3)
    exact = BettingState.read(NO_LIMIT, "r300")
    assert betting.states[betting.read(exact, lambda _: 0.0) or 0].line == "r300"


def test_an_all_in_is_read_as_all_in_and_an_abstract_raise_fits_the_real_pot() -> None:
    betting = AbstractBetting.build(NO_LIMIT, BetMenu((1.0,), 1))
    shoved = BettingState.read(NO_LIMIT, "r400r20000")
    node = betting.read(shoved, lambda _: 0.5)
    assert node is not None and betting.states[node].line == "r300r20000"
    small = BettingState.read(NO_LIMIT, "r250c/")
    node = betting.read(small, lambda _: 0.99)
    assert node is not None and betting.states[node].line == "r300c/"
    moves = betting.actions(node)
    raised = real_action(betting, node, moves.index(Action("r", 900)), small)
    assert raised == Action("r", 750)  # a pot of 500 on top of 250


def test_where_the_abstraction_is_ahead_the_agent_calls(no_limit: HoldemAgent) -> None:
    """A tiny bet read as a check ends the abstract street: what faces it calls, and both are in step again."""
    betting = no_limit.blueprint.betting
    tiny = BettingState.read(NO_LIMIT, "cc/cr200")
    assert betting.read(tiny, lambda _: 0.0) is None
    board = STANDARD.parse("2c7dKh")
    found = [
        no_limit.act(View(k, 0, tiny, STANDARD.parse("AsAd"), board))
        for k in range(200)
        if no_limit.place(View(k, 0, tiny, (), board)) is None
    ]
    assert found and set(found) == {CALL}
    assert betting.read(tiny.after(CALL), lambda _: 0.0) is not None


# -- playing -----------------------------------------------------------------------------------------------------------


def test_an_agent_plays_any_opponent_without_an_illegal_move(limit: HoldemAgent, no_limit: HoldemAgent) -> None:
    class Wild:
        """Raises every legal size."""

        name = "wild"

        def act(self, view: View) -> Action:
            rng = np.random.default_rng((view.hand, len(view.betting.moves)))
            allowed = view.betting.raise_range()
            if allowed is None or rng.random() < 0.5:
                return CALL
            return (
                Action("r") if view.betting.rules.limit else Action("r", int(rng.integers(allowed[0], allowed[1] + 1)))
            )

    for agent in (limit, no_limit):
        for opponent in (Wild(), uniform_player()):
            played = play_duplicate(agent.rules, (agent, opponent), hands=60, seed=5)
            records = [r for half in played.halves for r in half]
            assert referee_chips(agent.rules, records) == [r.chips for r in records]


def test_the_agent_earns_from_those_who_call_everything(limit: HoldemAgent) -> None:
    found = play_duplicate(LIMIT, (limit, always_call()), hands=400, seed=3).estimate
    assert found.mean - found.half_width > 0


def test_two_agents_over_tcp_play_as_in_one_process(no_limit: HoldemAgent) -> None:
    pure = HoldemAgent("pure", no_limit.blueprint, BUCKETS, postprocess="purify", seed=4)
    over, reports = play_over_tcp(NO_LIMIT, (no_limit, pure), hands=20, seed=8)
    assert over.halves == play_duplicate(NO_LIMIT, (no_limit, pure), hands=20, seed=8).halves
    assert all(r.faults == (0, 0) for r in reports)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["limit", "no_limit"])
def test_ten_thousand_hands_over_tcp(game: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Without a fault on either side; the referee replays the logs, from which the hands were read back."""
    base: HoldemAgent = request.getfixturevalue(game)
    pure = HoldemAgent("pure", base.blueprint, BUCKETS, postprocess="purify", seed=4)
    played, reports = play_over_tcp(base.rules, (base, pure), hands=5000, seed=1)
    assert sum(len(half) for half in played.halves) == 10_000
    for number, (half, report) in enumerate(zip(played.halves, reports, strict=True)):
        assert report.faults == (0, 0) and report.forfeits == ("", "")
        log = tmp_path / f"{number}.log"
        write_log(log, base.rules, half, played.names, seed=1)
        records = read_log(log, base.rules)
        assert records == half and referee_chips(base.rules, records) == [r.chips for r in half]


def test_training_goes_on_where_it_stopped(limit: HoldemAgent, tmp_path: Path) -> None:
    state = tmp_path / "run.npz"
    betting = limit.blueprint.betting
    train(betting, BUCKETS, deals=2000, block=2000, checkpoint=state)
    again = train(betting, BUCKETS, deals=4000, block=2000, checkpoint=state)
    assert np.array_equal(again.table, limit.blueprint.table)
    with pytest.raises(FormatError, match="seed"):
        train(betting, BUCKETS, deals=4000, block=2000, seed=5, checkpoint=state)


def test_purified_strategies_are_pure(limit: HoldemAgent) -> None:
    pure = HoldemAgent("pure", limit.blueprint, BUCKETS, postprocess="purify")
    node = limit.blueprint.betting.nodes["rc/r"]
    rows = pure.played.rows(node)
    assert (rows.max(axis=1) >= 1 / rows.shape[1]).all() and np.allclose(rows.sum(axis=1), 1)
    strict = limit.blueprint.rows(node).max(axis=1) > np.sort(limit.blueprint.rows(node), axis=1)[:, -2] + 1e-6
    assert (rows[strict].argmax(axis=1) == limit.blueprint.rows(node)[strict].argmax(axis=1)).all()
    assert (rows[strict].max(axis=1) == 1).all()


def test_strength_buckets_rank_hands_on_the_board_as_it_lies() -> None:
    deals = np.array([STANDARD.parse(h + "2c7dKh") for h in ("KsKd", "AsKs", "AsQs", "4s3s")])
    assert StrengthBuckets((10, 10, 10)).look_up(deals).tolist() == sorted(
        StrengthBuckets((10, 10, 10)).look_up(deals).tolist(), reverse=True
    )
    with pytest.raises(EquiformError):
        StrengthBuckets((3, 3))


# -- endgames ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["limit", "no-limit"])
def test_rivers_are_played_by_the_solver(game: str, limit: HoldemAgent, no_limit: HoldemAgent) -> None:
    base = limit if game == "limit" else no_limit
    agent = HoldemAgent("endgames", base.blueprint, BUCKETS, endgames=RiverSolver(20))
    board = STANDARD.parse("2c7dKh9s3d")
    line = "cc/cc/cc/r" if game == "limit" else "cc/cc/cc/r230"  # a bet that is in no menu
    facing = BettingState.read(base.rules, line)
    best, worst = STANDARD.parse("KsKd"), STANDARD.parse("5s4h")
    strong = {agent.act(View(k, 1, facing, best, board)).kind for k in range(15)}
    weak = {agent.act(View(k, 1, facing, worst, board)).kind for k in range(15)}
    assert "f" not in strong and "f" in weak
    played = play_duplicate(base.rules, (agent, uniform_player()), hands=6, seed=2)
    records = [r for half in played.halves for r in half]
    assert referee_chips(base.rules, records) == [r.chips for r in records]


# -- folders -----------------------------------------------------------------------------------------------------------


def test_a_stored_agent_plays_the_same(no_limit: HoldemAgent, tmp_path: Path) -> None:
    agent = HoldemAgent("stored", no_limit.blueprint, BUCKETS, postprocess="threshold:0.1", endgames=RiverSolver(10))
    write_agent(tmp_path, agent)
    table = agent.blueprint.table.astype(np.float32).astype(np.float64)
    rounded = Blueprint(agent.blueprint.betting, agent.blueprint.sizes, table)
    same = HoldemAgent("same", rounded, BUCKETS, postprocess="threshold:0.1", endgames=RiverSolver(10))
    opened = open_agent(tmp_path)
    assert opened.name == "stored" and opened.rules is NO_LIMIT
    won = [play_duplicate(NO_LIMIT, (a, uniform_player()), hands=15, seed=1).won.tolist() for a in (opened, same)]
    assert won[0] == won[1]


def damage(path: Path, **changes: Any) -> None:
    said = json.loads((path / "agent.json").read_text())
    for name, value in changes.items():
        if value is None:
            del said[name]
        else:
            said[name] = value
    (path / "agent.json").write_text(json.dumps(said))


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 2},
        {"format": "other"},
        {"name": "a:b"},
        {"name": None},
        {"betting": {"game": "chess"}},
        {"buckets": {"method": "strength", "buckets": [169, -1]}},
        {"translation": "none"},
        {"postprocess": "polish"},
        {"endgames": {"iterations": 0}},
        {"endgames": {"unknown": 1}},
        {"files": {"../../etc/passwd": "0"}},
        {"files": {}},
    ],
    ids=str,
)
def test_a_manifest_that_cannot_be_is_refused(changes: dict[str, Any], limit: HoldemAgent, tmp_path: Path) -> None:
    write_agent(tmp_path, limit)
    damage(tmp_path, **changes)
    with pytest.raises(FormatError):
        open_agent(tmp_path)


def test_damaged_arrays_are_refused_before_the_first_move(limit: HoldemAgent, tmp_path: Path) -> None:
    write_agent(tmp_path, limit)
    strategy = tmp_path / "strategy.npz"
    whole = strategy.read_bytes()
    for broken in (whole[:-20], whole[:100] + b"x" + whole[101:], b""):
        strategy.write_bytes(broken)
        with pytest.raises(FormatError, match="not the file that was written"):
            assert open_agent(tmp_path).agent
    strategy.unlink()
    with pytest.raises(FormatError, match="cannot read"):
        assert open_agent(tmp_path).agent
    (tmp_path / "agent.json").write_text("{")
    with pytest.raises(FormatError):
        open_agent(tmp_path)


def test_a_strategy_of_other_buckets_is_refused(limit: HoldemAgent, tmp_path: Path) -> None:
    write_agent(tmp_path, limit)
    damage(tmp_path, buckets={"method": "strength", "buckets": [169, 5, 4, 4]})
    with pytest.raises(FormatError, match="probabilities"):
        assert open_agent(tmp_path).agent


def test_only_four_rounds_of_texas_make_an_agent() -> None:
    from equiform.abstraction.cards.build import build_abstraction

    with pytest.raises(UnsupportedGameError, match="all four rounds"):
        TableBuckets(build_abstraction("leduc", "expectation", (2, 4)))


def test_bad_menus_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError):
        BetMenu((0.0,))
    monkeypatch.setattr("equiform.play.holdem.abstract_betting.MAX_NODES", 5000)
    with pytest.raises(ParameterError, match="lines"):
        AbstractBetting.build(NO_LIMIT, BetMenu((0.3, 0.5, 0.75, 1, 1.5, 2), 4))
