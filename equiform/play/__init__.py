"""Repeated games: agents that exploit weak opponents, safely or not, and matches that measure them."""

from typing import TYPE_CHECKING

from equiform.models.common.lazy import lazy

if TYPE_CHECKING:
    from equiform.play.agents.observations import SHOWING, observe
    from equiform.play.agents.registry import AGENTS, AgentEntry, make_agent
    from equiform.play.agents.safe_agents import RULES, SAFE_RULES, Agent, Exploiter, Round, Setting
    from equiform.play.match import Estimate, MatchResult, MatchSpec, play_match, trace_match
    from equiform.play.opponents.classes import OPPONENTS, make_opponents
    from equiform.play.seat import Seat, take_seat

__all__ = [
    "AGENTS",
    "OPPONENTS",
    "RULES",
    "SAFE_RULES",
    "SHOWING",
    "Agent",
    "AgentEntry",
    "Estimate",
    "Exploiter",
    "MatchResult",
    "MatchSpec",
    "Round",
    "Seat",
    "Setting",
    "make_agent",
    "make_opponents",
    "observe",
    "play_match",
    "take_seat",
    "trace_match",
]

__getattr__ = lazy(
    __name__,
    {
        "AGENTS": "equiform.play.agents.registry",
        "Agent": "equiform.play.agents.safe_agents",
        "AgentEntry": "equiform.play.agents.registry",
        "Estimate": "equiform.play.match",
        "Exploiter": "equiform.play.agents.safe_agents",
        "MatchResult": "equiform.play.match",
        "MatchSpec": "equiform.play.match",
        "OPPONENTS": "equiform.play.opponents.classes",
        "RULES": "equiform.play.agents.safe_agents",
        "Round": "equiform.play.agents.safe_agents",
        "SAFE_RULES": "equiform.play.agents.safe_agents",
        "SHOWING": "equiform.play.agents.observations",
        "Seat": "equiform.play.seat",
        "Setting": "equiform.play.agents.safe_agents",
        "make_agent": "equiform.play.agents.registry",
        "make_opponents": "equiform.play.opponents.classes",
        "observe": "equiform.play.agents.observations",
        "play_match": "equiform.play.match",
        "take_seat": "equiform.play.seat",
        "trace_match": "equiform.play.match",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
