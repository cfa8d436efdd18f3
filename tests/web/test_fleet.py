"""The fleet of examples/serve: nginx in front of servers that share Redis. Each origin is fetched once."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from tests.missing import skip_unless_ci
from tests.servers.behaviours import BEHAVIOURS
from tests.servers.web import Exchange, Site
from tests.stores.conftest import find_free_port, redis_url

__all__ = ["redis_url"]

pytestmark = pytest.mark.service

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "serve"
SECONDS = 300.0
TOKEN = "horse"  # noqa: S105 - a token of a test


async def rules(exchange: Exchange) -> None:
    await exchange.respond(200, b"User-agent: *\nDisallow: /x\n")


@contextmanager
def server(store: str) -> Iterator[int]:
    command = [sys.executable, "-m", "canfetch", "serve", "--port", "0", "--store", store]
    command += ["--trusted-proxy", "127.0.0.1", "--allow-private", "--fetch-rate", "100"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "CANFETCH_TOKEN": TOKEN}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline().split(":")[3].split()[0])
        finally:
            process.terminate()


@contextmanager
def proxy(folder: Path, servers: list[int]) -> Iterator[int]:
    """Run nginx with the configuration of the example, on other addresses."""
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    if not Path(nginx).exists():
        skip_unless_ci("nginx is not installed")
    port = find_free_port()
    text = (EXAMPLE / "nginx.conf").read_text(encoding="utf-8")
    upstreams = "\n".join(f"server 127.0.0.1:{server};" for server in servers)
    text = text.replace("server server:8420;", upstreams).replace("listen 8080;", f"listen 127.0.0.1:{port};")
    temporary = "\n".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    text = text.replace("access_log /dev/stdout", f"{temporary}\n    access_log {folder}/access.log")
    configuration = folder / "nginx.conf"
    configuration.write_text(f"pid {folder}/nginx.pid;\n{text}", encoding="utf-8")
    command = [nginx, "-c", str(configuration), "-e", f"{folder}/error.log", "-g", "daemon off;"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            yield port
        finally:
            process.terminate()


def ask(port: int, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    deadline = time.monotonic() + SECONDS
    while True:
        connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        try:
            headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        except ConnectionRefusedError:
            # nginx starts to listen after its process starts.
            if time.monotonic() > deadline:
                raise
        finally:
            connection.close()


def test_fleet_fetches_each_origin_once(tmp_path: Path, redis_url: str) -> None:
    with ExitStack() as stack:
        sites = [stack.enter_context(Site(behaviours=BEHAVIOURS)) for _ in range(3)]
        for site in sites:
            site.serve("/robots.txt", rules)
        servers = [stack.enter_context(server(redis_url)) for _ in range(2)]
        port = stack.enter_context(proxy(tmp_path, servers))
        paths = [f"/v1/decide?url={site.origin}/x&agent=GPTBot" for site in sites for _ in range(20)]
        with ThreadPoolExecutor(12) as threads:
            answers = list(threads.map(lambda path: ask(port, "GET", path), paths))
        assert [(status, answer["allowed"]) for status, answer in answers] == [(200, False)] * 60
        assert [site.count("/robots.txt") for site in sites] == [1, 1, 1]
        question = {"content": "User-agent: *\nDisallow: /secret\n", "url": "/secret", "agent": "GPTBot"}
        assert ask(port, "POST", "/v1/decide", question)[0] == 200
        log = (tmp_path / "access.log").read_text(encoding="utf-8")
        assert "/v1/decide 200" in log
        assert "secret" not in log
        assert "url=" not in log


def test_compose_file_is_valid() -> None:
    yaml = pytest.importorskip("yaml")
    services = yaml.safe_load((EXAMPLE / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert set(services) == {"redis", "server", "proxy"}
    command = services["server"]["command"][-1]
    assert "--store redis://redis:6379/0" in command
    assert services["server"]["environment"]["CANFETCH_TOKEN"]
