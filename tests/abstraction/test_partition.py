"""Hold'em cut into parts: clusters and buckets, what dealers deal, and blueprints on disk."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from equiform.abstraction.partition.blueprint import Blueprint, BlueprintSettings, prepare_blueprint
from equiform.abstraction.partition.holdem import HoldemDealer, HoldemPartition, all_flops, read_partition
from equiform.abstraction.partition.size import betting_size, partition_size
from equiform.cli.app import main
from equiform.games.cards.evaluator import strength
from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.models.common.errors import FormatError, ParameterError
from equiform.models.rules import CHANCE
from tests.helpers.partitions import flops_by_highest_card, run_blueprint

SMALL = HoldemBetting(bets=(), blinds=(50, 100), stack=1000, sizes=(1.0,), raises=(1, 1, 1, 1))


@pytest.fixture(scope="module")
def partition() -> HoldemPartition:
    return flops_by_highest_card()


@pytest.mark.parametrize("betting", [SMALL, HoldemBetting(), HoldemBetting(raises=(1, 2, 0, 1))])
def test_trees_are_counted_without_building_them(betting: HoldemBetting) -> None:
    tree, counted = betting.tree(), betting_size(betting)
    chance = tree.turn == CHANCE
    assert counted.nodes == len(tree) - int(chance.sum())
    for street in range(4):
        here = tree.turn[(tree.street == street)] >= 0
        assert counted.decisions[street] == int(here.sum())
        moves = (tree.turn[tree.parent[1:]] >= 0) & (tree.street[tree.parent[1:]] == street)
        assert counted.moves[street] == int(moves.sum())


def test_the_papers_size_is_counted_not_built() -> None:
    betting = HoldemBetting(bets=(), blinds=(50, 100), stack=20_000, sizes=(0.3, 0.6, 1.0, 2.0), raises=(3, 3, 3, 3))
    size = partition_size(60, (500, 500, 500), betting)
    assert size.nodes > 6_104_546  # the thesis's betting tree (§6.3), of which this one is a larger relative
    assert size.moves == pytest.approx(size.nodes * 30_000, rel=0.02)  # its 1.8e11 infoset actions, in the same way
    assert size.total_bytes == 60 * size.member_bytes + size.head_bytes == 16 * size.moves


def test_dealers_deal_each_clusters_flops_evenly(partition: HoldemPartition) -> None:
    dealer = HoldemDealer(partition, SMALL)
    rng = np.random.default_rng(1)
    head = dealer.deal((), np.zeros((500, 0), dtype=np.uint8), rng)
    assert head.cards.shape == (500, 4) and all(len(set(row)) == 4 for row in head.cards.tolist())
    deals = [dealer.deal((c,), head.cards, rng) for c in range(3)]
    assert (np.sum([d.outcomes for d in deals], axis=0) == 17_296).all()  # 48 choose 3
    flops, classes = all_flops()
    for c, dealt in enumerate(deals):
        rows = dealt.cards.astype(np.int64)
        assert all(len(set(row)) == 9 for row in rows.tolist()) and (rows[:, :4] == head.cards).all()
        assert ((rows[:, 4:7].max(axis=1) // 4) // 5 == c).all()
        own = [set(f) for f in flops[partition.clusters[classes] == c].tolist()]
        assert dealt.outcomes[0] == sum(not f & set(rows[0, :4].tolist()) for f in own)
        first, second = ([*rows[0, 2 * p : 2 * p + 2].tolist(), *rows[0, 4:].tolist()] for p in range(2))
        assert dealt.sign[0] == np.sign(strength(first) - strength(second))
        for street in (1, 2, 3):
            path, bucket = dealer.place(rows[0, 2:4], rows[0, 4 : 6 + street])
            assert path == (c,) and bucket[0] == dealt.buckets[0, street - 1, 1]


def test_partitions_are_kept_in_files(partition: HoldemPartition, tmp_path: Path) -> None:
    file = tmp_path / "partition.npz"
    partition.write(file)
    again = read_partition(file)
    assert again.num_clusters == 3 and again.buckets == (5, 5, 5)
    assert HoldemDealer(again, SMALL).fingerprint() == HoldemDealer(partition, SMALL).fingerprint()
    np.savez(file, meta=np.array("{}"), clusters=np.zeros(3))
    with pytest.raises(FormatError, match="not a file of clusters"):
        read_partition(file)


def test_blueprints_are_read_hand_by_hand(tmp_path: Path) -> None:
    run_blueprint(tmp_path, SMALL, 200)
    blueprint = Blueprint(tmp_path)
    tree = blueprint.dealer.tree
    odds = blueprint.probabilities([51, 47], [], 0)
    assert odds.sum() == pytest.approx(1.0) and len(odds) == len(tree.children[0])
    flop = tree.find("call–check/")
    assert blueprint.probabilities([51, 47], [0, 5, 10], flop).sum() == pytest.approx(1.0)
    with pytest.raises(ParameterError, match="do not fit"):
        blueprint.probabilities([51, 47], [], flop)
    with pytest.raises(FormatError, match="other settings"):
        prepare_blueprint(tmp_path, BlueprintSettings(4, (5, 5, 5), SMALL, sample=100))
    (tmp_path / "blueprint.json").write_text("{}")
    with pytest.raises(FormatError, match="not a blueprint"):
        Blueprint(tmp_path)


def test_the_command_counts(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["blueprint", "--dry-run", "--clusters", "60", "--buckets", "500,500,500", "--json"])
    assert not end.value.code
    found = json.loads(capsys.readouterr().out)["size"]
    assert found["members"] == 60 and found["moves"] * 16 == found["total_bytes"]
    with pytest.raises(SystemExit):
        main(["blueprint", "folder", "--buckets", "5,5"])
    assert "3" in capsys.readouterr().err
