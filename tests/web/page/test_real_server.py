"""The page with `canfetch serve` in a process of its own, which fetches from a server on the loopback interface."""

import contextlib
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.servers.behaviours import BEHAVIOURS
from tests.servers.dead_ports import refusing_port
from tests.servers.redirects import redirect
from tests.servers.web import Behaviour, Exchange, Site
from tests.web.page.conftest import OpenPage, Sites
from tests.web.page.conftest import Site as Served
from tests.web.test_serve import SECONDS, serving

pytestmark = pytest.mark.service

MARKER = "zebra-4711"


@contextlib.contextmanager
def opened(browser: Browser, port: int) -> Iterator[OpenPage]:
    """Open the page of a server."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tester = OpenPage(context.new_page(), Served(f"http://127.0.0.1:{port}/", Sites()))
    tester.open()
    yield tester
    context.close()


def expect_answer(tester: OpenPage, url: str, state: str, text: str) -> None:
    tester.control("address").fill(url)
    tester.control("fetch").click()
    expect(tester.find(".source-state")).to_have_attribute("data-state", state)
    expect(tester.find(".source-state")).to_contain_text(text)


def answer(status: int, body: bytes = b"") -> Behaviour:
    async def behaviour(exchange: Exchange) -> None:
        await exchange.respond(status, body, "Content-Type: text/plain")

    return behaviour


def test_files_are_fetched_through_redirects_and_failures_have_their_effect(
    built_page: object, browser: Browser
) -> None:
    assert built_page
    with Site(behaviours=BEHAVIOURS) as site, refusing_port() as dead, serving("--allow-private") as (_, port):
        site.serve("/robots.txt", redirect("/second"), answer(404))
        site.serve("/second", redirect("/third"))
        site.serve("/third", answer(200, b"User-agent: *\nDisallow: /shop/\n"))
        with opened(browser, port) as tester:
            url = f"{site.origin}/robots.txt"
            expect_answer(tester, url, "successful", "Redirected 2 times, answered 200. In force for 24 hours.")
            tester.find(".source-details summary").click()
            expect(tester.find(".source-popup li")).to_have_count(2)
            expect(tester.find(".source-popup")).to_contain_text(re.compile(r"fetched \d+ (second|minute)s? ago"))
            expect(tester.editor).to_contain_text("Disallow: /shop/")
            # The URL that the rule decides, for five crawlers.
            tester.expect_blocked(5)
            expect_answer(tester, url, "unavailable", "404: no robots.txt, so everything is allowed.")
            tester.expect_blocked(0)
            down = f"http://127.0.0.1:{dead}/robots.txt"
            expect_answer(tester, down, "unreachable", "The server did not answer. Every URL is blocked now")
            tester.expect_blocked(5)


def test_loopback_is_refused_and_no_log_holds_the_draft(built_page: object, browser: Browser) -> None:
    assert built_page
    with Site(behaviours=BEHAVIOURS) as site, serving("-vv") as (process, port):
        with opened(browser, port) as tester:
            for url in (
                f"{site.origin}/robots.txt",
                "http://[::ffff:127.0.0.1]/robots.txt",
                "http://2130706433/robots.txt",
            ):
                expect_answer(tester, url, "error", "This address is not public, so it is not fetched.")
            with tester.page.expect_response("**/v1/lint"):
                tester.replace_file(f"User-agent: *\nDisallow: /{MARKER}/\n")
            tester.set_urls(f"/{MARKER}/page")
            tester.expect_blocked(12)
            tester.control("format").click()
            expect(tester.find(".toast")).to_have_text("The file is already formatted.")
            tester.control("link").click()
            expect(tester.find(".toast")).to_contain_text("Link copied.")
            link = tester.page.evaluate("navigator.clipboard.readText()")
            tester.open(link.removeprefix(tester.site.address))
            expect(tester.editor).to_contain_text(MARKER)
        assert site.requests == []
        process.terminate()
        _, log = process.communicate(timeout=SECONDS)
    assert "/v1/lint" in log
    assert MARKER not in log
    assert "#v1." not in log


def test_a_server_with_a_token_asks_for_it(built_page: object, browser: Browser) -> None:
    assert built_page
    with serving("--token", MARKER) as (_, port), opened(browser, port) as tester:
        dialog = tester.find("dialog[data-dialog=token]")
        for value, is_right in (("wrong", False), (MARKER, True)):
            expect(dialog).to_be_visible()
            dialog.get_by_label("Token", exact=True).fill(value)
            dialog.locator("[data-control=token-apply]").click()
            if not is_right:
                expect(dialog).to_contain_text("The server rejected this token.")
        expect(tester.control("notes")).to_have_attribute("data-state", "ready")
        expect(dialog).to_have_count(0)
        # The tab keeps it.
        tester.page.reload()
        tester.ready()
        expect(tester.control("notes")).to_have_attribute("data-state", "ready")
        expect(dialog).to_have_count(0)


def test_a_reader_without_the_token_is_asked_once(built_page: object, browser: Browser) -> None:
    assert built_page
    with serving("--token", MARKER) as (_, port), opened(browser, port) as tester:
        dialog = tester.find("dialog[data-dialog=token]")
        expect(dialog).to_be_visible()
        tester.page.keyboard.press("Escape")
        expect(tester.control("notes")).to_have_attribute("data-state", "failed")
        # The verdicts need no server.
        with tester.page.expect_response("**/v1/lint"):
            tester.replace_file("User-agent: *\nDisallow: /\n")
        tester.expect_blocked(16 * 12)
        expect(tester.control("notes")).to_have_attribute("data-state", "failed")
        expect(dialog).to_have_count(0)
