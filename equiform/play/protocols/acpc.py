"""The messages of the competition's protocol, version 2.0.0. Lines of ASCII end in CR LF.

* The client begins: ``VERSION:2.0.0``.
* The dealer tells both players where the hand stands, at its start and after every move:
  ``MATCHSTATE:seat:hand:moves:cards``, such as ``MATCHSTATE:0:7:rrc/r:TdAs|/2c8c3h``. Cards that the player may not see
  are left out; at a showdown all are shown.
* Whoever is to act answers with the same line, a colon and a move: ``…:c``.
* Lines that begin with ``#`` or ``;`` are comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from equiform.games.cards.card import CardError
from equiform.models.common.errors import FormatError
from equiform.play.dealer.betting import Action, BettingState, IllegalActionError, read_action
from equiform.play.dealer.hand import Cards, View
from equiform.play.dealer.hand_log import cards_field, read_cards_field
from equiform.play.dealer.rules import BOARD_CARDS, HoldemRules

VERSION = "VERSION:2.0.0"
#: Longer lines are cut: no state of a hand comes near it.
MAX_LINE = 2048
_STATE = re.compile(r"MATCHSTATE:([01]):(\d{1,9}):([fcr\d/]*):([^:]*)")
_VERSION = re.compile(r"VERSION:2\.0\.\d+")


@dataclass(frozen=True)
class MatchState:
    """Where a hand stands, as one player sees it."""

    seat: int
    hand: int
    betting: BettingState
    holes: tuple[Cards, Cards]
    """Empty where not shown."""
    board: Cards

    @property
    def to_act(self) -> bool:
        """Whether the player who sees this is to move."""
        return self.betting.turn == self.seat

    @property
    def view(self) -> View:
        """What the player is asked about."""
        return View(self.hand, self.seat, self.betting, self.holes[self.seat], self.board)

    def __str__(self) -> str:
        return f"MATCHSTATE:{self.seat}:{self.hand}:{self.betting.line}:{cards_field(self.holes, self.board)}"


def read_match_state(rules: HoldemRules, line: str) -> MatchState:
    """Read a dealer's line; moves that are not legal and cards that do not fit the street are refused.

    >>> from equiform.play.dealer.rules import LIMIT
    >>> state = read_match_state(LIMIT, "MATCHSTATE:0:0:rrc/r:TdAs|/2c8c3h")
    >>> state.betting.spent, state.to_act, str(state)
    ((40, 30), False, 'MATCHSTATE:0:0:rrc/r:TdAs|/2c8c3h')
    """
    match = _STATE.fullmatch(line)
    if match is None:
        raise FormatError(f"{line[:80]!r} is not a state", where=rules.name, fix="MATCHSTATE:seat:hand:moves:cards")
    try:
        betting = BettingState.read(rules, match[3])
        holes, board = read_cards_field(match[4])
    except (IllegalActionError, CardError) as error:
        raise FormatError(f"the state is impossible: {error.what}", where=line[:120], fix=error.fix) from None
    seat = int(match[1])
    if len(board) != BOARD_CARDS[betting.street] or not holes[seat]:
        raise FormatError(
            "the cards do not fit the moves", where=line[:120], fix="show the player's cards and the board"
        )
    return MatchState(seat, int(match[2]), betting, holes, board)


def read_answer(state: str, line: str) -> Action | None:
    """Read a player's answer to a state; None if it answers another one, as a late message does.

    Raises
    ------
    FormatError
        If the line is not an answer at all.
    IllegalActionError
        If it answers this state, but not with a move.
    """
    if line.startswith(state + ":"):
        return read_action(line[len(state) + 1 :])
    told, colon, _ = line.rpartition(":")
    if colon and _STATE.fullmatch(told):
        return None
    raise FormatError(f"{line[:80]!r} is not an answer", where=state[:120], fix="repeat the state and add a move")


def is_comment(line: str) -> bool:
    """Whether a line says nothing."""
    return not line.strip() or line[0] in "#;"


def is_version(line: str) -> bool:
    """Whether a client speaks this version of the protocol."""
    return _VERSION.fullmatch(line) is not None
