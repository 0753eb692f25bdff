"""Agents from what `equiform holdem` solves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equiform.abstraction.cards.card_abstraction import BucketRound, CardAbstraction
from equiform.abstraction.holdem.blueprint import HoldemBlueprint
from equiform.games.cards.card import STANDARD
from equiform.games.cards.indexing import hand_indexer
from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.models.common.errors import UnsupportedGameError
from equiform.play.dealer import play_duplicate
from equiform.play.holdem.agent import HoldemAgent
from equiform.play.holdem.folder import open_agent, write_agent
from equiform.play.holdem.simple import always_raise
from equiform.play.holdem.solved import from_solved, game_of


def one_bucket(name: str, *deals: int) -> BucketRound:
    return BucketRound(name, deals, np.ones(1), np.zeros(hand_indexer(*deals).sizes[-1], dtype=np.int32))


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> HoldemBlueprint:
    """Weak and strong hands on the river, one bucket before, and any strategy at all."""
    cuts = np.array([990])
    river = BucketRound("river", (2, 3, 1, 1), np.array([0.5, 0.5]), cuts=cuts, children=np.array([2]))
    rounds = (one_bucket("preflop", 2), one_bucket("flop", 2, 3), one_bucket("turn", 2, 4), river)
    betting = HoldemBetting()
    rng = np.random.default_rng(1)
    tables = []
    for moves in betting.tree().seats:
        tables.append(tuple(rng.random((2 if s == 3 else 1, int(moves.width[s]))) for s in range(4)))
    codes = (np.array([0]), np.array([0]), np.array([0]), np.array([0, 1]))
    return HoldemBlueprint(CardAbstraction("texas", "halves", rounds), betting, (tables[0], tables[1]), {}, codes)


@pytest.mark.slow  # a table of all turn hands is written and read
def test_the_agent_plays_the_solved_strategy_and_so_does_its_folder(solved: HoldemBlueprint, tmp_path: Path) -> None:
    solved.write(tmp_path)
    blueprint, buckets = from_solved(tmp_path)
    assert buckets.sizes == (1, 1, 1, 2)
    for line, board, hand in (("", "", "AsAd"), ("crc/", "2c7dKh", "AsAd"), ("cc/cc/cc/r", "2c7dKh9s3d", "5s4h")):
        node = blueprint.betting.nodes[line]
        deal = np.array([STANDARD.parse(hand + board)])
        row = blueprint.rows(node)[int(buckets.look_up(deal)[0])]
        theirs = list(solved.probabilities(hand, board, line).values())
        assert row == pytest.approx(theirs, abs=1e-6) and row.sum() == pytest.approx(1)
    agent = HoldemAgent("solved", blueprint, buckets)
    write_agent(tmp_path / "agent", agent)
    opened = open_agent(tmp_path / "agent")
    won = [play_duplicate(agent.rules, (a, always_raise()), hands=5, seed=1).won.tolist() for a in (agent, opened)]
    assert won[0] == won[1]


def test_other_games_are_refused(solved: HoldemBlueprint) -> None:
    betting = HoldemBetting(bets=(2, 2, 2, 2))
    with pytest.raises(UnsupportedGameError, match="four streets"):
        game_of(betting)
