"""Agents by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from equiform.models.common.arguments import require_name
from equiform.play.agents.dbbr import DeviationAgent, DeviationModel
from equiform.play.agents.safe_agents import Agent, EquilibriumAgent, Exploiter, Setting


@dataclass(frozen=True)
class AgentEntry:
    """An agent on the list."""

    name: str
    summary: str
    safe: bool
    """Whether it never falls below the game's value in expectation."""
    make: Callable[[Setting], Agent]


def _exploiter(rule: str) -> Callable[[Setting], Agent]:
    return lambda setting: Exploiter(setting, rule)


def _deviation(variant: str, grouping: str = "public") -> Callable[[Setting], Agent]:
    return lambda setting: DeviationAgent(setting, variant, grouping=grouping)


def _safe_deviation(setting: Setting) -> Agent:
    return Exploiter(setting, "rwywe", model=DeviationModel(setting, "ws", every=10))


AGENTS: dict[str, AgentEntry] = {
    e.name: e
    for e in (
        AgentEntry("equilibrium", "one equilibrium strategy", True, EquilibriumAgent),
        AgentEntry(
            "best-equilibrium",
            "the equilibrium strategy that the model likes best",
            True,
            _exploiter("best-equilibrium"),
        ),
        AgentEntry("rwyw", "risk what you've won (Algorithm 22)", False, _exploiter("rwyw")),
        AgentEntry("rwywe", "risk what you've won in expectation (Algorithms 23, 26, 27)", True, _exploiter("rwywe")),
        AgentEntry("sps", "safe policy selection: rwywe with a decaying allowance", False, _exploiter("sps")),
        AgentEntry(
            "befewp",
            "full exploitation whenever k allows, else best equilibrium (Algorithm 25)",
            True,
            _exploiter("befewp"),
        ),
        AgentEntry(
            "beffe", "best equilibrium, then full exploitation to the end (Algorithm 24)", True, _exploiter("beffe")
        ),
        AgentEntry(
            "beffe-printed", "beffe by the test that Algorithm 24 prints: not safe", False, _exploiter("beffe-printed")
        ),
        AgentEntry("best-response", "a full best response to the model", False, _exploiter("best-response")),
        AgentEntry("dbbr-ws", "deviation-based best response, weight shifting (Algorithm 21)", False, _deviation("ws")),
        AgentEntry("dbbr-l1", "deviation-based best response, L1 model", False, _deviation("l1")),
        AgentEntry("dbbr-l2", "deviation-based best response, L2 model", False, _deviation("l2")),
        AgentEntry(
            "dbbr-ws-moves", "dbbr-ws with boards merged: histories of bets alone", False, _deviation("ws", "moves")
        ),
        AgentEntry("rwywe-dbbr", "rwywe with the model of dbbr-ws: safe, and no cards seen", True, _safe_deviation),
    )
}


def make_agent(name: str, setting: Setting) -> Agent:
    """Make an agent by its name.

    Parameters
    ----------
    name
        A key of :data:`AGENTS`.
    setting
        The game, what is seen of it, and the length of the matches.

    Raises
    ------
    ParameterError
        If there is no such agent; the error proposes the closest names.
    """
    return AGENTS[require_name(name, AGENTS, "agent")].make(setting)
