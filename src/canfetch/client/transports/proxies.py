"""A proxy that makes the connections, where the caller names one; none is taken from the environment."""

from base64 import b64encode
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from canfetch.access.responses import FailureKind
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.failing import Failed


class Proxy(NamedTuple):
    """Where it is, without the login; and the login, a name and a password."""

    url: str
    login: tuple[str, str] | None

    @property
    def authorization(self) -> str | None:
        """The Proxy-Authorization field (RFC 7617), or None without a login."""
        if self.login is None:
            return None
        return f"Basic {b64encode(':'.join(self.login).encode()).decode()}"


def proxy_of(text: str) -> Proxy:
    """Read the URL of a proxy.

    Raises: ValueError: it is not of the form `http://user:password@host:port`.
    """
    split = urlsplit(text)
    if split.scheme != "http" or not split.hostname:
        raise ValueError(f"{text!r} is no proxy: give one such as 'http://127.0.0.1:3128'")
    host = f"[{split.hostname}]" if ":" in split.hostname else split.hostname
    login = None if split.username is None else (unquote(split.username), unquote(split.password or ""))
    return Proxy(f"http://{host}:{split.port or 80}", login)


def refuse_where_guarded(request: TransportRequest, proxy: Proxy | None) -> None:
    """Let nothing through a proxy where addresses are guarded: where it connects to, nobody here sees.

    Raises: Failed: FORBIDDEN_ADDRESS.
    """
    if proxy is not None and not request.allow_private:
        raise Failed(FailureKind.FORBIDDEN_ADDRESS, "a proxy connects where it likes, and cannot be guarded")
