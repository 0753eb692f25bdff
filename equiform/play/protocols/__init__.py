"""Protocols by which programs play each other: that of the Annual Computer Poker Competition, version 2.0.0."""

from equiform.play.protocols.acpc import VERSION, MatchState, read_match_state
from equiform.play.protocols.client import ClientReport, play_as_client
from equiform.play.protocols.loopback import play_over_tcp
from equiform.play.protocols.server import MatchReport, SocketDealer, Terms

__all__ = [
    "VERSION",
    "ClientReport",
    "MatchReport",
    "MatchState",
    "SocketDealer",
    "Terms",
    "play_as_client",
    "play_over_tcp",
    "read_match_state",
]
