"""How a robots.txt is fetched: a state machine whose steps are requests and whose end is an outcome.

    step = first_request(origin)
    while isinstance(step, Request):
        step = next_step(step, transport.send(...), policy)
    step                                    # FetchResult

Source: RFC 9309 sections 2.3 and 2.3.1.2.
"""

import re
from typing import Final, NamedTuple

from canfetch.access.outcomes import Outcome, OutcomeKind, evaluate_failure, evaluate_response, make_outcome
from canfetch.access.policies import AccessPolicy
from canfetch.access.redirects import REDIRECTS, redirect_target
from canfetch.access.responses import Failure, FailureKind, Headers, Response
from canfetch.access.vary import union_vary_names, vary_names
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.origin import Origin
from canfetch.core.redaction import redacted_url
from canfetch.core.verdict import Access, Effect

SUPPORTED_SCHEMES: Final = ("http", "https", "ftp")
_NOT_MODIFIED: Final = 304
_WEAK: Final = "W/"
# Some servers send no quotes. `*` would match any file, and a list several ones.
_ENTITY_TAG: Final = re.compile(r'(?:W/)?"[^"]*"|[^\s",*][^\s",]*')


class Hop(NamedTuple):
    """A redirect: the requested URL, the status, and the target URL."""

    url: str
    status: int
    location: str


class Validators(NamedTuple):
    """The validators of the last good copy, and the URL that it was fetched from, for conditional requests."""

    url: str
    etag: str | None
    last_modified: str | None


class Request(NamedTuple):
    """The next request of a fetch plan.

    Attributes:
        url: The URL to request.
        hops: The redirects so far.
        validators: The validators of the last good copy, to revalidate it.
        max_bytes: The parsing limit.
        misconfigured: Whether the site is known to respond with 5xx for every missing page.
        vary_names: The names of the request headers that the redirects so far depend on.
    """

    url: str
    hops: tuple[Hop, ...] = ()
    validators: Validators | None = None
    max_bytes: int = DEFAULT_MAX_BYTES
    misconfigured: bool = False
    vary_names: frozenset[str] = frozenset()

    @property
    def headers(self) -> Headers:
        """The conditional headers, if `url` is the URL that the last good copy was fetched from."""
        if self.validators is None or self.validators.url != self.url:
            return ()
        etag = (self.validators.etag or "").strip()
        conditions = (
            ("If-None-Match", etag if _ENTITY_TAG.fullmatch(etag) else None),
            ("If-Modified-Since", self.validators.last_modified),
        )
        return tuple((name, value) for name, value in conditions if value is not None)


class FetchResult(NamedTuple):
    """The end of a fetch plan.

    Attributes:
        outcome: What the result means.
        url: The URL of the last request.
        hops: The redirects that were received. The last one of a loop or of a chain that is too long was not followed.
        response: The last response, or None if the last request failed.
        not_modified: Whether the last good copy is still current.
        vary_names: The names of the request headers that the responses depend on, redirects included.
        failure: The kind of failure of the last request, or None.
        retry_at: The time before which `url` must not be requested again, if no request was sent because of an earlier
            failure.
    """

    outcome: Outcome
    url: str
    hops: tuple[Hop, ...]
    response: Response | None
    not_modified: bool = False
    vary_names: frozenset[str] = frozenset()
    failure: FailureKind | None = None
    retry_at: float | None = None


def first_request(
    origin: Origin,
    *,
    validators: Validators | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    misconfigured: bool = False,
) -> Request:
    """Return the first request for the robots.txt of `origin`. It is conditional only if there are `validators`."""
    return Request(origin.robots_url, (), validators, max_bytes, misconfigured)


def next_step(request: Request, answer: Response | Failure, policy: AccessPolicy) -> Request | FetchResult:
    """Return the request that follows the response or failure of `request`, or the result.

    Redirects are followed to any authority without checking its robots.txt, because no rules are known yet. The
    rules that are found apply to the origin of the first request.
    """
    if isinstance(answer, Failure):
        outcome = evaluate_failure(answer, policy)
        return FetchResult(outcome, request.url, request.hops, None, vary_names=request.vary_names, failure=answer.kind)
    request = request._replace(vary_names=union_vary_names(request.vary_names, vary_names(answer.headers)))
    if answer.status == _NOT_MODIFIED and request.headers:
        if not _is_for_copy(answer, request.validators):
            # The 304 is about another file than the copy, so the file is requested as a whole.
            return request._replace(validators=None)
        unchanged = Outcome(
            Access.SUCCESSFUL, Effect.CONDITIONAL_ALLOW, OutcomeKind.NOT_MODIFIED, "status 304, not modified"
        )
        return _result(unchanged, request, answer)._replace(not_modified=True)
    if answer.status in REDIRECTS:
        return _follow_redirect(request, answer, policy)
    outcome = evaluate_response(answer, policy, max_bytes=request.max_bytes, misconfigured=request.misconfigured)
    return _result(outcome, request, answer)


def _is_for_copy(response: Response, validators: Validators | None) -> bool:
    """Return whether a 304 is about the last good copy, by its ETag.

    A strong ETag must be the same. A weak one must be the same apart from its weakness. Many servers send no ETag.

    Source: RFC 9111 section 4.3.4; RFC 9110 section 8.8.3.2.
    """
    etag = (response.first_header("etag") or "").strip()
    stored = "" if validators is None or validators.etag is None else validators.etag.strip()
    if etag.startswith(_WEAK):
        return etag.removeprefix(_WEAK) == stored.removeprefix(_WEAK)
    return etag in {"", stored}


def _follow_redirect(request: Request, answer: Response, policy: AccessPolicy) -> Request | FetchResult:
    location = redirect_target(request.url, answer)
    if location is None or Origin.from_url(location).scheme not in SUPPORTED_SCHEMES:
        outcome = make_outcome(
            policy, OutcomeKind.UNFOLLOWABLE_REDIRECT, f"status {answer.status} without a valid redirect target"
        )
        return _result(outcome, request, answer)
    hops = (*request.hops, Hop(request.url, answer.status, location))
    if len(hops) > policy.redirect_limit:
        outcome = make_outcome(policy, OutcomeKind.REDIRECT_OVERFLOW, f"more than {policy.redirect_limit} redirects")
        return _result(outcome, request._replace(hops=hops), answer)
    if any(hop.url == location for hop in hops):
        outcome = make_outcome(policy, OutcomeKind.REDIRECT_OVERFLOW, f"redirect loop to {_in_message(location)}")
        return _result(outcome, request._replace(hops=hops), answer)
    return request._replace(url=location, hops=hops)


def _in_message(url: str) -> str:
    # Messages are split at spaces to find the URLs in them.
    return redacted_url(url).replace(" ", "%20")


def _result(outcome: Outcome, request: Request, response: Response) -> FetchResult:
    return FetchResult(outcome, request.url, request.hops, response, vary_names=request.vary_names)
