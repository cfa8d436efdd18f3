"""Pages and sitemaps, fetched as a crawler that respects robots.txt would fetch them."""

from typing import Any, Final, NamedTuple

from canfetch.access.redirects import redirect_target
from canfetch.access.responses import Failure, Response
from canfetch.agents.requested import RequestedAgent
from canfetch.answers.pages import page_json
from canfetch.answers.sitemaps import MAX_SITEMAP_BYTES, parse_sitemap
from canfetch.client.transports import TransportRequest
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.core.tokens import product_token
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.pages.page_rules import PageRules, parse_page
from canfetch.pages.tdm import MAX_TDM_BYTES, TDM_FILE_PATH
from canfetch.web.origins import Origins, TooManyFetches, check_web_url

SITEMAP_SCHEMA: Final = "canfetch.sitemap/1"
# The same limit as Googlebot's.
_MAX_REDIRECTS: Final = 10
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_SUCCESS: Final = 2
_NOT_FOUND: Final = (404, 410)
_TIMEOUT: Final = 20.0
_MAX_WAIT: Final = 10.0


class NotFetched(CanfetchError, OSError):
    """Raised when a document cannot be fetched: its server fails, or robots.txt disallows it."""


class Document(NamedTuple):
    """A fetched document.

    Attributes:
        response: The last response, or None if robots.txt disallows the URL.
        url: The URL of the last request.
        verdict: The verdict of robots.txt on that URL.
        hops: The redirects that led to it.
    """

    response: Response | None
    url: str
    verdict: Verdict
    hops: tuple[dict[str, Any], ...]

    def facts(self) -> dict[str, Any]:
        """Return facts about the request, in the form of `canfetch page --format json`."""
        return {
            "url": redacted_url(self.url),
            "status": None if self.response is None else self.response.status,
            "bytes": 0 if self.response is None else len(self.response.body),
            "hops": list(self.hops),
        }


class DocumentFetcher:
    """Fetches documents for one request of the API, each URL once.

    Args: origins: The origins, whose transport and rules apply.
    """

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._responses: dict[str, Response | Failure] = {}

    async def fetch(self, url: str, agent: Agent, *, max_bytes: int) -> Document:
        """Fetch a document, and follow redirects. Every URL is checked against robots.txt.

        Raises: InvalidURL, TooManyFetches; NotFetched: The server fails, or redirects too often.
        """
        check_web_url(url)
        first_url = url
        hops: list[dict[str, Any]] = []
        while True:
            verdict = await self._origins.verdict(url, agent)
            if not verdict.allowed:
                return Document(None, url, verdict, tuple(hops))
            response = await self._send(url, max_bytes)
            if isinstance(response, Failure):
                raise NotFetched(f"cannot fetch {_quoted(url)}: {response.kind}: {response.detail}")
            if response.status not in _REDIRECTS:
                return Document(response, url, verdict, tuple(hops))
            hops.append({"url": redacted_url(url), "status": response.status})
            if len(hops) > _MAX_REDIRECTS:
                raise NotFetched(f"too many redirects from {_quoted(first_url)}: expected at most {_MAX_REDIRECTS}")
            url = _redirect_target(url, response)

    async def page(self, url: str, agents: list[RequestedAgent], *, dialect: str | None = None) -> list[dict[str, Any]]:
        """Fetch a page, and return what each crawler may do with it.

        Raises: InvalidURL, InvalidOption, TooManyFetches, NotFetched.
        """
        rows: list[dict[str, Any]] = []
        for agent in agents:
            document = await self.fetch(url, agent.agent, max_bytes=DEFAULT_MAX_PAGE_BYTES)
            rules = parse_page(url=document.url)
            if document.response is not None:
                rules = await self._page_rules(document.url, document.response, agent.agent)
            now = self._origins.clock()
            verdict = rules.decide(agent=agent.agent, now=now, robots=document.verdict, dialect=dialect)
            rows.append(page_json(url, agent, verdict, rules.to_json(), document.facts()))
        return rows

    async def sitemap(self, url: str, *, max_urls: int) -> dict[str, Any]:
        """Fetch one sitemap, and return its URLs.

        Raises: InvalidURL, TooManyFetches, NotFetched.
        """
        own_agent = Agent(product_token(self._origins.user_agent))
        document = await self.fetch(url, own_agent, max_bytes=MAX_SITEMAP_BYTES)
        if document.response is None:
            raise NotFetched(f"robots.txt disallows {_quoted(document.url)}: {document.verdict.explanation}")
        if document.response.status // 100 != _SUCCESS:
            raise NotFetched(f"{_quoted(document.url)} responded with status {document.response.status}")
        sitemap = parse_sitemap(document.response.body, max_urls=max_urls)
        return {
            "schema": SITEMAP_SCHEMA,
            "url": redacted_url(document.url),
            "hops": list(document.hops),
            "kind": sitemap.kind,
            "urls": list(sitemap.urls),
            "truncated": sitemap.truncated,
            "problem": sitemap.problem,
        }

    async def _send(self, url: str, max_bytes: int) -> Response | Failure:
        response = self._responses.get(url)
        if response is None:
            async with self._origins.fetch_slot():
                response = await self._origins.transport.send(
                    TransportRequest(
                        url=url,
                        headers=(("User-Agent", self._origins.user_agent), ("Accept", "text/html, */*;q=0.5")),
                        max_bytes=max_bytes,
                        connect_timeout=_MAX_WAIT,
                        read_timeout=_MAX_WAIT,
                        timeout=_TIMEOUT,
                        allow_private=self._origins.allow_private,
                    )
                )
            # Failures are stored as well, so that the next agent does not wait for the same timeout.
            self._responses[url] = response
        return response

    async def _page_rules(self, url: str, response: Response, agent: Agent) -> PageRules:
        if response.status // 100 != _SUCCESS:
            raise NotFetched(f"{_quoted(url)} responded with status {response.status}: expected a page")
        content, problem = await self._tdm_file(url, agent)
        rules = parse_page(response.body, headers=response.headers, url=url, tdm_file=content)
        return rules if problem is None else rules.with_unreachable_tdm_file(problem)

    async def _tdm_file(self, page_url: str, agent: Agent) -> tuple[bytes | None, str | None]:
        """Return the content of the TDM file of a page's origin, or the reason why it could not be fetched."""
        try:
            document = await self.fetch(f"{Origin.from_url(page_url)}{TDM_FILE_PATH}", agent, max_bytes=MAX_TDM_BYTES)
        except TooManyFetches:
            raise
        except CanfetchError as error:
            return None, str(error)
        response = document.response
        if response is None:
            # A crawler that may not fetch the file does not know it, and a redirect to such a file leads nowhere.
            return None, f"robots.txt disallows {_quoted(document.url)}" if document.hops else None
        if response.status in _NOT_FOUND:
            return None, None
        if response.status // 100 == _SUCCESS:
            return response.body, None
        return None, f"{_quoted(document.url)} responded with status {response.status}"


def _redirect_target(base: str, response: Response) -> str:
    target = redirect_target(base, response)
    if target is not None and Origin.from_url(target).scheme in {"http", "https"}:
        return target
    location = (response.header("location") or "").strip()
    raise NotFetched(f"cannot follow the redirect of {_quoted(base)} to {_quoted(location)}: expected an HTTP URL")


def _quoted(url: str) -> str:
    return quoted(redacted_url(url))
