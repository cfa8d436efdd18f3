"""A page and its TDM file, fetched as a crawler that respects robots.txt would fetch them."""

import time
from contextlib import closing
from typing import Any, Final, NamedTuple

from canfetch.access.redirects import redirect_target
from canfetch.access.responses import Failure, Response
from canfetch.answers.pages import PageView
from canfetch.cli.pages.options import PageOptions
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.command_transport import CommandTransport
from canfetch.cli.shared.origin_lookup import OriginLookup
from canfetch.cli.shared.progress import Progress
from canfetch.client.request_headers import combine_headers
from canfetch.client.transports import TransportRequest
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin, find_origin
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError, InvalidURL
from canfetch.pages.page_rules import parse_page
from canfetch.pages.tdm import MAX_TDM_BYTES, TDM_FILE_PATH

# The same limit as Googlebot's.
_MAX_REDIRECTS: Final = 10
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_SUCCESS: Final = 2
_NOT_FOUND: Final = (404, 410)
# Limit for connecting and for each read. `--timeout` limits the whole request.
_MAX_WAIT_SECONDS: Final = 10.0


class _TDMFile(NamedTuple):
    """The content of a TDM file, or None if there is no file. `error` is the reason why it could not be fetched."""

    content: bytes | None = None
    error: str | None = None


class FetchedPage:
    """The page that the server sends. Every redirect is checked against robots.txt.

    Raises: CommandError: The store cannot be opened, or an option is invalid.
    """

    def __init__(self, options: PageOptions, url: str) -> None:
        self._options = options
        self._url = url
        # A redirect may lead to an origin that the user did not name.
        origin = find_origin(url)
        self._transport = CommandTransport(options.network, credential_origins=() if origin is None else (origin,))
        self._lookup = OriginLookup(
            options.network, warn=Progress().print_error, profile=options.profile, transport=self._transport
        )
        # Failures are stored as well, so that the next agent does not wait for the same timeout.
        self._responses: dict[str, Response | Failure] = {}

    @property
    def robots(self) -> None:
        """None: the files are fetched."""

    def view(self, agent: Agent) -> PageView:
        """Return the page as `agent` sees it."""
        url = self._url
        hops: list[dict[str, Any]] = []
        while True:
            verdict = self._robots_verdict(url, agent)
            fetched: dict[str, Any] = {"url": redacted_url(url), "status": None, "bytes": 0, "hops": list(hops)}
            if not verdict.allowed:
                return PageView(parse_page(url=url), verdict, fetched)
            response = self._page(url)
            if response.status not in _REDIRECTS:
                break
            hops.append({"url": redacted_url(url), "status": response.status})
            if len(hops) > _MAX_REDIRECTS:
                raise CommandError(
                    f"too many redirects from {_quoted_url(self._url)}: expected at most {_MAX_REDIRECTS}"
                )
            url = _redirect_target(url, response)
        if response.status // 100 != _SUCCESS:
            raise CommandError(f"{_quoted_url(url)} responded with status {response.status}: expected a page")
        fetched |= {"status": response.status, "bytes": len(response.body)}
        tdm_file = self._tdm_file(url, agent)
        rules = parse_page(
            response.body,
            headers=response.headers,
            url=url,
            tdm_file=tdm_file.content,
            max_bytes=self._options.max_bytes,
        )
        if tdm_file.error is not None:
            rules = rules.with_unreachable_tdm_file(tdm_file.error)
        return PageView(rules, verdict, fetched)

    def close(self) -> None:
        """Close the client and the transport."""
        self._lookup.close()

    def _robots_verdict(self, url: str, agent: Agent) -> Verdict:
        with closing(self._lookup.states(iter([url]), to_url=_check_absolute, to_weight=len)) as rows:
            _, state = next(rows)
        if isinstance(state, CanfetchError | CommandError):
            raise state
        return state.decide(url, agent, time.time())

    def _page(self, url: str) -> Response:
        response = self._fetch(url, self._options.max_bytes)
        if isinstance(response, Failure):
            raise CommandError(f"cannot fetch {_quoted_url(url)}: {response.kind}: {response.detail}")
        return response

    def _fetch(self, url: str, max_bytes: int) -> Response | Failure:
        """Fetch a URL once for all agents."""
        response = self._responses.get(url)
        if response is None:
            response = self._responses[url] = self._send(url, max_bytes)
        return response

    def _send(self, url: str, max_bytes: int) -> Response | Failure:
        network = self._options.network
        wait = min(_MAX_WAIT_SECONDS, network.timeout)
        return self._transport.send(
            TransportRequest(
                url=url,
                headers=combine_headers(
                    (("User-Agent", network.user_agent), ("Accept", "text/html, */*;q=0.5")), network.headers
                ),
                max_bytes=max_bytes,
                connect_timeout=wait,
                read_timeout=wait,
                timeout=network.timeout,
                allow_private=not network.public_only,
            )
        )

    def _tdm_file(self, page_url: str, agent: Agent) -> _TDMFile:
        """Fetch the TDM file of the page's origin if robots.txt allows it."""
        url = f"{Origin.from_url(page_url)}{TDM_FILE_PATH}"
        if not self._robots_verdict(url, agent).allowed:
            return _TDMFile()
        for _ in range(_MAX_REDIRECTS + 1):
            response = self._fetch(url, MAX_TDM_BYTES)
            if isinstance(response, Failure):
                return _TDMFile(error=f"cannot fetch {_quoted_url(url)}: {response.kind}: {response.detail}")
            if response.status in _NOT_FOUND:
                return _TDMFile()
            if response.status // 100 == _SUCCESS:
                return _TDMFile(response.body)
            if response.status not in _REDIRECTS:
                return _TDMFile(error=f"{_quoted_url(url)} responded with status {response.status}")
            try:
                url = _redirect_target(url, response)
                if not self._robots_verdict(url, agent).allowed:
                    return _TDMFile(error=f"robots.txt disallows {_quoted_url(url)}")
            except (CanfetchError, CommandError) as error:
                return _TDMFile(error=str(error))
        return _TDMFile(error=f"too many redirects: expected at most {_MAX_REDIRECTS}")


def _check_absolute(url: str) -> str:
    if url.startswith("/"):
        raise InvalidURL(f"cannot fetch {_quoted_url(url)}: expected an absolute URL, or --html FILE")
    return url


def _redirect_target(base: str, response: Response) -> str:
    """Return the URL that a redirect points to.

    Raises: CommandError: The location is missing, invalid, or not http or https.
    """
    target = redirect_target(base, response)
    if target is not None and Origin.from_url(target).scheme in {"http", "https"}:
        return target
    location = (response.header("location") or "").strip()
    raise CommandError(
        f"cannot follow the redirect of {_quoted_url(base)} to {_quoted_url(location)}: expected an HTTP URL"
    )


def _quoted_url(url: str) -> str:
    return quoted(redacted_url(url))
