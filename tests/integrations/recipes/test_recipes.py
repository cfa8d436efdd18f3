"""The programs of the recipes send no request that robots.txt disallows, and fetch each robots.txt once."""

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from tests.integrations.recipes.conftest import SECONDS, urls
from tests.servers.web import Site

pytestmark = pytest.mark.service
USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
RULE = "line 2, Disallow: /private/"
UNREACHABLE = "robots.txt is unreachable: status 503"
# The requests that are allowed, including the redirects to disallowed pages.
ALLOWED = {"/fish", "/moved", "/chain", "/away"}


def check_requests(site: Site, down: Site, *, allowed: set[str] = ALLOWED) -> None:
    """Check what the servers have received."""
    targets = [request.target for request in site.requests]
    assert targets.count("/robots.txt") == 1
    assert set(targets) - {"/favicon.ico"} == {"/robots.txt", *allowed}
    assert [request.target for request in down.requests] == ["/robots.txt"]
    agents = {request.headers["user-agent"] for request in (*site.requests, *down.requests)}
    assert agents == {USER_AGENT}


def test_crawlee(site: Site, down: Site, run: Callable[..., str]) -> None:
    output = run("crawlee_crawler.py", f"{site.origin}/")
    check_requests(site, down, allowed={"/", *ALLOWED})
    notes = f"{site.origin}/private/notes"
    lines = output.splitlines()
    assert f"skipped {notes} - disallowed: {RULE}" in lines
    assert f"skipped {down.origin}/fish - disallowed: {UNREACHABLE}" in lines
    assert lines.count(f"failed {notes}: disallowed: {RULE}") == 2
    assert f"fetched {site.origin}/fish" in lines


@pytest.mark.parametrize("mode", ["one-by-one", "concurrently"])
def test_langchain(mode: str, site: Site, down: Site, run: Callable[..., str]) -> None:
    options = ["--concurrently"] if mode == "concurrently" else []
    output = run("langchain_loaders.py", *options, *urls(site, down))
    check_requests(site, down)
    fetched = [line for line in output.splitlines() if line.startswith("fetched ")]
    assert fetched == [f"fetched {site.origin}/fish", f"fetched {site.origin}/away"]
    if mode == "one-by-one":
        assert output.count(f"skipped ExampleBot may not fetch {site.origin}/private/notes: {RULE}\n") == 3
        assert f"skipped ExampleBot may not fetch {down.origin}/fish: {UNREACHABLE}\n" in output


def test_datatrove(site: Site, down: Site, run: Callable[..., str]) -> None:
    output = run("datatrove_media.py", *urls(site, down))
    check_requests(site, down)
    may_not = f"ExampleBot may not fetch {site.origin}/private/notes: {RULE}"
    assert sorted(output.splitlines()) == sorted(
        [
            f"fetched {site.origin}/fish",
            f"fetched {site.origin}/away",
            f"skipped {site.origin}/private/notes - robots_txt_disallowed",
            f"skipped {site.origin}/moved - {may_not}",
            f"skipped {site.origin}/chain - {may_not}",
            f"skipped {down.origin}/fish - robots_txt_disallowed",
        ]
    )


def test_playwright(site: Site, down: Site, run: Callable[..., str], browser: str) -> None:
    output = run("playwright_browser.py", *urls(site, down), f"{site.origin}/parts", CHROMIUM=browser)
    check_requests(site, down, allowed={"/parts", *ALLOWED})
    loaded = [line for line in output.splitlines() if line.startswith("loaded ")]
    assert loaded == [f"loaded {site.origin}/{name}" for name in ("fish", "fish", "parts")]
    for kind, path in (("Document", "notes"), ("Document", "frame"), ("Image", "notes"), ("XHR", "data")):
        assert f"blocked {kind} {site.origin}/private/{path} - disallowed: {RULE}\n" in output
    assert f"blocked Document {down.origin}/fish - disallowed: {UNREACHABLE}\n" in output


class ToolCalls:
    """A client of an MCP server on standard input and output."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._number = 0
        self._request(
            "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t", "version": "1"}
        )
        self._send({"method": "notifications/initialized"})

    def fetch(self, url: str) -> tuple[bool, str]:
        """Return whether the tool failed, and the text that the model receives."""
        # Without `raw`, the server may run npm.
        result = self._request("tools/call", name="fetch", arguments={"url": url, "raw": True})
        return result.get("isError", False), result["content"][0]["text"]

    def _request(self, method: str, **parameters: object) -> dict[str, Any]:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        assert self._process.stdout is not None
        answer: dict[str, dict[str, Any]] = json.loads(self._process.stdout.readline())
        return answer["result"]

    def _send(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()


def test_mcp_fetch_server(site: Site, down: Site, start: Callable[..., "subprocess.Popen[str]"]) -> None:
    with start("mcp_fetch_server.py", "--allow-private-ips") as process:
        try:
            calls = ToolCalls(process)
            results = {url: calls.fetch(url) for url in urls(site, down)}
            _, errors = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
    assert process.returncode == 0, errors
    check_requests(site, down)
    notes = f"{site.origin}/private/notes"
    for path in ("/fish", "/away"):
        failed, text = results[site.origin + path]
        assert not failed
        assert "Fish live in water" in text
    for path in ("/private/notes", "/moved", "/chain"):
        failed, text = results[site.origin + path]
        assert failed
        assert text.endswith(f"Not fetched: {notes}: disallowed: {RULE}")
    assert results[f"{down.origin}/fish"][1].endswith(UNREACHABLE)
