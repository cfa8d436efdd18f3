"""`canfetch serve`: its process, its options and its end."""

import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from tests.servers.behaviours import BEHAVIOURS
from tests.servers.web import Exchange, Site

from canfetch.web.server import process
from canfetch.web.server.listening import is_loopback
from canfetch.web.settings import Settings
from canfetch.web.site.assets import Assets
from canfetch.web.site.static_site import StaticSiteError, write_static_site

SECONDS = 300.0
ROOT = Path(__file__).parents[2]


@contextmanager
def serving(*arguments: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run the command, and return the process and its port."""
    command = [sys.executable, "-m", "canfetch", "serve", "--port", "0", "--store", "none", *arguments]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **environment},
    )
    with process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("canfetch: listening on http://127.0.0.1:"), line
            yield process, int(line.split(":")[3].split()[0])
        finally:
            process.terminate()


def get(port: int, path: str, **headers: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


STOPPED_AT_ONCE = """
import signal
from canfetch.web.server.listening import bind
from canfetch.web.server.process import serve
from canfetch.web.settings import Settings

bound = bind("127.0.0.1", 0, is_fixed=True)
try:
    serve(Settings(store=None, workers={workers}), bound, lambda: signal.raise_signal(signal.{name}))
except KeyboardInterrupt:
    print("interrupted")
else:
    print("stopped")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are of another kind there")
@pytest.mark.parametrize(
    "name, workers, output",
    [
        ("SIGTERM", 1, "stopped\n"),
        ("SIGINT", 1, "interrupted\n"),
        ("SIGTERM", 2, "stopped\n"),
        ("SIGINT", 2, "interrupted\n"),
    ],
)
def test_a_signal_before_the_first_request_stops_the_server(name: str, workers: int, output: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", STOPPED_AT_ONCE.format(name=name, workers=workers)],
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, output, "")


@pytest.mark.service
def test_sigterm_completes_running_requests() -> None:
    async def wait(exchange: Exchange) -> None:
        process.send_signal(signal.SIGTERM)
        # The server stops to listen before this request is answered.
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=SECONDS).close()
            except OSError:
                break
        await exchange.respond(200, b"User-agent: *\nDisallow: /x\n")

    with Site(behaviours=BEHAVIOURS) as site, serving("--allow-private") as (process, port):
        site.serve("/robots.txt", wait)
        status, body = get(port, f"/v1/decide?url={site.origin}/x&agent=GPTBot")
        assert (status, '"allowed":false' in body) == (200, True)
        assert process.wait(SECONDS) == 0


@pytest.mark.service
def test_workers_share_metrics_and_a_token() -> None:
    with serving("--workers", "2", "-v", CANFETCH_TOKEN="horse") as (process, port):
        statuses = [get(port, f"/v1/agents/find?user_agent=x{n}")[0] for n in range(4)]
        assert statuses == [401] * 4
        statuses = [get(port, "/v1/agents/gptbot", Authorization="Bearer horse")[0] for _ in range(8)]
        assert statuses == [200] * 8
        # A worker counts a request after its answer.
        deadline = time.monotonic() + SECONDS
        counted = 'canfetch_requests_total{method="GET",route="/v1/agents/{name}",status="200"} 8.0'
        while counted not in (metrics := get(port, "/metrics", Authorization="Bearer horse"))[1]:
            assert time.monotonic() < deadline, metrics
        assert metrics[0] == 200
        process.terminate()
        _, log = process.communicate(timeout=SECONDS)
    assert log.count("GET /v1/agents/gptbot 200") == 8
    assert "horse" not in log
    assert process.returncode == 0


def test_what_workers_are_sent_fits_into_a_pipe() -> None:
    assert len(pickle.dumps(process._config(Settings(store=None, workers=2), 0))) < 16_384


@pytest.mark.service
def test_interrupt_ends_the_server() -> None:
    with serving() as (process, _):
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=SECONDS)
        assert (process.returncode, errors) == (130, "")


def test_loopback_addresses() -> None:
    hosts: dict[str, bool] = {
        "localhost": True,
        "127.0.0.2": True,
        "::1": True,
        "0.0.0.0": False,  # noqa: S104 - it is not bound
        "::": False,
        "192.0.2.1": False,
        "example.com": False,
    }
    assert {host: is_loopback(host) for host in hosts} == hosts


@pytest.fixture
def built(tmp_path: Path) -> Assets:
    """Return the files of a page, as its build writes them."""
    folder = tmp_path / "assets"
    (folder / "static").mkdir(parents=True)
    files: dict[str, Any] = {
        "index.html": b"<!doctype html><title>served</title>",
        "static.html": b"<!doctype html><title>static</title>",
        "manifest.json": b"{}",
        "static/engine-0123abcd.wasm": b"\0asm",
        "static/main-ABCDEFGH.js": b"export default 1;\n" * 100,
        "static/crawlers.json": b"{}",
        "static/licenses-01234567.txt": b"MIT",
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return Assets(folder)


def test_the_command_names_what_is_not_built(built: Assets, tmp_path: Path) -> None:
    assert built.missing_part == ""
    assert "install npm" in Assets(tmp_path).missing_part
    (built.folder / "static" / "engine-0123abcd.wasm").unlink()
    assert "install Rust" in built.missing_part


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_run_ends_by_naming_make_serve() -> None:
    planned = subprocess.run(["make", "--dry-run", "run"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "'make serve'" in planned.stdout.rstrip().splitlines()[-1]


def test_static_site_has_the_page_and_its_files(built: Assets, tmp_path: Path) -> None:
    site = tmp_path / "site"
    files = ("crawlers.json", "engine-0123abcd.wasm", "licenses-01234567.txt", "main-ABCDEFGH.js")
    names = ["index.html", *(f"static/{name}" for name in files)]
    assert write_static_site(site, built) == names
    assert (site / "index.html").read_bytes() == b"<!doctype html><title>static</title>"
    (site / "static" / "old-01234567.js").write_bytes(b"")
    assert write_static_site(site, built) == names
    assert not (site / "static" / "old-01234567.js").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["assets", "site"]


def test_static_site_replaces_the_folder_behind_a_link(built: Assets, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "link").symlink_to("site")
    write_static_site(tmp_path / "link", built)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "site" / "index.html").exists()


def test_static_site_cannot_be_a_link_to_itself(built: Assets, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(StaticSiteError, match="cannot write"):
        write_static_site(tmp_path / "loop", built)


def test_static_site_replaces_no_other_folder(built: Assets, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_bytes(b"")
    with pytest.raises(StaticSiteError, match="is not empty and not a site of canfetch"):
        write_static_site(tmp_path / "home", built)
    assert (tmp_path / "home" / "letter.txt").exists()


@pytest.mark.slow
def test_static_site_that_cannot_be_replaced_leaves_no_files(built: Assets, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.write_bytes(b"a file")
    with pytest.raises(StaticSiteError, match="cannot write"):
        write_static_site(site, built)
    site.unlink()
    write_static_site(site, built)
    move = Path.rename

    def move_what_another_process_has_moved(path: Path, target: Path) -> Path:
        return move(path.with_name("moved") if path == site else path, target)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Path, "rename", move_what_another_process_has_moved)
        with pytest.raises(StaticSiteError, match="No such file or directory"):
            write_static_site(site, built)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["assets", "site"]


@pytest.mark.slow
def test_static_site_requires_the_page_and_the_engine(built: Assets, tmp_path: Path) -> None:
    with pytest.raises(StaticSiteError, match="the page is not built: run 'make page'"):
        write_static_site(tmp_path / "site", Assets(tmp_path))
    (built.folder / "static" / "engine-0123abcd.wasm").unlink()
    with pytest.raises(StaticSiteError, match="the engine for browsers is not built"):
        write_static_site(tmp_path / "site", built)
    assert not (tmp_path / "site").exists()
