"""Strategies with names on them: behavioural probabilities by information set and action, and their JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import BoolArray, FloatArray
from equiform.models.common.errors import FormatError, StrategyError
from equiform.models.common.files import read_json, write_text
from equiform.models.common.html import html_rows
from equiform.models.common.rational import exact_text, parse_fraction, short_text
from equiform.models.treeplex import Treeplex

#: Weights below this are what a float solver left of zero.
ROUNDING = 1e-12
#: How many information sets a notebook displays.
DISPLAYED = 20
FORMAT = "equiform-strategy"
VERSION = 1


@dataclass(frozen=True, eq=False)
class Strategy:
    """A behavioural strategy of one player.

    Parameters
    ----------
    treeplex
        The player's decisions.
    probabilities
        One entry per sequence, the empty one first: floats, or Fractions in an object array.
    """

    treeplex: Treeplex
    probabilities: NDArray[Any] = field(repr=False)

    @staticmethod
    def from_plan(treeplex: Treeplex, plan: FloatArray) -> Strategy:
        """Turn a realization plan into a behavioural strategy (uniform where the plan never arrives).

        Parameters
        ----------
        treeplex
            The player's decisions.
        plan
            One weight per sequence.
        """
        return Strategy(treeplex, treeplex.behavior(plan))

    @staticmethod
    def from_table(treeplex: Treeplex, table: Mapping[str, Mapping[str, Any]]) -> Strategy:
        """Read a strategy from a table of named probabilities.

        Parameters
        ----------
        treeplex
            The player's decisions.
        table
            ``{information set: {action: probability}}``, complete; probabilities are numbers or ``"p/q"``.

        Returns
        -------
        Strategy
            Exact if any probability is a Fraction or a string.

        Raises
        ------
        StrategyError
            If an information set or action is missing or unknown, or if a row is not a distribution.
        """
        exact = any(isinstance(p, str | Fraction) for row in table.values() for p in row.values())
        values = np.zeros(treeplex.num_sequences, dtype=object if exact else np.float64)
        values[0] = Fraction(1) if exact else 1.0
        labels = {treeplex.infoset_label(h): h for h in range(treeplex.num_infosets)}
        unknown = [label for label in table if label not in labels]
        missing = [label for label in labels if label not in table]
        if unknown or missing:
            what = f"unknown information set {unknown[0]!r}" if unknown else f"no entry for {missing[0]!r}"
            raise StrategyError(what, where=treeplex.player, fix="pass one row per information set of this very game")
        for label, row in table.items():
            h = labels[label]
            if set(row) != set(treeplex.actions[h]):
                raise StrategyError(
                    f"actions {sorted(row)} do not match {list(treeplex.actions[h])}",
                    where=f"{treeplex.player}, {label}",
                    fix="pass a probability for every action of the information set",
                )
            for k, action in enumerate(treeplex.actions[h]):
                values[treeplex.start[h] + k] = _number(row[action], exact, f"{treeplex.player}, {label}, {action}")
        strategy = Strategy(treeplex, values)
        treeplex.check_behavior(strategy.floats)
        return strategy

    @property
    def floats(self) -> FloatArray:
        """The probabilities as floats."""
        return self.probabilities.astype(np.float64)

    @property
    def is_exact(self) -> bool:
        """Whether the probabilities are Fractions."""
        return self.probabilities.dtype == object

    @property
    def plan(self) -> FloatArray:
        """The realization plan in floats."""
        return self.treeplex.realization(self.floats)

    @property
    def reached(self) -> BoolArray:
        """Whether the player's own earlier moves lead to each information set at all."""
        arriving: FloatArray = self.plan[self.treeplex.parent]
        return arriving > (0.0 if self.is_exact else ROUNDING)

    @property
    def unreached(self) -> list[str]:
        """The information sets, in words, that the player's own earlier moves rule out."""
        return [self.treeplex.infoset_label(int(h)) for h in np.flatnonzero(~self.reached)]

    def __getitem__(self, infoset: str) -> dict[str, Any]:
        """Return the probabilities by action at an information set, named in words."""
        h = self.treeplex.infoset(infoset)
        start, end = int(self.treeplex.start[h]), int(self.treeplex.start[h + 1])
        return dict(zip(self.treeplex.actions[h], self.probabilities[start:end].tolist(), strict=True))

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Iterate over (information set in words, probabilities by action)."""
        t = self.treeplex
        for h in range(t.num_infosets):
            own = self.probabilities[t.start[h] : t.start[h + 1]].tolist()
            yield t.infoset_label(h), dict(zip(t.actions[h], own, strict=True))

    def _repr_html_(self) -> str:
        """Show the first information sets, those out of reach in grey."""
        rows = [
            ([label, *(f"{a} {short_text(p) if self.is_exact else f'{p:.4g}'}" for a, p in row.items())], bool(reached))
            for (label, row), reached in zip(islice(self.rows(), DISPLAYED), self.reached, strict=False)
        ]
        left = self.treeplex.num_infosets - len(rows)
        return html_rows(f"Strategy of {self.treeplex.player}", rows, f"… {left} more" if left else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the player's part of the strategy file."""
        return {"player": self.treeplex.player, "infosets": self.table()}

    def table(self) -> dict[str, dict[str, Any]]:
        """Return the whole strategy as ``{information set: {action: probability}}``; Fractions become ``"p/q"``."""
        result: dict[str, dict[str, Any]] = {}
        for label, row in self.rows():
            if label in result:
                raise StrategyError(
                    f"two information sets are both called {label!r}",
                    where=self.treeplex.player,
                    fix="let describe() of the rules tell them apart",
                )
            result[label] = {a: exact_text(p) if isinstance(p, Fraction) else p for a, p in row.items()}
        return result


def profile_document(game: str, strategies: Sequence[Strategy]) -> dict[str, Any]:
    """Return the JSON document of a profile (format ``equiform-strategy``, version 1)."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": game,
        "players": [s.to_dict() for s in strategies],
    }


def write_profile(path: str | Path, game: str, strategies: Sequence[Strategy]) -> None:
    """Write a profile as JSON, atomically.

    Parameters
    ----------
    path
        The file to write.
    game
        The game's name, stored with the strategies.
    strategies
        One strategy per player.
    """
    write_text(path, json.dumps(profile_document(game, strategies), indent=1, ensure_ascii=False) + "\n")


def read_profile(path: str | Path, treeplexes: Sequence[Treeplex]) -> tuple[Strategy, ...]:
    """Read a profile that :func:`write_profile` has written.

    Parameters
    ----------
    path
        The file to read.
    treeplexes
        The decisions of each player of the game.

    Returns
    -------
    tuple of Strategy
        One strategy per player.

    Raises
    ------
    FormatError
        If the file cannot be read, or is not a strategy file of this version with one entry per player.
    StrategyError
        If the strategies do not belong to this game.
    """
    where = str(path)
    document = read_json(path, "the strategy file", fix="write it with `equiform solve --out`")
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FormatError(
            "not an equiform strategy file", where=where, fix=f'expected an object with "format": "{FORMAT}"'
        )
    if document.get("version") != VERSION:
        raise FormatError(
            f"strategy format version {document.get('version')!r} is not supported",
            where=where,
            fix=f"this release reads version {VERSION}",
        )
    entries = document.get("players")
    if not isinstance(entries, list) or len(entries) != len(treeplexes):
        raise FormatError(
            f"the file does not hold one strategy for each of {len(treeplexes)} players",
            where=where,
            fix="use the strategy file of this very game",
        )
    strategies = []
    for entry, treeplex in zip(entries, treeplexes, strict=True):
        table = entry.get("infosets") if isinstance(entry, dict) else None
        if not isinstance(table, dict) or not all(isinstance(row, dict) for row in table.values()):
            raise FormatError(
                f"the entry of {treeplex.player} has no table of information sets",
                where=where,
                fix='expected "infosets": {label: {action: probability}}',
            )
        strategies.append(Strategy.from_table(treeplex, table))
    return tuple(strategies)


def _number(value: Any, exact: bool, where: str) -> Any:
    try:
        if isinstance(value, bool):
            raise ValueError(value)
        if not exact:
            return float(value)
        return parse_fraction(value) if isinstance(value, str) else Fraction(value)
    except (TypeError, ValueError, OverflowError):
        raise StrategyError(
            f"{value!r} is not a probability", where=where, fix='use a number or a fraction "p/q"'
        ) from None
