"""FTP with anonymous login, as Google supports it. Limits, deadlines and address checks are the same as for HTTP.

FTP replies are mapped to HTTP statuses, so that the same policies apply to both:

- A complete file is 200, without headers.
- 550 (file unavailable) is 404, because FTP does not distinguish missing files from forbidden ones.
- 530 and 532 (login required) are 401.
- Every other unsuccessful reply is a failure, never a missing file. This matters most for 421 (too many users).

Source: RFC 959 section 4.2; RFC 1738 section 3.2.2; RFC 2428.
"""

import ftplib
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Final
from urllib.parse import unquote_to_bytes

from canfetch.access.responses import FailureKind, Response
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.connections import Connection, connect, connect_to_peer
from canfetch.client.transports.deadlines import Deadlines
from canfetch.client.transports.dns import Resolve
from canfetch.client.transports.endpoints import Endpoint
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.fetch_rules import FetchRules
from canfetch.client.transports.response_body import ResponseBuilder

_MAX_REPLY_BYTES: Final = 65_536
_OK: Final = 200
_UNAUTHORIZED: Final = 401
_NOT_FOUND: Final = 404
_FILE_UNAVAILABLE: Final = "550"
_LOGIN_REQUIRED: Final = ("530", "532")


def fetch_ftp(
    request: TransportRequest, endpoint: Endpoint, *, resolve: Resolve, deadlines: Deadlines, rules: FetchRules
) -> Response:
    """Fetch one file.

    Raises: TransportError: The reply is neither a file nor mapped to 404 or 401.
    """
    path = _decode_path(endpoint)
    control = connect(
        endpoint.host,
        endpoint.port,
        allow_private=request.allow_private,
        resolve=resolve,
        deadlines=deadlines,
        rules=rules,
    )
    with closing(control), _translate_errors():
        session = _Session(control)
        session.welcome = session.getresp()
        try:
            session.login()
            session.voidcmd("TYPE I")
            # `ftplib` would connect with the full timeout for each address.
            data_port = session.makepasv()[1]
            data = connect_to_peer(control, endpoint.host, data_port, deadlines=deadlines, rules=rules)
            with closing(data):
                return _retrieve(request, session, path, data)
        except ftplib.error_perm as error:
            return Response(request.url, _status_for(error), (), b"")


def _retrieve(request: TransportRequest, session: "_Session", path: str, data: Connection) -> Response:
    reply = session.sendcmd(f"RETR {path}")
    if reply[:1] not in {"1", "2"}:
        raise ftplib.error_reply(reply)  # noqa: S321 - public files, anonymous login
    builder = ResponseBuilder(request, _OK, ())
    while builder.needs_data and (chunk := data.receive()):
        builder.feed(chunk)
    if builder.needs_data and reply[:1] == "1":
        _check_complete(session)
    return builder.build()


def _check_complete(session: "_Session") -> None:
    # The end of the data connection is not enough, because an aborted transfer ends it too.
    try:
        session.voidresp()
    except ftplib.Error as error:
        raise TransportError(FailureKind.INCOMPLETE, f"FTP: {error}"[:200]) from None


def _decode_path(endpoint: Endpoint) -> str:
    path = unquote_to_bytes(endpoint.target).removeprefix(b"/")
    if any(byte in path for byte in b"\r\n\0"):
        raise TransportError(FailureKind.PROTOCOL, "invalid FTP path: it contains a line break or a null byte")
    # Latin-1 maps every byte to itself, whatever encoding the server uses for its names.
    return path.decode("latin-1")


def _status_for(error: ftplib.error_perm) -> int:
    code = str(error)[:3]
    if code in _LOGIN_REQUIRED:
        return _UNAUTHORIZED
    if code == _FILE_UNAVAILABLE:
        return _NOT_FOUND
    raise error


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except ftplib.Error as error:
        raise TransportError(FailureKind.PROTOCOL, f"FTP: {error}"[:200]) from None


class _Session(ftplib.FTP):
    """The commands and replies of `ftplib`, over a connection with address checks and deadlines."""

    def __init__(self, control: Connection) -> None:
        super().__init__(encoding="latin-1")
        self.af = socket.AF_INET6 if ":" in control.peer else socket.AF_INET
        # The two objects implement only the methods that `ftplib` calls.
        self.sock = _Socket(control)  # type: ignore[assignment]
        self.file = _ReplyFile(control)  # type: ignore[assignment]

    def close(self) -> None:
        """Do nothing. The connection is closed where it was opened."""


class _Socket:
    def __init__(self, control: Connection) -> None:
        self._control = control

    def sendall(self, data: bytes) -> None:
        self._control.send(data)

    def getpeername(self) -> tuple[str, int]:
        # Data always comes from the same server, so that its replies cannot direct this client to other hosts.
        return self._control.peer, 0


class _ReplyFile:
    """The replies of the server by line, up to a total size."""

    def __init__(self, control: Connection) -> None:
        self._control = control
        self._received = bytearray()
        self._left = _MAX_REPLY_BYTES

    def readline(self, _limit: int) -> str:
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            self._check_size(searched)
            data = self._control.receive()
            if not data:
                raise TransportError(FailureKind.RESET, "connection closed before the FTP reply")
            self._received += data
        self._check_size(end)
        self._left -= end + 1
        line = bytes(self._received[:end]).removesuffix(b"\r")
        del self._received[: end + 1]
        return line.decode("latin-1") + "\r\n"

    def _check_size(self, received: int) -> None:
        if received > self._left:
            raise TransportError(FailureKind.PROTOCOL, f"FTP replies are longer than {_MAX_REPLY_BYTES} bytes")
