"""The access that captures of an archive result in: redirects, status codes, and failures over time."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from canfetch.access.effective_access import EffectiveAccess, effective_access
from canfetch.access.entries import CacheEntry
from canfetch.access.fetch_plan import FetchResult, Hop, Request, first_request, next_step
from canfetch.access.outcomes import Outcome, OutcomeKind, evaluate_response
from canfetch.access.policies import AccessPolicy
from canfetch.access.redirects import REDIRECTS
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.access.transitions import next_entry
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.decisions import Provenance
from canfetch.bulk.archives.redirected_hosts import canonical_url, has_assumed_scheme
from canfetch.bulk.reading.captures import NO_RESPONSE, Capture, is_robots_url
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.origin import Origin
from canfetch.core.verdict import Access, Effect

# The functions about one capture ask for its origin one after the other.
_origin_of: Final = lru_cache(maxsize=16)(Origin.from_url)
# Captures of a URL before an outage that are looked at: the last good one may be before several.
_MAX_EARLIER: Final = 32
# The limit of the content and the header fields of a failure before it.
_MAX_FAILURE_BYTES: Final = 4096
# The status of a file without a response.
_FILE_STATUS: Final = 200


class ResolvedFile(NamedTuple):
    """A capture of a robots.txt, and what it permits.

    Attributes:
        capture: The capture, before redirects.
        access: How the policy interprets the response, or None if a redirect leads to a URL that was not captured.
        effect: What it permits, or None as for `access`.
        detail: What happened, such as `status 404`.
        url: The URL of the last response.
        hops: The redirects.
        content: The content whose rules apply, or None.
        targets: The captures of other URLs than a robots.txt that the redirects led to.
        response: The last response, or None if the request failed, a redirect leads to a URL that was not captured, or
            redirects loop or are too many.
    """

    capture: Capture
    access: Access | None
    effect: Effect | None
    detail: str
    url: str
    hops: tuple[Hop, ...]
    content: bytes | None
    targets: tuple[Capture, ...] = ()
    response: Response | None = None


def resolve_capture(capture: Capture, store: CaptureStore, policy: AccessPolicy) -> ResolvedFile:
    """Return what a capture permits by itself, without the captures before it.

    Args: store: Where redirects lead.
    """
    targets: list[Capture] = []
    file = _resolve(capture, store, policy, targets)
    return file._replace(targets=tuple(targets)) if targets else file


def resolve_alone(capture: Capture, policy: AccessPolicy) -> ResolvedFile:
    """Return what a capture permits by itself. Redirects are not followed, so that their effect is unknown."""
    step = _first_step(capture, policy)
    return _unresolved(capture, step) if isinstance(step, Request) else _resolved(capture, step, policy)


def _resolve(capture: Capture, store: CaptureStore, policy: AccessPolicy, targets: list[Capture]) -> ResolvedFile:
    found = _fetch(capture, store, policy, targets)
    fetched = found.result
    if isinstance(fetched, Request):
        return _unresolved(capture, fetched)
    # The state after the capture depends on what was captured before an outage.
    _before_outage(capture, found, store, policy, targets)
    file = _resolved(capture, fetched, policy)
    is_overflow = fetched.outcome.kind is OutcomeKind.REDIRECT_OVERFLOW
    return file if is_overflow else file._replace(response=fetched.response)


def _resolved(capture: Capture, fetched: FetchResult, policy: AccessPolicy) -> ResolvedFile:
    if fetched.outcome.effect is not None:
        content = None
        if fetched.outcome.effect is Effect.CONDITIONAL_ALLOW and fetched.response is not None:
            content = fetched.response.body
        outcome = fetched.outcome
        return ResolvedFile(capture, outcome.access, outcome.effect, outcome.detail, fetched.url, fetched.hops, content)
    now = capture.time or 0.0
    entry = next_entry(None, _origin_of(capture.url), fetched, policy, now=now, seed=0)
    return _from_access(capture, effective_access(entry, policy, now=now), fetched.url, fetched.hops)


def final_outcome(capture: Capture, policy: AccessPolicy) -> Outcome | None:
    """Return the outcome of a capture that no other capture changes, or None if it is a redirect or unreachable."""
    if capture.status in REDIRECTS or capture.status == NO_RESPONSE:
        return None
    response = Response(capture.url, capture.status or _FILE_STATUS, capture.headers, capture.content)
    misconfigured = _is_misconfigured(capture, policy)
    outcome = evaluate_response(response, policy, max_bytes=DEFAULT_MAX_BYTES, misconfigured=misconfigured)
    return None if outcome.effect is None else outcome


class FileState(NamedTuple):
    """What a client would know after the captures of an owner until a time.

    Attributes:
        capture: The last capture.
        entry: The cache entry after it, or None if its redirect leads to a URL that was not captured.
        response_time: When the last response was captured, after redirects, or None if the archive has no times. If
            the entry is None, when the redirect was captured.
        copy_time: When the response with the copy of the entry was captured, after redirects, or None as before.
        missing_url: This URL, or None.
        before: The state before an outage of the target of a redirect, which is later than the redirect, or None.
    """

    capture: Capture
    entry: CacheEntry | None
    response_time: float | None
    copy_time: float | None
    missing_url: str | None = None
    before: "FileState | None" = None

    def as_of(self, at: float | None) -> "FileState":
        """Return the state at a time, or after the last capture if the time is None."""
        if self.before is None or self.entry is None or at is None or at >= (self.entry.first_failure_at or at):
            return self
        return self.before

    def access(self, policy: AccessPolicy, at: float | None) -> EffectiveAccess | None:
        """Return what is permitted at a time, or None without an entry.

        Args: at: The time, or None for that of the capture.
        """
        if self.entry is None:
            return None
        return effective_access(self.entry, policy, now=self.entry.fetched_at if at is None else at)

    def provenance(self, access: EffectiveAccess | None) -> Provenance:
        """Return which capture results in an access: the last one, or that of the last good copy.

        Args: access: The access, or None without an entry.
        """
        if access is None or self.entry is None:
            detail = f"the response of {self.missing_url} was not captured"
            return Provenance(self.response_time, self.capture.url, detail=detail)
        # The explanation of the access depends on the time.
        copy, detail = access.copy, self.entry.outcome.detail
        if access.access is not Access.UNREACHABLE:
            return Provenance(self.response_time, self.entry.url, detail=detail if copy is None else None)
        if copy is not None:
            return Provenance(self.copy_time, copy.url, detail=f"{detail}; using the last good copy")
        if self.entry.copy is not None:
            detail += "; the last good copy has expired"
        return Provenance(self.response_time, self.entry.url, detail=detail)


def state_after(captures: Sequence[Capture], store: CaptureStore, policy: AccessPolicy) -> FileState:
    """Return the state after captures of one owner, of which there is at least one, in the order of time.

    A failure does not replace the last good copy for as long as the policy permits. If a redirect leads to one, that is
    the last good copy of the target.
    """
    entry: CacheEntry | None = None
    before: FileState | None = None
    last = captures[-1]
    time, copy_time = last.time, None
    for capture in captures:
        found = _fetch(capture, store, policy)
        fetched, time = found
        if isinstance(fetched, Request):
            if capture is last:
                return FileState(last, None, last.time, None, fetched.url)
            continue
        good, good_time, since = _before_outage(capture, found, store, policy)
        now, before = capture.time or 0.0, None
        if good is not None:
            entry, copy_time = _next(entry, capture, good, policy, now), good_time
            before = FileState(capture, entry, good_time, good_time)
        if since is not None and (good is not None or since < now):
            entry = _next(entry, capture, fetched, policy, since)
            now = max(now, time or now)
        known = None if entry is None else entry.copy
        entry = _next(entry, capture, fetched, policy, now)
        if entry.copy != known:
            copy_time = time
    return FileState(last, entry, time, copy_time, before=before)


def _next(
    entry: CacheEntry | None, capture: Capture, fetched: FetchResult, policy: AccessPolicy, now: float
) -> CacheEntry:
    return next_entry(entry, _origin_of(capture.url), fetched, policy, now=now, seed=0)


class _BeforeOutage(NamedTuple):
    """What a redirect led to before its target was unreachable, if that is known, and since when it was unreachable."""

    result: FetchResult | None = None
    time: float | None = None
    since: float | None = None


def _before_outage(
    capture: Capture, found: "_Fetched", store: CaptureStore, policy: AccessPolicy, targets: list[Capture] | None = None
) -> _BeforeOutage:
    """Return the last good response of the target of a redirect before an outage, by the captures before it.

    Args: found: The result of the redirect.
    """
    fetched, since = found
    if isinstance(fetched, Request) or not fetched.hops or fetched.outcome.access is not Access.UNREACHABLE:
        return _BeforeOutage()
    for _ in range(_MAX_EARLIER):
        if since is None:
            break
        earlier, time = _fetch(capture, store, policy, targets, before=(fetched.url, since))
        if isinstance(earlier, Request) or time is None or time >= since:
            break
        if earlier.outcome.access is not Access.UNREACHABLE:
            return _BeforeOutage(earlier, time, since)
        since = time
    return _BeforeOutage(since=since)


class _Fetched(NamedTuple):
    """The result of a fetch, or the request whose response was not captured.

    `time` is that of the last response that has one, or None.
    """

    result: FetchResult | Request
    time: float | None


def _fetch(
    capture: Capture,
    store: CaptureStore,
    policy: AccessPolicy,
    targets: list[Capture] | None = None,
    before: tuple[str, float] | None = None,
) -> _Fetched:
    """Return the result of a fetch that received this capture.

    Each redirect leads to a capture that is not before those that led to it, unless there is only an earlier one.

    Args:
        targets: Receives the captures of other URLs than a robots.txt.
        before: A URL, and a time: its last capture before the time counts.
    """
    received, time, response_time = [capture], capture.time, capture.time
    step = _first_step(capture, policy)
    while isinstance(step, Request):
        url = canonical_url(step.url)
        is_before = before is not None and step.url == before[0]
        wanted = before[1] if before is not None and is_before else time
        found = None if url is None else store.capture_of(url, wanted, is_before=is_before)
        if found is None:
            return _Fetched(step, response_time)
        received.append(found.capture)
        time = _later(time, found.capture.time)
        response_time = response_time if found.capture.time is None else found.capture.time
        request, step = step, next_step(step, _response(found.capture, step.url), policy)
        if targets is not None and not is_robots_url(found.capture.url):
            target = _without_unread(found.capture, request, step, policy, is_last=before is None)
            if target not in targets:
                targets.append(target)
    return _Fetched(_unproven_loop(step, received) or step, response_time)


def _without_unread(
    capture: Capture, request: Request, step: FetchResult | Request, policy: AccessPolicy, *, is_last: bool
) -> Capture:
    """Return a redirect, or a large failure before an outage, without the content and header fields that nothing reads.

    Args:
        request, step: Its request, and what follows it.
        is_last: Whether it may be the last response, whose content is in the metrics.
    """
    if isinstance(step, Request) or step.outcome.kind is OutcomeKind.REDIRECT_OVERFLOW:
        headers = tuple([field for field in capture.headers if field[0] == "location"])
        return capture._replace(headers=headers, content=b"")
    size = len(capture.content) + sum([len(value) for _, value in capture.headers])
    if is_last or size <= _MAX_FAILURE_BYTES or step.outcome.access is not Access.UNREACHABLE:
        return capture
    bare = capture._replace(headers=(), content=b"")
    found = next_step(request, _response(bare, request.url), policy)
    return bare if isinstance(found, FetchResult) and found.outcome == step.outcome else capture


def _first_step(capture: Capture, policy: AccessPolicy) -> FetchResult | Request:
    misconfigured = _is_misconfigured(capture, policy)
    request = first_request(_origin_of(capture.url), misconfigured=misconfigured)._replace(url=capture.url)
    return next_step(request, _response(capture, capture.url), policy)


def _is_misconfigured(capture: Capture, policy: AccessPolicy) -> bool:
    origins = policy.misconfigured_origins
    return bool(origins) and str(_origin_of(capture.url)) in origins


def _later(first: float | None, second: float | None) -> float | None:
    return max((time for time in (first, second) if time is not None), default=None)


def _unproven_loop(result: FetchResult, received: Sequence[Capture]) -> Request | None:
    """Return the request that a loop leads back to, if the scheme of a response in the loop is assumed.

    The real request may have had the other scheme, and then no response is known to lead back to it.

    Args: received: The responses of all requests.
    """
    hops = result.hops
    if len(hops) < len(received):
        return None
    location = hops[-1].location
    start = next((index for index, hop in enumerate(hops) if hop.url == location), len(hops))
    # A redirect from a URL to itself is a loop with either scheme: the store knows the scheme of others.
    if len(hops) - start < 2 or not any(map(has_assumed_scheme, received[start:])):
        return None
    return Request(location, hops)


def _response(capture: Capture, url: str) -> Response | Failure:
    if capture.status == NO_RESPONSE:
        return Failure(url, FailureKind.CONNECT, "no response")
    return Response(url, capture.status or _FILE_STATUS, capture.headers, capture.content)


def _unresolved(capture: Capture, request: Request) -> ResolvedFile:
    detail = f"the response of {request.url} was not captured"
    return ResolvedFile(capture, None, None, detail, request.url, request.hops, None)


def _from_access(capture: Capture, access: EffectiveAccess, url: str, hops: tuple[Hop, ...]) -> ResolvedFile:
    content = None if access.copy is None else access.copy.content
    return ResolvedFile(capture, access.access, access.effect, access.explanation, url, hops, content)
