"""Cards: hands ranked per second against eval7 and phevaluator, and the sweep that makes the equity tables.

Both peers rank one hand per call and are called in the fastest way that Python offers: native functions mapped over
hands prepared in advance. Ours takes the hands as an array. All run on one core, in one process, in turns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import starmap

import eval7
import numpy as np
from numpy.typing import NDArray
from phevaluator import _pheval

from benchmarks.registry import Row, entry, peak_memory, seconds, side_by_side
from equiform.games.cards.card import cards_text
from equiform.games.cards.evaluator import count_hands, strengths
from equiform.games.cards.indexing import hand_indexer
from equiform.games.cards.rounds.sweep import river_table

N_OURS = 4_000_000
N_PEERS = 200_000


def random_hands(n: int, size: int = 7) -> NDArray[np.uint8]:
    rng = np.random.default_rng(0)
    parts = [np.argsort(rng.random((100_000, 52), dtype=np.float32), axis=1)[:, :size] for _ in range(-(-n // 100_000))]
    return np.concatenate(parts).astype(np.uint8)[:n]


def _versus(name: str, hands: NDArray[np.uint8], rank_few: Callable[[], object]) -> Row:
    ours, peer = side_by_side(lambda: strengths(hands), rank_few)
    return Row(
        "random seven-card hands, a batch",
        len(hands) / ours / 1e6,
        "M hands/s",
        name,
        N_PEERS / peer / 1e6,
        goal=20,
        higher_is_better=True,
    )


@entry("cards-evaluator")
def evaluator() -> Iterator[Row]:
    """Measure hands per second, and the enumeration of all seven-card hands."""
    hands = random_hands(N_OURS)
    few = hands[:N_PEERS].tolist()
    yield _versus("phevaluator", hands, lambda: deque(starmap(_pheval.evaluate_7cards, few), maxlen=0))
    deck = [eval7.Card(cards_text([card])) for card in range(52)]
    named = [[deck[card] for card in hand] for hand in few]
    yield _versus("eval7", hands, lambda: deque(map(eval7.evaluate, named), maxlen=0))
    every = seconds(lambda: count_hands(7))
    yield Row("all 133,784,560 seven-card hands, counted", 133.784560 / every, "M hands/s", note=f"{every:.2f} s")


@entry("cards-boards")
def boards() -> Iterator[Row]:
    """Evaluate all 1,081 hands of a river board against a uniform opponent; compute canonical indices of turn hands."""
    sample = np.arange(0, hand_indexer(5).sizes[0], 20)
    took = seconds(lambda: river_table(sample, threads=1))
    yield Row("wins and ties of all hands on a river board", 1e6 * took / len(sample), "µs", note="one thread")
    indexer = hand_indexer(2, 3, 1)
    classes = np.random.default_rng(1).integers(0, indexer.sizes[2], 1_000_000)
    deals = indexer.deals(2, classes)
    for what, took in (
        ("class of a turn hand", seconds(lambda: indexer.index(deals))),
        ("turn hand of a class", seconds(lambda: indexer.deals(2, classes))),
    ):
        yield Row(what, 1e9 * took / len(classes), "ns", note="one thread, random hands")


_SWEEP = """
import tempfile, pathlib
from equiform.games.cards.rounds.tables import build_ehs_tables
with tempfile.TemporaryDirectory() as folder:
    build_ehs_tables(folder=pathlib.Path(folder))
"""


@entry("cards-sweep")
def sweep() -> Iterator[Row]:
    """Compute exact equities of all preflop, flop and turn hands from all river boards; goal: ten minutes and 6 GB."""
    took, memory = peak_memory(_SWEEP)
    note = "imports, writing and mapping 290 MB of files included"
    yield Row("equity sweep, all cores: time", took, "s", "goal", 600, 1, note=note)
    yield Row("equity sweep, all cores: peak memory", memory, "GB", "goal", 6, 1, note=note)
