"""Redirects of hosts, whose files count for http and https: the scheme of the request is not recorded."""

from typing import Final

from canfetch.access.redirects import REDIRECTS, redirect_target
from canfetch.access.responses import Response
from canfetch.bulk.reading.captures import Capture, Name
from canfetch.errors import InvalidURL

HTTP: Final = "http://"
HTTPS: Final = "https://"


def has_assumed_scheme(capture: Capture) -> bool:
    """Return whether it is unknown with which scheme a capture was requested. Its URL has https then."""
    return "://" not in capture.owner and capture.url.startswith(HTTPS)


def with_scheme(capture: Capture) -> Capture:
    """Return a redirect with the scheme of its request. That of a host to its own https URL was requested over http."""
    if not has_assumed_scheme(capture) or target_url(capture) != capture.url:
        return capture
    plain = capture._replace(url=HTTP + capture.url.removeprefix(HTTPS))
    # A relative redirect to the same path is a loop with either scheme.
    return plain if target_url(plain) == capture.url else capture


def leads_to(capture: Capture, url: str) -> bool:
    """Return whether a capture is a redirect from a URL to itself, if it is the response of this URL."""
    return capture.status in REDIRECTS and target_url(capture._replace(url=url)) == url


def target_url(capture: Capture) -> str | None:
    """Return where the response of a capture leads, as the store has the URL."""
    target = redirect_target(capture.url, Response(capture.url, capture.status or 0, capture.headers, b""))
    return None if target is None else canonical_url(target)


def canonical_url(url: str) -> str | None:
    """Return a URL as the store has it, or None if it is not valid."""
    try:
        return Name.of_request(url).url
    except InvalidURL:
        return None
