r"""The clairvoyance game (Ankenman and Chen 2006; Ganzfried 2015, §7.2.1).

Player 1 holds a winning or a losing hand with equal probability and knows which; player 2 knows nothing. With a pot of
1 player 1 may bet any multiple of ``step`` up to the stack n, and player 2 calls or folds. Betting n with every winning
hand and with n/(1+n) of the losing ones, and calling a bet x with probability 1/(1+x), is an equilibrium; it is worth
n/(2(1+n)) to player 1.
"""

from __future__ import annotations

from fractions import Fraction

from equiform.games.poker.single_bet import Deal, SingleBet
from equiform.models.common.rational import Number


class Clairvoyance(SingleBet):
    """Rules of the clairvoyance game.

    >>> len(Clairvoyance(stack=10).bets)
    100
    """

    def __init__(self, stack: Number = 10, step: Number = Fraction(1, 10)) -> None:
        half = Fraction(1, 2)
        deals = [Deal("win", half, ("a winning hand", ""), True), Deal("lose", half, ("a losing hand", ""), False)]
        super().__init__("clairvoyance", deals, stack, step)
