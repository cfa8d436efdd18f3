"""The view Page rules: headers and meta elements, and whether robots.txt lets crawlers see them."""

from typing import Any, Final

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import ROOT, NewPage, OpenPage

import canfetch
from canfetch.pages import parse_page

pytestmark = pytest.mark.service

EXAMPLE: Final = (ROOT / "examples" / "robots.txt").read_text()
USES: Final = {
    "Indexing": "may_index",
    "Following links": "may_follow",
    "Text snippet": "may_snippet",
    "Cached copy": "may_archive",
    "AI answers": "may_answer",
    "AI training": "may_train",
    "Available": "available",
}


def cell(tester: OpenPage, crawler: str, use: str) -> Any:
    return tester.find(f'.rules-view [role=gridcell][aria-label^="{crawler}, {use}:"]')


@pytest.fixture
def rules(tester: OpenPage) -> OpenPage:
    """Return the page with the view Page rules."""
    tester.find("#tab-rules").click()
    expect(cell(tester, "Googlebot", "Indexing")).to_be_visible()
    return tester


def test_a_noindex_behind_a_disallow_is_never_seen(rules: OpenPage) -> None:
    expect(rules.find("[data-result=unseen]")).to_contain_text("robots.txt blocks the page for these crawlers")
    expect(rules.find("[data-result=unseen] li")).to_have_text("line 22Googlebot and Applebot")
    expect(cell(rules, "Googlebot", "Indexing")).to_have_attribute("data-state", "unread")
    explanation = rules.find(".rules-view .explanation")
    expect(explanation).to_contain_text("robots.txt blocks the page, on line 22. The crawler never sees its rules.")
    expect(explanation).to_contain_text("Googlebot never sees this noindex, so it may still list the URL")
    rules.find("[data-result=unseen] .line-button").click()
    expect(rules.find(".rules-view .cm-line.line-blocks")).to_have_text("Disallow: /blog/drafts/")
    assert rules.problems == []


def test_every_cell_equals_the_answer_of_the_library(rules: OpenPage) -> None:
    headers = [
        ("Content-Type", "text/html"),
        ("X-Robots-Tag", "googlebot: noarchive, max-snippet: 20"),
        ("X-Robots-Tag", "unavailable_after: 2020-01-01"),
    ]
    html = '<!doctype html><meta name="robots" content="nofollow"><meta name="bingbot" content="nocache">'
    rules.control("rules-headers").fill("\n".join(f"{name}: {value}" for name, value in headers))
    rules.control("rules-html").fill(html)
    rules.expect_answered("rules")
    expect(cell(rules, "bingbot", "Following links")).to_have_attribute("data-state", "blocked")
    url = "https://www.example.com/blog/drafts/next"
    robots = canfetch.parse(EXAMPLE, url="https://www.example.com/robots.txt")
    page = parse_page(html, headers=headers, url=url)
    for crawler in ("Googlebot", "Googlebot-Image", "bingbot", "Applebot", "GPTBot", "CCBot", "AdsBot-Google"):
        agent = canfetch.agent(crawler)
        verdict = page.decide(agent=agent, now=1_795_000_000, robots=robots.decide(url, agent=agent))
        for label, name in USES.items():
            decision = getattr(verdict, name)
            allowed = cell(rules, crawler, label).get_attribute("data-state") in {"none", "allowed", "limited"}
            assert allowed is decision.allowed, (crawler, label)


def test_the_place_of_a_rule_is_selected_in_the_pasted_text(rules: OpenPage) -> None:
    def expect_selected(control: str, text: str) -> None:
        area = f"document.querySelector('[data-control={control}]')"
        rules.expect_value(f"() => {area}.value.slice({area}.selectionStart, {area}.selectionEnd)", text)

    places = rules.find(".rules-view .records .line-button")
    places.filter(has_text="X-Robots-Tag header 2").click()
    expect_selected("rules-headers", "X-Robots-Tag: adsbot-google: nofollow")
    rules.control("rules-html").fill('<p>é</p>\n<meta name="robots" content="noindex">')
    places.filter(has_text="meta element, line 2").click()
    expect_selected("rules-html", '<meta name="robots" content="noindex">')


def test_a_misspelt_rule_has_no_effect_and_a_suggestion(rules: OpenPage) -> None:
    rules.control("rules-html").fill('<meta name="robots" content="no-index">')
    expect(rules.find(".rules-view .rule-note")).to_have_text("no effect; did you mean noindex?")
    expect(cell(rules, "bingbot", "Indexing")).to_have_attribute("data-state", "none")


def test_the_draft_counts_for_pages_of_its_own_host_only(rules: OpenPage) -> None:
    rules.control("rules-url").fill("https://other.example/page")
    expect(rules.find(".rules-view .panel-body .note").filter(has_text="for another host")).to_be_visible()
    expect(cell(rules, "Googlebot", "Indexing")).to_have_attribute("data-state", "blocked")
    rules.control("rules-headers").fill("")
    rules.control("rules-html").fill("")
    expect(rules.find(".rules-view [data-state=empty]")).to_contain_text("Paste the headers or the HTML of a page")


def test_an_answer_about_headers_that_were_removed_meanwhile_is_not_shown(rules: OpenPage) -> None:
    # The request is not answered.
    rules.page.route("**/v1/page", lambda _: None)
    with rules.page.expect_request("**/v1/page"):
        rules.control("rules-headers").fill("")
    with rules.page.expect_event("requestfailed"):
        rules.control("rules-html").fill("")
    expect(rules.find(".rules-view [data-state=empty]")).to_contain_text("Paste the headers or the HTML of a page")


def fetch(rules: OpenPage, address: str) -> None:
    rules.find("[data-pane=fetch]").click()
    rules.control("rules-address").fill(address)
    rules.control("rules-fetch").click()


def test_a_fetched_page_is_read_with_the_live_file_of_its_host(rules: OpenPage) -> None:
    sites = rules.site.sites
    sites.add("https://pages.example/robots.txt", b"User-agent: Googlebot\nDisallow: /moved\n")
    sites.add("https://pages.example/old", status=301, headers=(("Location", "/moved"),))
    html = b'<!doctype html><title>x</title><meta name="robots" content="noindex">'
    sites.add("https://pages.example/moved", html, headers=(("Content-Type", "text/html"),))
    fetch(rules, "https://pages.example/old")
    expect(rules.find("[data-result=fetched]")).to_contain_text("The robots.txt of the site counts")
    expect(cell(rules, "bingbot", "Indexing")).to_have_attribute("data-state", "blocked")
    expect(cell(rules, "Googlebot", "Indexing")).to_have_attribute("data-state", "unread")
    cell(rules, "Googlebot", "Fetching").click()
    expect(rules.find(".rules-view .explanation")).to_contain_text("line 2 of the live file")
    expect(rules.find(".rules-view .records")).to_contain_text("noindex")
    # The owner repairs the file, and checks again.
    sites.add("https://pages.example/robots.txt", b"User-agent: Googlebot\nDisallow:\n")
    rules.control("rules-fetch").click()
    expect(cell(rules, "Googlebot", "Indexing")).to_have_attribute("data-state", "blocked")


def test_the_edition_reads_the_live_file_of_a_fetched_page(rules: OpenPage) -> None:
    sites = rules.site.sites
    sites.add("https://pages.example/robots.txt", b"User-agent: Googlebot\n\nDisallow: /page\n")
    sites.add("https://pages.example/page", b"<title>x</title>", headers=(("Content-Type", "text/html"),))
    fetch(rules, "https://pages.example/page")
    expect(cell(rules, "Googlebot", "Fetching")).to_have_attribute("data-state", "blocked")
    # A blank line ends a group.
    rules.find("#tab-access").click()
    rules.control("profile").select_option("original1994")
    rules.find("#tab-rules").click()
    expect(rules.find("[data-result=fetched]")).to_have_count(0)
    rules.control("rules-fetch").click()
    expect(cell(rules, "Googlebot", "Fetching")).to_have_attribute("data-state", "none")


@pytest.mark.parametrize(
    "address, text",
    [
        ("http://10.0.0.1/", "robots.txt could not be fetched"),
        ("https://down.example/", "robots.txt could not be fetched"),
        ("https://missing.example/page", "The page could not be fetched"),
        ("ftp://files.example/", "This is not a valid address."),
    ],
    ids=["private", "down", "missing", "scheme"],
)
def test_a_page_that_is_not_fetched_is_explained(rules: OpenPage, address: str, text: str) -> None:
    fetch(rules, address)
    expect(rules.find(".rules-view .main-panel, .rules-view .explanation").filter(has_text=text)).not_to_have_count(0)


def test_a_page_is_not_called_unfetched_because_one_crawler_may_not_fetch_it(rules: OpenPage) -> None:
    sites = rules.site.sites
    # The first column is that of Googlebot.
    sites.add("https://part.example/robots.txt", b"User-agent: Googlebot\nDisallow: /\n")
    sites.add(
        "https://part.example/",
        b"<!doctype html><title>x</title>",
        headers=(("Content-Type", "text/html"), ("X-Robots-Tag", "noindex")),
    )
    fetch(rules, "https://part.example/")
    expect(rules.find("[data-result=fetched]")).to_contain_text("Answered 200.")
    expect(rules.find(".rules-view .records")).to_contain_text("noindex")


def test_the_server_requests_a_page_once_and_only_if_robots_txt_allows_it(rules: OpenPage) -> None:
    sites = rules.site.sites
    page, headers = b"<img src=/a.png>", (("Content-Type", "text/html"),)
    sites.add("https://once.example/", page, headers=headers)
    sites.requests.clear()
    fetch(rules, "https://once.example/")
    expect(rules.find(".resources")).to_contain_text("1 resource")
    assert sites.requests.count("https://once.example/") == 1
    # Googlebot may fetch the page, and the server may not.
    sites.add("https://own.example/robots.txt", b"User-agent: Googlebot\nAllow: /\nUser-agent: *\nDisallow: /\n")
    sites.add("https://own.example/", page, headers=headers)
    fetch(rules, "https://own.example/")
    expect(rules.find("[data-state=failed]")).to_contain_text(
        "robots.txt disallows 'https://own.example/' for canfetch"
    )
    assert "https://own.example/" not in sites.requests


def test_a_rule_that_google_does_not_document_is_shown_without_effect(rules: OpenPage) -> None:
    # Without a URL, robots.txt is not considered.
    rules.control("rules-url").fill("")
    rules.control("rules-headers").fill("X-Robots-Tag: noarchive")
    cell(rules, "Googlebot", "Cached copy").click()
    expect(cell(rules, "Googlebot", "Cached copy")).to_have_attribute("data-state", "none")
    ineffective = rules.find(".explanation-section").filter(has_text="No effect on Googlebot")
    expect(ineffective).to_contain_text("noarchive")
    cell(rules, "bingbot", "Cached copy").click()
    expect(cell(rules, "bingbot", "Cached copy")).to_have_attribute("data-state", "blocked")
    expect(rules.find(".explanation-section").filter(has_text="No effect on bingbot")).to_have_count(0)


@pytest.mark.parametrize("status, text", [(200, "so it was not fetched"), (503, "robots.txt could not be fetched")])
def test_nothing_is_stated_about_the_rules_of_a_page_that_was_not_fetched(
    rules: OpenPage, status: int, text: str
) -> None:
    # Some crawlers of the example ignore a group for all.
    groups = "User-agent: *\nUser-agent: AdsBot-Google\nDisallow: /\n"
    rules.site.sites.add(f"https://shut{status}.example/robots.txt", groups.encode(), status=status)
    fetch(rules, f"https://shut{status}.example/")
    expect(rules.find("[data-result=fetched]")).to_contain_text(text)
    expect(rules.find(".rules-view .records")).to_have_count(0)


def test_invalid_input_is_not_shown_as_a_failure_of_the_server(new_page: NewPage) -> None:
    opened = new_page(locale="de-DE")
    problem = {"type": "urn:canfetch:problem:invalid-request", "title": "Unprocessable", "detail": "headers: too long"}
    opened.page.route("**/v1/page", lambda route: route.fulfill(status=422, json=problem))
    opened.open()
    opened.find("#tab-rules").click()
    opened.control("rules-headers").fill("X-Robots-Tag: noindex")
    failed = opened.find("[data-state=failed]")
    expect(failed).to_have_text("Diese Eingabe ist ungültig: headers: too long")
    expect(failed.get_by_role("button")).to_have_count(0)


def test_the_output_of_curl_can_be_pasted(tester: OpenPage) -> None:
    tester.find("#tab-rules").click()
    head = "HTTP/2 301\nx-robots-tag: nofollow\n\nHTTP/2 200\nx-robots-tag: noindex\n\n<html>\n"
    tester.control("rules-headers").fill(head)
    note = tester.find("[data-result=rules-body]")
    expect(note).to_contain_text("What follows the blank line after the headers is not read.")
    tester.control("rules-headers").fill("> GET / HTTP/2\n< HTTP/2 200\n< x-robots-tag: noindex\n<\n* Closed\n")
    expect(note).to_have_count(0)
    expect(tester.find("[data-state=failed]")).to_have_count(0)


def test_the_resources_of_a_fetched_page_are_listed_with_the_crawlers_that_may_not_fetch_them(rules: OpenPage) -> None:
    sites = rules.site.sites
    html = (
        "<base href='/assets/'><link rel=stylesheet href=main.css><script src=https://cdn.example/app.js></script>"
        "<img srcset='a.png, b.png 2x'><iframe src=https://down.example/></iframe>"
    )
    sites.add("https://loads.example/", html.encode(), headers=(("content-type", "text/html"),))
    sites.add("https://loads.example/robots.txt", b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /assets/a\n")
    sites.add("https://cdn.example/robots.txt", b"User-agent: Googlebot\nDisallow: /app\n")
    sites.requests.clear()
    fetch(rules, "https://loads.example/")
    resources = rules.find(".resources")
    expect(resources).to_contain_text("5 resources. 2 of them blocked for Googlebot.")
    rows = resources.locator("tbody tr")
    texts = [" ".join(text.split()) for text in rows.all_inner_texts()]
    assert texts[0] == "https://cdn.example/app.js script Googlebot, Googlebot-Image, and Applebot line 2"
    assert texts[1] == "/assets/a.png image GPTBot and CCBot line 3"
    assert texts[2] == "https://down.example/ frame 13 crawlers robots.txt did not answer"
    assert texts[3:] == ["/assets/main.css style sheet no crawler", "/assets/b.png image no crawler"]
    cell(rules, "ClaudeBot", "Indexing").click()
    expect(resources).to_contain_text("5 resources. 1 of them blocked for ClaudeBot.")
    # Neither the resources nor the frame are fetched.
    assert not [url for url in sites.requests if not url.endswith(("/robots.txt", "/tdmrep.json", "loads.example/"))]
    assert rules.problems == []
