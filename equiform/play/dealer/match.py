"""Matches in one process, in duplicate: every deal is played twice, the second time with the seats changed.

Hand k of a match puts the first-named player in seat k mod 2, and in the other seat when the deal is played again. One
observation is a deal: the mean of what a player won with one side of the cards and with the other, which takes most of
the luck of the deal out.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equiform.models.common.arguments import require_count, require_seed
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.play.dealer.hand import HandRecord, Player, play_hand, shuffled
from equiform.play.dealer.rules import HoldemRules
from equiform.play.match import Estimate
from equiform.runs.progress import Listener, Progress, silent


@dataclass(frozen=True, eq=False)
class DuplicateResult:
    """What two players won from each other."""

    rules: HoldemRules
    names: tuple[str, str]
    seed: int
    halves: tuple[list[HandRecord], ...] = field(repr=False)
    """The hands as they were dealt first, and the same deals with the seats changed (unless it was played once)."""

    @property
    def won(self) -> FloatArray:
        """What the first-named player won, deal by deal, in thousandths of a big blind per hand."""
        chips = np.array([[r.won_by(self.names[0]) for r in half] for half in self.halves], dtype=np.float64)
        return 1000.0 * chips.mean(axis=0) / self.rules.big_blind

    @property
    def estimate(self) -> Estimate:
        """The mean over deals and its 95% interval, in thousandths of a big blind per hand."""
        return Estimate.of(self.won)

    @property
    def total(self) -> int:
        """Chips that the first-named player won in all."""
        return sum(r.won_by(self.names[0]) for half in self.halves for r in half)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        found = self.estimate
        return {
            "game": self.rules.name,
            "players": list(self.names),
            "hands": sum(len(half) for half in self.halves),
            "deals": len(self.halves[0]),
            "duplicate": len(self.halves) == 2,
            "seed": self.seed,
            "chips": self.total,
            "mbb_per_hand": [found.mean, found.half_width],
        }


def require_players(players: tuple[Player, Player]) -> tuple[str, str]:
    """Check that two players can be told apart in a log."""
    names = players[0].name, players[1].name
    if names[0] == names[1] or any(not n or set(n) & set(":|\r\n") for n in names):
        raise ParameterError(
            f"the players are called {names[0]!r} and {names[1]!r}",
            where="match",
            fix="pass two different names without : and |",
        )
    return names


def seat_of(player: int, hand: int, half: int) -> int:
    """Return where player 0 or 1 sits."""
    return (player + hand + half) % 2


def play_duplicate(
    rules: HoldemRules,
    players: tuple[Player, Player],
    *,
    hands: int,
    seed: int,
    duplicate: bool = True,
    first: int = 0,
    progress: Listener = silent,
) -> DuplicateResult:
    """Play a match in this process.

    Parameters
    ----------
    rules, players
        The game, and who plays it.
    hands
        How many deals; each is played twice in duplicate.
    seed
        Of the cards.
    duplicate
        Whether deals are played again with the seats changed.
    first
        The number of the first hand, so that a long match can be played in pieces.
    progress
        Called with :class:`~equiform.runs.progress.Progress`.

    Examples
    --------
    >>> from equiform.play.dealer import LIMIT
    >>> from equiform.play.holdem.simple import always_call, always_raise
    >>> play_duplicate(LIMIT, (always_call(), always_raise()), hands=5, seed=1).total
    0
    """
    require_count(hands, "hands", "match")
    require_count(first, "first", "match", least=0)
    require_seed(seed, "match")
    names = require_players(players)
    halves: tuple[list[HandRecord], ...] = ([], []) if duplicate else ([],)
    started, label = time.perf_counter(), f"{names[0]} against {names[1]}"
    for hand in range(first, first + hands):
        deal = shuffled(seed, hand)
        for half, records in enumerate(halves):
            order = players if seat_of(0, hand, half) == 0 else (players[1], players[0])
            records.append(play_hand(rules, deal, order, number=hand))
        if (hand - first) % 100 == 99:
            progress(Progress(label, hand - first + 1, hands, time.perf_counter() - started))
    return DuplicateResult(rules, names, seed, halves)
