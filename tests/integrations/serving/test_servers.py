"""FastAPI and Starlette on uvicorn, and the workers of uvicorn and gunicorn in processes of their own."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.serving.conftest import RULES
from tests.integrations.serving.hosts import SECONDS, RunningServer, UvicornServer
from tests.integrations.serving.test_enforcement import GOOGLEBOT, GPTBOT, enforced

from canfetch.integrations.asgi import RobotsMiddleware
from canfetch.integrations.serving import Site

pytestmark = pytest.mark.service
FRAMEWORKS = ("fastapi", "starlette")
ASGI_MODULE = """
from pathlib import Path

from fastapi import FastAPI

from canfetch.integrations.asgi import Enforcement, RobotsMiddleware, Site

app = FastAPI()
app.add_middleware(RobotsMiddleware, site=Site(Path("robots.txt"), environment="production", enforcement=Enforcement()))


@app.get("/fish")
async def fish():
    return "fish"
"""
WSGI_MODULE = """
from pathlib import Path

from canfetch.integrations.wsgi import Enforcement, RobotsMiddleware, Site


def page(environ, start_response):
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", "6")])
    return [b'"fish"']


app = RobotsMiddleware(page, Site(Path("robots.txt"), environment="production", enforcement=Enforcement()))
"""
SERVERS = {
    "uvicorn": (ASGI_MODULE, ["uvicorn", "--workers=2", "--fd={fd}", "shop:app"]),
    "gunicorn": (WSGI_MODULE, ["gunicorn", "--workers=2", "--bind=fd://{fd}", "shop:app"]),
    "gunicorn-preload": (WSGI_MODULE, ["gunicorn", "--workers=2", "--preload", "--bind=fd://{fd}", "shop:app"]),
    "gunicorn-threads": (WSGI_MODULE, ["gunicorn", "--threads=4", "--bind=fd://{fd}", "shop:app"]),
}


def framework_app(framework: str, site: Site) -> Any:
    """Return an application with a page, a stream, a page that fails, and a mounted application."""
    pytest.importorskip(framework)
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse, StreamingResponse
    from starlette.routing import Mount, Route

    async def page(_request: Any) -> Any:
        return PlainTextResponse("page")

    async def stream(_request: Any) -> Any:
        return StreamingResponse(iter([b"one ", b"two"]))

    async def fail(_request: Any) -> Any:
        raise KeyError("application")

    routes = [
        Route("/robots.txt", page),
        Route("/fish", page),
        Route("/private/fish", page),
        Route("/stream", stream),
        Route("/fail", fail),
        Mount("/blog", Starlette(routes=[Route("/robots.txt", page)])),
    ]
    if framework == "starlette":
        app = Starlette(routes=routes)
    else:
        from fastapi import FastAPI

        app = FastAPI(routes=routes)
    app.add_middleware(RobotsMiddleware, site=site)
    return app


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_framework_on_uvicorn(framework: str) -> None:
    with UvicornServer() as server:
        server.app = framework_app(framework, enforced())
        robots = server.send("/robots.txt", f"User-Agent: {GPTBOT}")
        assert (robots.status, robots.body) == (200, RULES)
        assert robots.headers["content-type"] == "text/plain; charset=utf-8"
        head = server.send("/robots.txt", method="HEAD")
        assert (head.status, head.headers["content-length"], head.body) == (200, str(len(RULES)), b"")
        assert server.send("/robots.txt", f"If-None-Match: {robots.headers['etag']}").status == 304
        assert server.send("/fish").body == b"page"
        assert server.send("/stream", f"User-Agent: {GOOGLEBOT}").body == b"one two"
        assert server.send("/blog/robots.txt").body == b"page"
        assert server.send("/nothing").status == 404
        assert server.send("/fail").status == 500
        refused = server.send("/private/fish", f"User-Agent: {GOOGLEBOT}")
        assert (refused.status, refused.body.splitlines()[1]) == (403, b"line 2, Disallow: /private/")
        assert server.send("/private/fish").body == b"page"


@contextlib.contextmanager
def running(module: str, command: list[str], folder: Path, listener: socket.socket) -> Iterator[None]:
    """Run a server in a process of its own, on a socket that accepts connections already."""
    if not (folder / command[0]).exists():
        pytest.importorskip(command[0])
    (folder / "shop.py").write_text(module, encoding="utf-8")
    (folder / "robots.txt").write_bytes(RULES)
    arguments = [argument.format(fd=listener.fileno()) for argument in command]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env=environment,
        pass_fds=[listener.fileno()],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait(SECONDS)


@pytest.mark.parametrize("name", SERVERS)
def test_workers_serve_and_enforce_the_file(name: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, running(*SERVERS[name], tmp_path, listener):
        server = RunningServer(listener.getsockname()[1])
        robots = server.send("/robots.txt")
        assert (robots.status, robots.body) == (200, RULES)
        assert server.send("/robots.txt", f"If-None-Match: {robots.headers['etag']}").status == 304
        assert server.send("/fish").body == b'"fish"'
        refused = server.send("/private/fish", f"User-Agent: {GOOGLEBOT}")
        assert (refused.status, refused.body.splitlines()[1]) == (403, b"line 2, Disallow: /private/")
        # Every worker reads the file again.
        (tmp_path / "new.txt").write_bytes(b"User-agent: *\nDisallow: /fish\n")
        (tmp_path / "new.txt").replace(tmp_path / "robots.txt")
        assert {server.send("/fish", f"User-Agent: {GOOGLEBOT}").status for _ in range(20)} == {403}
        assert server.send("/private/fish", f"User-Agent: {GOOGLEBOT}").status != 403


class UnixConnection(HTTPConnection):
    """A connection to a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("example.com", timeout=SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(SECONDS)
        self.sock.connect(str(self._path))


@pytest.mark.parametrize("name", ["uvicorn", "gunicorn"])
def test_unix_socket(name: str, tmp_path: Path) -> None:
    path = tmp_path / "shop.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        with running(*SERVERS[name], tmp_path, listener), contextlib.closing(UnixConnection(path)) as connection:
            for target, status in (("/robots.txt", 200), ("/fish", 200), ("/private/fish", 403)):
                connection.request("GET", target, headers={"User-Agent": GOOGLEBOT, "Connection": "close"})
                with connection.getresponse() as response:
                    assert response.status == status
                    assert target != "/robots.txt" or response.read() == RULES
