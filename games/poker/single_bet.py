r"""One bet, one answer: the shape of the no-limit toy games of Ganzfried (2015), §7.2.

Both put 1/2 into the pot. Player 1 checks, which ends the game in a showdown, or bets any multiple of ``step`` up to
the ``stack``; player 2 then calls or folds and cannot raise. What differs between the games is who holds what, which is
a list of :class:`Deal`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from equiform.games.size import require_size
from equiform.models.common.errors import ParameterError
from equiform.models.common.rational import Number, as_fraction, short_text
from equiform.models.rules import CHANCE, TERMINAL

ANTE = Fraction(1, 2)


@dataclass(frozen=True)
class Deal:
    """What the players hold, how likely that is, and whether player 1 wins the showdown."""

    label: str
    probability: Fraction
    holdings: tuple[str, str]  # in words; empty for a player without private information
    first_wins: bool


# (number of the deal, player 1's move or "", player 2's move or ""); None before the deal.
State = tuple[int, str, str]
Key = tuple[str, str]


class SingleBet:
    """Rules of a game with one bet by player 1 and one answer by player 2."""

    players = ("player 1", "player 2")

    def __init__(self, name: str, deals: Sequence[Deal], stack: Number, step: Number) -> None:
        top, unit = as_fraction(stack), as_fraction(step)
        if top < 0 or unit <= 0:
            raise ParameterError(
                "bets need a stack of at least 0 and a positive step",
                where=f"stack={short_text(top)}, step={short_text(unit)}",
                fix="use for example stack=10 and step=1/10",
            )
        require_size(len(deals) * 3 * int(top / unit), f"stack={short_text(top)}, step={short_text(unit)}")
        self.name = name
        self.stack, self.step = top, unit
        self._deals = {deal.label: (k, "", "") for k, deal in enumerate(deals)}
        self._deal_moves = tuple(self._deals)
        self._deal_list = tuple(deals)
        self._deal_odds = tuple(deal.probability for deal in deals)
        self.bets = {f"bet {amount_words(k * unit)}": k * unit for k in range(1, int(top / unit) + 1)}
        self._openings = ("check", *self.bets)
        # the payoffs of a win and of a loss by player 1
        self._pay = {("check", ""): _won_and_lost(ANTE)}
        for label, amount in self.bets.items():
            self._pay[label, "fold"] = ((ANTE, -ANTE), (ANTE, -ANTE))
            self._pay[label, "call"] = _won_and_lost(ANTE + amount)

    def initial(self) -> State | None:
        """Return the undealt state."""
        return None

    def turn(self, state: State | None) -> int:
        """Return whose move it is."""
        if state is None:
            return CHANCE
        _, opening, answer = state
        if not opening:
            return 0
        return TERMINAL if answer or opening == "check" else 1

    def actions(self, state: State | None) -> tuple[str, ...]:
        """Return the moves."""
        if state is None:
            return self._deal_moves
        return ("fold", "call") if state[1] else self._openings

    def probabilities(self, state: State | None) -> tuple[Fraction, ...]:
        """Return the odds of the deals."""
        return self._deal_odds

    def next(self, state: State | None, action: str) -> State:
        """Return the state after a move."""
        if state is None:
            return self._deals[action]
        deal, opening, _ = state
        return (deal, opening, action) if opening else (deal, action, "")

    def payoffs(self, state: State) -> tuple[Fraction, Fraction]:
        """Return the payoffs net of what each put in."""
        deal, opening, answer = state
        win, lose = self._pay[opening, answer]
        return win if self._deal_list[deal].first_wins else lose

    def infoset(self, state: State) -> Key:
        """Return the mover's holding and the bet faced."""
        deal, opening, _ = state
        return self._deal_list[deal].holdings[1 if opening else 0], opening

    def describe(self, key: Key) -> str:
        """Put an information set into words."""
        holding, opening = key
        words = [f"holding {holding}"] * bool(holding) + [f"after {opening}" if opening else "to open"]
        return ", ".join(words)


def _won_and_lost(stake: Fraction) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
    return (stake, -stake), (-stake, stake)


def amount_words(amount: Fraction) -> str:
    """Write an amount as a decimal where that is exact, else as p/q.

    >>> amount_words(Fraction(2, 5)), amount_words(Fraction(12)), amount_words(Fraction(1, 3))
    ('0.4', '12', '1/3')
    """
    exact = Decimal(amount.numerator) / Decimal(amount.denominator)
    return f"{exact:f}" if Fraction(exact) == amount else str(amount)
