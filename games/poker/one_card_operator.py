r"""One-card poker with any number of cards: its payoff as prefix sums instead of a matrix.

With n cards the payoff matrix of :class:`~equiform.games.poker.kuhn.Kuhn` has 5 n (n − 1) entries, 96 GB for 40,000
cards. Its blocks are triangular: against a vector v over the opponent's cards, holding card c,

.. math:: \text{win}(v)_c = \sum_{d < c} v_d - \sum_{d > c} v_d, \qquad
   \text{others}(v)_c = \sum_{d \ne c} v_d,

and prefix sums give all entries of both in O(n).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiform.games.poker.kuhn import Kuhn
from equiform.games.poker.ranks import rank_names
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex

_CHECK_BET, _FOLD_CALL = ("check", "bet"), ("fold", "call")
_SO_FAR = {"": "to open", "c": "after check", "b": "after bet", "cb": "after check–bet"}


@dataclass(frozen=True)
class OneCardPayoff:
    """Player 1's payoff. Sequences: start, then (check, bet) by card, then (fold, call) by card.

    ``unsigned`` replaces wins and losses by their size: an upper bound of all entries' absolute values.
    """

    cards: int
    unsigned: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Sequences of either player."""
        return 4 * self.cards + 1, 4 * self.cards + 1

    def times(self, y: FloatArray) -> FloatArray:
        """Return ``A y``."""
        n, out = self.cards, np.zeros(4 * self.cards + 1)
        checked, bet, folded, called = _by_move(y, n)
        check, raise_, fold, call = _by_move(out, n)
        check[:] = self._win(checked)
        raise_[:] = self._others(folded) + 2.0 * self._win(called)
        fold[:] = self._others(bet) if self.unsigned else -self._others(bet)
        call[:] = 2.0 * self._win(bet)
        return out * (1.0 / (n * (n - 1)))

    def transpose_times(self, x: FloatArray) -> FloatArray:
        """Return ``Aᵀ x``."""
        n, out = self.cards, np.zeros(4 * self.cards + 1)
        checked, bet, folded, called = _by_move(x, n)
        check, raise_, fold, call = _by_move(out, n)
        flip = 1.0 if self.unsigned else -1.0  # the higher card of player 2 is player 1's loss
        check[:] = flip * self._win(checked)
        raise_[:] = flip * (self._others(folded) + 2.0 * self._win(called))
        fold[:] = self._others(bet)
        call[:] = flip * 2.0 * self._win(bet)
        return out * (1.0 / (n * (n - 1)))

    def magnitude(self) -> OneCardPayoff:
        """Return the operator of absolute values."""
        return OneCardPayoff(self.cards, unsigned=True)

    def _win(self, v: FloatArray) -> FloatArray:
        if self.unsigned:
            return self._others(v)
        upto = np.cumsum(v)
        return (upto - v) - (upto[-1] - upto)

    def _others(self, v: FloatArray) -> FloatArray:
        return v.sum() - v


def _by_move(plan: FloatArray, n: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """View a vector over sequences as four vectors over cards."""
    return plan[1 : 2 * n + 1 : 2], plan[2 : 2 * n + 1 : 2], plan[2 * n + 1 :: 2], plan[2 * n + 2 :: 2]


def one_card_operator(cards: int) -> SequenceForm:
    """Return the sequence form of n-card one-card poker without its payoff matrix.

    >>> game = one_card_operator(50_000)
    >>> game.treeplexes[0].num_sequences
    200001
    """
    if cards < 2:
        raise ParameterError("one-card poker needs at least two cards", where=f"cards={cards}", fix="use 2 or more")
    first = _treeplex(Kuhn.players[0], cards, "", "cb", under_check=True)
    second = _treeplex(Kuhn.players[1], cards, "c", "b", under_check=False)
    return SequenceForm(f"one-card-operator:cards={cards}", (first, second), OneCardPayoff(cards))


def _treeplex(player: str, cards: int, early: str, late: str, *, under_check: bool) -> Treeplex:
    """Lay out one player's information sets: those of the betting ``early`` by card, then those of ``late``."""
    parent = np.zeros(2 * cards, dtype=np.int32)
    if under_check:
        parent[cards:] = 1 + 2 * np.arange(cards)
    ranks = rank_names(cards)

    def describe(key: tuple[int, str]) -> str:
        return f"holding {ranks[key[0]]}, {_SO_FAR[key[1]]}"

    return Treeplex(
        player=player,
        parent=parent,
        start=(1 + 2 * np.arange(2 * cards + 1)).astype(np.int32),
        infosets=tuple((card, betting) for betting in (early, late) for card in range(cards)),
        actions=(_CHECK_BET,) * cards + (_FOLD_CALL,) * cards,
        describe=describe,
    )
