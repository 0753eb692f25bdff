"""Ranges: how likely a player is to hold each of the 1,326 hands, written as players write them.

A text is a list of pieces, separated by commas or white space. A piece is a set of hands and, after a colon, their
weight (1 if there is none). Where pieces overlap the later one holds.

=============  ====================================================================
``QQ``         the six pairs of queens
``QQ+``        queens or better
``QQ-99``      pairs from nines to queens
``AK``         suited and offsuit
``AKs, AKo``   suited only, offsuit only
``A9s+``       A9s, ATs, … AKs: the lower card rises
``A9s-A6s``    the lower card runs
``JTs-76s``    both cards run
``AsAh``       these two cards
``random``     every hand
=============  ====================================================================

>>> Range("QQ+,AsKs:0.5").total
18.5
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from equiform.games.cards.card import STANDARD, CardsLike
from equiform.games.cards.charts import N_RANKS, chart_classes, draw_chart, starting_hands
from equiform.games.cards.evaluator import N_CARDS, N_HANDS
from equiform.games.cards.indexing import hand_indexer
from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import BoolArray, FloatArray, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.files import read_text, write_text

_PIECE = re.compile(r"[^\s,]+")
_CLASS = re.compile(r"([2-9TJQKA])([2-9TJQKA])([so]?)(\+?)", re.IGNORECASE)
_RANKS = {letter: k for k, letter in enumerate(STANDARD.ranks)}


class RangeError(ParameterError):
    """A piece of a range is not written as ranges are."""


@cache
def all_hands() -> IntArray:
    """All hands, a row (low card, high card) each, in colexicographic order: the order of ``Range.weights``."""
    high, low = np.tril_indices(N_CARDS, -1)
    return np.stack([low, high], axis=1)


@cache
def _shapes() -> tuple[IntArray, IntArray, BoolArray]:
    """The higher rank, the lower rank and the suitedness of every hand."""
    low, high = all_hands().T
    return high // 4, low // 4, low % 4 == high % 4


@dataclass(frozen=True, eq=False)
class Range:
    """A weight from 0 to 1 for every hand. Built from a text, or from weights in the order of :func:`all_hands`.

    ``a | b`` takes the larger weight, ``a & b`` the smaller, ``a - b`` removes the share that b plays, ``a * 0.5``
    scales.
    """

    source: str | ArrayLike = field(repr=False)

    def __post_init__(self) -> None:
        text = isinstance(self.source, str)
        weights = _parse(str(self.source)) if text else self.source
        where = "range"
        array = require_numbers(weights, "weights", where, shape=(N_HANDS,), least=0, most=1)
        array.flags.writeable = False
        object.__setattr__(self, "_weights", array)

    @property
    def weights(self) -> FloatArray:
        """The weight of every hand."""
        weights: FloatArray = self.__dict__["_weights"]
        return weights

    @property
    def total(self) -> float:
        """The number of hands, each counted by its weight."""
        return float(self.weights.sum())

    def __repr__(self) -> str:
        return f"Range({self.text()!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and np.array_equal(self.weights, other.weights)

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: Range) -> Range:
        return Range(np.maximum(self.weights, other.weights))

    def __and__(self, other: Range) -> Range:
        return Range(np.minimum(self.weights, other.weights))

    def __sub__(self, other: Range) -> Range:
        return Range(self.weights * (1.0 - other.weights))

    def __mul__(self, factor: float) -> Range:
        return Range(np.minimum(self.weights * factor, 1.0))

    __rmul__ = __mul__

    def without(self, cards: CardsLike) -> Range:
        """Remove the hands that hold one of these cards."""
        blocked = np.isin(all_hands(), STANDARD.cards(cards)).any(axis=1)
        return Range(np.where(blocked, 0.0, self.weights))

    def items(self) -> Iterator[tuple[str, float]]:
        """Iterate over the hands with a weight, the higher card first: ``("AsKh", 1.0)``."""
        for k in np.flatnonzero(self.weights).tolist():
            yield STANDARD.text(all_hands()[k][::-1]), float(self.weights[k])

    def grid(self) -> FloatArray:
        """Return the mean weights of the 169 starting hands as a 13 × 13 chart: suited hands above the diagonal."""
        classes = hand_indexer(2).index(all_hands())
        means = np.bincount(classes, self.weights) / np.bincount(classes)
        chart: FloatArray = means[chart_classes()]
        return chart

    @staticmethod
    def from_grid(grid: ArrayLike) -> Range:
        """Read a 13 × 13 chart of weights, as :meth:`grid` returns it."""
        chart = require_numbers(grid, "weights of a chart", "range", shape=(N_RANKS, N_RANKS), least=0, most=1)
        means = np.zeros(N_RANKS**2)
        means[chart_classes()] = chart
        return Range(means[hand_indexer(2).index(all_hands())])

    def draw(self, *, title: str = "", ax: Any = None) -> Any:
        """Draw the chart and return the figure."""
        means = np.zeros(N_RANKS**2)
        means[chart_classes()] = self.grid()
        return draw_chart(means, ax=ax, title=title, text="{name}\n{value:.2g}", cmap="Greens")

    def text(self) -> str:
        """Write the range: starting hands whose hands have one weight by name, runs of them joined, others by hand."""
        classes = hand_indexer(2).index(all_hands())
        pieces: list[tuple[str, float]] = []
        mixed: list[tuple[str, float]] = []
        names = starting_hands()
        for k in sorted(set(classes[self.weights > 0].tolist()), key=lambda k: _sort_key(names[k])):
            own = self.weights[classes == k]
            if np.ptp(own) == 0.0:
                pieces.append((names[k], float(own[0])))
            else:
                mixed += [(h, w) for h, w in self._hands_of(classes == k)]
        joined = [_weighted(name, w) for name, w in [*_join_runs(pieces), *mixed]]
        return ",".join(joined) if self.total < N_HANDS else "random"

    def _hands_of(self, chosen: BoolArray) -> Iterator[tuple[str, float]]:
        for k in np.flatnonzero(chosen & (self.weights > 0)).tolist():
            yield STANDARD.text(all_hands()[k][::-1]), float(self.weights[k])

    def write(self, path: str | Path) -> None:
        """Write the range to a text file."""
        write_text(path, self.text() + "\n")

    @staticmethod
    def read(path: str | Path) -> Range:
        """Read a range from a text file."""
        return Range(read_text(path, "the range"))


def as_range(given: Range | str) -> Range:
    """Take a range or its text; a text that begins with "@" names a file."""
    if isinstance(given, Range):
        return given
    if isinstance(given, str) and given.startswith("@"):
        return Range.read(given[1:])
    if not isinstance(given, str):
        raise RangeError(f"{given!r} is not a range"[:200], where="range", fix="write one such as QQ+,AKs")
    return Range(given)


def _parse(text: str) -> FloatArray:
    weights = np.zeros(N_HANDS)
    for found in _PIECE.finditer(text):
        name, colon, number = found[0].partition(":")
        where = f"range, characters {found.start() + 1} to {found.end()}: {found[0]!r}"
        try:
            weight = float(number) if colon else 1.0
        except ValueError:
            weight = -1.0
        if not 0.0 <= weight <= 1.0:
            raise RangeError(f"{number!r} is not a weight", where=where, fix="use a number from 0 to 1, as in KQo:0.5")
        weights[_hands(name, where)] = weight
    return weights


def _hands(name: str, where: str) -> BoolArray:
    """Return which hands a piece names."""
    high, low, suited = _shapes()
    if name.lower() == "random":
        return np.ones(N_HANDS, dtype=bool)
    if len(name) == 4 and name[1].lower() in STANDARD.suits and name[3].lower() in STANDARD.suits:
        cards = sorted(STANDARD.parse(name))
        return np.asarray((all_hands() == cards).all(axis=1))
    first, dash, second = name.partition("-")
    kind = _suits(_shape(first, where)[2], suited)
    if dash:
        return np.asarray(kind & _between(_shape(first, where), _shape(second, where), where))
    top, bottom, _, plus = _shape(first, where)
    if not plus:
        return np.asarray(kind & (high == top) & (low == bottom))
    if top == bottom:
        return np.asarray((high == low) & (low >= bottom))
    return np.asarray(kind & (high == top) & (low >= bottom) & (low < top))


def _shape(name: str, where: str) -> tuple[int, int, str, bool]:
    """Read ``AKs+``: the higher and the lower rank, the kind, and whether there is a plus."""
    match = _CLASS.fullmatch(name)
    ranks = sorted((_RANKS[match[1].upper()], _RANKS[match[2].upper()]), reverse=True) if match else []
    if match is None or (match[3] and ranks[0] == ranks[1]):
        raise RangeError(
            f"{name!r} is not a set of hands", where=where, fix="write QQ+, A9s-A6s, KQo:0.5, AsAh or random"
        )
    return ranks[0], ranks[1], match[3].lower(), bool(match[4])


def _suits(kind: str, suited: BoolArray) -> BoolArray:
    if not kind:
        return np.ones(N_HANDS, dtype=bool)
    return suited if kind == "s" else ~suited


def _between(one: tuple[int, int, str, bool], two: tuple[int, int, str, bool], where: str) -> BoolArray:
    """Return the hands of a run of pairs, of lower cards, or of both cards with one gap."""
    high, low, _ = _shapes()
    (a, b, kind, plus), (c, d, other, also) = one, two
    pairs = a == b and c == d
    if kind != other or plus or also or not (pairs or a == c or a - b == c - d) or (a == b) != (c == d):
        raise RangeError(
            "the ends of this run do not fit each other", where=where, fix="write QQ-99, A9s-A6s or JTs-76s"
        )
    least, most = min(b, d), max(b, d)
    shape = high == a if a == c and not pairs else high - low == a - b
    return np.asarray(shape & (low >= least) & (low <= most))


def _sort_key(name: str) -> tuple[int, int, int]:
    """Order starting hands: pairs, suited, offsuit; high cards first."""
    return "so".find(name[2:]) + 1 if name[2:] else 0, -_RANKS[name[0]], -_RANKS[name[1]]


def _join_runs(pieces: list[tuple[str, float]]) -> Iterator[tuple[str, float]]:
    """Join neighbours of equal weight: pairs, or hands with the same higher card."""
    k = 0
    while k < len(pieces):
        end = k
        while end + 1 < len(pieces) and _neighbours(pieces[end], pieces[end + 1]):
            end += 1
        first, last, weight = pieces[k][0], pieces[end][0], pieces[k][1]
        pair = first[0] == first[1]
        best = first[0] == "A" if pair else _RANKS[first[1]] == _RANKS[first[0]] - 1
        name = first if k == end else f"{last}+" if best else f"{first}-{last}"
        yield name, weight
        k = end + 1


def _neighbours(one: tuple[str, float], two: tuple[str, float]) -> bool:
    (a, v), (b, w) = one, two
    if v != w or a[2:] != b[2:]:
        return False
    same = (a[0] == a[1]) == (b[0] == b[1])
    step = _RANKS[a[1]] - _RANKS[b[1]] == 1
    return same and step and (a[0] == a[1] or a[0] == b[0])


def _weighted(name: str, weight: float) -> str:
    return name if weight == 1.0 else f"{name}:{weight:.12g}"
