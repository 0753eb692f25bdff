"""The bracket that every certificate of a two-player game states, and what follows from it."""

from __future__ import annotations


class Bracket:
    """What player 1 guarantees and what player 2 concedes at most; the value lies between them."""

    lower: float
    upper: float

    @property
    def nash_conv(self) -> float:
        """The sum of what both players could gain, the width of the bracket."""
        return self.upper - self.lower

    @property
    def exploitability(self) -> float:
        """The mean of what the players could gain."""
        return self.nash_conv / 2
