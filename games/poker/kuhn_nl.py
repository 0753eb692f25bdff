r"""No-limit Kuhn poker (Ganzfried 2015, §7.2.2): one card each, player 1 bets any amount.

As in the clairvoyance game both put 1/2 into the pot, player 1 bets any multiple of ``step`` up to the stack, and
player 2 calls or folds; player 2 may not bet after a check (nor fold: a check is a showdown). The higher card of a
three-card deck wins. For every stack player 1's only bet in equilibrium is 0.4, says the thesis (§7.8.2).
"""

from __future__ import annotations

from fractions import Fraction

from equiform.games.poker.ranks import rank_names
from equiform.games.poker.single_bet import Deal, SingleBet
from equiform.models.common.errors import ParameterError
from equiform.models.common.rational import Number


class KuhnNoLimit(SingleBet):
    """Rules of no-limit Kuhn poker.

    >>> KuhnNoLimit(stack=1).describe(("Q", "bet 0.4"))
    'holding Q, after bet 0.4'
    """

    def __init__(self, stack: Number = 10, step: Number = Fraction(1, 10), cards: int = 3) -> None:
        if cards < 2:
            raise ParameterError("the deck needs at least two cards", where=f"cards={cards}", fix="use 2 or more")
        ranks = rank_names(cards)
        gap = "" if cards <= 13 else ","
        odds = Fraction(1, cards * (cards - 1))
        deals = [
            Deal(f"{ranks[a]}{gap}{ranks[b]}", odds, (ranks[a], ranks[b]), a > b)
            for a in range(cards)
            for b in range(cards)
            if a != b
        ]
        super().__init__("kuhn-nl", deals, stack, step)
