"""Fetches of several origins that lead through the same URLs.

Most sites redirect from http to https, or from one host to another. The robots.txt of the target origin is then the
target of a redirect as well, and is fetched once for both. While an origin backs off after a failure, redirects to its
robots.txt are not followed either.

Source: RFC 9309 section 2.3.1.2.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from canfetch.access.entries import CacheEntry
from canfetch.access.fetch_plan import FetchResult, Request, first_request, next_step
from canfetch.access.outcomes import OutcomeKind
from canfetch.access.policies import AccessPolicy
from canfetch.access.responses import Failure, FailureKind, Headers, Response
from canfetch.access.vary import SentHeaders, union_vary_names
from canfetch.core.origin import Origin
from canfetch.core.verdict import Access

# Results that depend on earlier requests of the fetch, or on what the client knows about the first origin.
_NOT_SHARED: Final = frozenset(
    [OutcomeKind.REDIRECT_OVERFLOW, OutcomeKind.SERVER_ERROR, OutcomeKind.MISCONFIGURED_SERVER_ERROR]
)
# Results that depend on earlier redirects, or for which no request was sent.
_NOT_PAUSED: Final = frozenset([OutcomeKind.REDIRECT_OVERFLOW, OutcomeKind.OFFLINE])
# Stores keep times to the microsecond.
_TIME_DIGITS: Final = 6


class Exchange(NamedTuple):
    """A request of a fetch and its answer.

    Attributes:
        request: The request.
        answer: The answer.
        sent_at: When the request was sent, in seconds since the epoch.
    """

    request: Request
    answer: Response | Failure
    sent_at: float


def robots_origin(url: str) -> Origin | None:
    """Return the origin whose robots.txt has exactly this URL, or None."""
    origin = Origin.from_url(url)
    return origin if origin.robots_url == url else None


def results_for_targets(
    exchanges: Sequence[Exchange], policy: AccessPolicy, *, misconfigured_origins: frozenset[str]
) -> Iterator[tuple[Origin, FetchResult, float]]:
    """Yield the origins whose robots.txt was requested after a redirect, with the result of a direct fetch of each.

    The third value is the time of the first request of the direct fetch.

    A direct fetch would have sent the same requests from there on, so redirects are counted from there. An origin is
    left out if its direct fetch would have followed more redirects. A timeout is left out, because earlier redirects
    used up a part of the time.
    """
    seen = {exchanges[0].request.url} if exchanges else set()
    for index, (request, _, sent_at) in enumerate(exchanges):
        origin = None if request.url in seen else robots_origin(request.url)
        seen.add(request.url)
        if origin is None:
            continue
        step: Request | FetchResult = first_request(
            origin,
            validators=request.validators,
            max_bytes=request.max_bytes,
            misconfigured=str(origin) in misconfigured_origins,
        )
        for _, answer, _ in exchanges[index:]:
            if isinstance(step, Request):
                step = next_step(step, answer, policy)
        if isinstance(step, FetchResult) and step.failure is not FailureKind.TIMEOUT:
            yield origin, step, sent_at


def can_answer(request: Request, entry: CacheEntry, policy: AccessPolicy) -> bool:
    """Return whether the entry of an origin answers a request for its robots.txt after redirects.

    Args:
        request: The request.
        entry: A fresh entry, which serves the client.
    """
    if entry.outcome.access is Access.UNREACHABLE or entry.outcome.kind in _NOT_SHARED or entry.status is None:
        return False
    urls = [hop.url for hop in (*request.hops, *entry.hops)]
    # If a URL occurs twice, only requests show whether it is a loop: its next response can differ.
    return len(urls) <= policy.redirect_limit and len({*urls, entry.url}) == len(urls) + 1


def failure_of_target(request: Request, entry: CacheEntry, policy: AccessPolicy) -> FetchResult | None:
    """Return the result of a request after redirects if its origin failed before and its next fetch is not due.

    Redirects of other sites must not send more requests to a server that fails or asked for a pause.

    Args:
        request: The request.
        entry: A fresh entry of the origin, which serves the client.
    """
    kind = entry.outcome.kind
    if entry.outcome.access is not Access.UNREACHABLE or kind in _NOT_PAUSED:
        return None
    if kind is OutcomeKind.SERVER_ERROR and request.misconfigured:
        return None
    hops = (*request.hops, *entry.hops)
    urls = [hop.url for hop in hops]
    if len(urls) > policy.redirect_limit or len({*urls, entry.url}) <= len(urls):
        return None
    return FetchResult(
        entry.outcome,
        entry.url,
        hops,
        None if entry.status is None else Response(entry.url, entry.status, (), b""),
        vary_names=union_vary_names(request.vary_names, frozenset(field.name for field in entry.vary)),
        failure=entry.outcome.failure_kind,
        retry_at=entry.next_fetch_at,
    )


def entry_from_target(
    origin: Origin, request: Request, entry: CacheEntry, *, now: float, request_headers: Headers
) -> CacheEntry:
    """Return the entry of an origin that redirects to the robots.txt of another origin, whose entry is cached.

    The new entry is fresh for as long as the entry of the target.

    Args:
        origin: The origin.
        request: The request that `entry` answers.
        entry: The entry of the target.
        now: The time of the last redirect.
        request_headers: The headers that the client sends, without those of conditional requests.
    """
    names = union_vary_names(request.vary_names, frozenset(field.name for field in entry.vary))
    vary = SentHeaders(str(origin), request_headers).record(names)
    at = round(now, _TIME_DIGITS)
    return entry._replace(
        origin=str(origin),
        hops=(*request.hops, *entry.hops),
        fetched_at=at,
        # Not before `fetched_at`, if the clock has reached the end of the freshness in the meantime.
        next_fetch_at=max(at, entry.next_fetch_at),
        copy=None if entry.copy is None else entry.copy._replace(vary=vary),
        vary=vary,
        variant="",
        responded_at=at,
        requested_at=None,
    )
