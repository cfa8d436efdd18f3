"""ASGI middleware that serves robots.txt, for FastAPI, Starlette, Litestar, Quart and every other ASGI application.

app = RobotsMiddleware(app, Site(Path("robots.txt"), environment="production"))
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence
from functools import partial
from typing import Any, AnyStr

from canfetch.agents.identity import join_lines
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption
from canfetch.integrations.serving import Enforcement, Site
from canfetch.integrations.serving.requests import Reply, Request, rebuilt_target, rest_without_slash

__all__ = ["Enforcement", "RobotsMiddleware", "Site"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApplication = Callable[[Scope, Receive, Send], Awaitable[None]]


class RobotsMiddleware:
    """Answers requests for /robots.txt, and refuses those of crawlers if the site enforces its rules.

    The handshake of a WebSocket is a request, too. All others and lifespan events reach the application unchanged.

    Args:
        app: The application.
        site: The site.
    Raises: InvalidOption: An argument is invalid.
    """

    def __init__(self, app: ASGIApplication, site: Site) -> None:
        if not callable(app):
            raise InvalidOption(f"invalid app {quoted(app)}: expected an ASGI application")
        if not isinstance(site, Site):
            raise InvalidOption(f"invalid site {quoted(site)}: expected Site(Path('robots.txt'), environment=...)")
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it to the application."""
        if scope["type"] == "http" or (scope["type"] == "websocket" and self._site.enforces):
            path = whole_path(scope)
            if self._site.concerns(path):
                reply = await self._site.respond_async(_request(scope, path))
                if reply is not None:
                    if scope["type"] == "websocket":
                        await _refuse_handshake(scope, reply, receive, send)
                    else:
                        await _send_reply(reply, send)
                    return
        await self._app(scope, receive, send)


def whole_path(scope: Scope) -> str:
    """Return the decoded path of a request, with the prefix that the application is mounted at.

    `path` contains `root_path` according to the specification, but some servers and frameworks leave it out.
    """
    prefix = _prefix(scope)
    path: str = _without_second_slash(scope["path"], _root_path(scope))
    return path if not prefix or path == prefix or path.startswith(f"{prefix}/") else prefix + path


def _root_path(scope: Scope) -> str:
    return str(scope.get("root_path") or "")


def _prefix(scope: Scope) -> str:
    return _root_path(scope).rstrip("/")


def _without_second_slash(path: AnyStr, root_path: AnyStr) -> AnyStr:
    """Return a path without the slash after a `root_path` that ends in a slash. uvicorn joins both as they are."""
    slash = root_path[-1:]
    if slash not in ("/", b"/") or not path.startswith(root_path + slash):
        return path
    return root_path[:-1] + path[len(root_path) :]


def _other_paths(path: str, prefix: str) -> tuple[str, ...]:
    """Return further paths that frameworks may route, with the prefix that the application is mounted at."""
    rest = rest_without_slash(path, prefix)
    if rest:
        return (f"{prefix}/{rest}",)
    if prefix and path and not path.startswith("/"):
        # Quart parses the path as a URL before it removes the prefix. Litestar also removes what precedes the prefix.
        return path, f"{prefix}/{path.partition(prefix)[2]}"
    return ()


def scope_target(scope: Scope, path: str) -> bytes:
    """Return path and query of a request as sent. They are rebuilt if the server does not report the raw path."""
    query: bytes = scope.get("query_string") or b""
    raw_path: bytes | None = scope.get("raw_path")
    if not raw_path:
        return rebuilt_target(path.encode("utf-8", "surrogateescape"), query)
    # Some servers include the query.
    raw_path = raw_path.partition(b"?")[0]
    raw_path = _without_second_slash(raw_path, _root_path(scope).encode("utf-8", "surrogateescape"))
    return raw_path + b"?" + query if query else raw_path


def scope_fields(scope: Scope) -> dict[bytes, list[bytes]]:
    """Return the values of each header field of a request, by its name in lower case."""
    lines: Iterable[tuple[bytes, bytes]] = scope["headers"]
    # A request can have thousands of lines, and a signature can cover many fields.
    fields: dict[bytes, list[bytes]] = {}
    for field, line in lines:
        # RFC 9110 section 5.5: white space around a value is not part of it, and httptools keeps that at its end.
        fields.setdefault(field.lower(), []).append(line.strip(b" \t"))
    return fields


def joined_field(fields: Mapping[bytes, Sequence[bytes]], name: str) -> str | None:
    """Return the value of a field of `scope_fields`, or None."""
    values = fields.get(name.encode("ascii"))
    return join_lines(name, (value.decode("latin-1") for value in values)) if values else None


def _request(scope: Scope, path: str) -> Request:
    fields = scope_fields(scope)
    client = scope.get("client")
    prefix = _prefix(scope)
    scheme = scope.get("scheme") or "http"
    return Request(
        method=scope.get("method", "GET"),
        path=path,
        target=scope_target(scope, path),
        # Of several fields, which httptools accepts, frameworks read the first.
        host=fields.get(b"host", [b""])[0].decode("latin-1"),
        peer=client[0] if client else None,
        header=partial(joined_field, fields),
        prefix=prefix,
        # The handshake of a WebSocket is a request over HTTP: RFC 6455 section 4.1.
        scheme={"ws": "http", "wss": "https"}.get(scheme, scheme),
        other_paths=_other_paths(scope["path"], prefix),
    )


async def _send_reply(reply: Reply, send: Send, *, prefix: str = "") -> None:
    headers = [(name.lower().encode("ascii"), value.encode("latin-1")) for name, value in reply.headers]
    await send({"type": f"{prefix}http.response.start", "status": reply.status, "headers": headers})
    await send({"type": f"{prefix}http.response.body", "body": reply.body})


async def _refuse_handshake(scope: Scope, reply: Reply, receive: Receive, send: Send) -> None:
    await receive()
    if "websocket.http.response" in (scope.get("extensions") or {}):
        await _send_reply(reply, send, prefix="websocket.")
    else:
        # The server responds with 403.
        await send({"type": "websocket.close"})
