"""Real servers for a site: uvicorn and wsgiref on loopback, with a plain application or with Django behind them."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from http.client import HTTPResponse
from threading import Thread
from typing import Any, NamedTuple, Self
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import uvicorn

from canfetch.integrations import asgi, wsgi
from canfetch.integrations.serving import Site

HOSTS = ("asgi", "wsgi", "django-asgi", "django-wsgi")
PAGE = b"a page"
SECONDS = 300.0


class Answer(NamedTuple):
    """A response, with header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class RunningServer:
    """A server whose application can be exchanged."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.app: Any = None

    def send(self, target: str | bytes, *fields: str | bytes, method: str = "GET", host: str = "example.com") -> Answer:
        """Send a request over a connection of its own, and return the response."""
        lines = [
            f"{method} ".encode() + _encode(target) + b" HTTP/1.1",
            b"Host: " + host.encode("latin-1"),
            b"Connection: close",
            *map(_encode, fields),
        ]
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as connection:
            connection.sendall(b"\r\n".join([*lines, b"", b""]))
            with contextlib.closing(HTTPResponse(connection, method=method)) as response:
                response.begin()
                headers = {name.lower(): value for name, value in response.getheaders()}
                return Answer(response.status, headers, response.read())


def _encode(text: str | bytes) -> bytes:
    return text.encode("latin-1") if isinstance(text, str) else text


class UvicornServer(RunningServer):
    """uvicorn in a thread."""

    def __init__(self, **options: Any) -> None:
        # It accepts connections from now on, so nothing has to wait for uvicorn.
        self._socket = socket.create_server(("127.0.0.1", 0))
        super().__init__(self._socket.getsockname()[1])
        # Otherwise uvicorn itself believes X-Forwarded-For from loopback.
        defaults = {"interface": "asgi3", "lifespan": "off", "log_config": None, "proxy_headers": False}
        config = uvicorn.Config(self._call, **{**defaults, **options})
        self._server = uvicorn.Server(config)
        self._thread = Thread(target=self._run, name="uvicorn", daemon=True)

    def _run(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    async def _call(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(SECONDS)
        self._socket.close()


class _QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Log nothing."""


class WSGIRefServer(RunningServer):
    """wsgiref in a thread."""

    def __init__(self) -> None:
        self._server = make_server("127.0.0.1", 0, self._call, WSGIServer, _QuietHandler)
        super().__init__(self._server.server_port)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def _call(self, environ: Any, start_response: Any) -> Any:
        return self.app(environ, start_response)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join(SECONDS)
        self._server.server_close()


async def asgi_page(_scope: Any, _receive: Any, send: Any) -> None:
    """An ASGI application with one page at every path."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"6")]})
    await send({"type": "http.response.body", "body": PAGE})


def wsgi_page(_environ: Any, start_response: Any) -> list[bytes]:
    """A WSGI application with one page at every path."""
    start_response("200 OK", [("Content-Length", "6")])
    return [PAGE]


def configure_django() -> None:
    """Configure Django once in this process, with one page at every path."""
    import django
    from django.conf import settings

    if settings.configured:
        return
    settings.configure(
        ALLOWED_HOSTS=["*"],
        INSTALLED_APPS=["canfetch.integrations.django"],
        MIDDLEWARE=[
            "canfetch.integrations.django.middleware.RobotsMiddleware",
            "django.middleware.common.CommonMiddleware",
        ],
        ROOT_URLCONF="tests.integrations.serving.django_urls",
        LOGGING_CONFIG=None,
        USE_TZ=True,
    )
    django.setup()


def application(host: str, site: Site) -> Any:
    """Return the application of a host, with the middleware."""
    match host:
        case "asgi":
            return asgi.RobotsMiddleware(asgi_page, site)
        case "wsgi":
            return wsgi.RobotsMiddleware(wsgi_page, site)
        case _:
            return _django_application(host, site)


def _django_application(host: str, site: Site) -> Any:
    configure_django()
    from django.core.handlers.asgi import ASGIHandler
    from django.core.handlers.wsgi import WSGIHandler
    from django.test import override_settings

    with override_settings(CANFETCH_SITE=site):
        return ASGIHandler() if host == "django-asgi" else WSGIHandler()


@contextlib.contextmanager
def running_hosts() -> Iterator[dict[str, RunningServer]]:
    """Start the servers, and yield that of each host."""
    with UvicornServer() as uvicorn_server, WSGIRefServer() as wsgi_server:
        yield {host: uvicorn_server if "asgi" in host else wsgi_server for host in HOSTS}
