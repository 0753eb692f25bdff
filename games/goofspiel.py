r"""Goofspiel for two: a bidding game of pure strategy.

Both players hold the cards 1 … n. In each round a prize from another suit 1 … n is shown and both bid one card at the
same time; the higher bid takes the prize, equal bids lose it, and bid cards are gone. Prizes come in descending,
ascending or random order. The last round is forced and played at once. More points win (``win_loss``), or the payoff is
half the difference (``point_difference``) or the points themselves (``total_points``, not zero-sum).

As a tree player 1 bids first and player 2 does not see it. With ``imp_info`` bids stay hidden for good and players
learn only who took the prize; otherwise bids are shown after each round. These are the rules of OpenSpiel's
``goofspiel`` in its turn-based form, with one difference: there the information sets of the open game forget in which
order cards were bid; here players remember (perfect recall). The value is the same.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial

from equiform.games.size import require_size
from equiform.models.common.arguments import require_count
from equiform.models.common.errors import ParameterError
from equiform.models.common.rational import Number
from equiform.models.rules import CHANCE, TERMINAL

ORDERS = ("descending", "ascending", "random")
RETURNS = ("win_loss", "point_difference", "total_points")

_TIE, _FIRST, _SECOND = 0, 1, 2
_RESULT = ("tie", "player 1 takes it", "player 2 takes it")

# (whose turn, player 1's bid in this round or 0, both hands as bit masks, both scores, what each player has seen,
# prizes left as a bit mask, current prize or 0)
State = tuple[int, int, int, int, int, int, int, int, int, int]
# What a player has seen: a number whose digits are prizes, bids and results, three digits per round.
Key = int


class Goofspiel:
    """Rules of two-player goofspiel.

    >>> from equiform.models.compile import compile_rules
    >>> compile_rules(Goofspiel(4)).num_sequences(0)
    175
    """

    players = ("player 1", "player 2")

    def __init__(
        self, cards: int = 4, order: str = "descending", imp_info: bool = True, returns: str = "win_loss"
    ) -> None:
        require_count(cards, "cards", "goofspiel", most=100)
        if cards < 2 or order not in ORDERS or returns not in RETURNS:
            raise ParameterError(
                "goofspiel needs at least two cards, a known order and known returns",
                where=f"cards={cards}, order={order!r}, returns={returns!r}",
                fix=f"orders are {', '.join(ORDERS)}; returns are {', '.join(RETURNS)}",
            )
        # every order of bids of both (and of prizes) is a leaf; there are about as many nodes above
        require_size(2 * factorial(cards) ** (3 if order == "random" else 2), f"cards={cards}, order={order!r}")
        self.name = "goofspiel"
        self.cards = cards
        self.order, self.imp_info, self.returns = order, imp_info, returns
        self._base = max(cards, 3) + 1
        self._bid = {f"bid {k}": k for k in range(1, cards + 1)}
        self._prize = {f"prize {k}": k for k in range(1, cards + 1)}
        masks = range(1 << cards)
        self._hand_moves = [tuple(m for m, k in self._bid.items() if mask >> (k - 1) & 1) for mask in masks]
        self._deck_moves = [tuple(m for m, k in self._prize.items() if mask >> (k - 1) & 1) for mask in masks]
        self._deck_odds = [(Fraction(1, max(len(m), 1)),) * len(m) for m in self._deck_moves]

    def initial(self) -> State:
        """Return the state before the first round."""
        full = (1 << self.cards) - 1
        return self._show(full, full, 0, 0, 0, 0, full)

    def turn(self, state: State) -> int:
        """Return whose move it is."""
        return state[0]

    def actions(self, state: State) -> tuple[str, ...]:
        """Return the moves."""
        who = state[0]
        return self._deck_moves[state[8]] if who == CHANCE else self._hand_moves[state[2 + who]]

    def probabilities(self, state: State) -> tuple[Fraction, ...]:
        """Draw the next prize uniformly."""
        return self._deck_odds[state[8]]

    def next(self, state: State, action: str) -> State:
        """Return the state after a bid or a drawn prize."""
        who, pending, hand0, hand1, score0, score1, seen0, seen1, deck, prize = state
        if who == 0:
            return 1, self._bid[action], hand0, hand1, score0, score1, seen0, seen1, deck, prize
        if who == 1:
            return self._resolve(pending, self._bid[action], hand0, hand1, score0, score1, seen0, seen1, deck, prize)
        return self._open(hand0, hand1, score0, score1, seen0, seen1, deck, self._prize[action])

    def payoffs(self, state: State) -> tuple[Number, Number]:
        """Return the payoffs at the end."""
        first, second = state[4], state[5]
        if self.returns == "total_points":
            return first, second
        if self.returns == "point_difference":
            return Fraction(first - second, 2), Fraction(second - first, 2)
        won = (first > second) - (first < second)
        return won, -won

    def infoset(self, state: State) -> Key:
        """Return what the mover has seen."""
        return state[6 + state[0]]

    def describe(self, key: Key) -> str:
        """Put an information set into words."""
        digits: list[int] = []
        while key:
            key, digit = divmod(key, self._base)
            digits.append(digit)
        *past, prize = reversed(digits)
        rounds = []
        for prize_then, x, y in zip(past[::3], past[1::3], past[2::3], strict=True):
            what = f"own bid {x}, {_RESULT[y - 1]}" if self.imp_info else f"bids {x}–{y}"
            rounds.append(f"prize {prize_then}: {what}")
        return "; ".join([*rounds, f"prize {prize} to bid for"])

    def _resolve(
        self,
        bid0: int,
        bid1: int,
        hand0: int,
        hand1: int,
        score0: int,
        score1: int,
        seen0: int,
        seen1: int,
        deck: int,
        prize: int,
    ) -> State:
        """Award the prize, and play the last round at once when each has one card left."""
        hand0, hand1, base = hand0 ^ 1 << bid0 - 1, hand1 ^ 1 << bid1 - 1, self._base
        if bid0 > bid1:
            result, score0 = _FIRST, score0 + prize
        elif bid1 > bid0:
            result, score1 = _SECOND, score1 + prize
        else:
            result = _TIE
        if self.imp_info:
            seen0 = (seen0 * base + bid0) * base + result + 1
            seen1 = (seen1 * base + bid1) * base + result + 1
        else:
            seen0 = seen1 = (seen0 * base + bid0) * base + bid1
        if hand0 & hand0 - 1:
            return self._show(hand0, hand1, score0, score1, seen0, seen1, deck)
        last = deck.bit_length()
        if hand0 > hand1:
            score0 += last
        elif hand1 > hand0:
            score1 += last
        return TERMINAL, 0, 0, 0, score0, score1, seen0, seen1, 0, 0

    def _show(self, hand0: int, hand1: int, score0: int, score1: int, seen0: int, seen1: int, deck: int) -> State:
        """Begin a round: chance draws the prize unless the order is fixed."""
        if self.order == "random":
            return CHANCE, 0, hand0, hand1, score0, score1, seen0, seen1, deck, 0
        prize = deck.bit_length() if self.order == "descending" else (deck & -deck).bit_length()
        return self._open(hand0, hand1, score0, score1, seen0, seen1, deck, prize)

    def _open(
        self, hand0: int, hand1: int, score0: int, score1: int, seen0: int, seen1: int, deck: int, prize: int
    ) -> State:
        """Show the prize to both and let player 1 bid."""
        base = self._base
        left = deck ^ 1 << prize - 1
        return 0, 0, hand0, hand1, score0, score1, seen0 * base + prize, seen1 * base + prize, left, prize
