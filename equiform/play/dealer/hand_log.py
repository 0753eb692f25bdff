"""Hand logs in the format of the competition's own server, which other tools read.

.. code-block:: text

    # name/game/hands/seed my-match holdem.limit.2p.reverse_blinds.game 3000 7
    STATE:0:crrrc/rrc/rf:3s5d|Td2s/4d5c4s/Kd:60|-60:alice|bob
    SCORE:60|-60:alice|bob

A line has the hand's number, the moves, the cards (seats separated by ``|``, streets by ``/``), what each seat won, and
who sat there. Seats change from hand to hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from equiform.games.cards.card import STANDARD, CardError
from equiform.models.common.errors import FormatError
from equiform.models.common.files import read_text, write_text
from equiform.play.dealer.betting import BettingState, IllegalActionError
from equiform.play.dealer.hand import Cards, HandRecord, settle
from equiform.play.dealer.rules import BOARD_CARDS, HoldemRules

_FIX = "expected STATE:number:moves:cards:chips:names, as the dealer writes it"


def cards_field(holes: Sequence[Cards], board: Cards) -> str:
    """Write cards as the protocol does: ``3s5d|Td2s/4d5c4s/Kd``."""
    streets = [STANDARD.text(board[begin:end]) for begin, end in pairwise(BOARD_CARDS) if len(board) >= end]
    return "/".join(["|".join(STANDARD.text(h) for h in holes), *streets])


def read_cards_field(text: str) -> tuple[tuple[Cards, Cards], Cards]:
    """Read what :func:`cards_field` writes; cards that are not shown are an empty tuple."""
    private, *streets = text.split("/")
    hands = private.split("|")
    if len(hands) != 2 or len(streets) > len(BOARD_CARDS) - 1:
        raise CardError(f"{text[:80]!r} are not the cards of a hand", fix="write them like 3s5d|Td2s/4d5c4s/Kd")
    board: Cards = ()
    for street, dealt in enumerate(streets, 1):
        board += STANDARD.parse(dealt)
        if len(board) != BOARD_CARDS[street]:
            raise CardError(f"a board of {len(board)} cards", where=text[:80], fix="deal 3, 1 and 1 cards")
    first, second = (STANDARD.parse(h) for h in hands)
    if {len(first), len(second)} - {0, 2}:
        raise CardError("a hand has two cards", where=text[:80], fix="show both cards of a hand or none")
    STANDARD.cards((*first, *second, *board))
    return (first, second), board


def state_line(record: HandRecord) -> str:
    """Return a hand's line."""
    chips = "|".join(map(str, record.chips))
    cards = cards_field(record.holes, record.board)
    return f"STATE:{record.number}:{record.line}:{cards}:{chips}:{'|'.join(record.names)}"


def score_line(records: Iterable[HandRecord], names: Sequence[str]) -> str:
    """Return the last line of a match: what each player won in all."""
    totals = dict.fromkeys(names, 0)
    for record in records:
        for name, won in zip(record.names, record.chips, strict=True):
            totals[name] += won
    return f"SCORE:{'|'.join(str(totals[n]) for n in names)}:{'|'.join(names)}"


def read_state_line(rules: HoldemRules, line: str) -> HandRecord:
    """Read a hand's line; moves, cards and chips must agree.

    >>> from equiform.play.dealer.rules import LIMIT
    >>> read_state_line(LIMIT, "STATE:4:rf:6s9d|4dQd:-10|10:p1|p2").chips
    (-10, 10)
    """
    parts = line.strip().split(":")
    if len(parts) != 6 or parts[0] != "STATE" or not parts[1].isdecimal():
        raise FormatError(f"{line[:100]!r} is not a hand", fix=_FIX)
    names = parts[5].split("|")
    try:
        chips = tuple(int(c) for c in parts[4].split("|"))
        betting = BettingState.read(rules, parts[2])
        holes, board = read_cards_field(parts[3])
    except (ValueError, IllegalActionError) as error:
        raise FormatError(f"the hand cannot be read: {error}", where=line[:100], fix=_FIX) from None
    if len(names) != 2 or len(chips) != 2 or not betting.over or len(board) != BOARD_CARDS[betting.street]:
        raise FormatError("the hand is not complete", where=line[:100], fix=_FIX)
    if betting.showdown and not all(holes):
        raise FormatError("a showdown shows both hands", where=line[:100], fix=_FIX)
    if settle(betting, holes, board) != chips:
        won = settle(betting, holes, board)
        raise FormatError(f"the chips are {chips}", where=line[:100], fix=f"these moves and cards give {won}")
    number, first, second = int(parts[1]), names[0], names[1]
    return HandRecord(rules, number, parts[2], holes, board, (chips[0], chips[1]), (first, second))


def log_lines(
    name: str, rules: HoldemRules, seed: int, records: Sequence[HandRecord], players: Sequence[str]
) -> Iterator[str]:
    """Yield the lines of a match's log."""
    yield f"# name/game/hands/seed {name} {rules.file} {len(records)} {seed}"
    for record in records:
        yield state_line(record)
    yield score_line(records, players)


def write_log(
    path: str | Path, rules: HoldemRules, records: Sequence[HandRecord], players: Sequence[str], *, seed: int
) -> None:
    """Write the log of a match, in one step."""
    write_text(path, "\n".join(log_lines(Path(path).stem, rules, seed, records, players)) + "\n")


def read_log(path: str | Path, rules: HoldemRules) -> list[HandRecord]:
    """Read the hands of a log.

    Raises
    ------
    FormatError
        If a hand was not played by the rules, its chips are not what its moves and cards give, or the score is not
        the sum of the hands.
    """
    records: list[HandRecord] = []
    for number, line in enumerate(read_text(path, "the log").splitlines(), 1):
        if line.startswith("STATE:"):
            try:
                records.append(read_state_line(rules, line))
            except FormatError as error:
                raise FormatError(error.what, where=f"{path}, line {number}: {error.where}", fix=error.fix) from None
        elif line.startswith("SCORE:"):
            names = line.strip().split(":")[-1].split("|")
            if not records or set(names) != set(records[0].names) or score_line(records, names) != line.strip():
                raise FormatError(
                    "the score is not the sum of the hands", where=f"{path}, line {number}", fix="is a hand missing?"
                )
        elif line.strip() and not line.startswith("#"):
            raise FormatError(f"{line[:60]!r} is not part of a log", where=f"{path}, line {number}", fix=_FIX)
    return records
