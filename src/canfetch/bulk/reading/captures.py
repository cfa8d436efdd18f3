"""Captures: one robots.txt request and its response, as an archive recorded it."""

import re
from typing import Final, NamedTuple

from canfetch.access.responses import Headers
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.origin import Origin
from canfetch.core.text import display_text
from canfetch.core.urls import split_url, url_bytes
from canfetch.errors import InvalidURL

# Twice as much of a file as verdicts depend on.
MAX_CONTENT_BYTES: Final = 2 * DEFAULT_MAX_BYTES + 4
# The status of a request that failed, as with a DNS error or a timeout.
NO_RESPONSE: Final = 0
_ROBOTS_PATH: Final = "/robots.txt"
# Origins that are certainly in canonical form.
PLAIN_ORIGIN: Final = re.compile(r"https?://[a-z0-9-]+(?:\.[a-z0-9-]+)*")


class Capture(NamedTuple):
    """One response, one request that failed, or one file whose response is unknown.

    Attributes:
        owner: The origin whose URLs the file governs, such as `https://example.com`. A host without a scheme, such as
            `example.com`, means both its http and its https origin.
        url: The URL that was requested.
        time: When, in seconds since the epoch, or None if it is unknown.
        status: The status code. None for a file whose response is unknown, which counts as 200, and `NO_RESPONSE` for
            a request that failed.
        headers: The header fields of the response.
        content: The body without transfer and content coding, cut to `MAX_CONTENT_BYTES`.
        source: The name of the archive.
        position: Where the record starts in it: a byte offset, a line or a row, as the format has it.
    """

    owner: str
    url: str
    time: float | None
    status: int | None
    headers: Headers
    content: bytes
    source: str
    position: int


EMPTY: Final = "the file is empty"
"""The reason of the fault of an archive without content. No program that writes archives writes one on purpose."""


class Fault(NamedTuple):
    """A record that cannot be used. It is set aside, and reading continues.

    Attributes:
        source: The name of the archive.
        position: Where the record starts, as for `Capture`.
        reason: What is wrong.
        is_end: Whether records after it may be missing, such as those of an archive that ends within it.
        lost: How many records are lost, or None for at least one if their number cannot be known.
    """

    source: str
    position: int
    reason: str
    is_end: bool = False
    lost: int | None = 1


class Name(NamedTuple):
    """The owner and the URL of a file, in canonical form."""

    owner: str
    url: str

    @classmethod
    def parse(cls, text: str) -> "Name":
        """Parse what a row or a file name calls its file: a host, an origin, or the URL that was requested.

        Raises: InvalidURL: The text is not one of these.
        """
        if PLAIN_ORIGIN.fullmatch(text):
            return cls(text, text + _ROBOTS_PATH)
        if "://" not in text:
            origin = Origin.from_url(f"https://{text}")
            if text.startswith("/") or text.partition("/")[2] not in {"", "robots.txt"}:
                raise InvalidURL(f"invalid host {text[:200]!r}: expected one such as example.com")
            return cls(str(origin).removeprefix("https://"), origin.robots_url)
        name = cls.of_request(text)
        if name.url == f"{name.owner}/":
            return cls(name.owner, f"{name.owner}{_ROBOTS_PATH}")
        return name

    @classmethod
    def of_request(cls, url: str) -> "Name":
        """Return the name of the response to a URL. Without a path, it is that of the home page.

        Raises: InvalidURL.
        """
        encoded = url_bytes(url)
        split = split_url(encoded)
        origin = Origin.from_url(url)
        rest = b"" if split is None else encoded[split.rest_start :].partition(b"#")[0]
        path = rest if rest[:1] == b"/" else b"/" + rest
        return cls(str(origin), f"{origin}{display_text(path)}")

    @classmethod
    def parse_owner(cls, text: str) -> "Name":
        """Parse the name of the site of a file: a host, an origin, or the URL of its robots.txt.

        Raises: InvalidURL: The text is not one of these, such as the URL of a page.
        """
        name = cls.parse(text)
        if not is_robots_url(name.url):
            raise InvalidURL(f"invalid origin {text[:200]!r}: expected one without a path, such as {name.owner}")
        return name


def is_robots_url(url: str) -> bool:
    """Return whether a canonical URL is that of a robots.txt."""
    return url.endswith(_ROBOTS_PATH) and url.count("/") == 3
