"""Calls of a URLFrontier service, repeated for a bounded time while it is away. It requires the library `grpcio`.

Every call can be repeated: a URL that was put has the same state when it is put again, and URLs that a broken answer
did not deliver are handed out again when their leases expire.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import inf
from typing import Any, Final, NamedTuple, TypeVar

from canfetch.client.forking import reset_on_fork
from canfetch.client.frontier.queue_connection import QueueConnection
from canfetch.client.frontier.urlfrontier_schema import METHODS, message_classes, method_path, missing_extra
from canfetch.client.loggers import CLIENT_LOGGER
from canfetch.core.quoting import quoted
from canfetch.core.redaction import quoted_url
from canfetch.core.text import printable_text
from canfetch.errors import InvalidOption, StoreError

Result = TypeVar("Result")
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 2.0
# A URL that the service does not accept for longer is left to its lease, so that the others have turns.
_REFUSED_SECONDS: Final = 5.0
# A call without an answer for this long is repeated.
_CALL_SECONDS: Final = 10.0
# The number of URLs in one call of `PutURLs`.
_PUT_BATCH: Final = 1000
# What passes without a change of the program.
_PASSING: Final = ("UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "ABORTED", "CANCELLED", "INTERNAL")
OK: Final = 0
_FAIL: Final = 2
_MAX_PORT: Final = 65535
# Of gRPC: it connects again at once when the service is back, and speaks to the service itself.
_CHANNEL_OPTIONS: Final = (
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1000),
    ("grpc.max_reconnect_backoff_ms", 2000),
    ("grpc.enable_http_proxy", 0),
    # Channels of one process must not share a connection that has just broken.
    ("grpc.use_local_subchannel_pool", 1),
)


class PutItem(NamedTuple):
    """A URL to put.

    Attributes:
        info: The `URLInfo`.
        date: When it may be fetched, in seconds since the epoch, 0 if never again, or None if it was discovered.
    """

    info: Any
    date: int | None


class URLFrontierConnection(QueueConnection):
    """Connections to the nodes of a service.

    Args:
        addresses: The addresses of all nodes.
        outage_seconds: How long a call is repeated while a node is away.
    Raises: MissingExtra: The library `grpcio` or `protobuf` is not installed.
    """

    def __init__(self, addresses: Sequence[str], *, outage_seconds: float) -> None:
        super().__init__(name_service(addresses))
        self._grpc = _import_grpc()
        self.messages = message_classes()
        self._outage_seconds = outage_seconds
        self._addresses = addresses
        # How often a call has failed. The service may have forgotten blocks, delays and leases since then.
        self.outages = 0
        # Seconds for which the service has accepted no URL at all.
        self._refusing_seconds = 0.0
        self._channels = [self._grpc.insecure_channel(address, options=_CHANNEL_OPTIONS) for address in addresses]
        self._methods = [self._node_methods(channel) for channel in self._channels]
        reset_on_fork(self)

    @property
    def nodes(self) -> range:
        """The numbers of all nodes."""
        return range(len(self._addresses))

    def call(self, node: int, method: str, request: Any, *, until: float = inf) -> Any:
        """Call a method with one answer, and return it.

        Args: until: When the lease ends for which this is a call, by `running_seconds`.
        Raises: StoreError; LeaseExpiredError.
        """
        return self.repeat(lambda: self.call_once(node, method, request), until)

    def call_once(self, node: int, method: str, request: Any, *, seconds: float = _CALL_SECONDS) -> Any:
        """Call a method with one answer, without repetition.

        Raises: grpc.RpcError; StoreError: The connection is closed.
        """
        self.check_usable()
        with self._counting_failures():
            return self._methods[node][method](request, timeout=seconds, metadata=self._headers())

    def get(self, node: int, method: str, request: Any) -> list[Any]:
        """Call a method with a stream of answers, and return those that came before it ended or broke.

        Raises: StoreError.
        """
        return self.repeat(lambda: self.get_once(node, method, request))

    def get_once(self, node: int, method: str, request: Any) -> list[Any]:
        """Call a method as `get`, without repetition.

        Raises: grpc.RpcError: It broke before the first answer; StoreError: The connection is closed.
        """
        self.check_usable()
        received: list[Any] = []
        try:
            with self._counting_failures():
                received.extend(self._methods[node][method](request, timeout=_CALL_SECONDS, metadata=self._headers()))
        except self._grpc.RpcError as error:
            if not received:
                raise
            CLIENT_LOGGER.warning("%s: an answer broke: %s", self.name, _describe(error))
        return received

    def get_each(self, node: int, method: str, requests: Sequence[Any], *, until: float = inf) -> list[list[Any]]:
        """Call a method with a stream of answers for each request, all at once, and return their answers.

        Args: until: When the lease ends for which these are calls, by `running_seconds`.
        Raises: StoreError; LeaseExpiredError.
        """

        def call() -> list[list[Any]]:
            self.check_usable()
            send = self._methods[node][method]
            streams = [send(request, timeout=_CALL_SECONDS, metadata=self._headers()) for request in requests]
            with self._counting_failures():
                return [list(stream) for stream in streams]

        return self.repeat(call, until)

    def put(self, node: int, items: Sequence[PutItem], *, until: float = inf) -> list[int]:
        """Put URLs, and return the statuses of the service, in their order. All are acknowledged.

        Args: until: When the lease ends for which this is a call, by `running_seconds`.
        Raises: StoreError; LeaseExpiredError.
        """
        statuses: list[int] = []
        for start in range(0, len(items), _PUT_BATCH):
            statuses += self._put_batch(node, items[start : start + _PUT_BATCH], until)
        return statuses

    def put_once(self, node: int, items: Sequence[PutItem], *, seconds: float) -> None:
        """Put URLs without repetition, and without a look at their statuses.

        Raises: grpc.RpcError; StoreError: The connection is closed.
        """
        with self._counting_failures():
            for _ in self._exchange(node, enumerate(items), seconds=seconds):
                pass

    def close(self, reason: str = "the frontier is closed") -> None:
        """Close the connections."""
        self._end_use(reason)
        for channel in self._channels:
            channel.close()

    def reset_after_fork(self) -> None:
        """Make the connection unusable in a forked process, in which the threads of gRPC do not run."""
        self._end_use_after_fork()

    def is_call_error(self, error: BaseException) -> bool:
        """Return whether an exception is one of a call that failed."""
        return isinstance(error, self._grpc.RpcError)

    def _put_batch(self, node: int, items: Sequence[PutItem], until: float) -> list[int]:
        acknowledged: dict[int, int] = {}

        def call() -> list[int]:
            missing = [(number, item) for number, item in enumerate(items) if number not in acknowledged]
            # One by one, so that those before a break are known.
            with self._counting_failures():
                for number, status in self._exchange(node, missing):
                    if status != _FAIL:
                        acknowledged[number] = status
                        self._refusing_seconds = 0.0
            refused = [item.info.url for number, item in enumerate(items) if number not in acknowledged]
            if refused:
                more = f", nor {len(refused) - 1} others" if len(refused) > 1 else ""
                raise _NotAcknowledgedError(f"the service does not accept {quoted_url(refused[0])}{more}")
            return [acknowledged[number] for number in range(len(items))]

        return self.repeat(call, until)

    def _exchange(
        self, node: int, items: Iterable[tuple[int, PutItem]], *, seconds: float = _CALL_SECONDS
    ) -> Iterator[tuple[int, int]]:
        """Put URLs in one stream, and yield their numbers with the statuses of the service."""
        self.check_usable()
        messages = self.messages
        requests = []
        for number, (info, date) in items:
            if date is None:
                discovered = messages.DiscoveredURLItem(info=info)
                requests.append(messages.URLItem(ID=str(number), discovered=discovered))
            else:
                known = messages.KnownURLItem(info=info, refetchable_from_date=date)
                requests.append(messages.URLItem(ID=str(number), known=known))
        for ack in self._methods[node]["PutURLs"](iter(requests), timeout=seconds, metadata=self._headers()):
            yield int(ack.ID), ack.status

    def repeat(self, call: Callable[[], Result], until: float = inf) -> Result:
        """Repeat a call while the service is away, until its lease has ended.

        Raises: StoreError: It stays away, or the call has another error; LeaseExpiredError: The lease has ended, or the
            service has not accepted the URL for some seconds.
        """
        self.check_usable()
        waited = 0.0
        pause = _FIRST_PAUSE
        while True:
            if running_seconds() >= until:
                raise LeaseExpiredError(f"{self.name}: the lease has expired")
            started = time.monotonic()
            try:
                return call()
            except (self._grpc.RpcError, _NotAcknowledgedError) as error:
                if isinstance(error, self._grpc.RpcError) and error.code().name not in _PASSING:
                    raise StoreError(f"{self.name}: the frontier cannot be used: {_describe(error)}") from None
                # A process that was suspended in the meantime has not waited for the service.
                waited += min(time.monotonic() - started, _CALL_SECONDS)
                if waited + pause > self._outage_seconds:
                    message = f"{self.name}: the frontier cannot be used for {waited:.0f} s: {_describe(error)}"
                    raise StoreError(message) from None
                if isinstance(error, _NotAcknowledgedError):
                    self._check_refusal(pause, error)
                    if until < inf and waited > _REFUSED_SECONDS:
                        raise LeaseExpiredError(f"{self.name}: {error}") from None
                CLIENT_LOGGER.warning("%s: repeated in %.2f s: %s", self.name, pause, _describe(error))
            time.sleep(pause)
            waited += pause
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _check_refusal(self, pause: float, error: "_NotAcknowledgedError") -> None:
        """Count the time for which no URL was accepted, whatever the calls were about.

        Raises: StoreError: It is too long.
        """
        self._refusing_seconds += pause
        if self._refusing_seconds > self._outage_seconds:
            message = f"{self.name}: the frontier cannot be used for {self._refusing_seconds:.0f} s: {error}"
            raise StoreError(message)

    @contextmanager
    def _counting_failures(self) -> Iterator[None]:
        """Count a call of the block that fails."""
        try:
            yield
        except self._grpc.RpcError:
            self.outages += 1
            raise

    def _headers(self) -> Sequence[tuple[str, str]]:
        """Return the headers of a call. Tests add the time."""
        return ()

    def _node_methods(self, channel: Any) -> Mapping[str, Callable[..., Any]]:
        return {
            method: getattr(channel, kind)(
                method_path(method),
                request_serializer=getattr(self.messages, request).SerializeToString,
                response_deserializer=getattr(self.messages, answer).FromString,
            )
            for method, (kind, request, answer) in METHODS.items()
        }


class LeaseExpiredError(StoreError):
    """Raised instead of a call when the lease that it is for has expired."""


class _NotAcknowledgedError(Exception):
    """Raised when the service has not accepted all URLs."""


def running_seconds() -> float:
    """Return seconds that also count while the machine sleeps, where the system has such a clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def _describe(error: BaseException) -> str:
    """Return the status of a call, and its description on one line."""
    parts = []
    with suppress(AttributeError):
        parts = [error.code().name, error.details() or ""]  # type: ignore[attr-defined]
    return printable_text(" ".join((": ".join(filter(None, parts)) or str(error)).split()))


def name_service(addresses: Sequence[str]) -> str:
    """Return the name of a service, for messages."""
    return f"urlfrontier://{','.join(addresses)}"


def parse_addresses(text: str) -> tuple[str, ...]:
    """Return the addresses of a service.

    Raises: InvalidOption.
    """
    value: object = text
    addresses = tuple(part.strip() for part in text.split(",")) if isinstance(value, str) else ()
    for address in addresses or ("",):
        host, _, port = address.rpartition(":")
        is_port = port.isascii() and port.isdigit() and 0 < int(port[:6]) <= _MAX_PORT
        if not host or not is_port or any(character in host for character in "/@ "):
            raise InvalidOption(f"invalid address {quoted(value)}: expected HOST:PORT, or several, with commas")
    return addresses


def _import_grpc() -> Any:
    try:
        import grpc  # noqa: PLC0415 - an optional dependency
    except ImportError as error:
        raise missing_extra(error) from None
    return grpc
