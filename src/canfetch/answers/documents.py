"""Pages and other documents, fetched as a crawler that respects robots.txt would fetch them.

The procedures are generators that perform no I/O. They yield steps and receive the results, so that the command line
and the HTTP API fetch in the same way. An error of a step is thrown into the generator.
"""

from collections.abc import Generator
from typing import Any, Final, NamedTuple

from canfetch.access.redirects import redirect_target
from canfetch.access.responses import Failure, Response
from canfetch.answers.pages import PageView
from canfetch.core.origin import Origin
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


class NotFetched(CanfetchError, OSError):
    """Raised when a document cannot be fetched: its server fails, or robots.txt disallows it."""


class DecideStep(NamedTuple):
    """Decide whether the agent may fetch a URL. The result is a Verdict. It may raise InvalidURL or NotFetched."""

    url: str


class FetchStep(NamedTuple):
    """Fetch a URL without following redirects. The result is a Response or a Failure."""

    url: str
    max_bytes: int


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

    def checked_body(self, expected: str = "") -> bytes:
        """Return the body.

        Args: expected: The end of the error message about another status, such as `: expected a page`.
        Raises: NotFetched: robots.txt disallows the URL, or the status is not a success.
        """
        if self.response is None:
            raise NotFetched(f"robots.txt disallows {quoted_url(self.url)}: {self.verdict.explanation}")
        if self.response.status // 100 != _SUCCESS:
            raise NotFetched(f"{quoted_url(self.url)} responded with status {self.response.status}{expected}")
        return self.response.body

    def facts(self) -> dict[str, Any]:
        """Return facts about the request, in the form of `canfetch page --format json`."""
        return {
            "url": redacted_url(self.url),
            "status": None if self.response is None else self.response.status,
            "bytes": 0 if self.response is None else len(self.response.body),
            "hops": list(self.hops),
        }


def fetch_document(url: str, *, max_bytes: int) -> Generator[DecideStep | FetchStep, Any, Document]:
    """Fetch a document, and follow redirects. Every URL is checked against robots.txt.

    Raises: NotFetched: The server fails, or redirects too often.
    """
    first_url = url
    hops: list[dict[str, Any]] = []
    while True:
        verdict: Verdict = yield DecideStep(url)
        if not verdict.allowed:
            return Document(None, url, verdict, tuple(hops))
        response: Response | Failure = yield FetchStep(url, max_bytes)
        if isinstance(response, Failure):
            raise NotFetched(f"cannot fetch {quoted_url(url)}: {response.kind}: {response.detail}")
        if response.status not in _REDIRECTS:
            return Document(response, url, verdict, tuple(hops))
        hops.append({"url": redacted_url(url), "status": response.status})
        if len(hops) > _MAX_REDIRECTS:
            raise NotFetched(f"too many redirects from {quoted_url(first_url)}: expected at most {_MAX_REDIRECTS}")
        url = _redirect_target(url, response)


def fetch_page(url: str, *, max_bytes: int) -> Generator[DecideStep | FetchStep, Any, PageView]:
    """Fetch a page and the TDM file of its origin, and return the page as the agent sees it.

    Raises: NotFetched.
    """
    document = yield from fetch_document(url, max_bytes=max_bytes)
    if document.response is None:
        return PageView(parse_page(url=document.url), document.verdict, document.facts())
    body = document.checked_body(": expected a page")
    content, problem = yield from _fetch_tdm_file(document.url)
    headers = document.response.headers
    rules = parse_page(body, headers=headers, url=document.url, tdm_file=content, max_bytes=max_bytes)
    if problem is not None:
        rules = rules.with_unreachable_tdm_file(problem)
    return PageView(rules, document.verdict, document.facts())


def _fetch_tdm_file(page_url: str) -> Generator[DecideStep | FetchStep, Any, tuple[bytes | None, str | None]]:
    """Return the content of the TDM file of a page's origin, or the reason why it could not be fetched."""
    try:
        document = yield from fetch_document(f"{Origin.from_url(page_url)}{TDM_FILE_PATH}", max_bytes=MAX_TDM_BYTES)
        if document.response is not None:
            return (None if document.response.status in _NOT_FOUND else document.checked_body()), None
    except (InvalidURL, NotFetched) as error:
        return None, str(error)
    # A crawler that may not fetch the file does not know it, and a redirect to such a file leads nowhere.
    return None, f"robots.txt disallows {quoted_url(document.url)}" if document.hops else None


def _redirect_target(base: str, response: Response) -> str:
    target = redirect_target(base, response)
    if target is not None and Origin.from_url(target).scheme in {"http", "https"}:
        return target
    location = (response.header("location") or "").strip()
    raise NotFetched(
        f"cannot follow the redirect of {quoted_url(base)} to {quoted_url(location)}: expected an HTTP URL"
    )


def quoted_url(url: str) -> str:
    """Return a URL for a message, without its credentials."""
    return quoted(redacted_url(url))
