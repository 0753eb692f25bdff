"""The protocol: messages, matches over loopback, and programs that misbehave."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable

import pytest

from equiform.models.common.errors import FormatError, RunError
from equiform.play.dealer import LIMIT, NO_LIMIT, HoldemRules, IllegalActionError, play_duplicate
from equiform.play.holdem.simple import always_call, always_raise, uniform_player
from equiform.play.protocols import SocketDealer, Terms, play_as_client, play_over_tcp, read_match_state
from equiform.play.protocols.acpc import read_answer
from tests.helpers.referee import referee_chips

# The protocol's own examples, as programs on the web quote them.
STATES = {
    "limit": [
        "MATCHSTATE:0:0::TdAs|",
        "MATCHSTATE:0:0:rrc/:TdAs|/2c8c3h",
        "MATCHSTATE:0:0:rrc/rc/crc/:TdAs|/2c8c3h/9c/Kh",
    ],
    "no-limit": [
        "MATCHSTATE:1:3:r300c/cc/r900:|TcAd/Ts8c6h/As",
        "MATCHSTATE:1:21:cr500r1500c/r7500c/c:|AhAs/Ks2d6h/Td",
        "MATCHSTATE:0:6:r350c/:Td9c|/JcKs9d",
    ],
}


@pytest.mark.parametrize("game", STATES)
def test_quoted_states_are_read_and_written_unchanged(game: str) -> None:
    rules = LIMIT if game == "limit" else NO_LIMIT
    for text in STATES[game]:
        assert str(read_match_state(rules, text)) == text


@pytest.mark.parametrize(
    "line",
    [
        "",
        "hello",
        "MATCHSTATE:2:0::TdAs|",
        "MATCHSTATE:0:0:x:TdAs|",
        "MATCHSTATE:0:0::Td|",
        "MATCHSTATE:0:0::TdTd|",
        "MATCHSTATE:0:0::|TdAs",  # the player's own cards are missing
        "MATCHSTATE:0:0:cc/:TdAs|",  # the board is missing
        "MATCHSTATE:0:0:rrrrr:TdAs|",
        "MATCHSTATE:0:99999999999::TdAs|",
        "MATCHSTATE:0:0::TdAs|/2c8c3h/9c/Kh/Ks/Qs",
    ],
)
def test_states_that_cannot_be_are_refused(line: str) -> None:
    with pytest.raises(FormatError):
        read_match_state(LIMIT, line)


def test_answers_to_other_states_are_told_apart() -> None:
    state = "MATCHSTATE:0:0:rrc/:TdAs|/2c8c3h"
    answer = read_answer(state, state + ":c")
    assert answer is not None and answer.kind == "c"
    assert read_answer(state, "MATCHSTATE:0:0:r:TdAs|:c") is None
    with pytest.raises(FormatError):
        read_answer(state, "c")
    with pytest.raises(IllegalActionError):
        read_answer(state, state + ":x")


@pytest.mark.parametrize("rules", [LIMIT, NO_LIMIT], ids=lambda r: r.name)
def test_a_match_over_tcp_is_the_match_in_one_process(rules: HoldemRules) -> None:
    players = uniform_player(1), always_raise(2)
    over, reports = play_over_tcp(rules, players, hands=25, seed=9)
    assert over.halves == play_duplicate(rules, players, hands=25, seed=9).halves
    for report in reports:
        assert report.faults == (0, 0) and report.forfeits == ("", "")
        assert referee_chips(rules, report.records) == [r.chips for r in report.records]


# -- programs that misbehave -------------------------------------------------------------------------------------------

Script = Callable[[socket.socket], None]


def _lines(connection: socket.socket) -> str:
    return connection.recv(65536).decode()


def says_no_version(connection: socket.socket) -> None:
    connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
    _lines(connection)


def says_nothing(connection: socket.socket) -> None:
    _lines(connection)


def hangs_up(connection: socket.socket) -> None:
    connection.sendall(b"VERSION:2.0.0\r\n")
    connection.close()


def stops_in_a_line(connection: socket.socket) -> None:
    connection.sendall(b"VERSION:2.0.0\r\n")
    _lines(connection)
    connection.sendall(b"MATCHSTATE:0:0:")
    connection.close()


def never_ends_a_line(connection: socket.socket) -> None:
    connection.sendall(b"VERSION:2.0.0\r\n" + b"x" * 200_000)
    _lines(connection)


def sends_noise(connection: socket.socket) -> None:
    connection.sendall(b"VERSION:2.0.0\r\n" + b"\xff\xfe\x00 noise\r\n" * 50)
    _lines(connection)


def answers_an_earlier_hand(connection: socket.socket) -> None:
    connection.sendall(b"VERSION:2.0.0\r\nMATCHSTATE:0:999::TdAs|:c\r\n")
    while _lines(connection):
        pass


def raises_illegally(connection: socket.socket) -> None:
    connection.sendall(b"VERSION:2.0.0\r\n")
    read = ""
    while received := _lines(connection):
        *lines, read = (read + received).split("\r\n")
        for line in lines:
            if read_match_state(NO_LIMIT, line).to_act:
                connection.sendall(f"{line}:r7\r\n".encode())


#: What each program does, and what the dealer says of it; who hangs up is noticed by reading or by writing.
MISDEEDS: dict[Script, str] = {
    says_no_version: "instead of VERSION",
    says_nothing: "no answer in time",
    hangs_up: "the connection was closed|cannot send",
    stops_in_a_line: "in the middle of a line|cannot send",
    never_ends_a_line: "without an end of line",
    sends_noise: "faults, the last",
    answers_an_earlier_hand: "no answer in time",
    raises_illegally: "faults, the last: r7 is not legal",
}


@pytest.mark.parametrize("misdeed", MISDEEDS, ids=lambda f: f.__name__)
def test_a_program_that_misbehaves_forfeits_and_the_match_goes_on(misdeed: Script) -> None:
    def guest(port: int) -> None:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.settimeout(5)
            try:
                misdeed(connection)
                time.sleep(0.5)
            except OSError:
                pass  # the dealer has hung up

    terms = Terms(answer=0.3, faults=3)
    with SocketDealer(NO_LIMIT, ("bad", "good"), hands=12, seed=1, terms=terms) as dealer:
        threads = [
            threading.Thread(target=guest, args=(dealer.ports[0],), daemon=True),
            threading.Thread(target=play_as_client, args=(always_raise(), NO_LIMIT, dealer.ports[1]), daemon=True),
        ]
        for thread in threads:
            thread.start()
        report = dealer.play()
    for thread in threads:
        thread.join(5)
    assert re.search(MISDEEDS[misdeed], report.forfeits[0]) and report.forfeits[1] == ""
    assert len(report.records) == 12 and sum(r.won_by("good") for r in report.records) > 0
    assert referee_chips(NO_LIMIT, report.records) == [r.chips for r in report.records]


def test_a_client_survives_a_dealer_that_sends_nonsense() -> None:
    sent = b"\xff\xff\r\nMATCHSTATE:0:0:rrrrrr:TdAs|\r\n# talk\r\nMATCHSTATE:0:0:r:TdAs|\r\nMATCHSTATE:0:1:r"
    heard: list[bytes] = []

    def dealer(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            heard.append(connection.recv(100))
            connection.sendall(sent)
            heard.append(connection.recv(100))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=dealer, args=(listener,), daemon=True)
        thread.start()
        report = play_as_client(always_call(), LIMIT, listener.getsockname()[1])
        thread.join(5)
    assert heard == [b"VERSION:2.0.0\r\n", b"MATCHSTATE:0:0:r:TdAs|:c\r\n"]
    assert report.unreadable == 2 and report.moves == 1 and "middle of a line" in report.ended


def test_nobody_there_is_an_error_of_ours() -> None:
    dealer = SocketDealer(LIMIT, ("a", "b"), hands=1, seed=1, terms=Terms(connect=0.05))
    with pytest.raises(RunError, match="did not connect"):
        dealer.play()
    with pytest.raises(RunError, match="cannot connect"):
        play_as_client(always_call(), LIMIT, 1)


def test_the_dealer_listens_on_this_machine_alone() -> None:
    with SocketDealer(LIMIT, ("a", "b"), hands=1, seed=1) as dealer:
        assert {listener.getsockname()[0] for listener in dealer._listeners} == {"127.0.0.1"}
