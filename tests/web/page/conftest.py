"""The tester page in Debian's Chromium, with a server in a thread that fetches from scripted sites."""

import http.server
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from tests.missing import skip_unless_ci

pytest.importorskip("fastapi")
pytest.importorskip("playwright")

import uvicorn
from playwright.sync_api import Browser, BrowserContext, FilePayload, Locator, Page, expect, sync_playwright
from tests.web.engine_module import conftest as engine_module

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import TransportRequest
from canfetch.web.app import create_app
from canfetch.web.settings import Settings

ROOT: Final = Path(__file__).resolve().parents[3]
ASSETS: Final = ROOT / "src" / "canfetch" / "web" / "assets"
CRAWLERS: Final = ROOT / "build" / "crawlers.json"
ENGINE_PARTS: Final = ROOT / "build" / "engine-parts.json"
# Without these, Chromium needs a sandbox and asks servers of its own.
BROWSER_OPTIONS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Long enough for a slow machine on which other tests run.
_START_SECONDS: Final = 300
TIMEOUT_MS: Final = 180_000
_POLL_MS: Final = 50
expect.set_options(timeout=TIMEOUT_MS)


class Sites:
    """A transport for the sites of the tests. 10.0.0.0/8 is private, and `down.example` does not answer on https."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, tuple[tuple[str, str], ...], bytes]] = {}
        self.requests: list[str] = []

    def add(self, url: str, body: bytes = b"", *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> None:
        self.answers[url] = status, headers, body

    async def send(self, request: TransportRequest) -> Response | Failure:
        self.requests.append(request.url)
        host = request.url.partition("://")[2].partition("/")[0]
        if host.startswith("10."):
            return Failure(request.url, FailureKind.FORBIDDEN_ADDRESS, f"address {host} is not public")
        if request.url.startswith("https://down.example/"):
            return Failure(request.url, FailureKind.TIMEOUT, "no answer")
        status, headers, body = self.answers.get(request.url, (404, (), b""))
        return Response(request.url, status, headers, body)

    async def close(self) -> None:
        """Do nothing."""


class Site(NamedTuple):
    """The running server: its address, and the sites that it fetches from."""

    address: str
    sites: Sites


def _is_built() -> bool:
    manifest = ASSETS / "manifest.json"
    if not manifest.exists() or not any(ASSETS.glob("static/engine-*.wasm")):
        return False
    sources = [path for path in (ROOT / "page" / "src").rglob("*") if path.is_file()]
    return manifest.stat().st_mtime >= max(path.stat().st_mtime for path in sources)


@pytest.fixture(scope="session")
def built_page() -> Path:
    """Return the folder of the built page, which is built if it is older than its sources."""
    if _is_built():
        return ASSETS
    if shutil.which("npm") is None:
        skip_unless_ci("the tester page is built with npm, which is not installed")
    engine_module._build_module()
    CRAWLERS.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "canfetch", "agents", "list", "--format", "json"]
    CRAWLERS.write_bytes(subprocess.run(command, capture_output=True, check=True, cwd=ROOT / "src").stdout)
    subprocess.run([sys.executable, ROOT / "tools" / "bundled_parts.py", ENGINE_PARTS], check=True)
    if not (ROOT / "page" / "node_modules").exists():
        subprocess.run(["npm", "--prefix", ROOT / "page", "ci"], capture_output=True, check=True)
    subprocess.run(["npm", "--prefix", ROOT / "page", "run", "build"], capture_output=True, check=True)
    return ASSETS


@pytest.fixture(scope="module")
def site(built_page: Path) -> Iterator[Site]:
    """Return a server on a free port of the loopback interface."""
    assert (built_page / "index.html").is_file()
    sites = Sites()
    app = create_app(Settings(), transport=sites)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on", ws="none"))
    with socket.create_server(("127.0.0.1", 0)) as bound:
        address = f"http://127.0.0.1:{bound.getsockname()[1]}/"
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + _START_SECONDS
        while not server.started and thread.is_alive() and time.monotonic() < deadline:
            thread.join(0.02)
        assert server.started
        yield Site(address, sites)
        server.should_exit = True
        thread.join(_START_SECONDS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = shutil.which("chromium")
    if executable is None:
        skip_unless_ci("Chromium is not installed")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable, args=list(BROWSER_OPTIONS), timeout=TIMEOUT_MS)
        yield running
        running.close()


class _StaticHandler(http.server.SimpleHTTPRequestHandler):
    """Sends files as a web host does, with the policy that a host may set for all of them."""

    def end_headers(self) -> None:
        policy = (ROOT / "page" / "src" / "policy.txt").read_text().splitlines()
        self.send_header("Content-Security-Policy", "; ".join(policy))
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
        """Write nothing."""


@contextmanager
def static_server(folder: Path) -> Iterator[str]:
    """Serve the files of a folder, and return the address."""
    handler = partial(_StaticHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


class OpenPage:
    """The open page, and what a test does with it."""

    def __init__(self, page: Page, site: Site) -> None:
        self.page = page
        self.site = site
        self.requests: list[str] = []
        self.problems: list[str] = []
        page.set_default_timeout(TIMEOUT_MS)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self._console(message.type, message.text))

    def _console(self, kind: str, text: str) -> None:
        if kind == "error":
            self.problems.append(text)

    def open(self, fragment: str = "") -> None:
        """Open the page, and wait for the verdicts and the editor."""
        # Chromium does not load a page again if only the fragment differs.
        self.page.goto("about:blank")
        self.page.goto(self.site.address + fragment)
        self.ready()

    def ready(self) -> None:
        """Wait until the view Access has its editor and its verdicts. Other views have neither."""
        expect(self.find("[data-part=file][data-editor=ready]")).to_be_attached()
        expect(self.find("[data-part=verdicts]:not(.pending)")).to_be_attached()

    def written_address(self, earlier: str) -> str:
        """Return the fragment of the address once it holds the last change, which is a moment after the change.

        Args: earlier: The fragment before the change.
        """
        self.page.wait_for_function(
            "(earlier) => location.hash.startsWith('#v1.') && location.hash !== earlier", arg=earlier
        )
        fragment: str = self.page.evaluate("location.hash")
        return fragment

    def find(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def control(self, name: str) -> Locator:
        return self.page.locator(f'[data-control="{name}"]')

    def cell(self, crawler: str, path: str) -> Locator:
        # The elements of rows are used again for other rows, and their cells are labelled a moment later.
        header = self.find("[role=rowheader]").filter(has_text=re.compile(f"^{re.escape(path)}$"))
        row = self.find("[role=row]").filter(has=header)
        return row.locator(f'[role=gridcell][aria-label^="{crawler}, {path}:"]')

    @property
    def editor(self) -> Locator:
        return self.page.locator(".cm-content")

    def replace_file(self, text: str) -> None:
        """Replace the text of the editor as a user does."""
        self.editor.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")
        if text:
            self.page.keyboard.insert_text(text)

    def paste_file(self, text: str) -> None:
        """Replace the text of the editor from the clipboard."""
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.editor.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Control+v")

    def open_file(self, content: bytes) -> None:
        payload: FilePayload = {"name": "robots.txt", "mimeType": "text/plain", "buffer": content}
        self.control("file").set_input_files(payload)

    def fetch(self, url: str) -> None:
        self.control("address").fill(url)
        self.control("fetch").click()

    @property
    def rows(self) -> Locator:
        return self.find("[data-part=verdicts] [role=rowheader]")

    @property
    def columns(self) -> Locator:
        return self.find(".grid-names .name")

    def set_urls(self, text: str) -> None:
        self.control("urls").click()
        # Playwright types long texts line by line.
        script = "(input, text) => { input.value = text; input.dispatchEvent(new Event('input', {bubbles: true})); }"
        self.control("urls-text").evaluate(script, text)
        self.control("urls-apply").click()

    def expect_blocked(self, count: int) -> None:
        expect(self.find("[data-summary]")).to_contain_text(re.compile(rf"(?<![\d,.]){count} blocked"))

    def expect_why(self, text: str) -> None:
        expect(self.find("[data-part=why]")).to_contain_text(text)

    def expect_answered(self, view: str) -> None:
        """Wait until a view shows the answer to its last request."""
        expect(self.find(f".{view}-view:not([aria-busy=true])")).to_be_attached()

    def expect_value(self, expression: str, expected: object, argument: object = None) -> None:
        """Wait until a function in the page returns a value, and show what it returns instead."""
        deadline = time.monotonic() + TIMEOUT_MS / 1000
        while (found := self.page.evaluate(expression, argument)) != expected and time.monotonic() < deadline:
            self.page.wait_for_timeout(_POLL_MS)
        assert found == expected

    def expect_width(self, width: int) -> None:
        """Expect that nothing makes the page wider than its window."""
        self.expect_value("() => document.documentElement.scrollWidth", width)

    def crawlers_and_paths(self) -> tuple[list[str], list[str]]:
        """Return the columns and the rows of the example, once they are drawn."""
        expect(self.columns).to_have_count(14)
        expect(self.rows).to_have_count(16)
        return self.columns.all_inner_texts(), self.rows.all_inner_texts()

    def blocked_cells(self) -> list[str]:
        """Return crawler and path of each blocked cell that is in the document."""
        names = self.find(".cell.blocked[role=gridcell]").evaluate_all(
            "cells => cells.map(cell => cell.getAttribute('aria-label'))"
        )
        return [name.partition(":")[0] for name in names if name]

    def attribute(self, selector: str, name: str) -> str | None:
        return self.find(selector).get_attribute(name)


NewPage = Callable[..., OpenPage]


@pytest.fixture
def new_page(browser: Browser, site: Site) -> Iterator[NewPage]:
    """Return a function that opens a browser context with a page. Options are those of `Browser.new_context`."""
    contexts: list[BrowserContext] = []

    def open_context(**options: Any) -> OpenPage:
        settings: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}, "locale": "en-US", **options}
        context = browser.new_context(**settings)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        contexts.append(context)
        return OpenPage(context.new_page(), site)

    yield open_context
    for context in contexts:
        context.close()


@pytest.fixture
def tester(new_page: NewPage) -> OpenPage:
    """Return the page at a width of 1440 px with the example."""
    opened = new_page()
    opened.open()
    return opened
