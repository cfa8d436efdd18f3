"""The robots.txt that the edge of a site sends to the names of crawlers: one request for each.

A network can send another file to one crawler, or refuse it, after which the crawler finds no rules, or may fetch
nothing. Files are compared by their effect for that crawler.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from canfetch.access.redirects import REDIRECTS, redirect_target
from canfetch.access.responses import Failure, Response
from canfetch.agents import Crawler
from canfetch.audit.edge import crawler_header, is_challenge
from canfetch.audit.findings import AuditFinding, AuditKind, finding
from canfetch.audit.served import FreshFile, ServedFile, differences, usage_differences
from canfetch.audit.site_requests import RequestLimitReached, SiteRequests
from canfetch.client.origin_state import OriginState
from canfetch.core.content_formats import foreign_content_note
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.errors import RequestNotSent
from canfetch.lint.severity import Severity

_MAX_REDIRECTS: Final = 2
REQUESTS_OF_A_CRAWLER: Final = 3 + 3 * _MAX_REDIRECTS
"""The largest number of requests for a crawler.

One, one more after a failure, and one as the audit after two; for each redirect one, one more after a failure, and the
robots.txt of its origin.
"""
_SUCCESS: Final = 2
_CLIENT_ERROR: Final = 4
_TOO_MANY: Final = 429


def check_edge_files(
    requests: SiteRequests, served: ServedFile, fresh: FreshFile | None, crawlers: Sequence[Crawler]
) -> Iterator[AuditFinding]:
    """Request robots.txt with the header of each crawler, and yield which crawlers other rules apply to.

    Args:
        requests: Sends the requests.
        served: The file that the audit got.
        fresh: The file past the cache, or None. A crawler that gets it gets no file of its own.
        crawlers: The crawlers.
    Raises: InvalidURL, ClientClosed, RequestNotSent.
    """
    if served.robots is None:
        return
    # Where the redirects of robots.txt lead.
    url, max_bytes = served.state.entry.url, served.state.options.max_bytes
    for crawler in crawlers:
        try:
            received = _received(requests, url, max_bytes, crawler)
        except RequestLimitReached as error:
            message = f"robots.txt was not requested with the names of all crawlers: {error}"
            yield finding(AuditKind.LIMIT_REACHED, message, url=url)
            return
        yield from _crawler_findings(served.robots, served.state, fresh, crawler, received)
        if received.is_outage and received.url == url:
            return


class _Received(NamedTuple):
    """What a crawler received for robots.txt.

    Attributes:
        url: The last URL.
        response: The response, or why this machine did not request the target of a redirect.
        is_outage: Whether the audit cannot read this URL either, because of an outage or a limit for all clients.
    """

    url: str
    response: Response | Failure | RequestNotSent
    is_outage: bool = False


def _received(requests: SiteRequests, robots_url: str, max_bytes: int, crawler: Crawler) -> _Received:
    header, url = crawler_header(crawler), robots_url
    try:
        response = requests.confirmed_fetch(url, max_bytes=max_bytes, user_agent=header)
        for _ in range(_MAX_REDIRECTS):
            target = redirect_target(url, response) if isinstance(response, Response) else None
            if target is None:
                break
            url = target
            response = requests.confirmed_fetch(url, max_bytes=max_bytes, user_agent=header)
        is_outage = _is_unreachable(response) and _is_unreachable(requests.fetch(url, max_bytes=max_bytes))
    except RequestNotSent as error:
        if url == robots_url:
            raise
        return _Received(url, error)
    return _Received(url, response, is_outage)


def _redirected(crawler: Crawler, target: str) -> str:
    return f"{crawler.name} is redirected from robots.txt to {quoted(redacted_url(target))}"


def _is_unreachable(response: Response | Failure) -> bool:
    if isinstance(response, Failure):
        return True
    return response.status == _TOO_MANY or response.status // 100 > _CLIENT_ERROR


def _crawler_findings(
    robots: RobotsTxt, state: OriginState, fresh: FreshFile | None, crawler: Crawler, received: _Received
) -> Iterator[AuditFinding]:
    url, name, response = state.entry.url, crawler.name, received.response
    if isinstance(response, RequestNotSent):
        message = f"{_redirected(crawler, received.url)}, so its file was not compared: {response}"
        yield finding(AuditKind.EDGE_UNKNOWN, message, url=url)
        return
    if received.is_outage:
        message = f"{name} cannot read robots.txt, but the audit no longer can either"
        if received.url != url:
            message = f"{_redirected(crawler, received.url)}, which the audit cannot read either"
        yield finding(AuditKind.EDGE_UNKNOWN, message, url=url)
        return
    status = None if isinstance(response, Failure) else response.status
    if isinstance(response, Failure) or _is_unreachable(response):
        reason = f"{response.kind}: {response.detail}" if isinstance(response, Failure) else f"status {status}"
        message = f"{name} cannot read robots.txt ({reason}), so the whole site is disallowed for it"
        yield finding(AuditKind.EDGE_ROBOTS, message, severity=Severity.ERROR, url=url, status=status)
        return
    if response.status in REDIRECTS:
        target = redirect_target(received.url, response)
        leads = f"{name} is redirected from robots.txt nowhere" if target is None else _redirected(crawler, target)
        message = f"{leads}, so its file was not compared"
        yield finding(AuditKind.EDGE_UNKNOWN, message, url=url, status=status)
        return
    is_file = response.status // 100 == _SUCCESS
    content = response.body if is_file else b""
    if fresh is not None and content == fresh.robots.content:
        # A stale cache is another finding.
        return
    if not is_file and not robots.allows("/", agent=crawler.agent):
        # A server that refuses a disallowed crawler does what the file states.
        return
    own = parse(content, profile=robots.profile)
    subject = f"{name} gets {_name_of_file(response, is_file=is_file)}, which"
    for found in differences(robots, own, state.origin, subject, crawlers=[crawler]):
        kind = AuditKind.UNDECIDED if found.is_undecided else AuditKind.EDGE_ROBOTS
        severity = Severity.ERROR if found.is_loss else None
        yield finding(kind, found.text, severity=severity, url=url, status=status)
    for usage in usage_differences(robots, own, crawler.agent):
        message = f"{subject} states {usage.actual} for {usage.purpose}, where the audit's file states {usage.intended}"
        yield finding(AuditKind.EDGE_ROBOTS, message, url=url, line=usage.line, status=status)


def _name_of_file(response: Response, *, is_file: bool) -> str:
    if not is_file:
        return f"status {response.status} in place of robots.txt"
    if is_challenge(response):
        return "a page that checks for a browser in place of robots.txt"
    return "other content in place of robots.txt" if foreign_content_note(response.body) else "another robots.txt"
