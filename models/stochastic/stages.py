r"""What the solvers ask of stage games, whatever they are made of.

A *strategy* of a seat is one vector for all states: a point of a convex set on which payoffs are linear (realization
plans, or the probability of one of two actions). Averages of strategies are therefore averages of vectors. Once the
other seats' strategies are fixed, all that matters to a seat are its *prospects*: how likely each outcome becomes by
whatever it does itself. They are computed once and serve any payoffs: a best response, a change of values, a whole
policy iteration.
"""

from __future__ import annotations

from typing import Protocol

from equiform.models.common.array_types import FloatArray, IntArray


class Prospects(Protocol):
    """One seat's choices at all states, the others' strategies being fixed."""

    def respond(self, payoffs: FloatArray) -> FloatArray:
        """Return a best response, state by state, if outcome ``o`` is worth ``payoffs[o]`` to this seat."""

    def probabilities(self, strategy: FloatArray) -> FloatArray:
        """Return the probability of every outcome, those of each state summing to one."""


class Nearby(Protocol):
    """Stage games that can be evaluated: everywhere, or well enough near a profile."""

    def prospects(self, profile: tuple[FloatArray, ...]) -> tuple[Prospects, ...]:
        """Return the prospects of every seat when the others play the profile."""


class StageGames(Protocol):
    """The stage games of all states, evaluated at once."""

    @property
    def num_seats(self) -> int:
        """Count the players."""

    @property
    def first(self) -> IntArray:
        """Where the outcomes of each state begin, as in :class:`~equiform.models.stochastic.Outcomes`."""

    def start(self, seat: int) -> FloatArray:
        """Return the strategy that chooses uniformly everywhere."""

    def state_of(self, seat: int) -> IntArray:
        """Return the state of each entry of a seat's strategy; -1 for entries that belong to all."""

    def prospects(self, profile: tuple[FloatArray, ...]) -> tuple[Prospects, ...]:
        """Return the prospects of every seat when the others play the profile."""

    def near(self, profile: tuple[FloatArray, ...]) -> Nearby:
        """Return stages that are exact at the profile and cheap nearby; themselves, if they are cheap anyway."""
