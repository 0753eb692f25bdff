"""A dealer that programs connect to. It listens on this machine alone unless told otherwise.

What happens when a program misbehaves:

* Comments, and answers to an earlier state, are ignored.
* A line that is not an answer, or an answer that is not a legal move, is a *fault*. After a line that is not an answer
  the dealer goes on waiting; instead of an illegal move it checks for the player, or folds if there is a bet to call.
* A player *forfeits* by more faults than the terms allow, by answering too late, by using up the time for the whole
  match, by not reading what is sent, or by hanging up. From then on the dealer checks and folds in its place, so that
  every hand is played to its end and the log can be replayed.
"""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from equiform.models.common.arguments import require_count, require_number, require_seed
from equiform.models.common.errors import FormatError, ParameterError, RunError
from equiform.play.dealer.betting import CALL, FOLD, Action, BettingState, IllegalActionError
from equiform.play.dealer.hand import Cards, Deal, HandRecord, finished, shuffled
from equiform.play.dealer.match import seat_of
from equiform.play.dealer.rules import BOARD_CARDS, HoldemRules
from equiform.play.protocols.acpc import MatchState, is_comment, is_version, read_answer
from equiform.play.protocols.channel import Channel, ChannelError
from equiform.runs.progress import Listener, Progress, silent


@dataclass(frozen=True)
class Terms:
    """How long players may take and how much they may get wrong."""

    connect: float = 60.0
    """Seconds for both players to connect."""
    answer: float = 10.0
    """Seconds for one move."""
    per_hand: float = 7.0
    """Seconds per hand, added up over the match."""
    faults: int = 10
    """Faults that do not yet forfeit the match."""

    def __post_init__(self) -> None:
        for name in ("connect", "answer", "per_hand"):
            require_number(getattr(self, name), name, "terms of a match", least=0)
        require_count(self.faults, "faults", "terms of a match", least=0)


@dataclass
class _Guest:
    """A player's side of the match."""

    name: str
    budget: float
    channel: Channel | None = None
    faults: int = 0
    forfeited: str = ""
    used: float = 0.0
    slowest: float = 0.0
    moves: int = 0

    def forfeit(self, why: str) -> None:
        self.forfeited = self.forfeited or why
        if self.channel is not None:
            self.channel.close()
            self.channel = None


@dataclass(frozen=True)
class MatchReport:
    """A match that was dealt over sockets."""

    rules: HoldemRules
    names: tuple[str, str]
    seed: int
    records: list[HandRecord] = field(repr=False)
    faults: tuple[int, int] = (0, 0)
    forfeits: tuple[str, str] = ("", "")
    """Why a player forfeited; empty if it did not."""
    seconds: tuple[float, float] = (0.0, 0.0)
    """What the players took to answer, in all."""
    slowest: tuple[float, float] = (0.0, 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "players": list(self.names),
            "hands": len(self.records),
            "chips": [sum(r.won_by(name) for r in self.records) for name in self.names],
            "faults": list(self.faults),
            "forfeits": list(self.forfeits),
            "seconds": list(self.seconds),
            "slowest": list(self.slowest),
        }


class SocketDealer:
    """Deals a match to two programs that connect to two ports.

    Parameters
    ----------
    rules, names
        The game, and who connects to the first port and who to the second.
    hands, seed
        How many hands, and the seed of the cards.
    half
        0, or 1 for the second half of a duplicate match: the same cards with the seats changed.
    host, ports
        Where to listen; port 0 takes any that is free.
    terms
        Times and faults.
    """

    def __init__(
        self,
        rules: HoldemRules,
        names: tuple[str, str],
        *,
        hands: int,
        seed: int,
        half: int = 0,
        host: str = "127.0.0.1",
        ports: tuple[int, int] = (0, 0),
        terms: Terms | None = None,
    ) -> None:
        require_count(hands, "hands", "dealer")
        require_seed(seed, "dealer")
        if names[0] == names[1]:
            raise ParameterError(f"both players are called {names[0]!r}", where="dealer", fix="pass two names")
        self.rules, self.hands, self.seed, self.half = rules, hands, seed, half
        self.terms = terms or Terms()
        self.names = names
        self._guests = tuple(_Guest(name, self.terms.per_hand * hands) for name in names)
        self._stack = ExitStack()
        self._listeners = [self._listen(host, port) for port in ports]

    def _listen(self, host: str, port: int) -> socket.socket:
        try:
            listener = socket.create_server((host, port), backlog=1)
        except (OSError, OverflowError) as error:
            self._stack.close()
            raise RunError(
                f"cannot listen: {getattr(error, 'strerror', None) or error}",
                where=f"{host}:{port}",
                fix="choose another port, or 0 for any",
            ) from None
        self._stack.callback(listener.close)
        return listener

    @property
    def ports(self) -> tuple[int, int]:
        """Where the two players must connect."""
        first, second = (int(listener.getsockname()[1]) for listener in self._listeners)
        return first, second

    def __enter__(self) -> SocketDealer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening and hang up."""
        self._stack.close()
        for guest in self._guests:
            if guest.channel is not None:
                guest.channel.close()

    def play(self, progress: Listener = silent) -> MatchReport:
        """Wait for both players, deal all hands, and hang up.

        Raises
        ------
        RunError
            If nobody connects in time.
        """
        try:
            self._accept()
            records: list[HandRecord] = []
            started, label = time.perf_counter(), f"{self.names[0]} against {self.names[1]}"
            for number in range(self.hands):
                records.append(self._hand(number))
                if number % 100 == 99:
                    progress(Progress(label, number + 1, self.hands, time.perf_counter() - started))
        finally:
            self.close()
        a, b = self._guests
        return MatchReport(
            self.rules, self.names, self.seed, records, (a.faults, b.faults), (a.forfeited, b.forfeited),
            (a.used, b.used), (a.slowest, b.slowest),
        )  # fmt: skip

    def _accept(self) -> None:
        """Take one connection per port; whoever connects but does not say the version forfeits."""
        deadline = time.monotonic() + self.terms.connect
        for guest, listener in zip(self._guests, self._listeners, strict=True):
            try:
                listener.settimeout(max(deadline - time.monotonic(), 0.001))
                connection, _ = listener.accept()
            except OSError:
                raise RunError(
                    f"{guest.name} did not connect within {self.terms.connect:g} seconds",
                    where=f"port {listener.getsockname()[1]}",
                    fix="start the player earlier, or allow more time",
                ) from None
            guest.channel = Channel(connection)
        for guest in self._guests:
            try:
                assert guest.channel is not None
                reply = guest.channel.receive(time.monotonic() + self.terms.answer)
                if not is_version(reply):
                    guest.forfeit(f"said {reply[:40]!r} instead of VERSION:2.0.0")
            except ChannelError as error:
                guest.forfeit(error.what)

    def _hand(self, number: int) -> HandRecord:
        deal = shuffled(self.seed, number)
        order = self._guests if seat_of(0, number, self.half) == 0 else self._guests[::-1]
        betting = BettingState.start(self.rules)
        while not betting.over:
            states = self._tell(order, betting, deal, number)
            betting = betting.after(self._ask(order[betting.turn], states[betting.turn], betting))
        self._tell(order, betting, deal, number)
        return finished(betting, deal, number, (order[0].name, order[1].name))

    def _tell(self, order: tuple[_Guest, ...], betting: BettingState, deal: Deal, number: int) -> tuple[str, ...]:
        """Send both players the state, each with the cards that it may see."""
        board = deal.board[: BOARD_CARDS[betting.street]]
        told = []
        for seat, guest in enumerate(order):
            seen: list[Cards] = [h if betting.showdown or s == seat else () for s, h in enumerate(deal.holes)]
            state = str(MatchState(seat, number, betting, (seen[0], seen[1]), board))
            told.append(state)
            if guest.channel is not None:
                try:
                    guest.channel.send(state, self.terms.answer)
                except ChannelError as error:
                    guest.forfeit(error.what)
        return tuple(told)

    def _ask(self, guest: _Guest, state: str, betting: BettingState) -> Action:
        """Wait for a legal move; otherwise check, or fold."""
        begun = time.monotonic()
        deadline = begun + min(self.terms.answer, max(guest.budget - guest.used, 0.0))
        try:
            while guest.channel is not None:
                action = self._answer(guest, state, guest.channel.receive(deadline))
                if action is not None:
                    return self._checked(guest, action, betting)
        except ChannelError as error:
            guest.forfeit(error.what)
        except IllegalActionError as error:
            self._fault(guest, error.what)
        finally:
            taken = time.monotonic() - begun
            guest.used += taken
            guest.slowest = max(guest.slowest, taken)
            guest.moves += 1
        return FOLD if betting.to_call else CALL

    def _answer(self, guest: _Guest, state: str, line: str) -> Action | None:
        if is_comment(line):
            return None
        try:
            return read_answer(state, line)
        except FormatError as error:
            self._fault(guest, error.what)
            return None

    def _checked(self, guest: _Guest, action: Action, betting: BettingState) -> Action:
        if betting.rules.limit and action.kind == "r" and action.to:
            action = Action("r")  # the size is fixed: what else is said about it does not matter
        if not betting.is_legal(action):
            raise IllegalActionError(f"{action} is not legal after {betting.line!r}")
        return action

    def _fault(self, guest: _Guest, why: str) -> None:
        guest.faults += 1
        if guest.faults > self.terms.faults:
            guest.forfeit(f"{guest.faults} faults, the last: {why}")
