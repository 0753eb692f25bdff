"""An agent that starts from scratch in the middle of its matches: it forgets its model and its gifts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from equiform.models.common.array_types import FloatArray
from equiform.play.agents.safe_agents import Agent, Round


class Restarting:
    """Plays as one agent before a hand and as another from it on; hands are counted through."""

    def __init__(self, make: Callable[[], Agent], hand: int) -> None:
        """Take what makes the agents and the hand (from 0) at which the second begins."""
        self._make, self._hand = make, hand
        self._agent, self._turned = make(), False

    def choose(self, number: int) -> FloatArray:
        """Let the agent whose turn it is choose."""
        if number >= self._hand and not self._turned:
            self._agent, self._turned = self._make(), True
        return self._agent.choose(number)

    def learn(self, played: Round) -> None:
        """Let it learn."""
        self._agent.learn(played)

    def state(self) -> dict[str, Any]:
        """Return the present agent's state."""
        return {"turned": self._turned, **self._agent.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on as the agent that played last."""
        self._turned = bool(state.get("turned"))
        self._agent.restore(state)

    @property
    def gifts(self) -> FloatArray:
        """What each match has surely been given since the present agent began."""
        return self._agent.gifts
