"""Problem details: the JSON of every error.

Source: RFC 9457.
"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from pydantic_core import to_json

MEDIA_TYPE: Final = "application/problem+json"
# The status in logs and metrics of requests whose client goes away before it has sent the body. No client sees it.
DISCONNECTED: Final = 499
_TYPE_PREFIX: Final = "urn:canfetch:problem:"
# Python 3.13 changed these phrases.
_PHRASES: Final = {status.value: status.phrase for status in HTTPStatus} | {
    413: "Content Too Large",
    414: "URI Too Long",
}


def phrase(status: int) -> str:
    """Return the name of a status, such as `Not Found`."""
    return _PHRASES.get(status, "Error")


class Problem(NamedTuple):
    """An error of a request.

    Attributes:
        status: The status of the response.
        code: The kind of the problem, such as `rate-limited`.
        detail: What is wrong and what to do, as a sentence in lower case.
        errors: The invalid parts of the request, each with `location` and `message`.
        headers: Further headers of the response.
    """

    status: int
    code: str
    detail: str
    errors: Sequence[dict[str, Any]] = ()
    headers: tuple[tuple[str, str], ...] = ()

    def body(self) -> bytes:
        """Return the JSON of the problem."""
        return to_json(self._members())

    def last_line(self) -> bytes:
        """Return the last line of a stream that ends early, for clients that know only `allowed` and `error`, too."""
        return to_json({"allowed": None, "error": self.detail, "problem": self._members()}) + b"\n"

    def _members(self) -> dict[str, Any]:
        members: dict[str, Any] = {
            "type": f"{_TYPE_PREFIX}{self.code}",
            "title": phrase(self.status),
            "status": self.status,
            "detail": self.detail,
        }
        if self.errors:
            members["errors"] = list(self.errors)
        return members

    def raw_headers(self) -> list[tuple[bytes, bytes]]:
        """Return all headers of the response."""
        body_length = str(len(self.body())).encode()
        return [
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", body_length),
            *((name.encode(), value.encode("latin-1")) for name, value in self.headers),
        ]
