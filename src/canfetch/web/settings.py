"""The settings of a server."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import ip_network
from typing import Final

from canfetch.access.policies import get_policy
from canfetch.client.transports.fetch_rules import FetchRules
from canfetch.core.profiles import get_profile
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption
from canfetch.web.server.credentials import check_token
from canfetch.web.server.listening import check_host_names

DEFAULT_PORT: Final = 8420
MAX_URLS: Final = 10_000
MAX_AGENTS: Final = 500
MAX_FACTS_AGENTS: Final = 50
MAX_VERDICTS: Final = 200_000
MAX_EXPLAINED_VERDICTS: Final = 20_000
MAX_ANSWER_BYTES: Final = 32 * 1024 * 1024
_KIB: Final = 1024
_MIB: Final = 1024 * _KIB
# The default of servers, whose clients choose what is fetched.
MAX_STORE_BYTES: Final = 1024 * _MIB


@dataclass(frozen=True, slots=True)
class RateLimit:
    """A limit for each client address.

    Attributes:
        per_second: Requests a second in the long run. 0 means unlimited.
        burst: Requests that a client may send at once after a pause.
    """

    per_second: float
    burst: int

    def with_rate(self, per_second: float | None) -> "RateLimit":
        """Return the limit with another rate, and a burst of as many seconds. None changes nothing.

        The burst of an unlimited client becomes one second.
        """
        if per_second is None:
            return self
        seconds = self.burst / self.per_second if self.per_second else 1
        return RateLimit(per_second, max(1, round(per_second * seconds)))


UNLIMITED: Final = RateLimit(0, 0)
PUBLIC_REQUESTS: Final = RateLimit(20, 100)
PUBLIC_FETCHES: Final = RateLimit(1, 20)


def check_proxies(proxies: Iterable[str]) -> None:
    """Check the addresses and networks of trusted proxies.

    Raises: InvalidOption.
    """
    for proxy in proxies:
        try:
            ip_network(proxy)
        except ValueError:
            raise InvalidOption(
                f"invalid trusted proxy {quoted(proxy)}: expected an address or a network, such as 10.0.0.0/24"
            ) from None


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a server. All limits are per worker process.

    Attributes:
        store: The path of an SQLite file or a redis:// URL for fetched files. None keeps them in memory.
        max_store_bytes: Bytes of entries in an SQLite file, which all workers share. The oldest are evicted.
        token: The bearer token that the API requires, or None.
        allow_private: Whether files on private and loopback addresses may be fetched.
        fetch_allow: What may be fetched from: host names, domains, ports and networks, as `FetchRules` describes them.
            Empty allows all.
        fetch_refuse: What may not be fetched from, even if it is allowed.
        host_names: The host names and ports that requests may be addressed to, such as `localhost:8420`. Empty allows
            all. A server on a loopback address needs them, because a web page can give its own name that address.
        cors_origins: Origins of other sites whose pages may use the API.
        trusted_proxies: Addresses of proxies whose X-Forwarded-For header names the client.
        policy: The access policy.
        profile: The parsing profile of requests that name none.
        user_agent: The User-Agent header of requests, or None for the default.
        requests: The rate limit of requests.
        fetches: The rate limit of fetches. Cached files do not count.
        timeout: Seconds for a request, once its body has arrived.
        body_timeout: Seconds for the body of a request to arrive.
        body_start_timeout: Seconds after which the body has to arrive at `min_body_rate`.
        min_body_rate: Bytes a second of a body, on average since `body_start_timeout`. For a stream, only the waits for
            its parts count, after `idle_timeout` in all.
        min_reading_rate: Bytes a second at which a client has to read an answer, after waits of `idle_timeout` in all.
        idle_timeout: Seconds for a part of a stream to arrive, and for a part of any answer to be read by the client.
        header_timeout: Seconds for the head of a request to arrive.
        max_connections: Connections at a time. Those that have waited longest for a request are closed first, and then
            those that have waited longest for the rest of a body.
        max_body_bytes: Bytes of the bodies of all requests and responses in memory, a quarter of them for one client.
        max_waiting: Computations that wait for a process, a quarter of them for one client. More are rejected.
        refusal_seconds: Seconds before the answer that the server is overloaded, so that a client that repeats its
            requests at once does not keep the server busy with refusals.
        processes: Processes for computations, of which one client never uses the last.
        max_fetches: Fetches at a time, a quarter of them for one client.
        workers: The number of worker processes.
    """

    store: str | None = None
    max_store_bytes: int = MAX_STORE_BYTES
    token: str | None = field(default=None, repr=False)
    allow_private: bool = False
    fetch_allow: tuple[str, ...] = ()
    fetch_refuse: tuple[str, ...] = ()
    host_names: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    policy: str = "rfc9309"
    profile: str = "rfc9309"
    user_agent: str | None = None
    requests: RateLimit = UNLIMITED
    fetches: RateLimit = UNLIMITED
    timeout: float = 30.0
    body_timeout: float = 20.0
    body_start_timeout: float = 5.0
    min_body_rate: int = 1024
    min_reading_rate: int = 1024
    idle_timeout: float = 30.0
    header_timeout: float = 10.0
    refusal_seconds: float = 1.0
    max_connections: int = 4096
    max_body_bytes: int = 256 * _MIB
    max_waiting: int = 64
    processes: int = 2
    max_fetches: int = 64
    workers: int = 1

    def __post_init__(self) -> None:
        if self.token is not None:
            check_token(self.token)
        get_policy(self.policy)
        get_profile(self.profile)
        self.fetch_rules()
        check_proxies(self.trusted_proxies)
        check_host_names(self.host_names)
        for name in ("timeout", "body_timeout", "body_start_timeout", "idle_timeout", "header_timeout"):
            if getattr(self, name) <= 0:
                raise InvalidOption(f"invalid {name} {getattr(self, name)}: expected a positive number of seconds")
        for name in (
            "min_body_rate",
            "min_reading_rate",
            "max_store_bytes",
            "max_connections",
            "max_body_bytes",
            "max_waiting",
            "processes",
            "max_fetches",
            "workers",
        ):
            if getattr(self, name) < 1:
                raise InvalidOption(f"invalid {name} {getattr(self, name)}: expected at least 1")

    def fetch_rules(self) -> FetchRules:
        """Return what may be fetched from.

        Raises: InvalidOption.
        """
        return FetchRules(allow=self.fetch_allow, refuse=self.fetch_refuse)
