r"""Heads-up push or fold: one hand for chips, as a zero-sum game in sequence form.

The small blind jams or folds, the big blind calls or folds; stacks are equal and measured in big blinds. With
:math:`N_r(a, b)` deals of hands a and b that end in result r (won, lost, tied by the small blind) the payoff matrix has
three kinds of entries: :math:`-(s + t)` for a fold, :math:`1 + t` for a jam that is not called and
:math:`(N_{won} - N_{lost})\, S` for a showdown, with small blind s, ante t and stack S. All of it is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from equiform.games.cards.all_in.tables import N_CLASSES, two_way_table
from equiform.games.cards.charts import starting_hands
from equiform.models.common.errors import ParameterError
from equiform.models.common.rational import Number, as_fraction, common_denominator
from equiform.models.payoffs.matrix import MatrixPayoff
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex

#: Beyond this many big blinds jam or fold is not a sensible restriction; the numbers would still be right.
DEEPEST = 1000


@dataclass(frozen=True)
class PushFold:
    """A hand between a small blind and a big blind of 1 with equal stacks.

    Parameters
    ----------
    stack
        Chips of either player before the hand, in big blinds.
    small_blind, ante
        In big blinds; the ante is paid by both.
    """

    stack: Fraction
    small_blind: Fraction = Fraction(1, 2)
    ante: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        for name in ("stack", "small_blind", "ante"):
            object.__setattr__(self, name, _amount(getattr(self, name), name.replace("_", " ")))
        if not 1 + self.ante <= self.stack <= DEEPEST:
            raise ParameterError(
                f"a stack of {self.stack} big blinds",
                where="push or fold",
                fix=f"use a stack that pays the big blind and the ante, and {DEEPEST} big blinds at most",
            )
        if not 0 < self.small_blind <= 1:
            raise ParameterError(
                f"a small blind of {self.small_blind} big blinds", where="push or fold", fix="use a number up to 1"
            )

    def sequence_form(self) -> SequenceForm:
        """Build the game: player 1 is the small blind, payoffs are in big blinds."""
        unit = common_denominator([self.stack, self.small_blind, self.ante])
        stack, lost, won = (int(x * unit) for x in (self.stack, self.small_blind + self.ante, 1 + self.ante))
        name = f"push or fold, {float(self.stack):g} big blinds"
        return jam_or_fold(name, -lost, won, (stack, -stack, 0), unit)


def jam_or_fold(name: str, folded: int, stolen: int, shown: tuple[int, int, int], unit: int) -> SequenceForm:
    """Build a heads-up hand with the cards of Texas hold'em; all amounts are player 1's, in whole parts of ``unit``.

    Parameters
    ----------
    name
        What to call the game.
    folded, stolen
        What player 1 gets by folding, and by a jam that is not called.
    shown
        What player 1 gets at a showdown that is won, lost or tied.
    unit
        Amounts are divided by it.
    """
    wins = two_way_table()
    deals = wins.sum(axis=2)
    jam, fold = 1 + 2 * np.arange(N_CLASSES), 2 + 2 * np.arange(N_CLASSES)
    first, second = (k.ravel() for k in np.indices((N_CLASSES, N_CLASSES)))
    payoff = MatrixPayoff.from_terms(
        (1 + 2 * N_CLASSES, 1 + 2 * N_CLASSES),
        np.concatenate([fold, jam[first], jam[first]]),
        np.concatenate([np.zeros(N_CLASSES, dtype=np.int64), fold[second], jam[second]]),
        np.concatenate([folded * deals.sum(axis=1), stolen * deals.ravel(), (wins @ np.array(shown)).ravel()]),
        int(deals.sum()) * unit,
    )
    return SequenceForm(name, (_treeplex("small blind", "jam"), _treeplex("big blind", "call")), payoff)


def _treeplex(player: str, bold: str) -> Treeplex:
    return Treeplex(
        player=player,
        parent=np.zeros(N_CLASSES, dtype=np.int32),
        start=np.arange(1, 2 * N_CLASSES + 2, 2, dtype=np.int32),
        infosets=starting_hands(),
        actions=tuple((bold, "fold") for _ in range(N_CLASSES)),
    )


def _amount(value: Number | str, name: str) -> Fraction:
    try:
        amount = Fraction(value) if isinstance(value, str) else as_fraction(value)
    except (TypeError, ValueError, ZeroDivisionError):
        raise ParameterError(
            f"the {name} is {value!r}", where="push or fold", fix="use a number of big blinds"
        ) from None
    if amount < 0:
        raise ParameterError(f"the {name} is {value}", where="push or fold", fix="use a number from 0 upwards")
    return amount
