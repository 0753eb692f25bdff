"""The public state of a hand: who has put in what, whose turn it is, what may be done.

Moves are written as the competition's protocol writes them: ``f`` folds, ``c`` calls or checks, ``r`` raises in the
limit game and ``r300`` raises in the no-limit game until the player has put in 300 chips *during the hand*. Streets are
separated by ``/``. Folding is legal only against a bet. A no-limit raise is at least as large as the largest raise of
the street before it, and at least a big blind, unless it is all-in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from equiform.models.common.errors import EquiformError
from equiform.play.dealer.rules import FIRST, STREETS, HoldemRules

_MOVE = re.compile(r"f|c|r(\d{1,9})?")


class IllegalActionError(EquiformError):
    """A move that the rules do not allow where it was made."""


class Action(NamedTuple):
    """A move: ``f``, ``c`` or ``r``; ``to`` is what a no-limit raise brings the player's chips in the hand up to."""

    kind: str
    to: int = 0

    def __str__(self) -> str:
        return f"{self.kind}{self.to}" if self.to else self.kind


FOLD, CALL, RAISE = Action("f"), Action("c"), Action("r")


def read_action(text: str) -> Action:
    """Read one move.

    >>> read_action("r300"), str(read_action("c"))
    (Action(kind='r', to=300), 'c')
    """
    match = _MOVE.fullmatch(text)
    if match is None:
        raise IllegalActionError(f"{text[:40]!r} is not a move", fix="write f, c, r, or r and chips, such as r300")
    return Action(text[0], int(match[1] or 0))


@dataclass(frozen=True, slots=True)
class BettingState:
    """A moment of the betting; :meth:`after` leads to the next one."""

    rules: HoldemRules
    street: int
    spent: tuple[int, int]
    """What each seat has put in during the hand."""
    turn: int
    """The seat to act; -1 when the hand is over."""
    raises: int
    """Bets and raises so far on this street."""
    acted: bool
    """Whether anybody has acted on this street."""
    step: int
    """By how much a no-limit raise must go up at least."""
    line: str
    """The moves so far."""
    folded: int = -1
    """The seat that has folded; -1 if none."""
    moves: tuple[Action, ...] = field(default=(), repr=False)

    @staticmethod
    def start(rules: HoldemRules) -> BettingState:
        """Return the state in which the blinds are posted."""
        return BettingState(rules, 0, rules.blinds, FIRST[0], 0, False, rules.big_blind, "")

    @staticmethod
    def read(rules: HoldemRules, line: str) -> BettingState:
        """Play the moves of a line such as ``cr300c/cr600f``.

        Raises
        ------
        IllegalActionError
            If a move is not legal where it stands, or a street is not separated where it ends.

        Examples
        --------
        >>> from equiform.play.dealer.rules import NO_LIMIT
        >>> BettingState.read(NO_LIMIT, "cr300c/").spent
        (300, 300)
        """
        state = BettingState.start(rules)
        for found in _MOVE.finditer(line.replace("/", "")):
            state = state.after(read_action(found[0]))
        if state.line != line:
            raise IllegalActionError(
                f"the line {line[:80]!r} cannot be played", where=rules.name, fix=f"did you mean {state.line!r}?"
            )
        return state

    @property
    def over(self) -> bool:
        """Whether the hand has ended: by a fold, or after the last call."""
        return self.turn < 0

    @property
    def pot(self) -> int:
        """All chips in the middle."""
        return self.spent[0] + self.spent[1]

    @property
    def to_call(self) -> int:
        """What the seat to act must add to stay in."""
        return max(self.spent) - self.spent[self.turn]

    @property
    def showdown(self) -> bool:
        """Whether the hand ended with both players in."""
        return self.over and self.folded < 0

    def raise_range(self) -> tuple[int, int] | None:
        """Return the least and the largest total that a raise may come to; None if no raise is legal."""
        rules, high = self.rules, max(self.spent)
        if self.over or high >= rules.stack:
            return None
        if rules.limit:
            if self.raises >= rules.raises[self.street]:
                return None
            return high + rules.bets[self.street], high + rules.bets[self.street]
        return min(high + self.step, rules.stack), rules.stack

    def is_legal(self, action: Action) -> bool:
        """Whether the seat to act may do this."""
        if self.over:
            return False
        if action.kind != "r":
            return not action.to and (action.kind == "c" or (action.kind == "f" and self.to_call > 0))
        allowed = self.raise_range()
        if allowed is None:
            return False
        return action.to == 0 if self.rules.limit else allowed[0] <= action.to <= allowed[1]

    def legal(self) -> tuple[Action, ...]:
        """Return the legal moves; of no-limit raises the smallest and the largest."""
        if self.over:
            return ()
        allowed = self.raise_range()
        raises: tuple[Action, ...] = ()
        if allowed is not None:
            raises = (RAISE,) if self.rules.limit else tuple(Action("r", to) for to in sorted(set(allowed)))
        return ((FOLD,) if self.to_call else ()) + (CALL, *raises)

    def after(self, action: Action) -> BettingState:
        """Return the state after a move."""
        if not self.is_legal(action):
            raise IllegalActionError(
                f"{action} is not legal",
                where=f"{self.rules.name}, after {self.line!r}",
                fix=f"legal are {', '.join(map(str, self.legal())) or 'no moves: the hand is over'}",
            )
        line, moves = self.line + str(action), (*self.moves, action)
        who, high = self.turn, max(self.spent)
        if action.kind == "f":
            return BettingState(self.rules, self.street, self.spent, -1, self.raises, True, self.step, line, who, moves)
        if action.kind == "r":
            to = self.raise_range()[0] if self.rules.limit else action.to  # type: ignore[index]
            spent = (to, self.spent[1]) if who == 0 else (self.spent[0], to)
            step = max(self.step, to - high)
            return BettingState(self.rules, self.street, spent, 1 - who, self.raises + 1, True, step, line, -1, moves)
        if not self.acted:  # a check, or the small blind's call: the other may still act
            return BettingState(
                self.rules, self.street, (high, high), 1 - who, self.raises, True, self.step, line, -1, moves
            )
        return self._next_street(high, line, moves)

    def _next_street(self, high: int, line: str, moves: tuple[Action, ...]) -> BettingState:
        """Close the street; when both are all-in, so are the others."""
        rules, street = self.rules, self.street
        last = len(STREETS) - 1
        while street < last:
            street, line = street + 1, line + "/"
            if high < rules.stack:
                return BettingState(
                    rules, street, (high, high), FIRST[street], 0, False, rules.big_blind, line, -1, moves
                )
        return BettingState(rules, street, (high, high), -1, self.raises, True, self.step, line, -1, moves)
