"""The sweep over boards: all rivers at once, boards up to suits, exact totals, and going on after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from math import comb
from pathlib import Path

import numpy as np
import pytest

from equiform.abstraction.holdem.boards import ALL_RIVERS, Sweep, drawn_rivers, flops_of, hands_on, next_boards
from equiform.abstraction.holdem.counting import add_pairs, space
from equiform.abstraction.holdem.estimate import Keep, estimate_deals
from equiform.abstraction.holdem.hand_buckets import HandBuckets
from equiform.abstraction.holdem.rivers import add_rivers, river_space
from equiform.games.cards.all_in.tables import two_way_table
from equiform.games.cards.charts import starting_hands
from equiform.games.cards.evaluator import N_HANDS
from equiform.games.cards.indexing import hand_indexer
from equiform.games.cards.rank_tables import rank_tables
from equiform.models.common.errors import FormatError
from tests.helpers.holdem_buckets import tiny_abstraction


def test_all_rivers_at_once_are_those_one_by_one() -> None:
    board, n = (3, 17, 30, 44), 40
    rng = np.random.default_rng(0)
    buckets = rng.integers(0, n, N_HANDS).astype(np.int32)
    rivers = np.array([c for c in range(52) if c not in board])
    boards = np.hstack([np.tile(board, (ALL_RIVERS, 1)), rivers[:, None]])
    times = rng.integers(1, 5, ALL_RIVERS)
    found, wanted, nothing = np.zeros((3, n, n))
    add_rivers(boards, times, buckets, rank_tables(), 2.0, river_space(n), found)
    for full, count in zip(boards.tolist(), times.tolist(), strict=True):
        on = hands_on(full, ranked=True)
        one = np.ones(len(on.which))
        add_pairs(
            on.hands, buckets[on.which].astype(np.int64), on.ranks, one, one, (0.0, 2.0 * count), space(n), nothing,
            wanted,
        )  # fmt: skip
    assert (found == wanted).all() and np.abs(found).sum() > 0


def test_boards_stand_for_all_of_their_class() -> None:
    flops = list(flops_of(Sweep()))
    turns = [next_boards(flop) for flop, _, _ in flops]
    assert sum(w for _, w, _ in flops) == comb(52, 3)
    assert all(counts.sum() == 49 for _, counts in turns)
    assert sum(len(boards) for boards, _ in turns) == 63_193  # the public turns of hold'em, flop and turn told apart
    for boards, _ in turns[::400]:
        for board in boards[::10].tolist():
            assert drawn_rivers(board, Sweep())[1].sum() == 48 and len(drawn_rivers(board, Sweep(rivers=3))[0]) == 3


def test_suits_do_not_matter() -> None:
    buckets, flop = HandBuckets(tiny_abstraction(), 2), (0, 4, 9)  # two clubs and a diamond
    labels = buckets.on(flop)
    margin, nothing = np.zeros((2, 6, 6))
    every = np.zeros((6, 6))
    boards, counts = next_boards(flop)
    assert len(boards) < 49
    for turn, times in zip(boards.tolist(), counts.tolist(), strict=True):
        rivers, weights = drawn_rivers(turn, Sweep())
        add_rivers(rivers, weights, labels, rank_tables(), float(times), river_space(6), margin)
    for turn in range(52):
        if turn in flop:
            continue
        for river in range(52):
            if river in (*flop, turn):
                continue
            on = hands_on((*flop, turn, river), ranked=True)
            given = (on.hands, labels[on.which].astype(np.int64), on.ranks, np.ones(len(on.which)))
            add_pairs(*given, given[3], (0.0, 1.0), space(6), nothing, every)
    assert (margin == every).all()


@pytest.mark.slow
def test_all_boards_are_counted_exactly(tmp_path: Path) -> None:
    """The sum over the flop is that of the tables of all-in hands, which are counted by another method."""
    abstraction = tiny_abstraction()
    found = estimate_deals(HandBuckets(abstraction, 2))
    deals = found.deals
    assert deals.error is None and found.margin_error is None
    assert deals.total == comb(52, 2) * comb(50, 2) * comb(48, 3)
    assert abs(sum(deals.transition(0, 1)[0]) - 1) < 1e-15
    table = two_way_table(folder=tmp_path)
    bucket = np.zeros(169, dtype=np.int64)
    names = list(starting_hands())
    for (low, high), label in zip(
        hand_indexer(2).deals(0, np.arange(169)).tolist(), abstraction.rounds[0].labels, strict=True
    ):
        first, second = sorted((low // 4, high // 4), reverse=True)
        suited = "" if first == second else "s" if low % 4 == high % 4 else "o"
        bucket[names.index("23456789TJQKA"[first] + "23456789TJQKA"[second] + suited)] = label
    wanted, pairs = np.zeros((2, 3, 3))
    np.add.at(wanted, (bucket[:, None], bucket[None, :]), table[..., 0] - table[..., 1])
    np.add.at(pairs, (bucket[:, None], bucket[None, :]), table.sum(axis=2))
    # a flop, a turn and a river can be dealt from five cards in 20 ways, after a flop in 45 · 44
    assert (deals.summed(np.rint(found.margin * 1980), (0, 0)) == 20 * wanted).all()
    assert (deals.joint(0) * 1980 == 20 * pairs).all()


def _killed(folder: Path) -> Path:
    """Begin a sweep in another process, and kill it once it has kept something."""
    code = (
        "import sys; from pathlib import Path; from equiform.abstraction.holdem import estimate as e;"
        "from equiform.abstraction.holdem.boards import Sweep;"
        "from equiform.abstraction.holdem.hand_buckets import HandBuckets;"
        "from tests.helpers.holdem_buckets import tiny_abstraction; e.SAVE_SECONDS = 0.0;"
        "e.estimate_deals(HandBuckets(tiny_abstraction(), 2), Sweep(40, 2), keep=e.Keep(Path(sys.argv[1]), 'key'))"
    )
    path = folder / "sums.npz"
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], cwd=Path(__file__).parents[2])
    try:
        while not path.exists():
            assert process.poll() is None, "the sweep ended before it had kept anything"
            time.sleep(0.02)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    return path


def test_a_killed_sweep_goes_on_bit_for_bit(tmp_path: Path) -> None:
    buckets, sweep = HandBuckets(tiny_abstraction(), 2), Sweep(40, 2)
    path = _killed(tmp_path)
    begun: list[int] = []
    with pytest.raises(FormatError, match="another sweep"):
        estimate_deals(buckets, Sweep(40, 3), keep=Keep(path, "key"))
    with pytest.raises(FormatError, match="another abstraction"):
        estimate_deals(buckets, sweep, keep=Keep(path, "other"))
    resumed = estimate_deals(buckets, sweep, keep=Keep(path, "key"), progress=lambda p: begun.append(p.done))
    assert begun[0] > 1 and not path.exists()
    straight = estimate_deals(buckets, sweep)
    assert (resumed.deals.counts == straight.deals.counts).all() and (resumed.margin == straight.margin).all()
