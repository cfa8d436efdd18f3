"""FTP by anonymous login, as Google's document has it: one file, the same limits, deadlines and guard as HTTP.

What FTP says becomes what HTTP would say, so that the same policies read it:

- the file came, and the server says that it was all of it: 200, without headers;
- 550, the file cannot be had: 404, since FTP does not tell missing from forbidden;
- 530 or 532, nobody gets in without an account: 401;
- all else that is no success is a failure, never a missing file: 421 (too many users) least of all.

Source: RFC 959 section 4.2; RFC 1738 section 3.2.2; RFC 2428.
"""

import ftplib
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import unquote_to_bytes

from canfetch.access.responses import FailureKind, Response
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.answering import Answer
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.failing import Failed
from canfetch.client.transports.http1 import Incoming
from canfetch.client.transports.names import Resolve
from canfetch.client.transports.places import Place
from canfetch.client.transports.wires import Wire, connect, connect_again

_REPLIES_OCTETS_LIMIT: Final = 65_536
_OK: Final = 200
_UNAUTHORIZED: Final = 401
_NOT_FOUND: Final = 404
_NO_FILE: Final = "550"
_NO_LOGIN: Final = ("530", "532")


def send_ftp(request: TransportRequest, place: Place, *, resolve: Resolve, deadlines: Deadlines) -> Response:
    """Fetch one file.

    Raises: Failed: for whatever is neither a file, nor a 404, nor a 401.
    """
    path = _path(place)
    with (
        connect(
            place.host, place.port, allow_private=request.allow_private, resolve=resolve, deadlines=deadlines
        ) as wire,
        _replies_as_failures(),
    ):
        session = _Session(wire)
        session.welcome = session.getresp()
        try:
            session.login()
            session.voidcmd("TYPE I")
            # Not by the library, which would connect with a time-out for each address.
            with connect_again(wire, session.makepasv()[1], deadlines) as data:
                return _retrieved(request, session, path, data)
        except ftplib.error_perm as error:
            return Response(request.url, _status_of(error), (), b"")


def _retrieved(request: TransportRequest, session: "_Session", path: str, data: Wire) -> Response:
    begun = session.sendcmd(f"RETR {path}")
    if begun[:1] not in {"1", "2"}:
        raise ftplib.error_reply(begun)  # noqa: S321 - what is read is public, and nobody logs in
    answer = Answer(request, _OK, ())
    while answer.wants_more and (piece := data.receive()):
        answer.feed(piece)
    if answer.wants_more and begun[:1] == "1":
        _check_whole(session)
    return answer.response()


def _check_whole(session: "_Session") -> None:
    # The end of the data says nothing: a transfer that is broken off ends, too.
    try:
        session.voidresp()
    except ftplib.Error as error:
        raise Failed(FailureKind.INCOMPLETE, f"FTP: {error}"[:200]) from None


def _path(place: Place) -> str:
    octets = unquote_to_bytes(place.target).removeprefix(b"/")
    if any(octet in octets for octet in b"\r\n\0"):
        raise Failed(FailureKind.PROTOCOL, "a path with a line end in it cannot be asked for")
    # Octet by octet: what the server's names are encoded in, nobody knows.
    return octets.decode("latin-1")


def _status_of(error: ftplib.error_perm) -> int:
    code = str(error)[:3]
    if code in _NO_LOGIN:
        return _UNAUTHORIZED
    if code == _NO_FILE:
        return _NOT_FOUND
    raise error


@contextmanager
def _replies_as_failures() -> Iterator[None]:
    try:
        yield
    except EOFError:
        raise Failed(FailureKind.RESET, "the connection ended before the answer") from None
    except ftplib.Error as error:
        raise Failed(FailureKind.PROTOCOL, f"FTP: {error}"[:200]) from None


class _Session(ftplib.FTP):
    """The library's commands and replies, over a wire that is guarded and timed."""

    def __init__(self, wire: Wire) -> None:
        super().__init__(encoding="latin-1")
        self.af = socket.AF_INET6 if ":" in wire.peer else socket.AF_INET
        # All that the library asks of the two.
        self.sock = _Sending(wire)  # type: ignore[assignment]
        self.file = _Lines(wire)  # type: ignore[assignment]

    def close(self) -> None:
        """Nothing: whoever made the wire closes it."""


class _Sending:
    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def sendall(self, octets: bytes) -> None:
        self._wire.send(octets)

    def getpeername(self) -> tuple[str, int]:
        # Where the data comes from, whatever the server says: it shall not send this client to others.
        return self._wire.peer, 0


class _Lines:
    """Replies, line by line, and not for ever."""

    def __init__(self, wire: Wire) -> None:
        self._incoming = Incoming(wire.receive)
        self._left = _REPLIES_OCTETS_LIMIT

    def readline(self, _most: int) -> str:
        line = self._incoming.line(self._left, f"replies of more than {_REPLIES_OCTETS_LIMIT} octets")
        if line is None:
            return ""
        self._left = max(0, self._left - len(line) - 2)
        return line.decode("latin-1") + "\r\n"
