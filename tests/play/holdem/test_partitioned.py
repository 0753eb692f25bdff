"""Agents from what `equiform blueprint` computes in parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equiform.abstraction.partition.blueprint import Blueprint
from equiform.games.cards.card import STANDARD
from equiform.games.poker.holdem.tree import HoldemBetting, line_of, node_at
from equiform.models.common.errors import FormatError, UnsupportedGameError
from equiform.play.dealer import play_duplicate
from equiform.play.holdem.abstract_betting import AbstractBetting
from equiform.play.holdem.agent import HoldemAgent
from equiform.play.holdem.folder import open_agent, write_agent
from equiform.play.holdem.partitioned import from_partitioned
from equiform.play.holdem.simple import always_raise
from equiform.play.holdem.solved import game_of
from tests.helpers.partitions import run_blueprint


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found: Path = tmp_path_factory.mktemp("blueprint")
    run_blueprint(found, HoldemBetting(), 20)
    return found


def test_the_agent_plays_the_blueprint_and_so_does_its_folder(folder: Path, tmp_path: Path) -> None:
    blueprint, buckets = from_partitioned(folder)
    assert buckets.sizes == (169, 15, 15, 15)
    stored = Blueprint(folder)
    for line, board, hand in (("", "", "AsAd"), ("rc/", "2c7dKh", "AsAd"), ("cc/cc/cc/r", "2c7d9h9s3d", "5s4h")):
        node = blueprint.betting.nodes[line]
        row = blueprint.rows(node)[int(buckets.look_up(np.array([STANDARD.parse(hand + board)]))[0])]
        theirs = stored.probabilities(
            list(STANDARD.parse(hand)), list(STANDARD.parse(board)) if board else [], node_at(stored.dealer.tree, line)
        )
        assert row.tolist() == theirs.tolist() and row.sum() == pytest.approx(1)
    agent = HoldemAgent("parts", blueprint, buckets)
    write_agent(tmp_path / "agent", agent)
    opened = open_agent(tmp_path / "agent")
    won = [play_duplicate(agent.rules, (a, always_raise()), hands=5, seed=1).won.tolist() for a in (agent, opened)]
    assert won[0] == won[1]
    (tmp_path / "agent" / "partition.npz").write_bytes(b"damaged")
    with pytest.raises(FormatError, match="not the file"):
        assert open_agent(tmp_path / "agent").agent


def test_blueprints_of_other_games_are_refused(tmp_path: Path) -> None:
    run_blueprint(tmp_path, HoldemBetting(bets=(), blinds=(50, 100), stack=500, sizes=(), raises=(1, 1, 1, 1)), 5)
    with pytest.raises(UnsupportedGameError, match="20,000"):
        from_partitioned(tmp_path)


def test_no_limit_lines_are_those_of_the_blueprint() -> None:
    betting = HoldemBetting(bets=(), blinds=(50, 100), stack=20_000, sizes=(1.0,), raises=(2, 2, 2, 2))
    rules, menu = game_of(betting)
    tree, lines = betting.tree(), AbstractBetting.build(rules, menu)
    for node in np.flatnonzero(lines.tree.turn >= 0).tolist():
        there = node_at(tree, lines.states[node].line)
        below = [line_of(tree, child).rstrip("/") for child in tree.children[there]]
        assert [lines.states[child].line.rstrip("/") for child in lines.children(node)] == below
    assert int((lines.tree.turn >= 0).sum()) == int((tree.turn >= 0).sum())
    assert AbstractBetting.from_dict(lines.to_dict()).menu == menu
