"""HTTP proxies. They are used only if the caller configures one; the environment is ignored."""

from base64 import b64encode
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from canfetch.access.responses import FailureKind
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.failures import TransportError


class Proxy(NamedTuple):
    """A proxy: its URL without the credentials, and the user name and password if there are any."""

    url: str
    credentials: tuple[str, str] | None

    @property
    def authorization(self) -> str | None:
        """The value of Proxy-Authorization (RFC 7617), or None without credentials."""
        if self.credentials is None:
            return None
        return f"Basic {b64encode(':'.join(self.credentials).encode()).decode()}"


def parse_proxy(text: str) -> Proxy:
    """Parse a URL of the form `http://user:password@host:port`.

    Raises: ValueError: `text` has another form.
    """
    split = urlsplit(text)
    if split.scheme != "http" or not split.hostname or split.port == 0:
        raise ValueError(f"invalid proxy {text!r}: expected a URL such as 'http://127.0.0.1:3128'")
    host = f"[{split.hostname}]" if ":" in split.hostname else split.hostname
    credentials = None if split.username is None else (unquote(split.username), unquote(split.password or ""))
    return Proxy(f"http://{host}:{split.port or 80}", credentials)


def check_proxy_allowed(request: TransportRequest, proxy: Proxy | None) -> None:
    """Refuse a proxy if private addresses are forbidden, because the addresses it connects to cannot be checked.

    Raises: TransportError: FORBIDDEN_ADDRESS.
    """
    if proxy is not None and not request.allow_private:
        raise TransportError(FailureKind.FORBIDDEN_ADDRESS, "a proxy cannot be used if private addresses are forbidden")
