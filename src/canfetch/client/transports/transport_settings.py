"""The settings that the synchronous and the asynchronous transport of a library share."""

import ssl
from threading import Lock
from typing import Final

from canfetch.client.forking import reset_on_fork
from canfetch.client.options import Options
from canfetch.client.transports import Route
from canfetch.client.transports.dns import Resolve
from canfetch.client.transports.proxies import Proxies
from canfetch.client.transports.tls import describe_tls

_SCHEMES: Final = ("http", "https")


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
