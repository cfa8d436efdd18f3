"""Real servers with the rules of a policy, on loopback. They are optional, but CI requires them."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from email.message import Message
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import ResponseReceived, StreamReset
from tests.missing import skip_unless_ci
from tests.stores.conftest import find_free_port

import canfetch

_START_SECONDS = 120.0
# A user's PATH does not include the folders of daemons.
_DAEMONS = "/usr/sbin:/usr/local/sbin"
REFUSED = 403


class Reply(NamedTuple):
    """A response: its status, and the X-Robots-Tag headers."""

    status: int
    tags: list[str]


class RunningServer:
    """A running server: its name in `SERVERS`, and its port. With TLS, any certificate is accepted."""

    def __init__(self, name: str, port: int) -> None:
        self.name = name
        self.port = port
        self.body = b""
        self.headers = Message()
        self._with_tls = SERVERS[name].with_tls
        self._connection = (
            HTTPSConnection("127.0.0.1", port, timeout=60, context=_trusting_context())
            if self._with_tls
            else HTTPConnection("127.0.0.1", port, timeout=60)
        )

    def get(self, target: str, user_agent: str) -> Reply:
        """Send a GET request with the target as is, and reconnect if the server closed the connection."""
        for attempt in range(3):
            try:
                self._connection.putrequest("GET", target, skip_accept_encoding=True)
                self._connection.putheader("User-Agent", user_agent)
                self._connection.endheaders()
                response = self._connection.getresponse()
                self.body = response.read()
                self.headers = response.headers
            except (HTTPException, OSError):
                self._connection.close()
                if attempt == 2:
                    raise
            else:
                return Reply(response.status, response.headers.get_all("X-Robots-Tag") or [])
        raise AssertionError("unreachable")

    def send_line(self, line: str, user_agent: str) -> int:
        """Send a request line as is, with `{origin}` replaced, and return the status."""
        return self.send_raw(line, user_agent).status

    def send_raw(self, line: str, user_agent: str) -> Reply:
        """Send a request line as is, with `{origin}` replaced."""
        origin = f"http{'s' if self._with_tls else ''}://127.0.0.1:{self.port}"
        head = f"{line.format(origin=origin)}\r\nHost: 127.0.0.1:{self.port}\r\nUser-Agent: {user_agent}\r\n"
        with self._connect(10) as connection:
            connection.sendall(f"{head}Connection: close\r\n\r\n".encode("latin-1"))
            received = b""
            while data := connection.recv(65_536):
                received += data
        status, *fields = received.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
        tags = [field.partition(":")[2].strip() for field in fields if field.lower().startswith("x-robots-tag:")]
        return Reply(int(status.split()[1]), tags)

    def send_http2(self, target: str, fields: list[tuple[str, str]]) -> tuple[int, int]:
        """Send a GET request by HTTP/2, and return the bytes of its head and the status.

        A field that is repeated takes a byte each time. The status is 400 if the server resets the stream.
        """
        client = H2Connection(H2Configuration(validate_outbound_headers=False))
        client.initiate_connection()
        pseudo = {
            ":method": "GET",
            ":scheme": "https" if self._with_tls else "http",
            ":authority": f"127.0.0.1:{self.port}",
            ":path": target,
        }
        with self._connect(60, "h2") as connection:
            connection.sendall(client.data_to_send())
            client.send_headers(1, [*pseudo.items(), *fields], end_stream=True)
            head = client.data_to_send()
            connection.sendall(head)
            while data := connection.recv(65_536):
                for event in client.receive_data(data):
                    if isinstance(event, ResponseReceived):
                        return len(head), int(dict(event.headers)[b":status"])
                    if isinstance(event, StreamReset):
                        return len(head), 400
                connection.sendall(client.data_to_send())
        raise AssertionError("no response")

    def _connect(self, timeout: float, *protocols: str) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), timeout)
        return _trusting_context(*protocols).wrap_socket(connection) if self._with_tls else connection

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _trusting_context(*protocols: str) -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if protocols:
        context.set_alpn_protocols(list(protocols))
    return context


class Server(NamedTuple):
    """A server: its program, its configuration, the arguments of its command, and whether it is used with TLS."""

    program: str
    config: str
    command: tuple[str, ...]
    with_tls: bool = False


_NGINX = """
daemon off; master_process off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e; keepalive_requests 100000;
    include {folder}/canfetch.conf;
    server {{
        listen 127.0.0.1:{port};
{server_lines}
        location / {{ return 200 "passed"; }}
    }}
}}
"""
_APACHE = """
ServerRoot {folder}
PidFile {folder}/apache.pid
ErrorLog {folder}/error.log
DefaultRuntimeDir {folder}
ServerName localhost
Listen 127.0.0.1:{port}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so
LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so
LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
LoadModule cache_module /usr/lib/apache2/modules/mod_cache.so
LoadModule cache_disk_module /usr/lib/apache2/modules/mod_cache_disk.so
MaxKeepAliveRequests 0
<VirtualHost 127.0.0.1:{port}>
    AllowEncodedSlashes NoDecode
    DocumentRoot {folder}/site
    Include {folder}/canfetch.conf
    ErrorDocument 403 /refused.html
    # One of the site's own rules, which must keep its effect.
    RewriteEngine On
    RewriteCond %{{ENV:REDIRECT_STATUS}} ^$
    RewriteRule ^ - [R=204]
</VirtualHost>
"""
# As on shared hosting: the site has no other place for its rules.
_HTACCESS = f"""{_APACHE.partition("<VirtualHost")[0]}
<VirtualHost 127.0.0.1:{{port}}>
    AllowEncodedSlashes NoDecode
    DocumentRoot {{folder}}/site
    <Directory {{folder}}/site>
        AllowOverride FileInfo
    </Directory>
</VirtualHost>
"""
_OWN_HTACCESS = """
ErrorDocument 403 /refused.html
# One of the site's own rules, which must keep its effect.
RewriteEngine On
RewriteCond %{ENV:REDIRECT_STATUS} ^$
RewriteRule ^ - [R=204]
"""
_CADDY = """
{{
	admin off
	auto_https off
	servers {{
		protocols h1 h2c
	}}
}}
http://127.0.0.1:{port} {{
	route {{
		import {folder}/canfetch.conf
		respond "passed" 200
	}}
}}
"""
_HAPROXY = """
global
    maxconn 64
defaults
    mode http
    timeout client 10s
    timeout server 10s
    timeout connect 1s
frontend site
    bind 127.0.0.1:{port}
{rules}
    http-request return status 200 content-type text/plain string passed
"""
# As a site would have it. The certificate is the one that Traefik generates.
_TRAEFIK = """
http:
  routers:
    site: {{rule: 'PathPrefix(`/`)', priority: 1, service: site}}
    site-tls: {{rule: 'PathPrefix(`/`)', priority: 1, service: site, tls: {{}}}}
{server_lines}
  services:
    site: {{loadBalancer: {{servers: [{{url: 'http://127.0.0.1:{backend_port}'}}]}}}}
"""
_TRAEFIK_COMMAND = ("--entryPoints.site.address=127.0.0.1:{port}", "--providers.file.directory={folder}/traefik")

SERVERS = {
    "nginx": Server("nginx", _NGINX, ("-p", "{folder}", "-c", "{config}", "-e", "{folder}/error.log")),
    "apache": Server("apache2", _APACHE, ("-d", "{folder}", "-f", "{config}", "-DFOREGROUND")),
    "htaccess": Server("apache2", _HTACCESS, ("-d", "{folder}", "-f", "{config}", "-DFOREGROUND")),
    "caddy": Server("caddy", _CADDY, ("run", "--config", "{config}", "--adapter", "caddyfile")),
    "haproxy": Server("haproxy", _HAPROXY, ("-db", "-f", "{config}")),
    "traefik": Server("traefik", _TRAEFIK, _TRAEFIK_COMMAND),
    "traefik-tls": Server("traefik", _TRAEFIK, _TRAEFIK_COMMAND, with_tls=True),
}
TRAEFIK = ("traefik", "traefik-tls")


def render_rules(policy: canfetch.author.SitePolicy, name: str) -> str:
    """Return the rules of a policy for a server of `SERVERS`."""
    return canfetch.author.render_policy(policy, name.removesuffix("-tls"))


def find_program(server: Server) -> str:
    """Return the path of a server's program. Without it, the test is skipped, or fails in CI."""
    found = shutil.which(server.program, path=f"{os.environ.get('PATH', '')}:{_DAEMONS}:{Path(sys.executable).parent}")
    if found is None:
        skip_unless_ci(f"{server.program} is not installed")
    return found


def _server_lines(name: str, rules: str) -> str:
    """Return the lines for the configuration of the site, which the rules have in comments."""
    if name == "nginx":
        return "\n".join(line[1:] for line in rules.splitlines() if line.startswith("#     "))
    if name in TRAEFIK:
        tagged = re.findall(r"for the rule: (.+)\n +(canfetch-tag-\d+):", rules)
        routers = [
            f"rule: '{rule}', priority: {1_000 - number}, service: site, middlewares: [{tag}]"
            for number, (rule, tag) in enumerate(tagged)
        ]
        routers += [f"{router}, tls: {{}}" for router in routers]
        return "\n".join(f"    site-{number}: {{{router}}}" for number, router in enumerate(routers))
    return ""


class _Backend(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Otherwise, the content of a response waits 40 ms for an acknowledgement of its headers.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(b"passed")

    do_HEAD = do_POST = do_GET  # noqa: N815 - the base class names them

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
        pass


@contextmanager
def _running_backend() -> Iterator[int]:
    """Run what Traefik passes requests on to, and return its port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Backend) as backend:
        thread = threading.Thread(target=backend.serve_forever)
        thread.start()
        try:
            yield backend.server_port
        finally:
            backend.shutdown()
            thread.join()


@contextmanager
def running(name: str, rules: str, folder: Path) -> Iterator[RunningServer]:
    """Run a server with these rules in a folder, until the end of the `with` block."""
    server = SERVERS[name]
    program = find_program(server)
    port = find_free_port()
    (folder / "site").mkdir()
    (folder / "site" / "refused.html").write_text("a page of the site's own", encoding="utf-8")
    (folder / "canfetch.conf").write_text(rules, encoding="utf-8")
    if name == "htaccess":
        (folder / "site" / ".htaccess").write_text(rules + _OWN_HTACCESS, encoding="utf-8")
    config = folder / "server.conf"
    if name in TRAEFIK:
        (folder / "traefik").mkdir()
        (folder / "traefik" / "canfetch.yaml").write_text(rules, encoding="utf-8")
        config = folder / "traefik" / "site.yaml"
    arguments = [part.format(folder=folder, config=config, port=port) for part in server.command]
    own = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    log = folder / "output.log"
    with ExitStack() as stack:
        backend_port = stack.enter_context(_running_backend()) if name in TRAEFIK else None
        parts = {"server_lines": _server_lines(name, rules), "rules": rules, "backend_port": backend_port}
        config.write_text(server.config.format(folder=folder, port=port, **parts), encoding="utf-8")
        output = stack.enter_context(log.open("wb"))
        process = stack.enter_context(
            subprocess.Popen([program, *arguments], stdout=output, stderr=subprocess.STDOUT, env=own, cwd=folder)
        )
        try:
            running_server = RunningServer(name, port)
            stack.callback(running_server.close)
            _wait_for(running_server, process, log)
            yield running_server
        finally:
            process.terminate()


def _wait_for(server: RunningServer, process: "subprocess.Popen[bytes]", log: Path) -> None:
    give_up_at = time.monotonic() + _START_SECONDS
    while time.monotonic() < give_up_at and process.poll() is None:
        try:
            status = server.get("/robots.txt", "test").status
        except OSError:
            status = 404
        # Without its configuration, Traefik does not find the page.
        if status != 404:
            return
        time.sleep(0.05)
    raise AssertionError(f"the server did not start: {log.read_text(encoding='utf-8', errors='replace')[-3000:]}")
