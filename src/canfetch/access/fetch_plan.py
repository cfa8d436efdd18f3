"""How a robots.txt is fetched: a state machine whose steps are requests, and whose end is an outcome.

    step = first_request(origin)
    while isinstance(step, Request):
        step = next_step(step, transport.send(step), policy)
    step                                    # Fetched

Source: RFC 9309 sections 2.3 and 2.3.1.2.
"""

from typing import Final, NamedTuple
from urllib.parse import urljoin

from canfetch.access.outcomes import Access, Effect, Outcome, outcome_in_cell, outcome_of_failure, outcome_of_response
from canfetch.access.policies import AccessPolicy
from canfetch.access.responses import Failure, Headers, Response
from canfetch.core._tables import DEFAULT_MAX_BYTES
from canfetch.core.origin import Origin
from canfetch.errors import InvalidURL

FOLLOWED_SCHEMES: Final = ("http", "https", "ftp")
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_NOT_MODIFIED: Final = 304
# A place of more octets than this is no place, neither as it is sent nor joined to its base: what strangers send is
# bounded. RFC 9110 section 4.1 asks for 8000 at least.
_LONGEST_LOCATION: Final = 8192


class Hop(NamedTuple):
    """A redirect that was followed: the URL asked, the status, and the place it named."""

    url: str
    status: int
    location: str


class Validators(NamedTuple):
    """What lets an origin say that nothing has changed: of the good copy, and of the URL it came from."""

    url: str
    etag: str | None
    last_modified: str | None


class Request(NamedTuple):
    """A URL to ask for next, the way so far, and what the next step needs to know."""

    url: str
    hops: tuple[Hop, ...] = ()
    validators: Validators | None = None
    max_bytes: int = DEFAULT_MAX_BYTES
    misconfigured: bool = False

    @property
    def headers(self) -> Headers:
        """The conditions, where this URL is the one that the good copy came from; the plan needs no others."""
        if self.validators is None or self.validators.url != self.url:
            return ()
        conditions = (("If-None-Match", self.validators.etag), ("If-Modified-Since", self.validators.last_modified))
        return tuple((name, value) for name, value in conditions if value is not None)


class Fetched(NamedTuple):
    """The end: what it means, the last answer, and the redirects on the way.

    `response` is None where the last answer was a failure. `not_modified` says that the good copy stands.
    """

    outcome: Outcome
    url: str
    hops: tuple[Hop, ...]
    response: Response | None
    not_modified: bool = False


def first_request(
    origin: Origin,
    *,
    validators: Validators | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    misconfigured: bool = False,
) -> Request:
    """Begin: the origin's robots.txt, without conditions unless there is something to revalidate."""
    return Request(origin.robots_url, (), validators, max_bytes, misconfigured)


def next_step(request: Request, answer: Response | Failure, policy: AccessPolicy) -> Request | Fetched:
    """Take the answer to a request, and say what comes next.

    Redirects are followed wherever they lead, whatever robots.txt there says: no rules are known yet.
    The rules found belong to the origin that was asked first.
    """
    if isinstance(answer, Failure):
        return Fetched(outcome_of_failure(answer, policy), request.url, request.hops, None)
    if answer.status == _NOT_MODIFIED and request.headers:
        unchanged = Outcome(Access.SUCCESSFUL, Effect.CONDITIONAL_ALLOW, "not_modified", "status 304, not modified")
        return Fetched(unchanged, request.url, request.hops, answer, not_modified=True)
    if answer.status in _REDIRECTS:
        return _redirected(request, answer, policy)
    outcome = outcome_of_response(answer, policy, max_bytes=request.max_bytes, misconfigured=request.misconfigured)
    return Fetched(outcome, request.url, request.hops, answer)


def _redirected(request: Request, answer: Response, policy: AccessPolicy) -> Request | Fetched:
    location = _place(request.url, answer.header("location"))
    if location is None:
        detail = f"status {answer.status} without a place to follow"
        return Fetched(outcome_in_cell(policy, "unfollowable_redirect", detail), request.url, request.hops, answer)
    hops = (*request.hops, Hop(request.url, answer.status, location))
    if len(hops) > policy.redirect_limit:
        detail = f"more than {policy.redirect_limit} redirects"
        return Fetched(outcome_in_cell(policy, "redirect_overflow", detail), request.url, hops, answer)
    if any(hop.url == location for hop in hops):
        detail = f"redirects in a loop to {location}"
        return Fetched(outcome_in_cell(policy, "redirect_overflow", detail), request.url, hops, answer)
    return request._replace(url=location, hops=hops)


def _place(base: str, location: str | None) -> str | None:
    if location is None or not location.strip() or _is_too_long(location):
        return None
    text = location.strip()
    try:
        if "://" in text.partition("?")[0]:
            # Joining would take an absolute URL without a host for the base.
            Origin.of(text)
        place = urljoin(base, text).partition("#")[0]
        origin = Origin.of(place)
    except (InvalidURL, ValueError):
        return None
    return place if origin.scheme in FOLLOWED_SCHEMES and not _is_too_long(place) else None


def _is_too_long(place: str) -> bool:
    return len(place.encode("utf-8", "surrogatepass")) > _LONGEST_LOCATION
