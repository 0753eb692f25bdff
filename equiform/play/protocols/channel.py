"""Lines over a socket, with deadlines: nothing that the other side sends, or does not send, can block for ever."""

from __future__ import annotations

import socket
import time

from equiform.models.common.errors import EquiformError
from equiform.play.protocols.acpc import MAX_LINE

#: More bytes than this without an end of line are an attack or another protocol.
_MOST = 16 * MAX_LINE


class ChannelError(EquiformError):
    """The other side has gone, is too late, or sends something that is not text."""


class Channel:
    """One connection."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = connection
        self._read = bytearray()

    def send(self, line: str, seconds: float = 10.0) -> None:
        """Send a line; a receiver that does not read within the time is treated as gone."""
        try:
            self._socket.settimeout(max(seconds, 0.001))
            self._socket.sendall(line.encode("ascii", "replace") + b"\r\n")
        except OSError as error:
            raise ChannelError(
                f"cannot send: {_reason(error)}", fix="the other side has gone or does not read"
            ) from None

    def receive(self, deadline: float) -> str:
        """Return the next line; ``deadline`` is in the time of :func:`time.monotonic`.

        Raises
        ------
        ChannelError
            If the deadline passes, the connection ends (also in the middle of a line), or a line never ends.
        """
        while (end := self._read.find(b"\n")) < 0:
            if len(self._read) > _MOST:
                raise ChannelError(f"{len(self._read):,} bytes without an end of line", fix="end lines with CR LF")
            left = deadline - time.monotonic()
            if left <= 0:
                raise ChannelError("no answer in time", fix="answer faster, or allow more time")
            try:
                self._socket.settimeout(left)
                received = self._socket.recv(65536)
            except TimeoutError:
                continue
            except OSError as error:
                raise ChannelError(f"the connection broke: {_reason(error)}", fix="connect again") from None
            if not received:
                raise ChannelError(
                    "the connection was closed" + (" in the middle of a line" if self._read else ""),
                    fix="stay connected until the match ends",
                )
            self._read += received
        line = bytes(self._read[:end])
        del self._read[: end + 1]
        return line.rstrip(b"\r")[:MAX_LINE].decode("ascii", "replace")

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
