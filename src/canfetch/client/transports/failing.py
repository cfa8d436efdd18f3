"""What goes wrong on the way, as an exception inside a transport; outside of it is a `Failure`."""

import ssl

from canfetch.access.responses import Failure, FailureKind


class Failed(Exception):
    """No answer: the kind, and the word for people. No transport lets it out."""

    def __init__(self, kind: FailureKind, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail

    def at(self, url: str) -> Failure:
        """Give it as the value that callers see."""
        return Failure(url, self.kind, self.detail)


def failed_by(error: OSError, otherwise: FailureKind) -> Failed:
    """Give an error of the network its kind; one that says nothing itself gets the kind `otherwise`."""
    if isinstance(error, TimeoutError):
        return Failed(FailureKind.TIMEOUT, "no answer in time")
    if isinstance(error, ssl.SSLError):
        # Without the source line of OpenSSL, which says nothing to people.
        return Failed(FailureKind.TLS, str(error.strerror or error).partition(" (_ssl.c")[0])
    if isinstance(error, ConnectionResetError | BrokenPipeError | ConnectionAbortedError):
        return Failed(FailureKind.RESET, error.strerror or "the connection broke")
    return Failed(otherwise, error.strerror or str(error) or type(error).__name__)
