"""`Robots.fetch` on top of the client: one fetch, and its result as reppy reports it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, NoReturn

from canfetch import __version__
from canfetch.access.outcomes import OutcomeKind
from canfetch.access.policies import AccessPolicy
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.sync_client import Client
from canfetch.client.transports import Transport, TransportRequest
from canfetch.client.transports.http_transport import HTTPTransport
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.verdict import Effect
from canfetch.errors import InvalidOption, InvalidURL
from canfetch.integrations.reppy.exceptions import (
    BadStatusCode,
    ConnectionException,
    ContentTooLong,
    ExcessiveRedirects,
    MalformedUrl,
    ReadTimeout,
    ReppyException,
    SSLException,
)
from canfetch.integrations.user_agents import agent_from
from canfetch.repository import default_user_agent

_EXCEPTIONS: Final = {
    FailureKind.TLS: SSLException,
    FailureKind.TIMEOUT: ReadTimeout,
    FailureKind.SCHEME: MalformedUrl,
}
_TOTAL_SECONDS: Final = 30.0

Timeout = float | tuple[float, float] | None


class CaseInsensitiveHeaders(Mapping[str, str]):
    """Header fields whose names are case-insensitive. Repeated fields are joined with commas."""

    def __init__(self, response: Response) -> None:
        self._values = {name.lower(): response.header(name.lower()) or "" for name, _ in response.headers}

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class FetchedResponse(NamedTuple):
    """The last response of a fetch, with the names that `requests` uses."""

    url: str
    status_code: int
    headers: CaseInsensitiveHeaders
    content: bytes


class FetchResult(NamedTuple):
    """The result of a fetch. `content` is None if everything is allowed, or nothing is."""

    response: FetchedResponse
    content: bytes | None
    allows_everything: bool


class _RecordingTransport:
    """A transport that keeps the last response or failure."""

    def __init__(self, transport: Transport | None) -> None:
        self._is_own = transport is None
        self._transport = HTTPTransport() if transport is None else transport
        self.answer: Response | Failure | None = None

    def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request with the other transport."""
        self.answer = self._transport.send(request)
        return self.answer

    def close(self) -> None:
        """Close the other transport, unless it belongs to the caller."""
        if self._is_own:
            self._transport.close()


def fetch_robots(
    url: str,
    max_size: int | None,
    after_response_hook: Callable[[Any], object] | None,
    *,
    headers: Mapping[str, str] | None = None,
    timeout: Timeout = None,
    policy: str | AccessPolicy = "rfc9309",
    transport: Transport | None = None,
) -> FetchResult:
    """Fetch a robots.txt. `Robots.fetch` describes the arguments.

    Raises: ReppyException; InvalidOption.
    """
    user_agent, other_headers = _split_headers(headers or {})
    recorder = _RecordingTransport(transport)
    connect_timeout, read_timeout = _timeouts(timeout)

    def fail(exception: type[ReppyException], message: object) -> NoReturn:
        wrapped = exception(message)
        wrapped.url = url
        if after_response_hook is not None:
            after_response_hook(wrapped)
        raise wrapped

    with Client(
        user_agent=user_agent,
        agent=agent_from(user_agent),
        headers=other_headers,
        connect_timeout=connect_timeout,
        read_timeout=read_timeout,
        timeout=max(_TOTAL_SECONDS, connect_timeout + read_timeout),
        max_bytes=max(max_size or 0, DEFAULT_MAX_BYTES),
        policy=policy,
        transport=recorder,
    ) as client:
        try:
            entry = client.origin_state(url).entry
        except InvalidURL as error:
            fail(MalformedUrl, error)
    answer = recorder.answer
    if answer is None or isinstance(answer, Failure):
        kind = ConnectionException if answer is None else _EXCEPTIONS.get(answer.kind, ConnectionException)
        fail(kind, entry.outcome.detail)
    if entry.outcome.kind is OutcomeKind.REDIRECT_OVERFLOW and entry.outcome.effect is None:
        fail(ExcessiveRedirects, entry.outcome.detail)
    if max_size is not None and len(answer.body) > max_size:
        raise ContentTooLong(f"content larger than {max_size} bytes")
    response = FetchedResponse(answer.url, answer.status, CaseInsensitiveHeaders(answer), answer.body)
    if after_response_hook is not None:
        after_response_hook(response)
    if entry.outcome.effect is None:
        raise BadStatusCode(f"got {answer.status} for {url}: {entry.outcome.detail}", answer.status)
    has_rules = entry.outcome.effect is Effect.CONDITIONAL_ALLOW and entry.copy is not None
    content = entry.copy.content if has_rules and entry.copy is not None else None
    return FetchResult(response, content, entry.outcome.effect is Effect.FULL_ALLOW)


def _split_headers(headers: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the User-Agent header and the others."""
    others = {name: value for name, value in headers.items() if name.lower() != "user-agent"}
    user_agents = [value for name, value in headers.items() if name.lower() == "user-agent"]
    return (user_agents[-1] if user_agents else default_user_agent(__version__)), others


def _timeouts(timeout: Timeout) -> tuple[float, float]:
    """Return the timeouts of a connection and of a read, as `requests` reads its argument."""
    match timeout:
        case None:
            return 10.0, 10.0
        case (float() | int() as connect, float() | int() as read):
            return connect, read
        case float() | int():
            return timeout, timeout
        case _:
            raise InvalidOption(f"invalid timeout {timeout!r}: expected seconds, or a pair of seconds")
