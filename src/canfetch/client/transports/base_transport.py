"""The base class of transports: TLS settings, name resolution and proxies."""

import ssl
from threading import Lock
from typing import ClassVar, TypedDict

from canfetch.client.forking import reset_on_fork
from canfetch.client.options import Options
from canfetch.client.transports import Route
from canfetch.client.transports.dns import Resolve, system_resolve
from canfetch.client.transports.proxies import Proxies
from canfetch.client.transports.tls import create_ssl_context, describe_tls, has_authorities


class TransportSettings(TypedDict, total=False):
    """The arguments of `BaseTransport`."""

    ssl_context: ssl.SSLContext | None
    resolve: Resolve
    proxy: str | None
    trust_env: bool


class BaseTransport:
    """The settings of a transport, and what can be reached with them.

    Args: The same as HTTPTransport.
    """

    _schemes: ClassVar[tuple[str, ...]] = ("http", "https")

    def __init__(
        self,
        *,
        ssl_context: ssl.SSLContext | None = None,
        resolve: Resolve = system_resolve,
        proxy: str | None = None,
        trust_env: bool = True,
    ) -> None:
        self._resolve = resolve
        self._proxies = Proxies(proxy, trust_env=trust_env, schemes=self._schemes)
        self._ssl_context = ssl_context
        self._tls = describe_tls(ssl_context)
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Create a new lock after a fork, because the thread that holds the old one does not exist in the child."""
        self._lock = Lock()

    @property
    def route(self) -> Route:
        """What the transport can reach."""
        return self._proxies.route._replace(tls=self._tls)

    def check_options(self, options: Options) -> None:
        """Check that the options of a client can be guaranteed.

        Raises: InvalidOption: Private addresses are forbidden and a proxy is set, which hides the addresses.
        """
        self._proxies.check_options(options)

    def _get_ssl_context(self) -> ssl.SSLContext:
        # Loading the authorities takes tens of milliseconds, so it is done once, and only for https.
        with self._lock:
            if self._ssl_context is not None:
                return self._ssl_context
            context = create_ssl_context()
            if has_authorities(context):
                self._ssl_context = context
            # Otherwise the next request tries again: OpenSSL does not report that no descriptor was free.
            return context
