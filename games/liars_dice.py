r"""Liar's dice for two: each rolls in secret, bids rise, somebody calls "liar".

A bid such as 2×4 claims that at least two of all dice show a 4; the highest face is wild and counts as any. A new bid
must name more dice, or equally many of a higher face. Instead of bidding a player may call the last bid a lie: the
caller wins 1 if fewer dice show the face than claimed, and loses 1 otherwise. Player 1 bids first. These are the rules
of OpenSpiel's ``liars_dice``; with one six-sided die each the tree has 294,883 nodes.

Dice of one player are unordered: a roll is a multiset with its exact probability.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, factorial, prod

from equiform.games.size import require_size
from equiform.models.common.arguments import require_count
from equiform.models.common.errors import ParameterError
from equiform.models.rules import CHANCE, TERMINAL

_UNKNOWN = -1

# (player 1's roll, player 2's roll, bids made as a bit mask, whose turn); rolls are numbers of multisets.
State = tuple[int, int, int, int]
Key = tuple[int, int]


class LiarsDice:
    """Rules of two-player liar's dice.

    >>> LiarsDice().describe((2, 0b1001))
    'holding 3, after 1×1–1×4'
    """

    players = ("player 1", "player 2")

    def __init__(self, sides: int = 6, dice: int = 1) -> None:
        for what, number in (("sides", sides), ("dice", dice)):
            require_count(number, what, "liars-dice", most=1000)
        if sides < 2:
            raise ParameterError(
                "liar's dice needs dice with at least two sides",
                where=f"sides={sides}, dice={dice}",
                fix="use sides=6 and dice=1 for the usual small game",
            )
        self.name = "liars-dice"
        # below every pair of rolls: each set of bids is a node, and each but the empty one may be called
        rolls = comb(sides + dice - 1, dice)
        require_size(rolls**2 * 2 ** (2 * dice * sides + 1), f"sides={sides}, dice={dice}")
        self.rolls = tuple(combinations_with_replacement(range(1, sides + 1), dice))
        orders = [factorial(dice) // prod(factorial(roll.count(f)) for f in set(roll)) for roll in self.rolls]
        self._roll_moves = tuple("".join(map(str, r)) if sides < 10 else ",".join(map(str, r)) for r in self.rolls)
        self._roll_odds = tuple(Fraction(n, sides**dice) for n in orders)
        self._roll_number = {move: k for k, move in enumerate(self._roll_moves)}
        bids = [(count, face) for count in range(1, 2 * dice + 1) for face in range(1, sides + 1)]
        self.bids = tuple(f"{count}×{face}" for count, face in bids)
        self._bit = {bid: 1 << k for k, bid in enumerate(self.bids)}
        # after bid k (counted from 1; 0: none yet) only higher ones are left, and from the first on the call
        self._moves = tuple(self.bids[k:] + (("liar",) if k else ()) for k in range(len(bids) + 1))
        self._true = tuple(
            tuple(
                tuple(sum(f in (face, sides) for f in first + second) >= count for second in self.rolls)
                for first in self.rolls
            )
            for count, face in bids
        )

    def initial(self) -> State:
        """Return the state before the dice are rolled."""
        return _UNKNOWN, _UNKNOWN, 0, CHANCE

    def turn(self, state: State) -> int:
        """Return whose move it is."""
        return state[3]

    def actions(self, state: State) -> tuple[str, ...]:
        """Return the moves."""
        return self._roll_moves if state[3] == CHANCE else self._moves[state[2].bit_length()]

    def probabilities(self, state: State) -> tuple[Fraction, ...]:
        """Roll fair dice."""
        return self._roll_odds

    def next(self, state: State, action: str) -> State:
        """Return the state after a move."""
        first, second, made, who = state
        if who == CHANCE:
            roll = self._roll_number[action]
            return (roll, _UNKNOWN, 0, CHANCE) if first == _UNKNOWN else (first, roll, 0, 0)
        if action == "liar":
            return first, second, made, TERMINAL
        return first, second, made | self._bit[action], 1 - who

    def payoffs(self, state: State) -> tuple[int, int]:
        """Pay the bidder if the last bid was true, else the caller."""
        first, second, made, _ = state
        caller = made.bit_count() & 1
        true = self._true[made.bit_length() - 1][first][second]
        return (1, -1) if true == (caller == 1) else (-1, 1)

    def infoset(self, state: State) -> Key:
        """Return the mover's roll and all bids."""
        return state[1] if state[3] else state[0], state[2]

    def describe(self, key: Key) -> str:
        """Put an information set into words."""
        roll, made = key
        bids = "–".join(bid for k, bid in enumerate(self.bids) if made >> k & 1)
        return f"holding {self._roll_moves[roll]}, {'after ' + bids if bids else 'to open'}"
