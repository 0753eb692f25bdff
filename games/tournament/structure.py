"""What defines a tournament endgame: chips, blinds, antes, prizes, and the conventions that rules leave open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from equiform.games.tournament.icm import icm, require_payouts
from equiform.games.tournament.settlement import ODD_CHIP
from equiform.models.common.arguments import require_count, require_name
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError

DOUBLE_BUST = ("larger-stack", "shared", "better-hand")
SEATS = {2: ("small blind", "big blind"), 3: ("button", "small blind", "big blind")}
#: Where the player of each seat sits in the next hand: blinds move clockwise, so the button pays the big blind next.
NEXT_SEAT = {2: (1, 0), 3: (2, 0, 1)}


@dataclass(frozen=True)
class Tournament:
    """The end of a tournament, with two or three players left.

    Parameters
    ----------
    chips
        All chips in play.
    small_blind, big_blind, ante
        Forced bets; the ante is paid by everybody.
    payouts
        One prize per player, from the first place on.
    unit
        The smallest chip. States are stacks in whole units; all amounts must be multiples.
    players
        Two or three.
    double_bust
        Who is second when two players lose their last chips in one hand: the one with the larger stack before it
        (equal stacks share the two prizes), both equally (``"shared"``), or the one with the better hand
        (equal hands share).
    odd_chip
        Who gets a unit that cannot be split: one of the winners at random, or the first seat.

    Notes
    -----
    A player whose blind and ante take the whole stack is in the hand without a choice. With two players left of three,
    the rest of the tournament is worth what ICM says: the second prize and a share of the difference to the first in
    proportion to chips. (With two players that is close to equilibrium: Miltersen & Sørensen 2007.)
    """

    chips: int
    small_blind: int
    big_blind: int
    payouts: tuple[float, ...]
    unit: int
    ante: int = 0
    players: int = 3
    double_bust: str = "larger-stack"
    odd_chip: str = "random"

    def __post_init__(self) -> None:
        where = "tournament"
        require_count(self.unit, "unit", where)
        require_count(self.players, "players", where, least=2, most=3)
        require_count(self.ante, "ante", where, least=0)
        for name in ("chips", "small_blind", "big_blind"):
            require_count(getattr(self, name), name.replace("_", " "), where)
        for name in ("chips", "small_blind", "big_blind", "ante"):
            if getattr(self, name) % self.unit:
                raise ParameterError(
                    f"{name.replace('_', ' ')}: {getattr(self, name):,} is not a multiple of the unit {self.unit:,}",
                    where=where,
                    fix="choose a unit that divides all amounts",
                )
        if self.small_blind > self.big_blind:
            raise ParameterError(
                f"blinds of {self.small_blind:,}/{self.big_blind:,}", where=where, fix="the big blind is the larger one"
            )
        if self.units < self.players:
            raise ParameterError(
                f"{self.units} units for {self.players} players",
                where=where,
                fix="every player needs at least one unit",
            )
        prizes = require_payouts(self.payouts, where)
        if len(prizes) != self.players:
            raise ParameterError(
                f"{len(prizes)} payouts for {self.players} players", where=where, fix="pass one prize per player"
            )
        object.__setattr__(self, "payouts", tuple(prizes.tolist()))
        require_name(self.double_bust, DOUBLE_BUST, "rule for double busts", where)
        require_name(self.odd_chip, ODD_CHIP, "rule for odd chips", where)

    @property
    def units(self) -> int:
        """All chips in units."""
        return self.chips // self.unit

    @property
    def seats(self) -> tuple[str, ...]:
        """Names of the seats, in the order in which they act."""
        return SEATS[self.players]

    @property
    def blinds(self) -> tuple[int, ...]:
        """Blinds of the seats in units, without the ante."""
        small, big = self.small_blind // self.unit, self.big_blind // self.unit
        return (0, small, big) if self.players == 3 else (small, big)

    def states(self) -> IntArray:
        """Return all stacks in units, a row per state, in lexicographic order (thesis §9.7.2)."""
        n = self.units
        if self.players == 2:
            first = np.arange(1, n)
            return np.stack([first, n - first], axis=1)
        first, second = (k.ravel() + 1 for k in np.indices((n - 2, n - 2)))
        keep = first + second < n
        return np.stack([first, second, n - first - second], axis=1)[keep]

    def state_index(self, stacks: Sequence[int]) -> int:
        """Return the number of the state with the given chips, in the order of the seats."""
        given = [require_count(s, "stack", "state", least=0, most=10**15) for s in stacks]
        if len(given) != self.players or sum(given) != self.chips or any(s % self.unit or s < 1 for s in given):
            raise ParameterError(
                f"there is no state {', '.join(map(str, given))}",
                where="tournament",
                fix=f"pass {self.players} positive multiples of {self.unit:,} that sum to {self.chips:,}",
            )
        return int(self.index_of_units(np.array(given) // self.unit))

    def index_of_units(self, units: IntArray) -> IntArray:
        """Return the numbers of states given in units, along the last axis."""
        n, first = self.units, units[..., 0]
        if self.players == 2:
            return first - 1
        return (first - 1) * (n - 2) - (first - 1) * (first - 2) // 2 + units[..., 1] - 1

    def state_name(self, state: int) -> str:
        """Name a state by its chips."""
        return ",".join(str(int(u) * self.unit) for u in self.states()[state])

    def posted(self, stacks: Sequence[int]) -> tuple[int, ...]:
        """Return what each seat puts in before the cards, in units: ante and blind as far as the stack goes."""
        ante = self.ante // self.unit
        return tuple(min(s, ante + b) for s, b in zip(stacks, self.blinds, strict=True))

    def prizes_at_the_end(
        self, before: Sequence[int], after: Sequence[int], places: Sequence[int | None]
    ) -> tuple[float, ...] | None:
        """Return the expected prizes once somebody is out; None while all are in.

        ``before`` and ``after`` are stacks around the hand, ``places`` the strength of the hands shown in it.
        """
        out = [i for i, stack in enumerate(after) if stack == 0]
        if not out:
            return None
        left = [i for i, stack in enumerate(after) if stack > 0]
        prizes = [0.0] * len(after)
        for i, prize in zip(left, icm([after[i] for i in left], self.payouts[: len(left)]).tolist(), strict=True):
            prizes[i] = prize
        key = {
            "larger-stack": [-stack for stack in before],
            "shared": [0] * len(before),
            "better-hand": [place or 0 for place in places],
        }[self.double_bust]
        last = self.payouts[len(left) :]
        for i in out:
            ahead = sum(key[j] < key[i] for j in out)
            equal = sum(key[j] == key[i] for j in out)
            prizes[i] = float(sum(Fraction(p) for p in last[ahead : ahead + equal]) / equal)
        return tuple(prizes)

    def icm_values(self) -> FloatArray:
        """Return the ICM value of every state and seat."""
        return np.array([icm(state, self.payouts) for state in self.states().tolist()])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; ``Tournament(**d)`` reads them back."""
        return {
            "chips": self.chips,
            "small_blind": self.small_blind,
            "big_blind": self.big_blind,
            "payouts": list(self.payouts),
            "unit": self.unit,
            "ante": self.ante,
            "players": self.players,
            "double_bust": self.double_bust,
            "odd_chip": self.odd_chip,
        }
