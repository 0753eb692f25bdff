"""An agent that starts from scratch in the middle of its matches: it forgets its model and its gifts."""

from __future__ import annotations

from collections.abc import Callable

from equiform.models.common.array_types import FloatArray
from equiform.play.agents.safe_agents import Agent, Round


class Restarting:
    """Plays as one agent before a hand and as another from it on; hands are counted through."""

    def __init__(self, make: Callable[[], Agent], hand: int) -> None:
        """Take what makes the agents and the hand (from 0) at which the second begins."""
        self._make, self._hand = make, hand
        self._agent = make()

    def choose(self, number: int) -> FloatArray:
        """Let the agent whose turn it is choose."""
        if number == self._hand:
            self._agent = self._make()
        return self._agent.choose(number)

    def learn(self, played: Round) -> None:
        """Let it learn."""
        self._agent.learn(played)

    @property
    def gifts(self) -> FloatArray:
        """What each match has surely been given since the present agent began."""
        return self._agent.gifts
