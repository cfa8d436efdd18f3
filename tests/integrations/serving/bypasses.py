"""Applications with a disallowed page, on their servers and behind nginx, for requests that try to reach the page."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.missing import skip_unless_ci

SECRET = b"the disallowed page"
RULES = b"""User-agent: *
Disallow: /private/
Disallow: /exact$
Disallow: /files/report.txt$
Disallow: /files/report.txt?

User-agent: Googlebot
Allow: /
"""
SECONDS = 300.0
_SITE = 'Site(Path("robots.txt"), environment="production", enforcement=Enforcement())'
_STARLETTE = f"""
from pathlib import Path

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from canfetch.integrations.asgi import Enforcement, RobotsMiddleware, Site

METHODS = ["GET", "POST", "PUT", "OPTIONS"]


async def secret(request):
    return PlainTextResponse({SECRET.decode()!r})


async def page(request):
    return PlainTextResponse("open")


app = Starlette(
    routes=[
        Route("/private/{{name:path}}", secret, methods=METHODS),
        Route("/exact", secret, methods=METHODS),
        Mount("/files", StaticFiles(directory="stored")),
        Route("/{{name:path}}", page, methods=METHODS),
    ]
)
app.add_middleware(RobotsMiddleware, site={_SITE})
"""
_FLASK = f"""
from pathlib import Path

from flask import Flask

from canfetch.integrations.wsgi import Enforcement, RobotsMiddleware, Site

METHODS = ["GET", "POST", "PUT", "OPTIONS"]
app = Flask(__name__, static_folder="stored", static_url_path="/files")
app.wsgi_app = RobotsMiddleware(app.wsgi_app, {_SITE})


@app.route("/exact", defaults={{"name": ""}}, methods=METHODS)
@app.route("/private/<path:name>", methods=METHODS)
def secret(name):
    return {SECRET.decode()!r}


@app.route("/", defaults={{"name": ""}}, methods=METHODS)
@app.route("/<path:name>", methods=METHODS)
def page(name):
    return "open"
"""
_DJANGO = f"""
from pathlib import Path

import django
from django.conf import settings
from django.http import HttpResponse
from django.urls import re_path
from django.views.static import serve

from canfetch.integrations.serving import Enforcement, Site

settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF="shop",
    MIDDLEWARE=["canfetch.integrations.django.middleware.RobotsMiddleware"],
    LOGGING_CONFIG=None,
    CANFETCH_SITE={_SITE},
)
django.setup()
urlpatterns = [
    re_path(r"^private/|^exact\\Z", lambda request: HttpResponse({SECRET.decode()!r})),
    re_path(r"^files/(?P<path>.*)\\Z", serve, {{"document_root": "stored"}}),
    re_path("", lambda request: HttpResponse("open")),
]
"""
_DJANGO_ASGI = f"{_DJANGO}\nfrom django.core.asgi import get_asgi_application\n\napp = get_asgi_application()\n"
_DJANGO_WSGI = f"{_DJANGO}\nfrom django.core.wsgi import get_wsgi_application\n\napp = get_wsgi_application()\n"
# The server of development of Flask: it passes on targets that gunicorn refuses.
_WERKZEUG = (
    "-c",
    (
        "import sys; from werkzeug.serving import make_server; from shop import app; "
        "make_server('127.0.0.1', 0, app, threaded=True, fd=int(sys.argv[1])).serve_forever()"
    ),
    "{fd}",
)
_UVICORN = ("-m", "uvicorn", "--fd={fd}", "--lifespan=off", "shop:app")
_GUNICORN = ("-m", "gunicorn", "--bind=fd://{fd}", "--threads=4", "shop:app")
# Each application with its module and its server.
APPLICATIONS = {
    "starlette": (_STARLETTE, _UVICORN),
    "django-asgi": (_DJANGO_ASGI, _UVICORN),
    "django-wsgi": (_DJANGO_WSGI, _GUNICORN),
    "flask": (_FLASK, _GUNICORN),
    "flask-werkzeug": (_FLASK, _WERKZEUG),
}
# The ways in which nginx passes requests on: as sent, and as it normalises their paths, with merged slashes or not.
PROXIES = {
    "as-sent": ("on", ""),
    "normalised": ("on", "/"),
    "normalised-slashes": ("off", "/"),
    "as-sent-slashes": ("off", ""),
}
_NGINX = """
daemon off; master_process off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e; large_client_header_buffers 4 64k;
{servers}
}}
"""
_NGINX_SERVER = """
    server {{
        listen 127.0.0.1:{port};
        merge_slashes {merge_slashes};
        location / {{ proxy_pass http://127.0.0.1:{to}{uri}; }}
    }}
"""


class Site(NamedTuple):
    """A port that leads to an application."""

    application: str
    proxy: str
    port: int

    def send(self, request: bytes) -> bytes:
        """Send a request as is, and return the response."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as connection:
            # A server that refuses a request may close the connection before it has read all of it.
            with contextlib.suppress(ConnectionError):
                connection.sendall(request)
            received = b""
            with contextlib.suppress(ConnectionError):
                while part := connection.recv(65_536):
                    received += part
            return received


@contextlib.contextmanager
def running_applications(folder: Path) -> Iterator[list[Site]]:
    """Start all applications and nginx in processes of their own, and yield the ports that lead to them."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONDONTWRITEBYTECODE": "1"}
    sites: list[Site] = []
    with contextlib.ExitStack() as stack:
        for name, (module, command) in APPLICATIONS.items():
            own = folder / name
            own.mkdir()
            (own / "shop.py").write_text(module, encoding="utf-8")
            (own / "robots.txt").write_bytes(RULES)
            (own / "stored").mkdir()
            (own / "stored" / "report.txt").write_bytes(SECRET)
            # It accepts connections from now on, so nothing has to wait for the server.
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            arguments = [argument.format(fd=listener.fileno()) for argument in command]
            _start(stack, [sys.executable, *arguments], own, listener, environment)
            sites.append(Site(name, "", listener.getsockname()[1]))
        servers = ""
        for site in list(sites):
            for proxy, (merge_slashes, uri) in PROXIES.items():
                with socket.create_server(("127.0.0.1", 0)) as free:
                    port = free.getsockname()[1]
                servers += _NGINX_SERVER.format(port=port, merge_slashes=merge_slashes, to=site.port, uri=uri)
                sites.append(Site(site.application, proxy, port))
        stack.enter_context(running_nginx(folder, servers))
        yield sites


@contextlib.contextmanager
def running_nginx(folder: Path, servers: str) -> Iterator[None]:
    """Start nginx with some directives of its `http` block."""
    nginx = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if nginx is None:
        skip_unless_ci("nginx is not installed")
    config = folder / "nginx.conf"
    config.write_text(_NGINX.format(folder=folder, servers=servers), encoding="utf-8")
    with contextlib.ExitStack() as stack:
        process = _start(stack, [nginx, "-p", str(folder), "-c", str(config), "-e", f"{folder}/error.log"], folder)
        while not (folder / "nginx.pid").exists():
            assert process.poll() is None, (folder / "error.log").read_text(encoding="utf-8")
        yield


def _start(
    stack: contextlib.ExitStack,
    command: list[str],
    folder: Path,
    listener: socket.socket | None = None,
    environment: dict[str, str] | None = None,
) -> "subprocess.Popen[bytes]":
    output = stack.enter_context((folder / "output.log").open("wb"))
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        pass_fds=() if listener is None else (listener.fileno(),),
        stdout=output,
        stderr=subprocess.STDOUT,
    )

    def stop() -> None:
        process.terminate()
        process.wait(SECONDS)

    stack.callback(stop)
    return process


def request(target: str, *fields: str, method: str = "GET", port: int) -> bytes:
    """Return a request with a target and fields as is, and `{port}` replaced in the target."""
    target = target.replace("{port}", str(port))
    lines = [f"{method} {target} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close", *fields, "", ""]
    return "\r\n".join(lines).encode("latin-1")


def status_of(response: bytes) -> int:
    """Return the status of a response, or 0 if there is none."""
    found = re.match(rb"HTTP/1\.[01] (\d{3})", response)
    return int(found[1]) if found else 0
