"""The view Usage: preferences by crawler and purpose, beside access."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Route, expect
from tests.web.page.conftest import ROOT, NewPage, OpenPage, static_server

import canfetch
from canfetch.web.site.assets import Assets
from canfetch.web.site.static_site import write_static_site

pytestmark = pytest.mark.service

EXAMPLE: Final = (ROOT / "examples" / "robots.txt").read_text()
LANGUAGES: Final = ("en", "de", "es", "it", "ja", "ko")
PURPOSES: Final = {"Search": "search", "AI input": "ai-use", "Training": "training"}
STATES: Final = {False: "blocked", True: "allowed", None: "none"}


def cell(tester: OpenPage, crawler: str, purpose: str) -> Any:
    return tester.find(f'.usage-view [role=gridcell][aria-label^="{crawler}, {purpose}:"]')


@pytest.fixture
def usage(tester: OpenPage) -> OpenPage:
    """Return the page with the view Uses."""
    tester.find("#tab-usage").click()
    expect(cell(tester, "GPTBot", "Training")).to_be_visible()
    return tester


def test_a_file_without_statements_offers_some_and_adds_them_to_every_group(usage: OpenPage) -> None:
    expect(usage.find(".usage-view [data-state=empty]")).to_contain_text("This file states nothing about uses.")
    usage.find("[data-recipe=no_training]").click()
    usage.page.locator("[data-control=usage-target]").select_option("/blog/2026/why-robots")
    expect(cell(usage, "GPTBot", "Training")).to_have_attribute("aria-label", "GPTBot, Training: reserved by line 37")
    expect(usage.find(".usage-view .explanation")).to_contain_text("The site reserves this use: line 37.")
    expect(usage.find(".usage-view .cm-line.line-blocks")).to_have_text("Content-Signal: search=yes, ai-train=no")
    assert usage.problems == []


def test_every_cell_equals_the_answer_of_the_library(usage: OpenPage) -> None:
    text = EXAMPLE.replace(
        "User-agent: *\n", "User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: /blog/ train-ai=y\n"
    ).replace("User-agent: CCBot\n", "User-agent: CCBot\nContent-Usage: train-ai=y, search=n\n")
    usage.replace_file(text)
    usage.page.locator("[data-control=usage-target]").select_option("/blog/2026/why-robots")
    usage.expect_answered("usage")
    robots = canfetch.parse(text)
    crawlers = usage.find(".usage-view .row-name").all_inner_texts()
    assert len(crawlers) == 14
    for crawler in crawlers:
        for label, purpose in PURPOSES.items():
            agent = canfetch.agent(crawler)
            found = canfetch.may_use("/blog/2026/why-robots", purpose=purpose, agent=agent, robots=robots)
            is_read = crawler == "Google-Extended" or robots.allows("/blog/2026/why-robots", agent=agent)
            state = STATES[found.allowed] if is_read else "unread"
            expect(cell(usage, crawler, label)).to_have_attribute("data-state", state)


def test_a_crawler_that_may_not_fetch_has_no_preference(usage: OpenPage) -> None:
    cell(usage, "GPTBot", "Search").click()
    expect(cell(usage, "GPTBot", "Search")).to_have_attribute("data-state", "unread")
    explanation = usage.find(".usage-view .explanation")
    expect(explanation).to_contain_text("The crawler may not fetch this URL, so no statement applies to it.")
    expect(explanation).to_contain_text("GPTBot may not fetch it: line 34 decides.")
    expect(explanation).to_contain_text("the user-agent lines are lines 31, 56, for GPTBot")
    expect(usage.find(".usage-view [role=gridcell]").first).to_have_attribute(
        "aria-label", "Googlebot may fetch it: no rule matches. It may fetch 14 of 16 listed URLs."
    )


def test_a_control_token_fetches_nothing_and_its_rules_say_what_may_be_used(usage: OpenPage) -> None:
    usage.replace_file("User-agent: Google-Extended\nDisallow: /\nContent-Signal: search=yes, ai-train=no\n")
    label = "Google-Extended, Training: reserved by line 2"
    expect(cell(usage, "Google-Extended", "Training")).to_have_attribute("aria-label", label)
    expect(usage.find('.usage-view [aria-label="Google-Extended: fetches nothing"]')).to_be_visible()
    cell(usage, "Google-Extended", "Training").click()
    explanation = usage.find(".usage-view .explanation")
    expect(explanation).to_contain_text("The site reserves this use: line 2.")
    expect(explanation).to_contain_text("Google-Extended fetches nothing.")
    expect(explanation.locator(".statement")).to_have_count(2)
    usage.find("#tab-access").click()
    usage.control("facts").click()
    named = usage.find("[data-dialog=facts] [data-facts=named]")
    expect(named).to_contain_text("fetches nothing; the controlled uses are not permitted")
    expect(named).to_contain_text("Training: reserved")


def test_statements_in_other_groups_are_shown_as_not_read(usage: OpenPage) -> None:
    lines = "Content-Signal: ai-train=no\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /private/\n"
    explanation = usage.find(".usage-view .explanation")
    usage.replace_file(f"User-agent: *\n{lines}")
    expect(explanation).to_contain_text(
        "in the group for *, which does not apply to GPTBot; the user-agent line is line"
    )
    usage.replace_file(f"User-agent: CCBot\n{lines}")
    expect(explanation).to_contain_text("The statement on line 2 is in a group that GPTBot does not read.")
    # The explanation is drawn again with the verdicts.
    expect(usage.find(".usage-view [role=gridcell]").first).to_have_attribute("aria-label", re.compile("16 of 16"))
    usage.find(".usage-view .explanation .line-button").first.click()
    expect(usage.editor).to_be_focused()


def test_statements_that_cannot_be_read_are_listed_as_such(usage: OpenPage) -> None:
    usage.replace_file("User-agent: *\nContent-Signal: nonsense\nContent-Usage: train-ai=n\n")
    statements = usage.find(".usage-view .records .statement")
    expect(statements).to_have_count(2)
    expect(statements.nth(0)).to_contain_text("cannot be read")
    expect(statements.nth(1)).to_contain_text("of 14 crawlers")


def test_the_registry_says_who_reads_statements(usage: OpenPage) -> None:
    honours = usage.find("[data-result=honours], .honours-note")
    expect(honours).to_contain_text("No operator of these crawlers documents that it reads Content-Signal")
    expect(usage.find(".usage-view .explanation")).to_contain_text("OpenAI does not document that GPTBot reads")


def test_a_tdm_file_reserves_the_rights(usage: OpenPage) -> None:
    cell(usage, "Googlebot", "Training").click()
    usage.find(".usage-view .more summary").click()
    content = [{"location": "/*", "tdm-reservation": 1, "tdm-policy": "https://www.example.com/terms"}]
    usage.control("tdm-file").fill(json.dumps(content))
    explanation = usage.find(".usage-view .explanation")
    expect(explanation).to_contain_text("The site reserves this use: tdmrep.json entry 1.")
    expect(explanation).to_contain_text(
        "the rights to text and data mining are reserved, terms at https://www.example.com"
    )
    usage.control("tdm-file").fill("{")
    expect(explanation).to_contain_text("Not read: headers, html, and tdmrep.json (invalid JSON)")


def test_a_control_token_and_a_header_reserve_a_use(usage: OpenPage) -> None:
    usage.replace_file("User-agent: *\nAllow: /\n\nUser-agent: Google-Extended\nDisallow: /blog/\n")
    usage.page.locator("[data-control=usage-target]").select_option("/blog/2026/why-robots")
    expect(cell(usage, "Googlebot", "Training")).to_have_attribute(
        "aria-label", "Googlebot, Training: reserved by line 5"
    )
    cell(usage, "Googlebot", "Training").click()
    explanation = usage.find(".usage-view .explanation")
    expect(explanation).to_contain_text("a rule for Google-Extended, which controls this use by Google; the user")
    expect(explanation).to_contain_text("A rule for Google-Extended is about Gemini Apps and Vertex AI.")
    expect(usage.find(".usage-view [data-state=empty]")).to_contain_text("Only rules for control tokens")
    usage.find(".usage-view .more summary").click()
    usage.control("tdm-headers").fill("X-Robots-Tag: noai")
    cell(usage, "GPTBot", "Training").click()
    expect(explanation).to_contain_text("The site reserves this use: headers, X-Robots-Tag")


@pytest.mark.parametrize(
    "status, text",
    [
        (429, "The server is busy. Try again in a few seconds."),
        (413, "This is more than the server accepts."),
        (401, "The server requires a token. Reload the page to enter it."),
        (0, "The server does not answer. Check that it is still running."),
    ],
    ids=["busy", "too-large", "token", "unreachable"],
)
def test_a_failed_request_is_explained_and_can_be_repeated(tester: OpenPage, status: int, text: str) -> None:
    def fail(route: Route) -> None:
        if status == 0:
            route.abort()
        else:
            route.fulfill(
                status=status, content_type="application/problem+json", body='{"title": "no", "detail": "no"}'
            )

    tester.page.route("**/v1/use", fail)
    tester.find("#tab-usage").click()
    if status == 401:
        expect(tester.find("dialog[data-dialog=token]")).to_be_visible()
        tester.page.keyboard.press("Escape")
    expect(tester.find(".usage-view [data-state=failed]")).to_contain_text(text)
    tester.page.unroute("**/v1/use")
    tester.find(".usage-view [data-state=failed] button").click()
    expect(cell(tester, "GPTBot", "Training")).to_be_visible()


def test_a_large_draft_is_sent_on_request_only(tester: OpenPage) -> None:
    lines = "".join(f"Disallow: /folder/{number}/\n" for number in range(4000))
    content = f"User-agent: *\nContent-Signal: ai-train=no\n{lines}".encode()
    # Chromium takes minutes to insert as many lines by the keyboard.
    tester.control("file").set_input_files({"name": "robots.txt", "mimeType": "text/plain", "buffer": content})
    expect(tester.find(".source-main")).to_contain_text("opened")
    tester.requests.clear()
    tester.find("#tab-usage").click()
    large = tester.find(".usage-view [data-state=large]")
    expect(large).to_contain_text("so it is sent only when you ask for it")
    assert not [url for url in tester.requests if url.endswith("/v1/use")]
    large.get_by_role("button").click()
    expect(cell(tester, "GPTBot", "Training")).to_have_attribute("data-state", "blocked")


def test_the_keyboard_moves_and_explains(usage: OpenPage) -> None:
    cell(usage, "GPTBot", "Training").focus()
    for key in ("ArrowUp", "Home", "ArrowRight", "Enter"):
        usage.page.keyboard.press(key)
    expect(usage.find(".usage-view .explanation-title")).to_have_text("OAI-SearchBot: Search")
    usage.page.keyboard.press("Control+End")
    expect(cell(usage, "MJ12bot", "Training")).to_be_focused()
    expect(usage.find('.usage-view [role=gridcell][tabindex="0"]')).to_have_count(1)


def test_a_link_restores_the_view(usage: OpenPage, new_page: NewPage) -> None:
    usage.page.locator("[data-control=usage-target]").select_option("/blog/2026/why-robots")
    usage.expect_answered("usage")
    cell(usage, "CCBot", "AI input").click()
    usage.control("link").click()
    expect(usage.find(".toast")).to_contain_text("Link copied")
    fragment = usage.page.evaluate("location.hash")
    opened = new_page()
    opened.page.goto(usage.site.address + fragment)
    expect(opened.find(".usage-view .explanation-title")).to_have_text("CCBot: AI input")
    expect(opened.page.locator("[data-control=usage-target]")).to_have_value("/blog/2026/why-robots")


@pytest.fixture(scope="module")
def static_address(built_page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site") / "page"
    write_static_site(folder, Assets(built_page))
    with static_server(folder) as address:
        yield address


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_static_site_states_that_it_does_not_evaluate_pasted_page_rules(
    new_page: NewPage, static_address: str, language: str
) -> None:
    opened = new_page(locale=language)
    opened.page.goto(static_address)
    expect(opened.find("html")).to_have_attribute("lang", language)
    for view in ("usage", "rules"):
        opened.find(f"#tab-{view}").click()
        if view == "rules":
            opened.control("rules-headers").fill("X-Robots-Tag: noindex")
            opened.control("rules-html").fill('<!doctype html><meta name="robots" content="nofollow">')
        note = opened.find(f".{view}-view [data-state=no-server]")
        for text in ("X-Robots-Tag", "canfetch serve", "--with-linter"):
            expect(note).to_contain_text(text)
        expect(opened.find(f".{view}-view [role=gridcell]")).to_have_count(0)
    assert opened.problems == []


def test_a_static_site_compares_without_a_server(new_page: NewPage, static_address: str) -> None:
    opened = new_page()
    opened.page.goto(static_address)
    expect(opened.control("profile").locator("option")).not_to_have_count(0)
    expect(opened.control("profile").locator("option[disabled]")).to_have_count(0)
    opened.find("#tab-compare").click()
    expect(opened.find(".compare-view [role=gridcell]").first).to_be_visible()
    expect(opened.control("compare-live")).to_have_count(0)
    assert opened.problems == []


def test_only_the_crawlers_to_which_a_statement_applies_read_it(usage: OpenPage) -> None:
    group = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /a\n\n"
    others = "".join(f"User-agent: {name}\nDisallow: /b\n\n" for name in ("Googlebot", "GPTBot"))
    usage.find("#tab-access").click()
    usage.open_file((group + others).encode())
    expect(usage.columns).to_have_count(5)
    usage.find("#tab-usage").click()
    expect(usage.find(".records .statement")).to_contain_text("read by 3 of 5 crawlers")
    cell(usage, "Googlebot", "Training").click()
    expect(usage.find(".usage-view .explanation")).to_contain_text("which does not apply to Googlebot")
    expect(usage.find(".usage-view .cm-line.line-matches")).to_have_count(0)
    cell(usage, "ClaudeBot", "Training").click()
    expect(usage.find(".usage-view .cm-line.line-blocks")).to_have_text("Content-Signal: search=yes, ai-train=no")
