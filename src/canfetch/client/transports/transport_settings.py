"""The base class of transports, with settings of their own or a session of the caller."""

import ssl
from threading import Lock
from typing import Final, Generic, TypeVar

from canfetch.client.forking import reset_on_fork
from canfetch.client.options import Options
from canfetch.client.transports import CredentialAdder, Route
from canfetch.client.transports.dns import Resolve, system_resolve
from canfetch.client.transports.proxies import Proxies
from canfetch.client.transports.sessions import SESSION_ROUTE, check_session_options, check_unused
from canfetch.client.transports.tls import describe_tls

_SCHEMES: Final = ("http", "https")
_SessionT = TypeVar("_SessionT", bound=CredentialAdder)


class TransportSettings:
    """TLS, name resolution and proxies of a transport.

    Attributes:
        resolve: Function that returns the addresses of a name.
        proxies: The proxies.
    """

    def __init__(
        self,
        *,
        ssl_context: ssl.SSLContext | None,
        resolve: Resolve,
        proxy: str | None,
        trust_env: bool,
        schemes: tuple[str, ...] = _SCHEMES,
    ) -> None:
        self.resolve = resolve
        self.proxies = Proxies(proxy, trust_env=trust_env, schemes=schemes)
        self._ssl_context = ssl_context
        self._tls = describe_tls(ssl_context)
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Create a new lock after a fork, because the thread that holds the old one does not exist in the child."""
        self._lock = Lock()

    @property
    def route(self) -> Route:
        """What can be reached with these settings."""
        return self.proxies.route._replace(tls=self._tls)

    def check_options(self, options: Options) -> None:
        """Check that the options of a client can be guaranteed.

        Raises: InvalidOption: Private addresses are forbidden and a proxy is set, which hides the addresses.
        """
        self.proxies.check_options(options)

    def get_ssl_context(self) -> ssl.SSLContext:
        """Return the TLS settings."""
        # Loading the authorities takes tens of milliseconds, so it is done once, and only for https.
        with self._lock:
            if self._ssl_context is None:
                self._ssl_context = ssl.create_default_context()
            return self._ssl_context


class ConfiguredTransport(Generic[_SessionT]):
    """A transport with settings of its own, or with a session of the caller, whose settings apply instead.

    Args:
        session: Sends requests with the session of the caller, or None.
        session_argument: The name of the argument of the session, for messages.
        are_set: Whether each other argument that the session replaces differs from its default.
    """

    def __init__(
        self,
        *,
        ssl_context: ssl.SSLContext | None,
        resolve: Resolve,
        proxy: str | None,
        trust_env: bool,
        schemes: tuple[str, ...] = _SCHEMES,
        session: _SessionT | None = None,
        session_argument: str = "session",
        **are_set: bool,
    ) -> None:
        if session is not None:
            check_unused(
                session_argument,
                ssl_context=ssl_context is not None,
                resolve=resolve is not system_resolve,
                proxy=proxy is not None,
                trust_env=not trust_env,
                **are_set,
            )
            trust_env = False
        self._session = session
        self._session_argument = session_argument
        self._settings = TransportSettings(
            ssl_context=ssl_context, resolve=resolve, proxy=proxy, trust_env=trust_env, schemes=schemes
        )

    @property
    def route(self) -> Route:
        """What the transport can reach."""
        return self._settings.route if self._session is None else SESSION_ROUTE

    def check_options(self, options: Options) -> None:
        """Check that the options of a client can be guaranteed.

        Raises: InvalidOption: Private addresses are forbidden, and a proxy or session hides the addresses.
        """
        if self._session is not None:
            check_session_options(self._session_argument, options)
        else:
            self._settings.check_options(options)

    def adds_credentials(self, url: str) -> bool:
        """Return whether the session of the caller adds, or may add, credentials to a direct request for `url`."""
        return self._session is not None and self._session.adds_credentials(url)
