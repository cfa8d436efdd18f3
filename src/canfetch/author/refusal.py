"""What crawlers get in place of what they may not fetch: a status, and a short text.

A text without the characters of `_SPECIAL` can be quoted for every server. The module of each server escapes the rest.

Source: RFC 9110 section 15; Wikipedia, robots.txt: a server may respond with an error or with other content.
"""

import unicodedata
from functools import cache
from http import HTTPStatus
from typing import Any, Final, NamedTuple, Self

from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

# Statuses that every server knows, and that are valid without another header.
STATUSES: Final = (200, 400, 402, 403, 404, 406, 410, 429, 451, 503)
MAX_TEXT_BYTES: Final = 500
_SPECIAL: Final = "\\`$<>{}"


class _Fields(NamedTuple):
    status: int
    text: str | None


class Refusal(_Fields):
    r"""The response to a crawler that requests what it may not fetch. Immutable and hashable.

    Args:
        status: The status: 200, 400, 402, 403, 404, 406, 410, 429, 451 or 503. Crawlers take what they get with 200 for
            the content of the page.
        text: A line of text, or None for the page or the message of the server. Required for the status 200.
    Raises: InvalidOption: The status is not listed; the text is empty, longer than 500 bytes in UTF-8, or contains
        control characters, a line break, or one of `\`, a backtick, `$`, `<`, `>`, `{` and `}`.

    >>> Refusal(451, "Write to press@example.com for a license.")
    Refusal(status=451, text='Write to press@example.com for a license.')
    """

    __slots__ = ()

    def __new__(cls, status: int = 403, text: str | None = None) -> Self:
        """Validate the status and the text, and create the refusal."""
        _check_status(status)
        if text is not None:
            _check_text(text)
        elif status == HTTPStatus.OK:
            raise InvalidOption("a refusal with the status 200 requires a text")
        return super().__new__(cls, status, text)

    @property
    def phrase(self) -> str:
        """The words after the status, such as `Forbidden`."""
        return status_phrase(self.status)

    @property
    def is_default(self) -> bool:
        """Whether this is 403 with the page or the message of the server."""
        return self == (HTTPStatus.FORBIDDEN, None)


@cache
def status_phrase(status: int) -> str:
    """Return the words after a status code, such as `Forbidden`."""
    return HTTPStatus(status).phrase


def _check_status(status: Any) -> None:
    if isinstance(status, bool) or not isinstance(status, int) or status not in STATUSES:
        raise InvalidOption(f"invalid status {quoted(status)}: expected one of {', '.join(map(str, STATUSES))}")


def _check_text(text: Any) -> None:
    if not isinstance(text, str) or not text.strip():
        raise InvalidOption(f"invalid text {quoted(text)}: expected a line of text")
    if len(text.encode("utf-8", "surrogatepass")) > MAX_TEXT_BYTES:
        raise InvalidOption(f"invalid text {quoted(text)}: expected at most {MAX_TEXT_BYTES} bytes in UTF-8")
    if any(unicodedata.category(character)[0] in "CZ" and character != " " for character in text):
        raise InvalidOption(f"invalid text {quoted(text)}: expected one line of printable characters")
    special = next((character for character in text if character in _SPECIAL), None)
    if special is not None:
        raise InvalidOption(f"invalid text {quoted(text)}: {quoted(special)} has a special meaning for some servers")


DEFAULT_REFUSAL: Final = Refusal()
