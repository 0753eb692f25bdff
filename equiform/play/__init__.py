"""Repeated games: agents that exploit weak opponents, safely or not, and matches that measure them."""

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
