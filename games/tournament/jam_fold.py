r"""Jam-or-fold stage games for all states of a tournament at once.

A state changes what outcomes are worth, not how likely they are: with strategies given, the probability that seat i
holds hand h and the hand ends in outcome o, apart from seat i's own choices, is the *reach* :math:`R^i_{s o h}`. It is
a sum over all deals (:mod:`equiform.games.tournament.three_way`), taken in single precision with the cards of Texas
hold'em: strategies are judged elsewhere, in double.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from equiform.games.tournament.deals import Deals
from equiform.games.tournament.histories import JAM, OUTCOMES
from equiform.games.tournament.sketch import AnchoredStages, Sketch
from equiform.games.tournament.three_way import Reals, ThreeWay
from equiform.models.common.array_types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class JamFoldStages:
    """The jam-or-fold hands of all states; a strategy is the probability of jamming by state, decision and hand."""

    deals: Deals
    forced: BoolArray = field(repr=False)  # [state, seat]: the blinds have taken the whole stack
    directions: int = 32
    """How many directions of the space of hands a sketch keeps: see :mod:`equiform.games.tournament.sketch`."""

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
        return self.wrap(self.reach(profile))

    def near(self, profile: tuple[FloatArray, ...]) -> JamFoldStages | AnchoredStages:
        """Return stages that are exact at the profile and cheap nearby; these, if they are cheap themselves."""
        if self.num_seats == 2 or self.deals.num_hands <= self.directions:
            return self
        return AnchoredStages(self, self._sketch, profile)

    def split(self, profile: tuple[FloatArray, ...]) -> list[FloatArray]:
        """Return the strategies as ``[state, decision, hand]``."""
        return [strategy.reshape(self.shape(seat)) for seat, strategy in enumerate(profile)]

    def reach(self, profile: tuple[FloatArray, ...]) -> list[Reals]:
        """Return ``[state, outcome, hand]`` per seat."""
        split = self.split(profile)
        return self._two(split) if self.num_seats == 2 else self._three_way.reach(split)

    def wrap(self, reach: list[Reals]) -> tuple[JamFoldProspects, ...]:
        """Return prospects with the given reach."""
        return tuple(JamFoldProspects(seat, r, self.forced[:, seat]) for seat, r in enumerate(reach))

    @cached_property
    def _three_way(self) -> ThreeWay:
        return ThreeWay(self.deals.orders, np.ones(self.deals.num_hands))

    @cached_property
    def _sketch(self) -> Sketch:
        return Sketch(self.deals.orders, self.directions)

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
