r"""Gambit's strategic-form files (``.nfg``, version 1): read and written with exact rationals.

After the header ``NFG 1 R "title" { players }`` come the strategies, as numbers ``{ 2 3 }`` or by name ``{ { "U" "D" }
{ "L" "M" "R" } }``, an optional comment, and the payoffs in one of two versions: one payoff per player for every
profile, or a list of outcomes ``{ { "name" 1, 2 } … }`` followed by the number of one (0: none) for every profile. In
both the first player's strategy changes fastest.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod
from pathlib import Path

import numpy as np

from equiform.games.formats.gambit_text import Scanner, distinct_labels, quote, read_header
from equiform.models.common.errors import ParameterError
from equiform.models.common.files import read_text, write_text
from equiform.models.normal_form import NormalForm

_MOST_PROFILES = 10_000_000


def read_nfg(path: str | Path) -> NormalForm:
    """Read an ``.nfg`` file.

    Parameters
    ----------
    path
        The file to read, in the payoff or in the outcome version.

    Raises
    ------
    ParameterError
        If the file cannot be read.
    FormatError
        With file, line and column: if it is not a game in Gambit's strategic form.
    """
    return parse_nfg(read_text(path, "the game file", unreadable=ParameterError), source=str(path))


def parse_nfg(text: str, *, source: str = "<text>") -> NormalForm:
    """Read the text of an ``.nfg`` file; ``source`` names it in errors.

    >>> parse_nfg('NFG 1 R "pick" { "P" } { 2 } 1/3 0.5').payoffs.tolist()
    [[Fraction(1, 3), Fraction(1, 2)]]
    """
    scan = Scanner(text, source)
    title, players = read_header(scan, "NFG", 1)
    actions = _strategies(scan, len(players))
    if scan.peek()[0] == "string":
        scan.string("a comment")
    profiles = prod(len(own) for own in actions)
    rows = _by_outcome(scan, len(players), profiles) if scan.peek() == ("mark", "{") else None
    if rows is None:
        rows = [tuple(_entry(scan, "a payoff") for _ in players) for _ in range(profiles)]
    if scan.peek()[0] != "end":
        scan.fail("there are more entries than profiles", f"give {profiles} of them", at=scan.skip_space())
    table = np.empty((len(players), profiles), dtype=object)
    for p in range(len(players)):
        table[p] = [row[p] for row in rows]
    shape = tuple(len(own) for own in actions)
    payoffs = np.stack([own.reshape(shape, order="F") for own in table])
    return NormalForm(title or Path(source).stem, players, actions, payoffs)


def write_nfg(game: NormalForm, path: str | Path, *, comment: str = "") -> None:
    """Write a game as an ``.nfg`` file in the payoff version, atomically; ``comment`` goes into its header."""
    write_text(path, format_nfg(game, comment=comment))


def format_nfg(game: NormalForm, *, comment: str = "") -> str:
    """Return the text of a game's ``.nfg`` file."""
    players = " ".join(quote(p) for p in game.players)
    strategies = " ".join("{ " + " ".join(quote(a) for a in own) + " }" for own in game.actions)
    cells = zip(*(own.ravel(order="F") for own in game.payoffs), strict=True)
    payoffs = "\n".join(" ".join(map(str, cell)) for cell in cells)
    return f"NFG 1 R {quote(game.name)} {{ {players} }} {{ {strategies} }}\n{quote(comment)}\n\n{payoffs}\n"


def _strategies(scan: Scanner, players: int) -> tuple[tuple[str, ...], ...]:
    """Read the strategies of every player, by number or by name."""
    scan.mark("{")
    place = scan.begin
    actions: list[tuple[str, ...]] = []
    profiles = 1
    while not scan.accept("}"):
        named = distinct_labels(scan.strings("a strategy")) if scan.peek() == ("mark", "{") else None
        count = scan.integer("a number of strategies", 1) if named is None else len(named)
        if count == 0:
            scan.fail("a player has no strategies", "name at least one")
        profiles *= count
        if profiles > _MOST_PROFILES:
            scan.fail(f"the game has {profiles:,} profiles", f"use at most {_MOST_PROFILES:,}")
        actions.append(tuple(str(k + 1) for k in range(count)) if named is None else named)
    if len(actions) != players:
        scan.fail(f"strategies of {len(actions)} players for {players}", "list the strategies of each player", at=place)
    return tuple(actions)


def _by_outcome(scan: Scanner, players: int, profiles: int) -> list[tuple[Fraction, ...]]:
    """Read the outcome version: a list of outcomes, then one number per profile."""
    scan.mark("{")
    outcomes = [(Fraction(0),) * players]
    while not scan.accept("}"):
        scan.mark("{")
        place = scan.begin
        if scan.peek()[0] == "string":
            scan.string("the outcome's name")
        payoffs: list[Fraction] = []
        while not scan.accept("}"):
            payoffs.append(scan.number("a payoff"))
            scan.accept(",")
        if len(payoffs) != players:
            scan.fail(f"an outcome has {len(payoffs)} payoffs for {players} players", "write one per player", at=place)
        outcomes.append(tuple(payoffs))
    rows = []
    for _ in range(profiles):
        number = scan.integer("the number of an outcome") if scan.peek()[0] == "number" else None
        if number is None:
            scan.fail("there are fewer entries than profiles", f"give {profiles} of them", at=scan.skip_space())
        if number >= len(outcomes):
            scan.fail(f"there is no outcome {number}", f"the file lists {len(outcomes) - 1}")
        rows.append(outcomes[number])
    return rows


def _entry(scan: Scanner, what: str) -> Fraction:
    value = scan.number(what)
    scan.accept(",")
    return value
