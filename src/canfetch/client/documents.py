"""Documents of sites, fetched as a crawler that respects robots.txt would fetch them.

The procedures are generators that perform no I/O. They yield steps and receive the results, so that all front ends
fetch in the same way. An error of a step is thrown into the generator.
"""

from collections.abc import Awaitable, Callable, Generator
from typing import Any, Final, NamedTuple, TypeVar

from canfetch.access.redirects import REDIRECTS, redirect_target
from canfetch.access.responses import Failure, FailureKind, Headers, Response
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.core.verdict import Reason, Verdict
from canfetch.errors import CanfetchError, RequestNotSent

ArgumentT = TypeVar("ArgumentT")
ResultT = TypeVar("ResultT")
StepT = TypeVar("StepT")

# The same limit as Googlebot's.
_MAX_REDIRECTS: Final = 10
_SUCCESS: Final = 2
DISALLOWED: Final = "robots.txt disallows it"
ROBOTS_UNREACHABLE: Final = "robots.txt is unreachable"


class NotFetched(CanfetchError, OSError):
    """Raised when a document cannot be fetched: its server fails, or robots.txt disallows it.

    Attributes:
        reason: The reason in a few words, without anything that a server has sent.
        is_requested: Whether some request was sent.
        url: The last URL of `fetch_document`, or None.
        hops: The redirects of `fetch_document`.
    """

    def __init__(self, message: str, reason: str = "", *, is_requested: bool = False) -> None:
        super().__init__(message)
        self.reason = reason
        self.is_requested = is_requested
        self.url: str | None = None
        self.hops: tuple[Hop, ...] = ()


class DecideStep(NamedTuple):
    """Decide whether the agent may fetch a URL. The result is a Verdict. It may raise InvalidURL or NotFetched."""

    url: str


class FetchStep(NamedTuple):
    """Fetch a URL without following redirects. The result is a Response or a Failure.

    Attributes: cross_origin: Whether a redirect has led to another origin, so that no credentials are sent.
    """

    url: str
    max_bytes: int
    cross_origin: bool = False


Step = DecideStep | FetchStep


class Hop(NamedTuple):
    """A redirect.

    Attributes:
        url: The URL that redirects, without credentials.
        status: The status code.
        headers: The headers of the response.
    """

    url: str
    status: int
    headers: Headers = ()

    def to_json(self) -> dict[str, Any]:
        """Return the redirect as JSON, without its headers."""
        return {"url": self.url, "status": self.status}


class FetchFacts(NamedTuple):
    """Facts about the request for a document.

    Attributes:
        url: The URL of the last request, without credentials.
        status: The status of the last response, or None if robots.txt disallows the URL.
        bytes: The size of the body.
        hops: The redirects that led to the URL.
    """

    url: str
    status: int | None
    bytes: int
    hops: tuple[Hop, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the facts as JSON."""
        return {**self._asdict(), "hops": [hop.to_json() for hop in self.hops]}


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
    hops: tuple[Hop, ...]

    @property
    def refusal(self) -> str:
        """Why the URL was not requested."""
        return ROBOTS_UNREACHABLE if self.verdict.reason is Reason.UNREACHABLE else DISALLOWED

    def checked_body(self, expected: str = "") -> bytes:
        """Return the body.

        Args: expected: The end of the error message about another status, such as `: expected a page`.
        Raises: NotFetched: robots.txt disallows the URL or is unreachable, or the status is not a success.
        """
        if self.response is None:
            verb = "cannot fetch" if self.refusal == ROBOTS_UNREACHABLE else "robots.txt disallows"
            raise NotFetched(f"{verb} {quoted_url(self.url)}: {self.verdict.explanation}", self.refusal)
        if self.response.status // 100 != _SUCCESS:
            status = f"status {self.response.status}"
            message = f"{quoted_url(self.url)} responded with {status}{expected}"
            raise NotFetched(message, status, is_requested=True)
        return self.response.body

    def facts(self) -> FetchFacts:
        """Return facts about the request."""
        url = redacted_url(self.url)
        if self.response is None:
            return FetchFacts(url, None, 0, self.hops)
        return FetchFacts(url, self.response.status, len(self.response.body), self.hops)


def fetch_document(url: str, *, max_bytes: int) -> Generator[Step, Any, Document]:
    """Fetch a document, and follow redirects. Every URL is checked against robots.txt.

    Raises: NotFetched: The server fails, or redirects too often. RequestNotSent: This machine cannot send the request.
    """
    hops: list[Hop] = []
    cross_origin = False
    try:
        while True:
            document = yield from _fetch_once(FetchStep(url, max_bytes, cross_origin), hops)
            if isinstance(document, Document):
                return document
            cross_origin = cross_origin or Origin.from_url(document) != Origin.from_url(url)
            url = document
    except NotFetched as error:
        error.url, error.hops = url, tuple(hops)
        error.is_requested = error.is_requested or bool(hops)
        raise


def _fetch_once(step: FetchStep, hops: list[Hop]) -> Generator[Step, Any, Document | str]:
    """Return the document at a URL, or the URL that it redirects to. A redirect is added to `hops`."""
    url = step.url
    verdict: Verdict = yield DecideStep(url)
    if not verdict.allowed:
        return Document(None, url, verdict, tuple(hops))
    response: Response | Failure = yield step
    if isinstance(response, Failure):
        if response.kind is FailureKind.LOCAL:
            raise RequestNotSent(f"{redacted_url(url)} was not requested: {response.detail}")
        message = f"cannot fetch {quoted_url(url)}: {response.kind}: {response.detail}"
        raise NotFetched(message, str(response.kind), is_requested=True)
    if response.status not in REDIRECTS:
        return Document(response, url, verdict, tuple(hops))
    hops.append(Hop(redacted_url(url), response.status, response.headers))
    if len(hops) > _MAX_REDIRECTS:
        first_url = quoted(hops[0].url)
        raise NotFetched(
            f"too many redirects from {first_url}: expected at most {_MAX_REDIRECTS}", "too many redirects"
        )
    return _redirect_target(url, response)


def _redirect_target(base: str, response: Response) -> str:
    target = redirect_target(base, response)
    if target is not None and Origin.from_url(target).scheme in {"http", "https"}:
        return target
    location = (response.header("location") or "").strip()
    raise NotFetched(
        f"cannot follow the redirect of {quoted_url(base)} to {quoted_url(location)}: expected an HTTP URL",
        f"status {response.status}",
    )


def run_steps(steps: Generator[StepT, Any, ResultT], perform: Callable[[StepT], Any]) -> ResultT:
    """Run a procedure.

    Args: perform: Performs a step, and returns its result.
    Raises: What `perform` and the procedure raise.
    """
    return run_without_waiting(run_steps_async(steps, without_waiting(perform)))


async def run_steps_async(steps: Generator[StepT, Any, ResultT], perform: Callable[[StepT], Awaitable[Any]]) -> ResultT:
    """Run a procedure whose steps are performed asynchronously. See `run_steps`."""
    try:
        step = next(steps)
        while True:
            try:
                result = await perform(step)
            except Exception as error:  # noqa: BLE001 - the procedure handles it, or raises it again
                step = steps.throw(error)
            else:
                step = steps.send(result)
    except StopIteration as end:
        value: ResultT = end.value
        return value


class _StopIterationRaised(Exception):
    """Carries a StopIteration out of a coroutine, which would raise RuntimeError in its place."""

    def __init__(self, error: StopIteration) -> None:
        super().__init__()
        self.error = error


def without_waiting(function: Callable[[ArgumentT], ResultT]) -> Callable[[ArgumentT], Awaitable[ResultT]]:
    """Return a function as one to await, for `run_without_waiting`."""

    async def call(argument: ArgumentT) -> ResultT:
        try:
            return function(argument)
        except StopIteration as error:
            raise _StopIterationRaised(error) from error

    return call


def run_without_waiting(awaitable: Awaitable[ResultT]) -> ResultT:
    """Run a coroutine that awaits only functions of `without_waiting`, so that it needs no event loop.

    Raises: What the coroutine and these functions raise.
    """
    try:
        next(awaitable.__await__())
    except StopIteration as end:
        value: ResultT = end.value
        return value
    except _StopIterationRaised as raised:
        error = raised.error
    else:
        raise AssertionError("the coroutine waits")
    raise error


def quoted_url(url: str) -> str:
    """Return a URL for a message, without its credentials."""
    return quoted(redacted_url(url))
