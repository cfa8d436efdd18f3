"""The scripts and styles that pages need: those in the HTML, what they redirect to, and what style sheets import."""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from canfetch.access.redirects import REDIRECTS, redirect_target
from canfetch.access.responses import Response
from canfetch.agents.requested import RequestedAgent
from canfetch.audit.findings import AuditFinding, AuditKind, NotAllowed, blocked_finding
from canfetch.audit.site_requests import SiteRequests
from canfetch.core.origin import Origin
from canfetch.core.redaction import redacted_url
from canfetch.errors import CanfetchError, ClientClosed
from canfetch.pages.resources import ResourceKind, parse_resources, resolve_as_browser
from canfetch.pages.style_imports import style_imports

MAX_LOADED: Final = 20
"""The scripts and styles of a site that are requested, to see what they redirect to and import."""
_MAX_BYTES: Final = 256 * 1024
_SUCCESS: Final = 2
_TOO_MANY: Final = 429
_NEEDED: Final = (ResourceKind.STYLE, ResourceKind.SCRIPT)


class PageResourcesCheck:
    """Decides whether search engines may fetch what pages need. Each file is reported once.

    Args:
        requests: Sends the requests.
        own: The addresses of the site. Files elsewhere are decided about, and not requested.
        check_origin: Raises NotFetched if the robots.txt of the origin of a URL may no longer be fetched.

    Attributes:
        not_allowed: The files that search engines may fetch, and the audit may not.
    """

    def __init__(self, requests: SiteRequests, *, own: Collection[Origin], check_origin: Callable[[str], None]) -> None:
        self.not_allowed = NotAllowed("script or style file")
        self._requests = requests
        self._own = own
        self._check_origin = check_origin
        self._known: set[str] = set()
        self._loaded = 0

    def findings(self, url: str, response: Response, agents: Sequence[RequestedAgent]) -> Iterator[AuditFinding]:
        """Yield which scripts and styles of a page search engines may not fetch.

        Args: agents: The search engines that may fetch the page.
        Raises: RequestLimitReached: A file can no longer be requested.
        """
        page = parse_resources(response.body, url=url, content_type=response.header("content-type"))
        needed = sorted((one for one in page.resources if one.kind in _NEEDED), key=lambda one: _NEEDED.index(one.kind))
        place = f"in {redacted_url(url)}"
        waiting = deque((one.url, one.kind, place) for one in needed)
        while waiting:
            file, kind, where = waiting.popleft()
            if file in self._known:
                continue
            self._known.add(file)
            try:
                self._check_origin(file)
                verdicts = [(agent.name, self._requests.decide(file, agent.agent)) for agent in agents]
                own_verdict = self._requests.decide(file) if Origin.from_url(file) in self._own else None
            except ClientClosed:
                raise
            except CanfetchError:
                # Nothing is known about it.
                continue
            # An outage of another host is not a rule of the site.
            if any(not one.allowed and one.rule is not None for _, one in verdicts):
                yield blocked_finding(AuditKind.RESOURCE_BLOCKED, file, verdicts, where)
            if own_verdict is None or not any(one.allowed for _, one in verdicts):
                continue
            if not own_verdict.allowed:
                self.not_allowed.add(file, own_verdict)
            else:
                waiting.extend((further, kind, f"{place}; {how}") for further, how in self._further(file, kind))

    def _further(self, url: str, kind: ResourceKind) -> Iterator[tuple[str, str]]:
        """Yield the files that a file needs, and why. A file that fails needs none."""
        if self._loaded >= MAX_LOADED:
            return
        self._loaded += 1
        response = self._requests.fetch(url, max_bytes=_MAX_BYTES)
        if not isinstance(response, Response):
            return
        if response.status == _TOO_MANY:
            self._loaded = MAX_LOADED
        elif response.status in REDIRECTS:
            target = redirect_target(url, response)
            if target is not None:
                yield target, f"{redacted_url(url)} redirects to it"
        elif kind is ResourceKind.STYLE and response.status // 100 == _SUCCESS:
            for reference in style_imports(response.body.decode("utf-8-sig", "replace")):
                target = resolve_as_browser(url, reference)
                if target is not None:
                    yield target, f"{redacted_url(url)} imports it"
