r"""Jam-or-fold stage games for all states of a tournament at once.

A state changes what outcomes are worth, not how likely they are: with strategies given, the probability that seat i
holds hand h and the hand ends in outcome o, apart from seat i's own choices, is the *reach* :math:`R^i_{s o h}`. For
three players let :math:`D_o[a, b, c]` be the probability of a deal and its order, and let :math:`A_s, B_s, C_s` be
the seats' jamming probabilities in state s. Everything follows from two products,

.. math:: Y_{so}[b, c] = \sum_a A_s[a]\, D_o[a, b, c], \qquad X_{so}[a, c] = \sum_b B_s[b]\, D_o[a, b, c],

which are matrix products of (states × hands) with (hands × pairs of hands), and a third one for the lines in which the
button folds. They run in single precision: strategies are judged elsewhere, in double.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.games.cards.all_in.tables import order_after
from equiform.games.tournament.deals import Deals
from equiform.games.tournament.histories import JAM, OUTCOMES, result_groups
from equiform.models.common.array_types import BoolArray, FloatArray, IntArray

_CHUNK = 192  # states per matrix product: enough to keep the table of an order busy
Reals = NDArray[Any]


@dataclass(frozen=True, eq=False)
class JamFoldStages:
    """The jam-or-fold hands of all states; a strategy is the probability of jamming by state, decision and hand."""

    deals: Deals
    forced: BoolArray = field(repr=False)  # [state, seat]: the blinds have taken the whole stack

    @property
    def num_seats(self) -> int:
        """Count the players."""
        return self.deals.players

    @property
    def num_states(self) -> int:
        """Count the states."""
        return len(self.forced)

    @cached_property
    def first(self) -> IntArray:
        """Where the outcomes of each state begin."""
        return np.arange(self.num_states + 1) * len(OUTCOMES[self.num_seats])

    def num_decisions(self, seat: int) -> int:
        """Count a seat's decisions: the situations that it can find itself in."""
        return 1 + max(o.decisions[seat] for o in OUTCOMES[self.num_seats])

    def shape(self, seat: int) -> tuple[int, int, int]:
        """Return the shape of a strategy: states, decisions, hands."""
        return self.num_states, self.num_decisions(seat), self.deals.num_hands

    def start(self, seat: int) -> FloatArray:
        """Return the strategy that jams every other time (always, where forced)."""
        strategy = np.full(self.shape(seat), 0.5)
        strategy[self.forced[:, seat]] = 1.0
        return strategy.ravel()

    def state_of(self, seat: int) -> IntArray:
        """Return the state of each entry of a strategy."""
        states, decisions, hands = self.shape(seat)
        return np.repeat(np.arange(states), decisions * hands)

    def prospects(self, profile: tuple[FloatArray, ...]) -> tuple[JamFoldProspects, ...]:
        """Return the prospects of every seat when the others play the profile."""
        split = [strategy.reshape(self.shape(seat)) for seat, strategy in enumerate(profile)]
        reach = self._two(split) if self.num_seats == 2 else self._three(split)
        return tuple(JamFoldProspects(seat, r, self.forced[:, seat]) for seat, r in enumerate(reach))

    def _two(self, profile: list[FloatArray]) -> list[Reals]:
        """Outcomes: fold; jam and fold; jam and call, won, lost or tied by the small blind."""
        orders = self.deals.orders
        jam, call = profile[0][:, 0], profile[1][:, 0]
        masses = orders.sum(axis=0)
        small = np.empty((self.num_states, 5, self.deals.num_hands))
        big = np.empty_like(small)
        small[:, 0] = masses.sum(axis=1)
        small[:, 1] = (1 - call) @ masses.T
        big[:, 0] = (1 - jam) @ masses
        big[:, 1] = jam @ masses
        for result in range(3):
            small[:, 2 + result] = call @ orders[result].T
            big[:, 2 + result] = jam @ orders[result]
        return [small, big]

    # -- three players ------------------------------------------------------------------------------------------------

    @cached_property
    def _tables(self) -> _Tables:
        return _Tables(self.deals)

    def _three(self, profile: list[FloatArray]) -> list[Reals]:
        n, dtype = self.deals.num_hands, self.deals.orders.dtype
        reach = [np.zeros((self.num_states, 25, n), dtype=dtype) for _ in range(3)]
        for begin in range(0, self.num_states, _CHUNK):
            part = slice(begin, begin + _CHUNK)
            button, small, big = (p[part].astype(dtype) for p in profile)
            views = [r[part] for r in reach]
            self._after_the_button(button, small, big, views[1], views[2])
            self._button(small, big, views[0])
        return reach

    def _after_the_button(self, button: Reals, small: Reals, big: Reals, to_small: Reals, to_big: Reals) -> None:
        """Fill the blinds' reach, order by order, from the button's jamming range."""
        t, n = self._tables, self.deals.num_hands
        size, jam = len(button), button[:, 0]
        by_small = np.stack([small[:, 0], small[:, 1], np.ones_like(small[:, 0])], axis=1)
        by_big = np.stack([big[:, 2], big[:, 0], big[:, 1], np.ones_like(big[:, 0])], axis=2)
        for o in range(13):
            jammed = (jam @ t.by_button[o]).reshape(size, n, n)
            called, opened, every = (x[:, 0] for x in np.split(by_small @ jammed, 3, axis=1))
            folded_opened = small[:, 1] @ t.any_button[o] - opened
            folded_every = t.any_button[o].sum(axis=0) - every
            r01, r02, r12 = (9 + t.result[0][o], 6 + t.result[1][o], 3 + t.result[2][o])
            to_big[:, 12 + o] += called
            to_big[:, r01] += called
            to_big[:, r02] += every - called
            to_big[:, 2] += every - called
            to_big[:, r12] += folded_opened
            to_big[:, 1] += folded_opened
            to_big[:, 0] += folded_every - folded_opened
            three, two, behind, every = (x[..., 0] for x in np.split(jammed @ by_big, 4, axis=2))
            folded_called = big[:, 1] @ t.any_button[o].T - behind
            folded_every = t.any_button[o].sum(axis=1) - every
            to_small[:, 12 + o] += three
            to_small[:, r01] += every - three
            to_small[:, r02] += two
            to_small[:, 2] += every - two
            to_small[:, r12] += folded_called
            to_small[:, 1] += folded_every - folded_called
            to_small[:, 0] += folded_every

    def _button(self, small: Reals, big: Reals, to_button: Reals) -> None:
        """Fill the button's reach from the small blind's ranges."""
        t, n = self._tables, self.deals.num_hands
        size = len(small)
        by_big = np.stack([big[:, 2], big[:, 0], np.ones_like(big[:, 0])], axis=2)
        for o in range(13):
            jammed = (small[:, 0] @ t.by_button[t.swap[o]]).reshape(size, n, n)  # [state, button, big blind]
            three, two, every = (x[..., 0] for x in np.split(jammed @ by_big, 3, axis=2))
            folded_called = big[:, 0] @ t.any_small[o].T - two
            folded_every = t.any_small[o].sum(axis=1) - every
            to_button[:, 12 + o] += three
            to_button[:, 9 + t.result[0][o]] += every - three
            to_button[:, 6 + t.result[1][o]] += folded_called
            to_button[:, 2] += folded_every - folded_called
        open_call = np.stack([big[:, 1], np.ones_like(big[:, 1])], axis=2)
        to_button[:, 0] += t.masses
        for result in range(3):
            opened = (small[:, 1] @ t.blinds[result]).reshape(size, n, n)
            called, every = (x[..., 0] for x in np.split(opened @ open_call, 2, axis=2))
            to_button[:, 3 + result] += called
            to_button[:, 1] += every - called
            to_button[:, 0] -= every


class _Tables:
    """The deals of three players in the layouts that the products need."""

    def __init__(self, deals: Deals) -> None:
        n, orders = deals.num_hands, deals.orders
        self.by_button = orders.reshape(13, n, n * n)  # [order, button, (small blind, big blind)]
        self.any_button = orders.sum(axis=1, dtype=np.float64).astype(orders.dtype)
        self.any_small = orders.sum(axis=2, dtype=np.float64).astype(orders.dtype)
        self.masses = deals.masses.astype(orders.dtype)
        # Hands are alike in all seats: the small blind's range is contracted with the seats of the first two swapped.
        self.swap = order_after((1, 0, 2))
        self.result = [_result_of(pair) for pair in ((0, 1), (0, 2), (1, 2))]
        self.blinds = np.zeros((3, n, n * n), dtype=orders.dtype)  # [result, small blind, (button, big blind)]
        for o in range(13):
            self.blinds[self.result[2][o]] += self.by_button[self.swap[o]]


def _result_of(pair: tuple[int, int]) -> list[int]:
    groups = result_groups(pair)
    return [next(r for r, members in enumerate(groups) if o in members) for o in range(13)]


@dataclass(frozen=True, eq=False)
class JamFoldProspects:
    """One seat's reach in all states."""

    seat: int
    reach: Reals = field(repr=False)  # [state, outcome, hand]
    forced: BoolArray = field(repr=False)

    @cached_property
    def _own(self) -> list[tuple[int, int]]:
        players = 2 if self.reach.shape[1] == 5 else 3
        return [(o.decisions[self.seat], o.actions[self.seat]) for o in OUTCOMES[players]]

    def gains(self, payoffs: FloatArray) -> Reals:
        """Return what jamming is worth more than folding, ``[state, decision, hand]``, weighted by the hand's reach."""
        states, outcomes, hands = self.reach.shape
        worth = payoffs.reshape(states, outcomes)
        # Both actions reach outcomes of the same total probability: a common constant cancels, but not its rounding.
        worth = (worth - worth.mean(axis=1, keepdims=True)).astype(self.reach.dtype)
        decisions = 1 + max(d for d, _ in self._own)
        found = np.empty((states, decisions, hands), dtype=self.reach.dtype)
        for decision in range(decisions):
            chosen = [k for k, (d, _) in enumerate(self._own) if d == decision]
            signs = np.array([1 if self._own[k][1] == JAM else -1 for k in chosen], dtype=self.reach.dtype)
            found[:, decision] = ((worth[:, chosen] * signs)[:, None] @ self.reach[:, chosen])[:, 0]
        return found

    def respond(self, payoffs: FloatArray) -> FloatArray:
        """Return a best response: jam where it gains (and where forced)."""
        best = (self.gains(payoffs) > 0).astype(np.float64)
        best[self.forced] = 1.0
        return best.ravel()

    def probabilities(self, strategy: FloatArray) -> FloatArray:
        """Return the probability of every outcome."""
        states, outcomes, hands = self.reach.shape
        jam = strategy.reshape(states, -1, hands)
        found = np.empty((states, outcomes))
        for k, (decision, action) in enumerate(self._own):
            if decision < 0:
                found[:, k] = self.reach[:, k].sum(axis=1, dtype=np.float64)
            else:
                own = jam[:, decision] if action == JAM else 1.0 - jam[:, decision]
                found[:, k] = np.einsum("sh,sh->s", self.reach[:, k], own)
        found /= found.sum(axis=1, keepdims=True)
        return found.ravel()
