"""Two of our players against each other over TCP, each a client in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable

from equiform.models.common.errors import RunError
from equiform.play.dealer.hand import Player
from equiform.play.dealer.match import DuplicateResult, require_players
from equiform.play.dealer.rules import HoldemRules
from equiform.play.protocols.client import ClientReport, play_as_client
from equiform.play.protocols.server import MatchReport, SocketDealer, Terms
from equiform.runs.progress import Listener, silent


def play_over_tcp(
    rules: HoldemRules,
    players: tuple[Player | None, Player | None],
    *,
    names: tuple[str, str] | None = None,
    hands: int,
    seed: int,
    duplicate: bool = True,
    host: str = "127.0.0.1",
    ports: tuple[int, int] = (0, 0),
    terms: Terms | None = None,
    listening: Callable[[tuple[int, int]], None] | None = None,
    progress: Listener = silent,
) -> tuple[DuplicateResult, list[MatchReport]]:
    """Play a match over TCP; the halves of a duplicate match are two matches, for which players connect anew.

    Parameters
    ----------
    players
        Our own players, who connect by themselves; ``None`` waits for a program to connect to the port.
    names
        What to call the players; needed where one is ``None``.
    ports
        Where the dealer listens for each player; 0 takes any free port, the same for both halves.
    listening
        Called with the ports as soon as programs can connect, once per half.

    Returns
    -------
    tuple
        The result, and the dealer's report of each half.
    """
    if names is None:
        assert players[0] is not None and players[1] is not None
        names = require_players((players[0], players[1]))
    reports = []
    for half in range(2 if duplicate else 1):
        with SocketDealer(
            rules, names, hands=hands, seed=seed, half=half, host=host, ports=ports, terms=terms
        ) as dealer:
            ports = dealer.ports
            if listening is not None:
                listening(ports)
            clients = [_Client(p, rules, host, port) for p, port in zip(players, ports, strict=True) if p]
            for client in clients:
                client.start()
            reports.append(dealer.play(progress))
        for client in clients:
            client.join()
            if client.error is not None:
                raise RunError(f"{client.name} stopped: {client.error}", where="match over TCP") from client.error
    return DuplicateResult(rules, names, seed, tuple(r.records for r in reports)), reports


class _Client(threading.Thread):
    def __init__(self, player: Player, rules: HoldemRules, host: str, port: int) -> None:
        super().__init__(name=player.name, daemon=True)
        self.player, self.rules, self.host, self.port = player, rules, host, port
        self.error: Exception | None = None
        self.report: ClientReport | None = None

    def run(self) -> None:
        try:
            self.report = play_as_client(self.player, self.rules, self.port, host=self.host)
        except Exception as error:  # whatever a player raises is shown in the main thread
            self.error = error
