"""Requests and replies, in a form that ASGI, WSGI and Django translate to and from."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import quote

from canfetch.author.refusal import status_phrase

ROBOTS_PATH: Final = "/robots.txt"
# RFC 3986: characters that a path may contain unescaped. In a decoded path, `%` is data.
_SAFE_IN_PATH: Final = "/:@!$&'()*+,;=~"
# PEP 3333: the fields whose names in the environment have no `HTTP_`.
_FIELDS_WITHOUT_PREFIX: Final = ("content-type", "content-length")


class Request(NamedTuple):
    """A request.

    Attributes:
        method: The method, such as `GET`.
        path: The whole path, decoded from UTF-8, with the prefix that the application is mounted at.
        target: Path and query as sent, or as near to it as the server reports them.
        host: The value of the Host field, or an empty string.
        peer: The address at the other end of the connection, or None if the server does not report it.
        header: Returns the value of a header field by its name in lower case. Repeated fields are joined.
        prefix: The path that the application is mounted at, decoded, or an empty string. A proxy may have removed it
            from the target.
        scheme: The scheme that the server reports.
        query: The query that the application receives, or None if it is that of the target.
        other_paths: Further paths that the application may route, decoded, with the prefix. See `rest_without_slash`.
    """

    method: str
    path: str
    target: bytes
    host: str
    peer: str | None
    header: Callable[[str], str | None]
    prefix: str = ""
    scheme: str = "https"
    query: bytes | None = None
    other_paths: tuple[str, ...] = ()


class Reply(NamedTuple):
    """A response. The body of a reply to HEAD is empty, with the headers of GET."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def reason_phrase(self) -> str:
        """The words after the status code."""
        return status_phrase(self.status)

    def reply_to(self, request: Request) -> "Reply":
        """Return this reply to GET, without its body for HEAD."""
        return self._replace(body=b"") if request.method == "HEAD" else self


def text_reply(request: Request, status: int, text: str, *headers: tuple[str, str]) -> Reply:
    """Return a reply with a message for people, which no cache stores."""
    return whole_reply(status, text, *headers).reply_to(request)


def whole_reply(status: int, text: str, *headers: tuple[str, str]) -> Reply:
    """Return the reply of `text_reply` to GET."""
    body = text.encode("utf-8", "backslashreplace") + b"\n"
    fields = (
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        *headers,
    )
    return Reply(status, fields, body)


def rest_without_slash(path: str, prefix: str) -> str:
    """Return what follows the prefix in a decoded path if that is not a slash, or an empty string.

    gunicorn and some frameworks remove the prefix without regard to segments: with `/api`, the rest of `/apiprivate/x`
    is `private/x`, which applications route as `/private/x`.
    """
    rest = path[len(prefix) :] if prefix and path.startswith(prefix) else ""
    return "" if rest.startswith("/") else rest


def environ_header(environ: Mapping[str, object], name: str) -> str | None:
    """Return the value of a header field from a WSGI environment, or None.

    Args: name: The name in lower case.
    """
    value = environ.get(_environ_key(name))
    return value if isinstance(value, str) else None


@lru_cache(maxsize=64)
def _environ_key(name: str) -> str:
    key = name.upper().replace("-", "_")
    return key if name in _FIELDS_WITHOUT_PREFIX else f"HTTP_{key}"


def decode_native(text: str) -> str:
    """Return a string of a WSGI environment, whose characters are bytes, decoded from UTF-8."""
    return text if text.isascii() else text.encode("latin-1", "replace").decode("utf-8", "surrogateescape")


def path_of_environ(environ: Mapping[str, object]) -> str:
    """Return the decoded path of a request, from a WSGI environment. Its characters are bytes.

    It starts with the prefix that the application is mounted at, which can end in a slash.
    """
    prefix, path = str(environ.get("SCRIPT_NAME", "")), str(environ.get("PATH_INFO", ""))
    return prefix.rstrip("/") + path if path.startswith("/") else prefix + path


def target_of_environ(environ: Mapping[str, object]) -> bytes:
    """Return path and query as sent, from a WSGI environment.

    Most servers report them in `REQUEST_URI` or `RAW_URI`. Otherwise they are rebuilt from the decoded path, so that an
    escaped slash (`%2F`) cannot be distinguished from a slash.

    Source: PEP 3333, URL reconstruction.
    """
    for name in ("REQUEST_URI", "RAW_URI"):
        target = environ.get(name)
        if isinstance(target, str) and target:
            return target.encode("latin-1", "replace")
    path = path_of_environ(environ)
    return rebuilt_target(path.encode("latin-1", "replace"), query_of_environ(environ))


def query_of_environ(environ: Mapping[str, object]) -> bytes:
    """Return the query that an application receives, from a WSGI environment.

    Some servers remove tabs from it, which are in the target as sent.
    """
    return str(environ.get("QUERY_STRING", "")).encode("latin-1", "replace")


def rebuilt_target(path: bytes, query: bytes) -> bytes:
    """Return path and query as sent, from a decoded path."""
    target = quote(path, safe=_SAFE_IN_PATH).encode("ascii") or b"/"
    return target + b"?" + query if query else target
