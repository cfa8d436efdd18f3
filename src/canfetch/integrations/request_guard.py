"""What the integrations of HTTP clients share: each request is checked, waits for its turn, and is counted."""

import asyncio
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterator, MutableMapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Unpack

from canfetch.access.pacing import Pace
from canfetch.access.redirects import REDIRECTS
from canfetch.client.argument_checks import check_agent, check_delay_bounds, check_flag
from canfetch.client.evidence import EvidenceRecorder
from canfetch.client.forking import reset_on_fork
from canfetch.client.options import ClientOptions
from canfetch.client.origin_state import OriginState
from canfetch.client.pacers import AsyncPacer, Pacer, RequestTurn
from canfetch.client.procedure import Clock
from canfetch.client.skip_report.writer import SkipReport
from canfetch.client.stores import Store
from canfetch.client.transports import AsyncTransport, Transport
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.core.verdict import ClientVerdict, RefusedByVerdict, RobotsDisallowed
from canfetch.errors import InvalidOption, InvalidURL
from canfetch.integrations.checked_request import CheckedRequest, SentRequest
from canfetch.integrations.followed_redirects import Redirect, Redirects
from canfetch.integrations.paced_clients import PacedAsyncClient, PacedClient
from canfetch.integrations.request_blocks import is_in_block, open_block

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

    from canfetch.client.identity import SigningIdentity
    from canfetch.consent import PageResponse, UseVerdict
    from canfetch.pages import PageVerdict

DEFAULT_MAX_DELAY: Final = 60.0
# The schemes of requests to web servers, also for WebSockets, and the schemes of their robots.txt files.
CHECKED_SCHEMES: Final = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
_GUARD_ONLY: Final = frozenset(
    {"wait", "min_delay", "max_delay", "visit_times", "sleep", "page_rules", "purpose", "mark_uses", "skip_report"}
)
SIGNATURE_HEADERS: Final = ("Signature-Agent", "Signature-Input", "Signature")
_FINAL_DOT: Final = re.compile(r"\A([A-Za-z]+://[^/?#]*?)\.(?=(?::[0-9]*)?(?:[/?#]|\Z))")
_PAGE_ATTRIBUTE: Final = "_canfetch_page_verdict"
_USE_ATTRIBUTE: Final = "_canfetch_use_verdict"
# The number of origins for which it is known until when their files about uses are fresh.
_MAX_USE_FILES: Final = 10_000


class GuardOptions(ClientOptions, total=False):
    """The options that the integrations of HTTP clients have in common, besides those of `Client`.

    Attributes:
        wait: Whether requests wait for the crawl delay and the request rate that the file declares. Default: False.
        min_delay: With `wait`, the shortest delay between two requests to an origin, in seconds. Default: 0.
        max_delay: With `wait`, the longest delay, whatever the file declares. Default: 60.
        visit_times: With `wait`, whether requests also wait for the next Visit-time of the file, which can take almost
            a day. Default: False.
        page_rules: Whether to read the `X-Robots-Tag` of each response, for `page_verdict`. Default: False.
        purpose: What the content is collected for, as for `Client.may_use`. A response whose use its site disallows, or
            permits only on conditions, is refused, and `use_verdict` returns the verdict on the others. Default: None,
            any purpose.
        mark_uses: With `purpose`, whether the responses that would be refused are returned, too. Default: False.
        store: The store of the files. Default: memory only.
        evidence: The recorder of all decisions.
        identity: Signs the requests over https, those for robots.txt and each target of a redirect. See
            `canfetch.client.identity.SigningIdentity`. Default: requests are not signed.
        skip_report: The report to which the requests are added that robots.txt disallows. It is not closed.
        tracer: An OpenTelemetry tracer. Each fetch of a robots.txt is then a span.
        clock: Returns seconds since the epoch.
        sleep: With `wait`, a function that sleeps for a number of seconds, and is async in asynchronous HTTP clients.
            Closing the HTTP client ends the default one.
    """

    wait: bool
    min_delay: float
    max_delay: float
    visit_times: bool
    page_rules: bool
    purpose: str | None
    mark_uses: bool
    store: Store | None
    evidence: EvidenceRecorder | None
    identity: "SigningIdentity | None"
    skip_report: SkipReport | None
    tracer: "Tracer | None"
    clock: Clock
    sleep: Callable[[float], Any]


class InvalidRequestURL(InvalidURL):
    """Raised in place of a request whose host or port is invalid, so that no robots.txt applies to it.

    Each integration raises a subclass that is also an error of its HTTP client. A server can cause it with a redirect.

    Attributes: url: The URL of the request, which can be the target of a redirect.
    """

    def __init__(self, message: str, url: str) -> None:
        super().__init__(message)
        self._requested_url = url

    @property
    def url(self) -> str:
        """The URL of the request."""
        return self._requested_url

    def __str__(self) -> str:
        # The exceptions of HTTP clients add the class or the URL to the message.
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        """Support pickle, without the objects that an HTTP client attaches."""
        return type(self), (str(self), self.url)


class UseDisallowed(RefusedByVerdict):
    """Raised in place of a response whose use its site disallows, or permits only on conditions such as a payment.

    Each integration raises a subclass that is also an error of its HTTP client.

    Attributes:
        url: The URL of the response, which can be the target of a redirect.
        verdict: The verdict, with the statements that decide, or with `conditions`.
    """

    verdict: "UseVerdict"


class RequestErrors(NamedTuple):
    """The exceptions of an integration.

    Attributes:
        disallowed: Raised in place of a request that robots.txt disallows.
        disallowed_use: Raised in place of a response whose use its site does not allow.
        invalid_url: Raised in place of a request whose URL is invalid.
    """

    disallowed: type[RobotsDisallowed]
    disallowed_use: type[UseDisallowed]
    invalid_url: type[InvalidRequestURL]


class RequestStats(NamedTuple):
    """A snapshot of what a guard has done since it was created.

    Attributes:
        checked: Requests that were checked, including the targets of redirects.
        disallowed: Checked requests that were not sent because of robots.txt.
        exempt: Requests that were not checked, because the caller opted out.
        waited_seconds: Total time that requests waited for their turn.
        page_verdicts: Responses whose `X-Robots-Tag` was read.
        disallowed_uses: Responses whose use is disallowed or has conditions. They were refused, or returned with
            `mark_uses`.
    """

    checked: int = 0
    disallowed: int = 0
    exempt: int = 0
    waited_seconds: float = 0.0
    page_verdicts: int = 0
    disallowed_uses: int = 0


class _BaseGuard:
    """The parts of a guard that do not wait.

    Args:
        agent: The agent of the client.
        errors: The exceptions to raise.
    """

    def __init__(self, agent: Agent, errors: RequestErrors, options: GuardOptions) -> None:
        self._agent = check_agent(agent)
        self._errors = errors
        self._reads_page_rules = options.get("page_rules", False)
        purpose = options.get("purpose")
        self._purpose = None if purpose is None else _find_purpose(purpose)
        self._marks_uses = options.get("mark_uses", False)
        self._skip_report = _checked_report(options.get("skip_report"))
        self._identity = options.get("identity")
        self._needs_verdict = self._reads_page_rules or self._purpose is not None
        self._clock = options.get("clock", time.time)
        self._redirects = Redirects()
        self._counts: dict[str, float] = dict(RequestStats()._asdict())
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Take a new lock. The counts continue those of the parent."""
        self._lock = threading.Lock()
        # Until when the files about uses are fresh, by the name of their origin.
        self._use_files: OrderedDict[tuple[str, bool], float] = OrderedDict()

    @property
    def stats(self) -> RequestStats:
        """A snapshot of the counters. Those of `client` count the fetches of robots.txt."""
        with self._lock:
            return RequestStats(**self._counts)  # type: ignore[arg-type]  # one of them is not an integer

    def exempt(self) -> AbstractContextManager[None]:
        """Send the requests of the current thread or task in the block without checking them.

        Until the block ends, the same applies to tasks that start in it, and to threads with a copy of its context.
        """
        return open_block(self)

    def sign(self, headers: MutableMapping[str, str], method: str, url: str) -> None:
        """Sign a request that will be sent, if the guard has an identity.

        HTTP clients copy the headers of a request to the target of a redirect, so an earlier signature is removed.

        Args:
            headers: The headers of the request, which are changed.
            method: The method, as it is sent.
            url: The URL of the request, as it is sent.
        Raises: InvalidRequestURL: The URL has no valid host.
        """
        if self._identity is not None:
            with self._converted_errors(url):
                signature = self._identity.headers(method, url)
            replace_signature(headers, signature)

    @property
    def has_identity(self) -> bool:
        """Whether requests are signed."""
        return self._identity is not None

    def unsign(self, headers: MutableMapping[str, str]) -> None:
        """Remove the signature from the headers of a request that was sent, if the guard has an identity.

        A client copies them to the target of a redirect, which may be sent without this guard, and over http.
        """
        if self._identity is not None:
            replace_signature(headers, ())

    def _read_page_rules(self, response: object, sent: SentRequest) -> None:
        """Read the page rules in the headers of a response, for `page_verdict`, if that is enabled."""
        if not self._reads_page_rules:
            return
        from canfetch.pages import parse_page  # noqa: PLC0415 - imported only if needed

        rules = parse_page(headers=sent.headers, url=sent.url)
        verdict = rules.decide(agent=self._agent, now=self._clock(), robots=sent.verdict)
        setattr(response, _PAGE_ATTRIBUTE, verdict)
        self._count("page_verdicts")

    @staticmethod
    def _has_html(sent: SentRequest) -> bool:
        """Return whether the body of a response is HTML, which its use depends on."""
        from canfetch.integrations.page_bodies import has_html  # noqa: PLC0415 - as above

        return has_html(sent.status, sent.headers)

    @staticmethod
    def _page_response(sent: SentRequest, html: bytes | None) -> "PageResponse":
        from canfetch.integrations.page_bodies import page_response  # noqa: PLC0415 - as above

        return page_response(sent.status, sent.headers, html)

    def _is_foreign(self, url: str) -> bool:
        """Return whether a redirect led to a URL of an origin that the caller did not name.

        Raises: InvalidRequestURL.
        """
        if not self._redirects.is_followed():
            return False
        with self._converted_errors(url):
            last = self._redirects.request(url)
            return last is not None and last.is_foreign(url)

    def _mark_use(self, response: object, sent: SentRequest, own_verdict: "UseVerdict", last: Redirect | None) -> None:
        """Attach the verdict on a use to a response, with what the sites on the way to it state.

        Args: last: The redirect that led to the response, or None.
        Raises: UseDisallowed: The use is disallowed or has conditions, and such responses are refused.
        """
        from canfetch.consent.decision import with_redirects  # noqa: PLC0415 - as above

        url = sent.url
        earlier = () if last is None else last.verdicts_for(url)
        if sent.status in REDIRECTS:
            self._redirects.add_verdicts((*earlier, own_verdict))
        verdict = with_redirects(own_verdict, earlier) if earlier else own_verdict
        setattr(response, _USE_ATTRIBUTE, verdict)
        if not verdict.is_refused:
            return
        self._count("disallowed_uses")
        if not self._marks_uses:
            words = "may be used" if verdict.conditions else "may not be used"
            message = f"{redacted_url(url)} {words} for {verdict.purpose}: {verdict.explanation}"
            raise self._errors.disallowed_use(message, url, verdict)

    def _is_exempt(self, *, opted_out: bool) -> bool:
        if opted_out or is_in_block(self):
            self._count("exempt")
            return True
        self._count("checked")
        return False

    def _checked(self, url: str, verdict: ClientVerdict) -> ClientVerdict:
        if not verdict.allowed:
            self._count("disallowed")
            if self._skip_report is not None:
                self._skip_report.record(url, verdict)
            message = f"{self._agent.tokens[0]} may not fetch {redacted_url(url)}: {verdict.explanation}"
            raise self._errors.disallowed(message, url, verdict)
        return verdict

    @contextmanager
    def _converted_errors(self, url: str) -> Iterator[None]:
        """Raise an error of the HTTP client for an invalid URL. Its own could come after a connection to some host."""
        if not url.isascii() and any("\ud800" <= character <= "\udfff" for character in url):
            # aiohttp would send the URL without it, and other clients nothing.
            reason = "a lone surrogate has no bytes to send: percent-encode it"
            raise self._errors.invalid_url(f"invalid URL {quoted(redacted_url(url))}: {reason}", url)
        try:
            yield
        except InvalidURL as error:
            message = f"invalid URL {quoted(redacted_url(url))}: expected an absolute URL with a valid host and port"
            raise self._errors.invalid_url(message, url) from error

    def _has_use_files(self, url: str, *, cross_origin: bool) -> bool:
        """Return whether the files of an origin about uses were fetched, and are still fresh."""
        with self._lock:
            return self._clock() < self._use_files.get((str(Origin.from_url(url)), cross_origin), 0.0)

    def _note_use_files(self, url: str, fresh_until: float, *, cross_origin: bool) -> None:
        key = str(Origin.from_url(url)), cross_origin
        with self._lock:
            self._use_files.pop(key, None)
            self._use_files[key] = fresh_until
            if len(self._use_files) > _MAX_USE_FILES:
                self._use_files.popitem(last=False)

    def _count(self, name: str, number: float = 1) -> None:
        with self._lock:
            self._counts[name] += number


class RequestGuard(_BaseGuard):
    """Checks the requests of a synchronous HTTP client. Safe for use by several threads.

    Attributes: client: The canfetch client that decides.
    """

    def __init__(
        self,
        transport: Transport,
        errors: RequestErrors,
        *,
        user_agent: str,
        **options: Unpack[GuardOptions],
    ) -> None:
        bounds = _delay_bounds(options)
        self.client = PacedClient(user_agent=user_agent, transport=transport, **_client_options(options))
        super().__init__(self.client.options.agent, errors, options)
        sleep = options.get("sleep")
        self._pacer = None
        if bounds is not None:
            visit_times = options.get("visit_times", False)
            self._pacer = Pacer(self._agent, bounds, clock=self._clock, sleep=sleep, visit_times=visit_times)
            self.client.start_turn = self._start_turn

    def check(self, url: str, *, opted_out: bool = False, has_connection: bool = False) -> CheckedRequest:
        """Check a request, and wait for its turn. Close the turn when the request was sent.

        Args:
            url: The URL of the request.
            opted_out: Do not check the request.
            has_connection: See `Pacer.start`.
        Raises: RobotsDisallowed: The request may not be sent. InvalidRequestURL, ClientClosed, EvidenceError,
            SkipReportError.
        """
        if self._is_exempt(opted_out=opted_out):
            return CheckedRequest()
        cross_origin = self._is_foreign(url)
        verdict = self._require_allowed(url, cross_origin=cross_origin)
        if self._purpose is not None and not self._has_use_files(url, cross_origin=cross_origin):
            state = self.client.origin_state(url, cross_origin=cross_origin)
            # Now, because the response will hold a connection, and the pool of the HTTP client may have no other one.
            fresh_until = self.client.fetch_use_files(url, self._purpose, cross_origin=cross_origin)
            self._note_use_files(url, fresh_until, cross_origin=cross_origin)
            if self.client.origin_state(url, cross_origin=cross_origin) is not state:
                verdict = self._require_allowed(url, cross_origin=cross_origin)
        if self._pacer is None:
            return CheckedRequest(verdict)
        state = self.client.origin_state(url, cross_origin=cross_origin)
        turn = self._start_turn(state, has_connection=has_connection)
        try:
            if self.client.origin_state(url, cross_origin=cross_origin) is not state:
                # The file was fetched again during the wait.
                verdict = self._require_allowed(url, cross_origin=cross_origin)
        except BaseException:
            turn.end()
            raise
        return CheckedRequest(verdict, turn)

    def _require_allowed(self, url: str, *, cross_origin: bool) -> ClientVerdict | None:
        with self._converted_errors(url):
            needs_verdict = self._needs_verdict or self.client.records_verdicts or cross_origin
            if not needs_verdict and self.client.allows(url):
                return None
            return self._checked(url, self.client.decide(url, cross_origin=cross_origin))

    def _start_turn(self, state: OriginState, *, has_connection: bool = False) -> RequestTurn:
        assert self._pacer is not None
        turn = self._pacer.start(state, has_connection=has_connection)
        self._count("waited_seconds", turn.waited_seconds)
        return turn

    def examine(self, response: Any, sent: SentRequest, read_start: Callable[[], bytes | None]) -> None:
        """Read the page rules of a response, and check its use, if that is enabled. A response is closed if that fails.

        Args: read_start: Returns the beginning of HTML, as `PageStart.finish` does. The client can still read it all.
        Raises: UseDisallowed: The site does not allow the use. ClientClosed, RequestNotSent; MissingExtra: lxml is not
            installed.
        """
        last = self._redirects.respond(sent)
        self._read_page_rules(response, sent)
        if self._purpose is None or sent.verdict is None:
            return
        try:
            page = self._page_response(sent, read_start() if self._has_html(sent) else None)
            cross_origin = last is not None and last.is_foreign(sent.url)
            verdict = self.client.may_use(sent.url, purpose=self._purpose, response=page, cross_origin=cross_origin)
            self._mark_use(response, sent, verdict, last)
        except BaseException:
            response.close()
            raise

    def close(self) -> None:
        """Close the client, and with it the store. Requests that wait for their turn raise ClientClosed."""
        if self._pacer is not None:
            self._pacer.close()
        self.client.close()


class AsyncRequestGuard(_BaseGuard):
    """Checks the requests of an asynchronous HTTP client.

    Attributes: client: The canfetch client that decides.
    """

    def __init__(
        self,
        transport: AsyncTransport,
        errors: RequestErrors,
        *,
        user_agent: str,
        **options: Unpack[GuardOptions],
    ) -> None:
        bounds = _delay_bounds(options)
        self.client = PacedAsyncClient(user_agent=user_agent, transport=transport, **_client_options(options))
        super().__init__(self.client.options.agent, errors, options)
        sleep = options.get("sleep", asyncio.sleep)
        self._pacer = None
        if bounds is not None:
            visit_times = options.get("visit_times", False)
            self._pacer = AsyncPacer(self._agent, bounds, clock=self._clock, sleep=sleep, visit_times=visit_times)
            self.client.start_turn = self._start_turn

    async def check(self, url: str, *, opted_out: bool = False) -> CheckedRequest:
        """Check a request, and wait for its turn. See `RequestGuard.check`.

        Raises: RobotsDisallowed: The request may not be sent. InvalidRequestURL, ClientClosed, EvidenceError,
            SkipReportError.
        """
        if self._is_exempt(opted_out=opted_out):
            return CheckedRequest()
        cross_origin = self._is_foreign(url)
        verdict = await self._require_allowed(url, cross_origin=cross_origin)
        if self._purpose is not None and not self._has_use_files(url, cross_origin=cross_origin):
            state = await self.client.origin_state(url, cross_origin=cross_origin)
            fresh_until = await self.client.fetch_use_files(url, self._purpose, cross_origin=cross_origin)
            self._note_use_files(url, fresh_until, cross_origin=cross_origin)
            if await self.client.origin_state(url, cross_origin=cross_origin) is not state:
                verdict = await self._require_allowed(url, cross_origin=cross_origin)
        if self._pacer is None:
            return CheckedRequest(verdict)
        state = await self.client.origin_state(url, cross_origin=cross_origin)
        turn = await self._start_turn(state)
        try:
            if await self.client.origin_state(url, cross_origin=cross_origin) is not state:
                verdict = await self._require_allowed(url, cross_origin=cross_origin)
        except BaseException:
            turn.end()
            raise
        return CheckedRequest(verdict, turn)

    async def _require_allowed(self, url: str, *, cross_origin: bool) -> ClientVerdict | None:
        with self._converted_errors(url):
            needs_verdict = self._needs_verdict or self.client.records_verdicts or cross_origin
            if not needs_verdict and await self.client.allows(url):
                return None
            return self._checked(url, await self.client.decide(url, cross_origin=cross_origin))

    async def _start_turn(self, state: OriginState) -> RequestTurn:
        assert self._pacer is not None
        turn = await self._pacer.start(state)
        self._count("waited_seconds", turn.waited_seconds)
        return turn

    async def examine(
        self,
        response: object,
        sent: SentRequest,
        read_start: Callable[[], Awaitable[bytes | None]],
        close: Callable[[], Awaitable[None] | None],
    ) -> None:
        """Read the page rules of a response, and check its use. See `RequestGuard.examine`.

        Args: close: Closes the response.
        Raises: UseDisallowed: The site does not allow the use. ClientClosed, RequestNotSent, MissingExtra.
        """
        last = self._redirects.respond(sent)
        self._read_page_rules(response, sent)
        if self._purpose is None or sent.verdict is None:
            return
        try:
            page = self._page_response(sent, await read_start() if self._has_html(sent) else None)
            cross_origin = last is not None and last.is_foreign(sent.url)
            verdict = await self.client.may_use(
                sent.url, purpose=self._purpose, response=page, cross_origin=cross_origin
            )
            self._mark_use(response, sent, verdict, last)
        except BaseException:
            closing = close()
            if closing is not None:
                await closing
            raise

    async def close(self) -> None:
        """Close the client, and with it the store. Requests that wait for their turn raise ClientClosed."""
        if self._pacer is not None:
            self._pacer.close()
        await self.client.close()


def without_final_dot(url: str) -> str:
    """Return a URL without a dot at the end of its host, for clients that do not send it in the Host field."""
    return _FINAL_DOT.sub(r"\1", url)


def replace_signature(headers: MutableMapping[str, str], signature: "Collection[tuple[str, str]]") -> None:
    """Replace the signature in the headers of a request, or remove it if there is no other."""
    for name in SIGNATURE_HEADERS:
        headers.pop(name, None)
    headers.update(signature)


def page_verdict(response: object) -> "PageVerdict | None":
    """Return what the `X-Robots-Tag` of a response permits, or None without the option `page_rules`.

    Args: response: A response that the integration of its HTTP client has seen, or an HTTPError of urllib.
    """
    verdict: PageVerdict | None = _attached(response, _PAGE_ATTRIBUTE)
    return verdict


def use_verdict(response: object) -> "UseVerdict | None":
    """Return whether a response may be used for the option `purpose`, or None without it.

    Args: response: As for `page_verdict`.
    """
    verdict: UseVerdict | None = _attached(response, _USE_ATTRIBUTE)
    return verdict


def _attached(response: object, name: str) -> Any:
    verdict = getattr(response, name, None)
    return getattr(getattr(response, "fp", None), name, None) if verdict is None else verdict


def _checked_report(report: Any) -> SkipReport | None:
    if report is not None and not isinstance(report, SkipReport):
        raise InvalidOption(f"invalid skip_report {quoted(report)}: expected a canfetch.SkipReport")
    return report


def _find_purpose(name: str) -> str:
    from canfetch.consent.purposes import find_purpose  # noqa: PLC0415 - most programs have no purpose

    return find_purpose(name)


def _delay_bounds(options: GuardOptions) -> Pace | None:
    """Return the bounds of the delay, or None if requests do not wait.

    Raises: InvalidOption: An option of the guard is invalid, or cannot be guaranteed.
    """
    for name in ("wait", "visit_times", "page_rules", "mark_uses"):
        check_flag(name, options.get(name, False))
    if options.get("allow_private") is False:
        raise InvalidOption(
            "invalid allow_private False: robots.txt is fetched with the connections of the HTTP client, whose "
            "addresses cannot be checked; pass allow_private=True"
        )
    if options.get("purpose") is None and "mark_uses" in options:
        raise InvalidOption("mark_uses has no effect without purpose")
    if not options.get("wait", False):
        for name in ("min_delay", "max_delay", "visit_times", "sleep"):
            if name in options:
                raise InvalidOption(f"{name} has no effect without wait=True")
        return None
    min_delay, max_delay = options.get("min_delay", 0.0), options.get("max_delay", DEFAULT_MAX_DELAY)
    check_delay_bounds(min_delay=min_delay, max_delay=max_delay)
    return Pace(min_delay=min_delay, max_delay=max_delay)


def _client_options(options: GuardOptions) -> dict[str, Any]:
    """Return the options of the client."""
    return {name: value for name, value in options.items() if name not in _GUARD_ONLY}
