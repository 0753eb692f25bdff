"""A player at somebody's dealer: ours, or any other that speaks the protocol."""

from __future__ import annotations

import logging
import math
import socket
import time
from dataclasses import dataclass

from equiform.models.common.errors import FormatError, RunError
from equiform.play.dealer.hand import Player
from equiform.play.dealer.rules import HoldemRules
from equiform.play.protocols.acpc import VERSION, is_comment, read_match_state
from equiform.play.protocols.channel import Channel, ChannelError

log = logging.getLogger(__name__)
#: A dealer that sends more unreadable lines than this is none.
MOST_ERRORS = 100


@dataclass(frozen=True)
class ClientReport:
    """What a client saw of a match."""

    hands: int
    """Hands that ended."""
    moves: int
    """Moves that were made."""
    unreadable: int
    """Lines that were ignored."""
    ended: str
    """Why the match ended."""


def play_as_client(
    player: Player, rules: HoldemRules, port: int, *, host: str = "127.0.0.1", patience: float = 600.0
) -> ClientReport:
    """Connect to a dealer and play until it hangs up.

    Lines that cannot be read, and states that cannot be, are ignored and counted.

    Parameters
    ----------
    player, rules
        Who plays what.
    port, host
        Where the dealer listens.
    patience
        Seconds without a word after which the match counts as over.

    Raises
    ------
    RunError
        If nobody listens there.
    """
    try:
        connection = socket.create_connection((host, port), timeout=patience if math.isfinite(patience) else None)
    except (OSError, OverflowError) as error:
        raise RunError(
            f"cannot connect: {getattr(error, 'strerror', None) or error}",
            where=f"{host}:{port}",
            fix="start the dealer",
        ) from None
    channel = Channel(connection)
    hands = moves = unreadable = 0
    try:
        channel.send(VERSION)
        while unreadable <= MOST_ERRORS:
            line = channel.receive(time.monotonic() + patience)
            if is_comment(line):
                continue
            try:
                state = read_match_state(rules, line)
            except FormatError as error:
                log.warning("ignoring a line of the dealer: %s", error)
                unreadable += 1
                continue
            hands += state.betting.over
            if state.to_act:
                channel.send(f"{line}:{player.act(state.view)}")
                moves += 1
        ended = "the dealer sends what cannot be read"
    except ChannelError as error:
        ended = error.what
    finally:
        channel.close()
    return ClientReport(hands, moves, unreadable, ended)
