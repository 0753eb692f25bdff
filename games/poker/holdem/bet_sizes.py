"""Bet sizes: what may be bet or raised, written as players write it.

============  ================================================================================================
``50%``       half the pot; as a raise, half the pot after calling, on top of the call
``2.5x``      raises only: to two and a half times the bet that is faced
``e, 2e``     geometric: the share of the pot that, bet on this and the following streets (or on n), ends all-in
``120c``      120 chips; as a raise, 120 on top of the call (limit betting)
``a``         all-in
============  ================================================================================================

A :class:`BetSizes` text has one list for all streets and both positions, or clauses separated by semicolons whose
names say where they hold: ``50%,a; river=33%,100%,a; turn.oop=25%``. The last clause that fits holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from equiform.models.common.errors import ParameterError

STREETS = ("flop", "turn", "river")
POSITIONS = ("oop", "ip")
_SIZE = re.compile(r"(?P<number>\d+(?:\.\d+)?|\.\d+)?\s*(?P<unit>%|x|e|c|a)", re.IGNORECASE)


class BetSizeError(ParameterError):
    """A bet size is not written as bet sizes are."""


@dataclass(frozen=True)
class Size:
    """One size: a number and its unit (``%``, ``x``, ``e``, ``c`` or ``a``)."""

    number: float
    unit: str

    def __str__(self) -> str:
        if self.unit == "a":
            return "a"
        return "e" if self.unit == "e" and not self.number else f"{self.number:g}{self.unit}"


def parse_sizes(text: str, *, raises: bool = False) -> tuple[Size, ...]:
    """Read a list of sizes.

    >>> [str(size) for size in parse_sizes("50%, 2e, a")]
    ['50%', '2e', 'a']
    """
    if not isinstance(text, str):
        raise BetSizeError(f"{text!r} is not a list of bet sizes"[:200], where="bet sizes", fix="write 50%,100%,a")
    return tuple(_size(piece.strip(), text, raises) for piece in text.split(",") if piece.strip())


def _size(piece: str, text: str, raises: bool) -> Size:
    where = f"{piece!r} in {'raise' if raises else 'bet'} sizes {text!r}"
    match = _SIZE.fullmatch(piece)
    if match is None:
        raise BetSizeError(f"{piece!r} is not a bet size", where=where, fix="write 50%, 2.5x, e, 120c or a")
    unit = match["unit"].lower()
    number = float(match["number"] or 0.0)
    if unit == "x" and not raises:
        raise BetSizeError("a multiple needs a bet to multiply", where=where, fix="use x among the raises")
    if (unit == "a" and match["number"]) or (unit in "%c" and number <= 0) or (unit == "x" and number <= 1):
        raise BetSizeError(f"{piece!r} is not a bet", where=where, fix="use positive sizes, and multiples above 1")
    if unit == "e" and match["number"] and (number != int(number) or number < 1):
        raise BetSizeError(f"{piece!r} is not a whole number of streets", where=where, fix="write e, 1e, 2e or 3e")
    return Size(number, unit)


@dataclass(frozen=True)
class BetSizes:
    """Sizes by street and position, and what happens near all-in.

    Parameters
    ----------
    bets, raises
        Texts as the module describes them.
    donk
        Bets of the first to act after calling on the street before; ``None`` for the usual ones.
    cap
        How many bets and raises a street has at most; 0 for no limit.
    add_all_in
        Offer all-in wherever it is at most this share of the pot; 0 for never.
    force_all_in
        Bet all-in wherever a call would leave at most this share of the pot behind; 0 for never.
    merge
        Drop a size close to a larger one: (100 + larger)/(100 + size), in percent of the pot, below 1 + merge.
    """

    bets: str = "50%,100%,a"
    raises: str = "100%,a"
    donk: str | None = None
    cap: int = 0
    add_all_in: float = 0.0
    force_all_in: float = 0.0
    merge: float = 0.0
    _clauses: dict[str, list[tuple[str, str, tuple[Size, ...]]]] = field(
        default_factory=dict, repr=False, compare=False, hash=False, init=False
    )

    def __post_init__(self) -> None:
        for name in ("bets", "raises", "donk"):
            text = getattr(self, name)
            if text is not None:
                self._clauses[name] = _read_clauses(text, raises=name == "raises")
        for name in ("add_all_in", "force_all_in", "merge", "cap"):
            value = getattr(self, name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0 <= value < 1e6:
                raise BetSizeError(f"{name} is {value!r}", where="bet sizes", fix="use a number from 0")

    def at(self, street: str, player: int, *, facing: bool, donk: bool) -> tuple[Size, ...]:
        """Return the sizes for a player on a street, facing a bet or not."""
        name = "raises" if facing else "donk" if donk and self.donk is not None else "bets"
        found: tuple[Size, ...] = ()
        for on, position, sizes in self._clauses[name]:
            if on in ("", street) and position in ("", POSITIONS[player]):
                found = sizes
        return found


def _read_clauses(text: str, *, raises: bool) -> list[tuple[str, str, tuple[Size, ...]]]:
    clauses = []
    for clause in text.split(";") if isinstance(text, str) else [text]:
        name, equals, sizes = clause.rpartition("=") if isinstance(clause, str) else ("", "", clause)
        street, _, position = name.strip().lower().partition(".")
        if equals and street in POSITIONS and not position:
            street, position = "", street
        if street not in ("", *STREETS) or position not in ("", *POSITIONS):
            raise BetSizeError(
                f"{name.strip()!r} is not a place to bet",
                where=f"bet sizes {text!r}",
                fix="name a street (flop, turn, river), a position (oop, ip) or both, as in turn.oop=25%",
            )
        clauses.append((street, position, parse_sizes(sizes, raises=raises)))
    return clauses
