"""What the edge of a site does with the names of crawlers: one request for each, beside a control as a browser.

The test shows what a request with a crawler's User-Agent header gets from here. Real crawlers come from their own
addresses, which a network can tell from others: it may refuse an impostor that it would admit as the crawler, and the
reverse. Nothing is tried to get around a refusal. Only a request that fails without an answer, or with a server error,
is repeated once, so that an accident is not taken for a rule.

Source: RFC 9110 sections 15.3.3 and 15.5; RFC 6585 section 4; Cloudflare, Pay per crawl, for `crawler-price`.
"""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from canfetch.access.redirects import redirect_target
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.agents import REGISTRY, Crawler, PublishedHeader
from canfetch.audit.findings import AuditFinding, AuditKind, finding
from canfetch.audit.report import EdgeAnswer
from canfetch.audit.site_requests import RequestLimitReached, SiteRequests
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.core.text import printable_text
from canfetch.core.urls import AnyURL
from canfetch.errors import CanfetchError, ClientClosed, InvalidOption
from canfetch.lint.severity import Severity
from canfetch.pages.page_rules import parse_page
from canfetch.pages.verdict import PageDecision

BROWSER: Final = "browser"
MOBILE_BROWSER: Final = "mobile browser"
_BROWSER_VERSION: Final = "142.0.0.0"
_BROWSER_HEADER: Final = (
    f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{_BROWSER_VERSION} Safari/537.36"
)
# Chrome on Android sends this model and version of Android on all phones.
_MOBILE_HEADER: Final = (
    f"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{_BROWSER_VERSION} "
    "Mobile Safari/537.36"
)
# A part of the headers of mobile browsers, and of crawlers that request pages as one.
_MOBILE: Final = " Mobile"
REQUESTS_OF_A_PAGE: Final = 5
"""The largest number of requests for pages for one crawler, each of which can be repeated after an accident.

The page, and once more as a browser after a refusal; the page that both are redirected to as a browser and as the
crawler, and once more as a browser after a refusal.
"""
# The placeholders for the version of a browser in published headers.
_VERSION_PLACEHOLDER: Final = re.compile(r"W\.X\.Y\.Z|X\.X\.X\.X")
# A crawler for a part of the web, which has the token of another one.
_SPECIAL: Final = re.compile(r"[ -](?:news|pic|image)\b", re.IGNORECASE)
_MAX_BYTES: Final = 256 * 1024
_LOGIN_WORDS: Final = frozenset({"login", "signin", "sign-in", "sign_in", "log-in", "auth", "sso", "oauth", "oauth2"})
# Parts of the pages with which networks and programs check for a browser.
_CHALLENGE_MARKS: Final = (
    b"/cdn-cgi/challenge-platform/",
    b"_cf_chl_opt",
    b"challenges.cloudflare.com/turnstile",
    b"/.within.website/x/cmd/anubis/",
    b"anubis_challenge",
    b"captcha-delivery.com",
    b"px-captcha",
    b"_incapsula_resource",
    b"awswafintegration",
    b"awswafcookiedomainlist",
    b"g-recaptcha",
    b"h-captcha",
)
# A page that replaces another one has less than this share of its text, if that has enough.
_MAX_TEXT_SHARE: Final = 0.25
# An empty page, or a note such as "access denied", has less than this share.
_MAX_NOTE_SHARE: Final = 0.05
_MIN_TEXT: Final = 200
_MAX_CHALLENGE_TEXT: Final = 1_000
LIMITS_OF_THE_TEST: Final = (
    "Each request was sent from the network of this computer with the published header of the crawler. Real crawlers "
    "use their own addresses. A network can refuse these requests and admit the real crawler, or the reverse. An open "
    "answer shows that the name alone is not refused, and a refusal shows that it is refused from here."
)


class EdgeKind(StrEnum):
    """The kind of an answer."""

    PAGE = "page"
    UNAUTHORIZED = "unauthorized"  # 401
    PAYMENT = "payment-required"  # 402
    FORBIDDEN = "forbidden"  # 403
    RATE_LIMITED = "rate-limited"  # 429
    CHALLENGE = "challenge"  # 202, or 200 with a page that checks for a browser
    OTHER_PAGE = "other-page"  # a success with nearly nothing of the page
    LOGIN = "login-redirect"
    REDIRECT = "redirect"
    CUT = "connection-cut"
    OTHER_REFUSAL = "refused"  # another 4xx
    FAILURE = "failure"  # a server error, or no connection


class _Answer(NamedTuple):
    kind: EdgeKind
    status: int | None
    detail: str
    text: int = 0
    marks: frozenset[bytes] = frozenset()
    response: Response | None = None
    target: str | None = None

    def equals(self, other: "_Answer") -> bool:
        """Return whether two clients got the same, according to what reports show."""
        return (self.kind, self.detail) == (other.kind, other.detail)


_BY_STATUS: Final = {
    401: (EdgeKind.UNAUTHORIZED, "credentials are required"),
    402: (EdgeKind.PAYMENT, "a payment is required"),
    403: (EdgeKind.FORBIDDEN, "the request is forbidden"),
    429: (EdgeKind.RATE_LIMITED, "too many requests, according to the site"),
}
_ACCEPTED: Final = 202
_SEARCH: Final = "search-index"
_CUTS: Final = frozenset({FailureKind.RESET, FailureKind.INCOMPLETE, FailureKind.PROTOCOL})
_ACCIDENTS: Final = frozenset({EdgeKind.CUT, EdgeKind.FAILURE})
# With such an answer to a browser, more requests show nothing.
_NO_CONTROL: Final = frozenset({*_ACCIDENTS, EdgeKind.RATE_LIMITED})
_TITLES: Final = {
    EdgeKind.UNAUTHORIZED: "is asked for credentials (401)",
    EdgeKind.PAYMENT: "is asked for a payment (402)",
    EdgeKind.FORBIDDEN: "is refused (403)",
    EdgeKind.RATE_LIMITED: "has to slow down (429)",
    EdgeKind.CHALLENGE: "gets a page that checks for a browser",
    EdgeKind.OTHER_PAGE: "gets another page",
    EdgeKind.LOGIN: "is redirected to a login",
    EdgeKind.REDIRECT: "is redirected elsewhere",
    EdgeKind.CUT: "gets no answer: the connection is cut",
    EdgeKind.OTHER_REFUSAL: "is refused",
    EdgeKind.FAILURE: "gets an error of the server",
}


def edge_crawlers(names: Sequence[str]) -> list[Crawler]:
    """Return the crawlers whose headers are sent.

    Raises: InvalidOption: A name is not that of a crawler of the registry with a User-Agent header.
    """
    crawlers = []
    for name in dict.fromkeys(names):
        crawler = REGISTRY.get_crawler(name)
        if crawler is None:
            names = [one.name for one in REGISTRY.crawlers if one.headers]
            raise InvalidOption(unknown_choice("crawler", name, names, listed_by="canfetch agents list"))
        if not crawler.headers:
            reason = "fetches nothing" if crawler.token_only else "has no known User-Agent header"
            raise InvalidOption(f"invalid crawler {quoted(name)}: it {reason}")
        crawlers.append(crawler)
    return crawlers


def crawler_header(crawler: Crawler) -> str:
    """Return the current one of the published User-Agent headers of a crawler."""

    def rank(header: PublishedHeader) -> tuple[bool, bool, bool, bool, tuple[int, ...], int]:
        value = header.value
        # Lists have bare names, and headers of years ago. A placeholder is for the current version of a browser.
        is_complete, is_current = "(" in value, _VERSION_PLACEHOLDER.search(value) is not None
        is_general = _SPECIAL.search(value) is None
        is_of_operator, version = header.source_kind == "operator", _version(value, crawler.name)
        return is_complete, is_of_operator, is_current, is_general, version, len(value)

    return _VERSION_PLACEHOLDER.sub(_BROWSER_VERSION, max(crawler.headers, key=rank).value)


def _version(header: str, name: str) -> tuple[int, ...]:
    """Return the version that follows the name of a crawler in a header, or an empty tuple.

    Words can follow the name, as in `Sogou web spider/4.0`.
    """
    found = re.search(rf"{re.escape(name)}(?: [a-z]+)*/([0-9.]+)", header, re.IGNORECASE)
    return tuple(int(part) for part in found[1].split(".") if part) if found else ()


class EdgeTest:
    """Sends the requests of the test to a page.

    Args: requests: Sends the requests.

    Attributes:
        answers: The answers, those of browsers included.
        findings: What they mean.
        refuses_own_name: Whether a browser gets the page, and the audit does not. It is only tested on request.
    """

    def __init__(self, requests: SiteRequests) -> None:
        self.answers: list[EdgeAnswer] = []
        self.findings: list[AuditFinding] = []
        self.refuses_own_name = False
        self._requests = requests

    def run(self, url: str, crawlers: Sequence[Crawler], *, with_own_name: bool = False) -> None:
        """Send one request for each crawler, and a control request, to a page that the audit may fetch.

        Args:
            url: The URL of the page.
            crawlers: The crawlers.
            with_own_name: Whether to send a request with the header of the audit, too.
        Raises: InvalidURL, ClientClosed, RequestNotSent.
        """
        requests, findings = self._requests, self.findings
        own_verdict = requests.decide(url)
        if not own_verdict.allowed:
            message = f"the audit may not request the page: {own_verdict.explanation}"
            reason = AuditKind.ROBOTS_UNREACHABLE if own_verdict.rule is None else AuditKind.NOT_ALLOWED
            findings.append(finding(AuditKind.EDGE_UNKNOWN, message, url=url)._replace(how_to_fix=reason.advice))
            return
        try:
            control = _ask(requests, url, _BROWSER_HEADER, None)
            self._keep(BROWSER, _BROWSER_HEADER, control)
            if control.kind in _NO_CONTROL:
                message = f"a browser gets no page either: {control.detail}"
                findings.append(finding(AuditKind.EDGE_UNKNOWN, message, url=url, status=control.status))
                return
            if with_own_name and control.kind is EdgeKind.PAGE:
                # The home page failed before, which can have been an outage or a limit that has ended since.
                self.refuses_own_name = _ask(requests, url, None, control).kind is not EdgeKind.PAGE
            for crawler in crawlers:
                header = crawler_header(crawler)
                answer = _ask(requests, url, header, control)
                self._keep(crawler.name, header, answer)
                findings += self._meaning(url, crawler, answer, control)
        except RequestLimitReached as error:
            findings.append(finding(AuditKind.LIMIT_REACHED, f"the test of the edge is incomplete: {error}", url=url))

    def _keep(self, name: str, header: str, answer: _Answer) -> None:
        if all(one.crawler != name for one in self.answers):
            self.answers.append(_edge_answer(name, header, answer))

    def _meaning(self, url: str, crawler: Crawler, answer: _Answer, control: _Answer) -> Iterator[AuditFinding]:
        verdict = self._requests.decide(url, crawler.agent)
        if answer.kind is control.kind and (answer.kind is not EdgeKind.REDIRECT or answer.equals(control)):
            if answer.kind is not EdgeKind.PAGE:
                yield _same_for(url, crawler, BROWSER, answer)
            elif verdict.allowed:
                yield from self._hidden_page(url, crawler, answer, control)
            else:
                message = f"{crawler.name} gets the page, although {verdict.explanation}"
                yield finding(AuditKind.EDGE_ADMITS, message, url=url, line=verdict.line, status=answer.status)
        elif answer.kind is EdgeKind.PAGE or not verdict.allowed:
            return
        elif _MOBILE in crawler_header(crawler):
            yield from self._meaning_beside_mobile(url, crawler, answer, control, verdict.line)
        else:
            # A limit of requests, or an outage that has begun meanwhile, concerns all clients.
            now = _ask(self._requests, url, _BROWSER_HEADER, control)
            is_as_before = now.equals(control)
            yield _refusal(url, crawler, answer, verdict.line) if is_as_before else _no_page(url, crawler, answer, now)

    def _meaning_beside_mobile(
        self, url: str, crawler: Crawler, answer: _Answer, control: _Answer, line: int | None
    ) -> Iterator[AuditFinding]:
        """Yield what an answer means to a crawler with the header of a mobile browser.

        A site can have another page for mobile browsers, with less text, or redirect them. So the answer to one is not
        compared with that to a desktop browser, which is `control`.
        """
        mobile = _ask(self._requests, url, _MOBILE_HEADER, None)
        self._keep(MOBILE_BROWSER, _MOBILE_HEADER, mobile)
        if mobile.kind is EdgeKind.PAGE:
            compared = answer if answer.response is None else _answer(url, answer.response, mobile)
            self._replace(crawler, answer, compared)
            if compared.kind is EdgeKind.PAGE:
                yield from self._hidden_page(url, crawler, compared, mobile)
            else:
                yield _refusal(url, crawler, compared, line)
        elif mobile.equals(answer):
            yield from self._mobile_page(url, crawler, answer)
        elif mobile.kind is answer.kind is EdgeKind.REDIRECT:
            message = f"{crawler.name} and a {MOBILE_BROWSER} get different redirects: {answer.detail}; {mobile.detail}"
            yield finding(AuditKind.EDGE_UNKNOWN, message, url=url, status=answer.status)
        elif mobile.kind is EdgeKind.REDIRECT or mobile.equals(control):
            # A site may redirect mobile browsers, and still refuse the crawler.
            yield _refusal(url, crawler, answer, line)
        else:
            yield _no_page(url, crawler, answer, mobile)

    def _replace(self, crawler: Crawler, answer: _Answer, compared: _Answer) -> None:
        """Replace a kept answer by the same one as compared with that to a mobile browser."""
        header = crawler_header(crawler)
        known = _edge_answer(crawler.name, header, answer)
        better = _edge_answer(crawler.name, header, compared)
        self.answers = [better if one == known else one for one in self.answers]

    def _mobile_page(self, url: str, crawler: Crawler, answer: _Answer) -> Iterator[AuditFinding]:
        """Yield what an answer means that a mobile browser gets, too, such as a redirect to the mobile page."""
        target = answer.target if answer.kind is EdgeKind.REDIRECT else None
        if target is not None and target != url and self._may_request(target):
            page = _ask(self._requests, target, _MOBILE_HEADER, None)
            if page.kind is EdgeKind.PAGE:
                there = _ask(self._requests, target, crawler_header(crawler), page)
                if there.kind is not EdgeKind.REDIRECT:
                    yield from self._meaning(target, crawler, there, page)
                    return
        yield _same_for(url, crawler, MOBILE_BROWSER, answer)

    def _may_request(self, url: str) -> bool:
        try:
            return self._requests.decide(url).allowed
        except (ClientClosed, RequestLimitReached):
            raise
        except CanfetchError:
            return False

    def _hidden_page(self, url: str, crawler: Crawler, answer: _Answer, control: _Answer) -> Iterator[AuditFinding]:
        """Yield that only the answer to a crawler has noindex for it."""
        hidden, seen = (self._may_index(url, crawler, one) for one in (answer, control))
        if hidden.allowed or not seen.allowed:
            return
        message = f"{hidden.explanation}, for {crawler.name}, and not in the page that a browser gets"
        severity = None if _SEARCH in crawler.purposes else Severity.WARNING
        yield finding(AuditKind.HOME_NOINDEX, message, severity=severity, url=url, status=answer.status)

    def _may_index(self, url: str, crawler: Crawler, answer: _Answer) -> PageDecision:
        assert answer.response is not None
        rules = parse_page(answer.response.body, headers=answer.response.headers, url=url)
        return rules.decide(agent=crawler.agent, now=self._requests.clock()).may_index


def _edge_answer(name: str, header: str, answer: _Answer) -> EdgeAnswer:
    return EdgeAnswer(name, header, str(answer.kind), answer.status, answer.detail)


def _refusal(url: str, crawler: Crawler, answer: _Answer, line: int | None) -> AuditFinding:
    message = f"{crawler.name} {_TITLES[answer.kind]}: {answer.detail}"
    return finding(AuditKind.EDGE_REFUSES, message, url=url, line=line, status=answer.status)


def _no_page(url: str, crawler: Crawler, answer: _Answer, now: _Answer) -> AuditFinding:
    message = f"{crawler.name} {_TITLES[answer.kind]}, but a browser no longer gets the page: {now.detail}"
    return finding(AuditKind.EDGE_UNKNOWN, message, url=url, status=answer.status)


def _same_for(url: str, crawler: Crawler, browser: str, answer: _Answer) -> AuditFinding:
    message = f"{crawler.name} and a {browser} get the same: {answer.detail}"
    return finding(AuditKind.EDGE_UNKNOWN, message, url=url, status=answer.status)


def _ask(requests: SiteRequests, url: str, header: str | None, control: _Answer | None) -> _Answer:
    answer = _answer(url, requests.fetch(url, max_bytes=_MAX_BYTES, user_agent=header), control)
    if answer.kind in _ACCIDENTS:
        answer = _answer(url, requests.fetch(url, max_bytes=_MAX_BYTES, user_agent=header), control)
    return answer


def _answer(url: str, response: Response | Failure, control: _Answer | None) -> _Answer:
    if isinstance(response, Failure):
        kind = EdgeKind.CUT if response.kind in _CUTS else EdgeKind.FAILURE
        return _Answer(kind, None, f"{response.kind}: {response.detail}")
    status = response.status
    if status in _BY_STATUS:
        kind, detail = _BY_STATUS[status]
        price = response.first_header("crawler-price") if kind is EdgeKind.PAYMENT else None
        return _Answer(kind, status, f"{detail}, the price is {printable_text(price)}" if price else detail)
    match status // 100:
        case 2:
            return _page(response, control)
        case 3:
            return _redirect(url, response)
        case 4:
            return _Answer(EdgeKind.OTHER_REFUSAL, status, f"status {status}")
        case _:
            return _Answer(EdgeKind.FAILURE, status, f"status {status}")


def is_challenge(response: Response) -> bool:
    """Return whether a response checks for a browser in place of its content."""
    return _page(response, None).kind is EdgeKind.CHALLENGE


def _page(response: Response, control: _Answer | None) -> _Answer:
    body = response.body.lower()
    text = _text_length(body)
    marks = frozenset(mark for mark in _CHALLENGE_MARKS if mark in body)
    kind, detail = _kind_of_page(response, body, text, marks, control)
    return _Answer(kind, response.status, detail, text, marks if kind is EdgeKind.PAGE else frozenset(), response)


def _kind_of_page(
    response: Response, body: bytes, text: int, marks: frozenset[bytes], control: _Answer | None
) -> tuple[EdgeKind, str]:
    is_announced = (response.first_header("cf-mitigated") or "").strip().lower() == "challenge"
    if response.status == _ACCEPTED:
        return EdgeKind.CHALLENGE, "status 202 in place of the content"
    if is_announced or (marks and _replaces(text, marks, control)):
        return EdgeKind.CHALLENGE, "a script checks for a browser"
    if control is not None and control.kind is EdgeKind.PAGE and control.text >= _MIN_TEXT:
        if text < control.text * _MAX_TEXT_SHARE and _runs_by_itself(body):
            return EdgeKind.CHALLENGE, "a short page with a script replaces the content"
        if text < control.text * _MAX_NOTE_SHARE:
            return EdgeKind.OTHER_PAGE, "nearly nothing of the page"
    return EdgeKind.PAGE, "the page"


def _replaces(text: int, marks: frozenset[bytes], control: _Answer | None) -> bool:
    """Return whether a page with marks of a challenge is in place of the content. Forms have such marks as well."""
    if control is None or control.kind is EdgeKind.CHALLENGE:
        return text < _MAX_CHALLENGE_TEXT
    return not marks <= control.marks or control.text >= 2 * max(text, 1)


def _runs_by_itself(body: bytes) -> bool:
    return b"<script" in body or b'http-equiv="refresh"' in body


def _text_length(body: bytes) -> int:
    """Return the number of bytes of text outside of tags, scripts and styles.

    Cost: O(bytes).
    """
    length = len(body.partition(b"<")[0])
    for part in body.split(b"<")[1:]:
        tag, _, text = part.partition(b">")
        if not tag.startswith((b"script", b"style", b"!--")):
            length += len(text.strip())
    return length


def _redirect(url: str, response: Response) -> _Answer:
    target = redirect_target(url, response)
    if target is None:
        return _Answer(EdgeKind.REDIRECT, response.status, "the redirect leads nowhere")
    # A query can differ from request to request.
    shown = quoted(redacted_url(target).partition("?")[0])
    if _is_login(target):
        return _Answer(EdgeKind.LOGIN, response.status, f"redirected to {shown}")
    return _Answer(EdgeKind.REDIRECT, response.status, f"redirected to {shown}", target=str(target))


def _is_login(url: AnyURL) -> bool:
    host, _, path = str(url).lower().partition("://")[2].partition("/")
    words = [*host.split(".")[:-1], *path.partition("?")[0].replace(".", "/").split("/")]
    return not _LOGIN_WORDS.isdisjoint(words)
