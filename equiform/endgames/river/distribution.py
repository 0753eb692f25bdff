r"""The joint distribution of hands that trunk strategies bring to a river (Algorithms 14 to 16), and their equities.

With :math:`t_i(h)` the probability that player i, holding h, plays what was seen so far, Bayes' rule gives

.. math:: D_{hh'} \propto t_1(h)\, t_2(h') \text{ if h and h' share no card, and 0 otherwise.}

The players' hands depend on each other through the cards alone, so one look-up per player and hand is enough: O(n)
look-ups for the n² entries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from equiform.games.cards.card import STANDARD, CardError
from equiform.games.cards.colex import colex_index
from equiform.games.cards.evaluator import strengths
from equiform.games.poker.holdem.ranges import Range, all_hands
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError

#: Answers, for a player and the numbers of hands, with what probability each hand plays the history.
LookUp = Callable[[int, IntArray], FloatArray]


def hole_index(hands: IntArray) -> IntArray:
    """Number hands of two cards, a row each, in any order of the cards: Algorithm 15."""
    return colex_index(hands)


def board_index(hands: IntArray, board: IntArray) -> IntArray:
    """Number hands among those that a board leaves: Algorithm 16."""
    below = (np.asarray(board)[None, None, :] < hands[:, :, None]).sum(axis=2)
    return hole_index(hands - below)


@dataclass(frozen=True, eq=False)
class HandDistribution:
    """Who holds what on a river, hands in the order of :func:`board_index`."""

    board: tuple[int, ...]
    holes: IntArray = field(repr=False)
    """The number of each hand among all 1,326."""
    marginals: tuple[FloatArray, FloatArray] = field(repr=False)
    """What each player's own strategy says, before the other's cards are taken into account."""
    joint: FloatArray = field(repr=False)
    """The probability of each pair of hands, player 1's by row."""

    @cached_property
    def sign(self) -> FloatArray:
        """1 where player 1 holds the better hand, −1 where player 2 does, 0 where they tie."""
        rows = np.hstack([all_hands()[self.holes], np.tile(self.board, (len(self.holes), 1))])
        rank = strengths(rows).astype(np.int64)
        return np.sign(rank[:, None] - rank[None, :]).astype(np.float64)

    def equities(self) -> tuple[FloatArray, FloatArray]:
        """Return each hand's chance of winning against the hands that the other holds then; ties count half.

        NaN for hands that the player never holds. This is the double loop of Algorithm 13.
        """
        found = []
        for joint, sign in ((self.joint, self.sign), (self.joint.T, -self.sign.T)):
            mass = joint.sum(axis=1)
            with np.errstate(invalid="ignore"):
                found.append(0.5 + 0.5 * (joint * sign).sum(axis=1) / mass)
        return found[0], found[1]


def hand_distribution(board: tuple[int, ...], look_up: LookUp) -> HandDistribution:
    """Compute the joint distribution by one look-up per player and hand: Algorithm 14.

    Parameters
    ----------
    board
        Five cards.
    look_up
        The trunk strategies: called once per player with the numbers (:func:`hole_index`) of all hands that can be
        held, it returns the probability with which each of them plays the betting so far.
    """
    if len(board) != 5:
        raise CardError(f"a board of {len(board)} cards", where=STANDARD.text(board), fix="deal all five")
    blocked = np.isin(all_hands(), board).any(axis=1)
    holes = np.flatnonzero(~blocked)
    own = [np.asarray(look_up(player, holes), dtype=np.float64) for player in (0, 1)]
    for player, weights in enumerate(own, 1):
        if weights.shape != holes.shape or not (weights >= 0).all() or not weights.sum() > 0:
            raise ParameterError(
                "the trunk has no distribution of hands",
                where=f"player {player} on {STANDARD.text(board)}",
                fix="return a probability for each hand; some hand must play the history",
            )
    first, second = (weights / weights.sum() for weights in own)
    cards = all_hands()[holes]
    conflict = (cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    joint = np.where(conflict, 0.0, np.outer(first, second))
    if not joint.sum() > 0:
        raise ParameterError(
            "no two hands of the players fit together", where=STANDARD.text(board), fix="widen a range"
        )
    return HandDistribution(tuple(board), holes, (first, second), joint / joint.sum())


def by_ranges(first: Range, second: Range) -> LookUp:
    """Look strategies up in two ranges, whose weights say how often each hand plays the history."""
    weights = first.weights, second.weights
    return lambda player, holes: weights[player][holes]
