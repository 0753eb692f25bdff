"""Leagues: resumable, the same in pieces, and lower bounds of exploitability."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equiform.games.cards.card import STANDARD
from equiform.games.cards.evaluator import strengths
from equiform.games.poker.holdem.ranges import all_hands
from equiform.models.common.errors import EquiformError, FormatError
from equiform.play.dealer import LIMIT, play_duplicate
from equiform.play.holdem.abstract_betting import AbstractBetting
from equiform.play.holdem.agent import HoldemAgent
from equiform.play.holdem.blueprint import Blueprint, train
from equiform.play.holdem.buckets import StrengthBuckets
from equiform.play.holdem.folder import write_agent
from equiform.play.league.league import League, play_league, river_of
from equiform.play.league.local_best_response import LocalBestResponse, outcomes

BUCKETS = StrengthBuckets((4, 4, 4))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("agent")
    betting = AbstractBetting.build(LIMIT)
    write_agent(path, HoldemAgent("base", train(betting, BUCKETS, deals=2000, block=2000), BUCKETS))
    return str(path)


def described(folder: str) -> dict[str, Any]:
    return {
        "game": "limit",
        "hands": 24,
        "players": [
            {"name": "base", "agent": folder},
            {"name": "endgames", "agent": folder, "endgames": 5, "hands": 12},
            {"agent": "always-call"},
        ],
        "responses": [{"agent": "base", "from": "turn", "hands": 6}],
    }


def test_a_league_is_the_same_again_from_its_store(folder: str, tmp_path: Path) -> None:
    league = League.of(described(folder))
    first = play_league(league, store=tmp_path).to_dict()
    times = {p.name: p.stat().st_mtime_ns for p in tmp_path.iterdir()}
    assert play_league(league, store=tmp_path).to_dict() == first
    assert times == {p.name: p.stat().st_mtime_ns for p in tmp_path.iterdir()}
    assert [m["deals"] for m in first["matches"]] == [12, 24, 12]
    assert first["lower_bounds"][0]["deals"] == 6


def test_versions_part_in_endgames_only(folder: str) -> None:
    result = play_league(replace(League.of(described(folder)), responses=()))
    assert result.versions() == [("base", "endgames", "always-call")]
    pairs = result.paired("base", "endgames", "always-call")
    trunk = (pairs.endgames < 0).any(axis=0)
    assert pairs.payoffs.shape == (2, 24) and (pairs.endgames[0] == pairs.endgames[1]).all()
    assert (pairs.payoffs[0, trunk] == pairs.payoffs[1, trunk]).all()


def test_rivers_are_hands_with_a_decision_on_the_river() -> None:
    played = play_duplicate(LIMIT, (_player(), _player("b")), hands=10, seed=1)
    for record in played.halves[0]:
        assert (river_of(record) >= 0) == (record.line.count("/") == 3 and not record.line.endswith("/"))


def _player(name: str = "a") -> Any:
    from equiform.play.holdem.simple import uniform_player

    return replace(uniform_player(), name=name)


@pytest.mark.parametrize(
    "changes",
    [
        {"hands": 0},
        {"players": [{"agent": "always-call"}]},
        {"players": [{"agent": "always-call"}, {"agent": "always-call"}]},
        {"players": [{"agent": "always-call", "size": 3}, {"agent": "uniform"}]},
        {"game": "omaha"},
        {"rounds": 3},
        {"responses": [{"agent": "always-call"}]},
    ],
    ids=str,
)
def test_bad_descriptions_are_refused(changes: dict[str, Any]) -> None:
    good = {"players": [{"agent": "always-call"}, {"agent": "uniform"}], "hands": 5}
    with pytest.raises(EquiformError):
        League.of({**good, **changes})


def test_a_player_who_is_not_there_is_refused() -> None:
    with pytest.raises(FormatError, match="cannot read the agent"):
        play_league(League.of({"players": [{"agent": "nobody"}, {"agent": "uniform"}], "hands": 5}))


def test_outcomes_on_the_turn_are_exact() -> None:
    hole, board = STANDARD.parse("AsKd"), STANDARD.parse("2c7dKh9s")
    wins, runs = outcomes(hole, board, 0)
    hands = all_hands()
    for k in np.random.default_rng(1).integers(len(hands), size=40).tolist():
        used = {*hole, *board}
        rest = [c for c in range(52) if c not in used | set(hands[k].tolist())]
        if used & set(hands[k].tolist()):
            assert runs[k] == 0
            continue
        both = [strengths([[*h, *board, c] for c in rest]).astype(int) for h in (hole, hands[k].tolist())]
        assert runs[k] == len(rest)
        assert wins[k] == (both[0] > both[1]).sum() + 0.5 * (both[0] == both[1]).sum()


def test_the_bound_of_a_player_who_always_folds_is_what_folding_costs() -> None:
    """An agent that folds to every raise loses its blind in every hand in which the responder raises."""
    betting = AbstractBetting.build(LIMIT)
    blueprint = Blueprint(betting, BUCKETS.sizes, np.zeros(int(betting.tree.offsets(BUCKETS.sizes)[-1])))
    for node in np.flatnonzero(betting.tree.turn >= 0).tolist():
        kinds = [a.kind for a in betting.actions(node)]
        blueprint.rows(node)[:, kinds.index("f") if "f" in kinds else kinds.index("c")] = 1.0
    folder = HoldemAgent("folder", blueprint, BUCKETS)
    found = play_duplicate(LIMIT, (LocalBestResponse(folder), folder), hands=20, seed=2)
    # the small blind folds at once (5 chips); the big blind folds to the raise (10 chips)
    assert found.won.tolist() == [750.0] * 20
