"""Whole-round tables: a sample of the sweep against brute force, histograms, transitions, and the cache."""

from __future__ import annotations

import sys
from math import comb
from pathlib import Path

import numba
import numpy as np
import phevaluator
import pytest
from numpy.typing import NDArray

from equiform.games.cards.card import CardError
from equiform.games.cards.equity import equity, river_distribution
from equiform.games.cards.indexing import HandIndexer, hand_indexer
from equiform.games.cards.one_card import LEDUC
from equiform.games.cards.rounds import cache, tables
from equiform.games.cards.rounds.cache import CacheError, cache_dir, cached_array, new_array
from equiform.games.cards.rounds.histograms import fill_histograms
from equiform.games.cards.rounds.sweep import earlier_table, river_table, run_in_threads, spread_table
from equiform.games.cards.rounds.tables import build_ehs_tables, ehs_table, histogram_table
from equiform.games.cards.rounds.transitions import transition_histograms
from equiform.games.cards.showdown import pair_places
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError


def successors(size: int, boards: IntArray) -> IntArray:
    """Canonical boards that one more card makes of some boards of ``size`` cards."""
    cards = hand_indexer(size).deals(0, boards)
    grown = [[*board, card] for board in cards.tolist() for card in range(52) if card not in board]
    return np.unique(hand_indexer(size + 1).index(grown))


@numba.njit
def compare_all_pairs(rank: IntArray, hands: IntArray) -> IntArray:
    """Wins and ties by the definition; a lower rank is better here."""
    out = np.zeros((len(rank), 2), np.int64)
    for i in range(len(rank)):
        for j in range(len(rank)):
            a, b = hands[i]
            c, d = hands[j]
            if a != c and a != d and b != c and b != d:
                out[i, 0] += rank[i] < rank[j]
                out[i, 1] += rank[i] == rank[j]
    return out


@pytest.mark.parametrize("share", [400, pytest.param(100, marks=pytest.mark.slow)])
def test_a_share_of_the_river_boards_by_brute_force(share: int) -> None:
    """Every pair of hands compared, with another library's strengths."""
    n = hand_indexer(5).sizes[0]
    sample = np.random.default_rng(0).choice(n, n // share, replace=False)
    table = river_table(sample)
    places = pair_places()
    evaluate = phevaluator.evaluate_cards
    for index, board in zip(sample, hand_indexer(5).deals(0, sample).tolist(), strict=True):
        rest = np.array([card for card in range(52) if card not in board])
        hands = rest[places]
        rank = np.array([evaluate(*board, a, b) for a, b in hands.tolist()])
        columns = hands[:, 1] * (hands[:, 1] - 1) // 2 + hands[:, 0]
        expected = compare_all_pairs(rank, places)
        assert np.array_equal(table[index, columns], expected)
        assert table[index].sum(dtype=np.int64) == expected.sum()  # hands that share a card with the board have none


def test_one_percent_of_the_sweep_by_brute_force() -> None:
    """A sample of flops, all turn and river boards they lead to, and single hands by direct enumeration."""
    rng = np.random.default_rng(1)
    flops = rng.choice(hand_indexer(3).sizes[0], 18, replace=False)
    turns = successors(3, flops)
    by_turn = earlier_table(river_table(successors(4, turns)), 4, turns)
    by_flop = earlier_table(by_turn, 3, flops)
    flop_hands = np.zeros((hand_indexer(2, 3).sizes[1], 2), dtype=np.uint32)
    spread_table(by_flop, 3, (2, 3), flop_hands, flops)
    turn_hands = np.zeros((hand_indexer(2, 3, 1).sizes[2], 2), dtype=np.uint16)
    spread_table(by_turn, 4, (2, 3, 1), turn_hands, turns)

    checked = 0
    for size, boards, rounds, table in ((3, flops, (2, 3), flop_hands), (4, turns, (2, 3, 1), turn_hands)):
        for board in hand_indexer(size).deals(0, boards):
            hand = rng.choice(np.setdiff1d(np.arange(52), board), 2, replace=False)
            dealt = rng.permutation(board)  # any card of a turn board may have come last
            wins, ties = table[hand_indexer(*rounds).index([[*hand, *dealt]])[0]]
            exact = equity(hand, board)
            assert (wins, ties) == (exact.wins, exact.ties)
            checked += 1
    assert checked >= 18 + hand_indexer(4).sizes[0] // 100
    # Against each other the hands of a board win half the time: an identity over all 1,326 columns.
    for size, boards, table in ((3, flops, by_flop), (4, turns, by_turn)):
        outcomes = table[boards].astype(np.int64).sum(axis=1)
        total = comb(52 - size, 2) * comb(50 - size, 5 - size) * 990
        assert (2 * outcomes[:, 0] + outcomes[:, 1] == total).all()


@pytest.mark.parametrize(("size", "kind"), [(3, np.uint16), (4, np.uint8)])
def test_histograms_of_whole_boards(size: int, kind: type[np.unsignedinteger]) -> None:
    boards = np.array([7, 1000])
    turns = successors(3, boards) if size == 3 else boards
    river = river_table(successors(4, turns))
    out = np.zeros((hand_indexer(2, size).sizes[1], 50), dtype=kind)
    fill_histograms(river, (2, size), out, boards)
    rng = np.random.default_rng(size)
    for board in hand_indexer(size).deals(0, boards):
        for _ in range(5):
            hand = rng.choice(np.setdiff1d(np.arange(52), board), 2, replace=False)
            exact = river_distribution(hand, board)
            row = out[hand_indexer(2, size).index([[*hand, *board]])[0]]
            assert np.array_equal(row, np.round(exact.histogram(50) * exact.scores.sum()))


# -- transitions -------------------------------------------------------------------------------------------------------


def test_transitions_of_flop_hands_by_brute_force() -> None:
    now, following = hand_indexer(2, 3), hand_indexer(2, 4)
    rng = np.random.default_rng(2)
    buckets = rng.integers(0, 40, following.sizes[1])
    classes = rng.choice(now.sizes[1], 200, replace=False)
    found = transition_histograms(now, following, buckets, n_buckets=41, classes=classes, threads=2)
    assert found.total == 47
    assert found.counts.shape == (200, 41)
    for row, deal in enumerate(now.deals(1, classes).tolist()):
        grown = [[*deal, card] for card in range(52) if card not in deal]
        expected = np.bincount(buckets[following.index(grown)], minlength=41)
        assert np.array_equal(found.counts[[row]].toarray()[0], expected)
    assert found.probabilities.sum(axis=1) == pytest.approx(1)
    assert found.counts.has_sorted_indices


def test_transitions_over_three_cards() -> None:
    """Before the flop chance deals three cards at once: does the flop bring trips for a pair?"""
    now, following = hand_indexer(2), hand_indexer(2, 3)
    ranks = following.deals(1, np.arange(following.sizes[1])) // 4
    set_or_better = (ranks[:, 0] == ranks[:, 1]) & (ranks[:, 2:] == ranks[:, :1]).any(axis=1)
    found = transition_histograms(now, following, set_or_better)
    aces = now.index([[48, 49]])[0]
    assert found.total == comb(50, 3)
    assert found.counts[[aces]].toarray()[0].tolist() == [comb(48, 3), comb(50, 3) - comb(48, 3)]


def test_transitions_of_a_small_deck() -> None:
    deck = LEDUC.deck
    now, following = HandIndexer((1,), deck), HandIndexer((1, 1), deck)
    found = transition_histograms(now, following, np.arange(following.sizes[1]))
    expected = np.zeros((3, following.sizes[1]), dtype=int)
    for card in (0, 2, 4):
        for other in range(6):
            if other != card:
                expected[now.index([[card]])[0], following.index([[card, other]])[0]] += 1
    assert np.array_equal(found.counts.toarray(), expected)


def test_transitions_refuse_what_does_not_fit() -> None:
    now, following = hand_indexer(1), hand_indexer(1, 1)
    n = following.sizes[1]
    with pytest.raises(ParameterError, match="more cards"):
        transition_histograms(following, now, np.zeros(13))
    with pytest.raises(ParameterError, match="same deck"):
        transition_histograms(now, LEDUC.indexer, np.zeros(15))
    with pytest.raises(ParameterError, match="buckets of shape"):
        transition_histograms(now, following, np.zeros(3))
    with pytest.raises(ParameterError, match="buckets have the entry 5"):
        transition_histograms(now, following, np.full(n, 5), n_buckets=5)
    with pytest.raises(ParameterError, match="buckets have the entry -1"):
        transition_histograms(now, following, np.full(n, -1), n_buckets=5)
    with pytest.raises(ParameterError, match="classes have the entry 13"):
        transition_histograms(now, following, np.zeros(n), classes=[13])


# -- the cache ---------------------------------------------------------------------------------------------------------


def test_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EQUIFORM_CACHE", str(tmp_path / "mine"))
    assert cache_dir() == tmp_path / "mine"
    monkeypatch.delenv("EQUIFORM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "equiform"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_dir() == Path.home() / ".cache" / "equiform"


def test_a_table_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "table.npy"

    def fail_halfway() -> None:
        with new_array(path, (4,), np.uint8) as array:
            array[:2] = 1
            assert not path.exists()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_halfway()
    assert list(path.parent.iterdir()) == []
    with new_array(path, (4,), np.uint8) as array:
        array[:] = 7
    assert [entry.name for entry in path.parent.iterdir()] == ["table.npy"]


def test_damaged_and_foreign_files_are_rebuilt(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "table.npy"
    built = 0

    def build() -> None:
        nonlocal built
        built += 1
        with new_array(path, (1000,), np.uint16) as array:
            array[:] = 5

    def fetch() -> NDArray[np.uint16]:
        return cached_array(path, (1000,), np.uint16, build)

    assert fetch()[999] == 5 and built == 1
    assert fetch()[999] == 5 and built == 1
    path.write_bytes(path.read_bytes()[:700])
    assert fetch()[999] == 5 and built == 2
    np.save(path, np.zeros(3))
    assert fetch()[999] == 5 and built == 3
    np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    assert fetch()[999] == 5 and built == 4
    assert len(caplog.records) == 3
    assert not fetch().flags.writeable


def test_a_folder_that_cannot_be_written_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(CacheError, match="EQUIFORM_CACHE"),
        new_array(tmp_path / "file" / "table.npy", (4,), np.uint8),
    ):
        pass
    with pytest.raises(CacheError, match="disappeared"):
        cached_array(tmp_path / "none.npy", (4,), np.uint8, lambda: None)


def test_tables_come_from_the_cache_and_know_their_hands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for the sweep: the right file is read, and a hand finds its own row."""
    kings = hand_indexer(2).index([[44, 45]])[0]

    def sweep(folder: Path | None = None, **_: object) -> None:
        with new_array(tables._path("ehs-preflop", folder), (169, 2), np.uint32) as out:
            out[kings] = 17, 4

    monkeypatch.setattr(tables, "build_ehs_tables", sweep)
    table = ehs_table("preflop", folder=tmp_path)
    found = table.equity("KhKs")
    assert (found.wins, found.ties, found.total) == (17, 4, comb(50, 5) * 990)
    assert table.ehs()[kings] == table.ehs([kings])[0] == found.ehs
    with pytest.raises(CardError, match="public cards"):
        table.equity("KhKs", "2c3c4c")
    with pytest.raises(ParameterError, match="turn-unordered"):
        ehs_table("street", folder=tmp_path)
    with pytest.raises(ParameterError, match="preflop, flop, turn-unordered"):
        histogram_table("turn", folder=tmp_path)
    with pytest.raises(ParameterError, match="bins"):
        histogram_table("flop", 0, folder=tmp_path)
    assert cache.log.name == "equiform.games.cards.rounds.cache"


def test_threads_report_progress_and_pass_on_failures() -> None:
    seen: list[tuple[str, int, int]] = []
    done = np.zeros(1000, dtype=bool)

    def work(begin: int, end: int) -> None:
        done[begin:end] = True

    run_in_threads(work, 1000, "stage", 2, lambda *report: seen.append(report))
    assert done.all()
    assert seen[-1] == ("stage", 1000, 1000)
    assert [report[1] for report in seen] == sorted(report[1] for report in seen)

    def fail(begin: int, end: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_in_threads(fail, 10, "stage", 2, None)
    with pytest.raises(ParameterError, match="boards have the entry 134459"):
        river_table([134459])


# -- everything --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_whole_sweep(tmp_path: Path) -> None:
    """All tables: no class is missing, all deals together win half the time, random hands agree with enumeration."""
    build_ehs_tables(folder=tmp_path)
    rng = np.random.default_rng(3)
    for round_ in ("preflop", "flop", "turn", "turn-unordered"):
        table = ehs_table(round_, folder=tmp_path)
        last = len(table.indexer.rounds) - 1
        n = table.indexer.sizes[-1]
        deals = doubled = 0
        for begin in range(0, n, 1 << 20):
            classes = np.arange(begin, min(begin + (1 << 20), n))
            orbits = table.indexer.orbits(table.indexer.deals(last, classes))
            outcomes = table.outcomes[classes].astype(np.int64)
            deals += int(orbits.sum())
            doubled += int(orbits @ (2 * outcomes[:, 0] + outcomes[:, 1]))
        assert doubled == deals * table.total
        for deal in table.indexer.deals(last, rng.integers(0, n, 4 if round_ == "preflop" else 300)):
            assert table.equity(deal[:2], deal[2:]) == equity(deal[:2], deal[2:])


@pytest.mark.slow
def test_whole_histogram_tables(tmp_path: Path) -> None:
    for round_ in ("preflop", "flop", "turn-unordered"):
        table = histogram_table(round_, folder=tmp_path)
        for begin in range(0, len(table.counts), 1 << 20):
            assert (table.counts[begin : begin + (1 << 20)].sum(axis=1, dtype=np.int64) == table.total).all()
        classes = np.random.default_rng(4).integers(0, len(table.counts), 3 if round_ == "preflop" else 100)
        deals = table.indexer.deals(len(table.indexer.rounds) - 1, classes)
        for mass, deal in zip(table.masses(classes), deals, strict=True):
            assert mass == pytest.approx(river_distribution(deal[:2], deal[2:]).histogram(), abs=1e-15)
