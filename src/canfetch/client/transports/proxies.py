"""HTTP proxies: the one that the caller configures, or those of the environment."""

import os
import sys
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from canfetch.access.responses import FailureKind
from canfetch.client.argument_checks import check_flag
from canfetch.client.options import Options
from canfetch.client.transports import Route, TransportRequest
from canfetch.client.transports.endpoints import Endpoint
from canfetch.client.transports.failures import TransportError
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, InvalidURL

_PROXY_AUTHENTICATION_REQUIRED: Final = 407
_HTTP: Final = ("http", "https")
_SYSTEM_SETTINGS: Final = ("darwin", "win32")
# Libraries with which sessions of the caller use SOCKS proxies. canfetch does not import them.
_SOCKS_LIBRARIES: Final = frozenset({"aiohttp_socks", "python_socks", "socks", "socksio"})


class Proxy(NamedTuple):
    """A proxy.

    Attributes:
        url: Its URL without credentials, always with a port.
        host: Its host. An IPv6 address has no brackets.
        port: Its TCP port.
        authorization: The value of Proxy-Authorization (RFC 7617), or None without credentials.
    """

    url: str
    host: str
    port: int
    authorization: str | None

    def __repr__(self) -> str:
        """Return the URL without the password."""
        return f"<Proxy {self.url}>"


class Proxies:
    """The proxy of each URL.

    The environment is read once, by the rules of `urllib.request`: HTTP_PROXY, HTTPS_PROXY and NO_PROXY in upper or
    lower case, and ALL_PROXY for schemes without a variable of their own. Without these variables, the settings of
    macOS and Windows apply.

    Args:
        proxy: Proxy of all URLs, as `http://user:password@host:port`. It overrides the environment.
        trust_env: Whether to read the environment, for http and https.
        schemes: URL schemes that the transport supports.
    Raises: InvalidOption: A proxy is invalid or unsupported.
    """

    def __init__(self, proxy: str | None = None, *, trust_env: bool = True, schemes: tuple[str, ...] = _HTTP) -> None:
        check_flag("trust_env", trust_env)
        self._schemes = schemes
        self._environment: dict[str, str] = {}
        self._is_explicit = proxy is not None
        if proxy is not None:
            self._by_scheme = dict.fromkeys(schemes, parse_proxy(proxy))
            return
        if trust_env and _may_have_proxies():
            # Imported only if needed, because it takes 20 ms.
            from urllib.request import getproxies  # noqa: PLC0415

            self._environment = getproxies()
        # Not for ftp: ALL_PROXY is often a SOCKS proxy beside HTTP proxies for the other schemes.
        web_schemes = [scheme for scheme in schemes if scheme in _HTTP]
        urls = {scheme: self._environment.get(scheme) or self._environment.get("all") for scheme in web_schemes}
        self._by_scheme = {scheme: _parse_environment(scheme, url) for scheme, url in urls.items() if url}

    @property
    def are_set(self) -> bool:
        """Whether any URL has a proxy, unless its host is excluded."""
        return bool(self._by_scheme)

    @property
    def route(self) -> Route:
        """What can be reached with these proxies."""
        if not self._by_scheme:
            return Route(self._schemes)
        by_scheme = [(scheme, proxy.url, proxy.authorization) for scheme, proxy in sorted(self._by_scheme.items())]
        return Route(self._schemes, repr((by_scheme, self._environment.get("no"))))

    def find(self, endpoint: Endpoint) -> Proxy | None:
        """Return the proxy of an endpoint, or None to connect directly."""
        proxy = self._by_scheme.get(endpoint.scheme)
        if proxy is None or self._is_explicit:
            return proxy
        host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
        # With the port, because `example.com:8080` can be listed as well. IPv6 addresses are listed with or without
        # brackets.
        names = {f"{host}:{endpoint.port}", endpoint.host}
        return None if any(_is_bypassed(name, self._environment) for name in names) else proxy

    def find_allowed(self, endpoint: Endpoint, request: TransportRequest) -> Proxy | None:
        """Return the proxy of an endpoint, or None, and refuse a proxy if private addresses are forbidden.

        The client refuses this combination at construction. This check is for callers without a client.

        Raises: TransportError: FORBIDDEN_ADDRESS.
        """
        proxy = self.find(endpoint)
        if proxy is not None and not request.allow_private:
            raise TransportError(FailureKind.FORBIDDEN_ADDRESS, "the addresses behind a proxy cannot be checked")
        return proxy

    def check_options(self, options: Options) -> None:
        """Check that the options of a client can be guaranteed.

        Raises: InvalidOption: Private addresses are forbidden and a proxy is set, which hides the addresses.
        """
        if not self.are_set or options.allow_private:
            return
        source, fix = "the proxy", "remove proxy="
        if not self._is_explicit:
            source = "the proxy of the environment"
            fix = "unset it, pass trust_env=False to the transport to connect directly"
        raise InvalidOption(
            f"invalid allow_private False: the addresses behind {source} cannot be checked; {fix}, "
            "or pass allow_private=True"
        )


@contextmanager
def proxy_errors(*, is_proxied: bool) -> Iterator[None]:
    """Convert the errors of connecting to a proxy. A site that is behind it was never asked.

    Raises: TransportError: LOCAL.
    """
    try:
        yield
    except TransportError as error:
        raise (unreachable_proxy(error.detail) if is_proxied else error) from None


def unreachable_proxy(detail: str) -> TransportError:
    """Return the error for a proxy that cannot be connected to."""
    return TransportError(FailureKind.LOCAL, f"the proxy cannot be reached: {detail}")


def socks_failure(causes: Iterable[BaseException]) -> TransportError | None:
    """Return the failure that an exception of a library for SOCKS proxies means, or None if there is none.

    Args: causes: An exception, and those that caused it.
    """
    for cause in causes:
        if type(cause).__module__.partition(".")[0] in _SOCKS_LIBRARIES:
            name, detail = type(cause).__name__, str(cause)[:200]
            if name == "ProxyConnectionError":
                return unreachable_proxy(detail or name)
            kind = FailureKind.TIMEOUT if name == "ProxyTimeoutError" else FailureKind.CONNECT
            return TransportError(kind, f"proxy responded {detail or name}")
    return None


def check_proxy_status(status: int, *, is_proxied: bool) -> None:
    """Refuse status 407 of a proxy. As a response of the site, a status of 4xx would allow everything.

    Raises: TransportError: CONNECT.
    """
    if is_proxied and status == _PROXY_AUTHENTICATION_REQUIRED:
        raise TransportError(FailureKind.CONNECT, f"proxy responded {status}: check its user name and password")


def parse_proxy(url: object) -> Proxy:
    """Parse a URL of the form `http://user:password@host:port`.

    Raises: InvalidOption: `url` has another form. The message contains no credentials, path or query.
    """
    proxy = _parse(url) if isinstance(url, str) else None
    if proxy is None:
        shown = _without_secrets(url) if isinstance(url, str) else url
        raise InvalidOption(f"invalid proxy {quoted(shown)}: expected a URL such as 'http://127.0.0.1:3128'")
    return proxy


def _parse(url: str) -> Proxy | None:
    try:
        split = urlsplit(url)
        if split.scheme != "http" or split.path not in {"", "/"} or split.query or split.fragment:
            return None
        origin = Origin.from_url(f"http://{split.netloc.rpartition('@')[2]}")
    except (ValueError, InvalidURL):
        # Some messages of these exceptions quote the password.
        return None
    if not origin.port:
        return None
    credentials = f"{unquote(split.username or '')}:{unquote(split.password or '')}"
    return Proxy(
        url=f"http://{origin.host}:{origin.port}",
        host=origin.host.removeprefix("[").removesuffix("]"),
        port=origin.port,
        authorization=None if split.username is None else f"Basic {b64encode(credentials.encode()).decode()}",
    )


def _parse_environment(scheme: str, url: str) -> Proxy:
    # A variable may contain the host and port alone, as in `proxy:3128`.
    proxy = _parse(url if "://" in url else f"http://{url}")
    if proxy is None:
        raise InvalidOption(
            f"invalid or unsupported proxy {_without_secrets(url)!r} for {scheme} in the environment: expected a "
            "URL such as 'http://127.0.0.1:3128'; unset it, or pass trust_env=False to the transport"
        )
    return proxy


def _may_have_proxies() -> bool:
    return sys.platform in _SYSTEM_SETTINGS or any(name.lower().endswith("_proxy") for name in os.environ)


def _is_bypassed(name: str, environment: dict[str, str]) -> bool:
    from urllib.request import proxy_bypass  # noqa: PLC0415 - imported before, by the constructor

    if sys.platform == "darwin" or sys.platform == "win32":
        # Without variables, these platforms have settings of their own.
        return bool(proxy_bypass(name))
    return bool(proxy_bypass(name, environment))


def _without_secrets(url: str) -> str:
    """Return `url` with `***` in place of user information, path, query and fragment, which can all be secrets."""
    scheme, separator, rest = url.partition("://")
    if not separator or not scheme.isalnum():
        scheme, separator, rest = "", "", url
    _, at, host = rest.rpartition("@")
    ends = [index for index in map(host.find, "/?#") if index >= 0]
    start = min(ends, default=len(host)) + 1
    return f"{scheme}{separator}{'***@' if at else ''}{host[:start]}{'***' if host[start:] else ''}"
