"""A person at the terminal, as a player."""

from __future__ import annotations

from dataclasses import dataclass

import typer

from equiform.cli.output import console
from equiform.games.cards.card import STANDARD
from equiform.models.common.errors import EquiformError
from equiform.play.dealer.betting import CALL, FOLD, RAISE, Action, BettingState, read_action
from equiform.play.dealer.hand import HandRecord, View

_WORDS = {"fold": FOLD, "f": FOLD, "call": CALL, "check": CALL, "c": CALL, "k": CALL}


class Leaves(Exception):  # noqa: N818 (not an error)
    """The person has had enough."""


@dataclass(frozen=True)
class Person:
    """Asks whoever sits at the terminal."""

    name: str

    def act(self, view: View) -> Action:
        """Show the hand and ask until the answer is a legal move."""
        betting = view.betting
        board = STANDARD.text(view.board) or "no board yet"
        console.print(
            f"Hand {view.hand + 1}: you hold {STANDARD.text(view.hole)}, {board}. Pot {betting.pot:,}, "
            f"to call {betting.to_call:,}, moves so far: {betting.line or 'none'}.",
            highlight=False,
        )
        while True:
            try:
                text = typer.prompt("  your move", prompt_suffix=" > ")
            except (EOFError, KeyboardInterrupt, typer.Abort):
                raise Leaves from None
            action = _read(text.strip().lower(), betting)
            if action is not None:
                return action
            console.print(f"  Not a legal move here. Legal: {_legal(betting)}, quit.", highlight=False)


def _read(text: str, betting: BettingState) -> Action | None:
    if text in ("quit", "q", "exit"):
        raise Leaves
    if text in _WORDS:
        action = _WORDS[text]
    elif text.startswith(("raise", "r", "bet", "b")):
        amount = text.lstrip("raisebt").strip()
        try:
            action = RAISE if betting.rules.limit else read_action(f"r{amount}")
        except EquiformError:
            return None
    else:
        return None
    return action if betting.is_legal(action) else None


def _legal(betting: BettingState) -> str:
    words = ["fold", "call"] if betting.to_call else ["check"]
    allowed = betting.raise_range()
    if allowed is not None:
        words.append("raise" if betting.rules.limit else f"raise {allowed[0]} to raise {allowed[1]}")
    return ", ".join(words)


def report(record: HandRecord, name: str, total: int) -> None:
    """Say how a hand ended."""
    other = 1 - record.names.index(name)
    shown = (
        f"{record.names[other]} held {STANDARD.text(record.holes[other])}, " if not record.line.endswith("f") else ""
    )
    console.print(f"  {record.line}: {shown}you won {record.won_by(name):+,} (in all {total:+,}).\n", highlight=False)
