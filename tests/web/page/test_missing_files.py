"""A fetch that finds no file: no part of the page shows the file of the site before."""

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import OpenPage

pytestmark = pytest.mark.service

CLOSED = "Every URL is blocked now"
ALLOWED = "404: no robots.txt, so everything is allowed."
NOTE = "[data-result=no-file]"


@pytest.mark.parametrize(
    "url, text",
    [("https://down.example/", CLOSED), ("https://failing.example/", CLOSED), ("https://none.example/", ALLOWED)],
    ids=["timeout", "503", "404"],
)
def test_every_view_states_why_there_is_no_file(tester: OpenPage, url: str, text: str) -> None:
    tester.site.sites.add("https://failing.example/robots.txt", status=503)
    tester.fetch(url)
    expect(tester.find(f"[data-part=file] {NOTE}")).to_contain_text(text)
    expect(tester.editor).to_have_text("")
    tester.control("facts").click()
    expect(tester.find(f"dialog .facts[data-state=ready] {NOTE}")).to_contain_text(text)
    tester.page.keyboard.press("Escape")
    tester.find("body").press("4")
    expect(tester.find(f".compare-view .main-panel {NOTE}")).to_contain_text(text)
    expect(tester.find(".compare-view")).not_to_contain_text("GPTBot")
    expect(tester.find(".compare-view [data-result=before]")).to_contain_text(text)
    if text == CLOSED:
        tester.find("body").press("2")
        expect(tester.find(f".usage-view .main-panel {NOTE}")).to_contain_text(text)


def test_no_readings_and_no_rules_are_stated_without_a_file(tester: OpenPage) -> None:
    tester.site.sites.add("https://refused.example/robots.txt", status=403)
    tester.fetch("https://refused.example/")
    why = tester.find("[data-part=why]")
    expect(why).to_contain_text("403: robots.txt is unavailable. Every URL is allowed now")
    expect(why.locator("[data-readings]")).to_have_count(0)
    tester.control("copy-answer").click()
    answer = "Googlebot may fetch /\n403: robots.txt is unavailable. Every URL is allowed now, as without a robots.txt."
    tester.expect_value("() => navigator.clipboard.readText()", answer)
    # The URL is not made from a rule. A file with rules has such URLs.
    expect(tester.find("[data-result=invitation]")).not_to_contain_text("These URLs are examples", use_inner_text=True)
    tester.site.sites.add("https://page.example/robots.txt", b"<!doctype html><title>x</title>")
    tester.fetch("https://page.example/")
    expect(why.locator("[data-readings]")).to_have_count(1)
    expect(tester.find("[data-result=invitation]")).not_to_contain_text("These URLs are examples", use_inner_text=True)
    tester.replace_file("User-agent: *\nDisallow: /a\n")
    expect(tester.find("[data-result=invitation]")).to_contain_text("These URLs are examples", use_inner_text=True)


def test_the_policy_that_closes_a_site_is_named(tester: OpenPage) -> None:
    tester.site.sites.add("https://busy.example/robots.txt", status=429)
    tester.fetch("https://busy.example/")
    # RFC 9309 does not close a site that answers 429.
    expect(tester.find(f"[data-part=file] {NOTE}")).to_have_text(
        "Answered 429. Every URL is blocked now, by the policy rfc9309."
    )
    tester.control("profile").select_option("google")
    tester.fetch("https://busy.example/")
    expect(tester.find(f"[data-part=file] {NOTE}")).to_have_text(
        "Answered 429. Every URL is blocked now, by the policy google. "
        "If this lasts for 12 hours, the last good copy applies, or without one, every URL is allowed."
    )


@pytest.mark.parametrize(
    "status, body, text",
    [
        (503, b"", "503: the server failed. Every URL is allowed now, by the policy yandex."),
        (
            200,
            b"User-agent: *\nDisallow: /a\n" + b"#" * 512_000,
            "The file is larger than 500 KiB. Every URL is allowed now, by the policy yandex.",
        ),
        (
            200,
            b"<!doctype html><title>x</title>",
            "Answered 200, but not with a robots.txt. Every URL is allowed now, by the policy yandex.",
        ),
    ],
    ids=["503", "size", "page"],
)
def test_the_policy_that_opens_a_site_is_named_with_the_reason(
    tester: OpenPage, status: int, body: bytes, text: str
) -> None:
    tester.site.sites.add("https://opened.example/robots.txt", body, status=status)
    tester.control("profile").select_option("yandex")
    tester.fetch("https://opened.example/")
    expect(tester.find(f"[data-part=file] {NOTE}")).to_have_text(text)
    tester.control("export").click()
    tester.control("export-report").click()
    report = tester.find(".report[data-state=ready] .paper")
    expect(report.locator(".facts")).to_contain_text(text)
    expect(report.locator(".facts")).not_to_contain_text("Size")
    # There is no file, and so no line.
    expect(report.locator(".findings .error")).to_have_count(1)
    expect(report.locator(".findings")).not_to_contain_text("Line 1")


@pytest.mark.parametrize(
    "status, edition, verdict, key",
    [
        (403, "rfc9309", "allowed by the access policy", "may fetch, because the access policy allows every URL"),
        (503, "yandex", "allowed by the access policy", "may fetch, because the access policy allows every URL"),
        (503, "rfc9309", "blocked by the access policy", "may not fetch, because the access policy blocks every URL"),
    ],
)
def test_the_access_policy_is_the_reason_if_it_decides(
    tester: OpenPage, status: int, edition: str, verdict: str, key: str
) -> None:
    tester.site.sites.add("https://decided.example/robots.txt", status=status)
    tester.control("profile").select_option(edition)
    tester.fetch("https://decided.example/")
    tester.set_urls("/a")
    expect(tester.rows).to_have_text(["/a"])
    legend = tester.find("[data-part=verdicts] .legend")
    expect(tester.cell("Googlebot", "/a")).to_have_attribute("aria-label", f"Googlebot, /a: {verdict}")
    expect(legend).to_have_text(verdict)
    tester.cell("Googlebot", "/a").click()
    tester.expect_why(verdict.capitalize())
    tester.control("copy-command").click()
    command = "canfetch explain /a --agent Googlebot --robots https://decided.example/robots.txt"
    option = "" if edition == "rfc9309" else f" --edition {edition}"
    tester.expect_value("() => navigator.clipboard.readText()", command + option)
    tester.control("export").click()
    tester.control("export-report").click()
    report = tester.find(".report[data-state=ready] .paper")
    expect(report.locator(".legend li")).to_have_text([key])
    expect(report.locator(".matrix td .words").first).to_have_text(key)
    expect(report.locator(".facts")).to_contain_text("Requested on ")
    tester.page.keyboard.press("Escape")
    # An edited file decides again.
    tester.replace_file("User-agent: *\nDisallow: /b\n")
    expect(tester.cell("Googlebot", "/a")).to_have_attribute("aria-label", "Googlebot, /a: allowed, no rule matches")
    expect(legend).to_contain_text("no rule matches")


def test_another_edition_applies_its_access_policy_to_the_fetched_file(tester: OpenPage) -> None:
    note = tester.find(f"[data-part=file] {NOTE}")
    sites = tester.site.sites
    sites.add("https://failing.example/robots.txt", status=503)
    tester.fetch("https://failing.example/page")
    tester.expect_blocked(5)
    tester.control("profile").select_option("yandex")
    expect(note).to_contain_text("by the policy yandex")
    tester.expect_blocked(0)
    expect(tester.control("notes")).to_have_text("1 finding")
    tester.control("profile").select_option("rfc9309")
    expect(note).to_contain_text(CLOSED)
    tester.expect_blocked(5)
    # The draft is that before the fetch, in each edition.
    tester.control("restore-draft").click()
    expect(tester.find(".source-main")).to_have_text("Example file.")
    sites.requests.clear()
    sites.add("https://ruled.example/robots.txt", b"User-agent: *\nDisallow: /a\n")
    tester.fetch("https://ruled.example/")
    tester.expect_blocked(5)
    tester.set_urls("/a\n/b\n/a/c")
    tester.expect_blocked(10)
    tester.control("profile").select_option("bing")
    tester.page.wait_for_function("() => history.state.provenance?.fetched?.edition === 'bing'")
    expect(tester.rows).to_have_text(["/a", "/b", "/a/c"])
    # A draft is not fetched again.
    tester.replace_file("User-agent: *\nDisallow: /b\n")
    tester.expect_blocked(5)
    sites.requests.clear()
    tester.control("profile").select_option("draft1996")
    expect(tester.find("[data-part=verdicts]:not(.pending)")).to_be_attached()
    expect(tester.find(".source-main")).to_have_text("Fetched file, edited here.")
    assert sites.requests == []


@pytest.mark.parametrize(
    "draft, before",
    [("", "Example file."), ("User-agent: *\nDisallow: /draft\n", "Example file, edited here.")],
    ids=["example", "draft"],
)
def test_a_switch_of_the_edition_is_not_a_step_of_undo(tester: OpenPage, draft: str, before: str) -> None:
    source, edition = tester.find(".source-main"), tester.control("profile")
    tester.site.sites.add("https://large.example/robots.txt", b"User-agent: *\nDisallow: /a\n" + b"#" * 512_000)
    if draft:
        tester.replace_file(draft)
        expect(source).to_have_text(before)
    tester.fetch("https://large.example/")
    expect(source).to_contain_text("Answered 200.")
    edition.select_option("yandex")
    expect(source).to_contain_text("by the policy yandex")
    tester.editor.click()
    tester.page.keyboard.press("Control+z")
    expect(source).to_have_text(before)
    expect(tester.editor).to_contain_text("/draft" if draft else "GPTBot")
    # The answer to a redo is that of the edition, too.
    edition.select_option("rfc9309")
    tester.editor.click()
    tester.page.keyboard.press("Control+y")
    expect(source).to_contain_text("Answered 200.")
    expect(tester.editor).to_contain_text("Disallow: /a")
    edition.select_option("yandex")
    expect(source).to_contain_text("by the policy yandex")
    edition.select_option("rfc9309")
    expect(source).to_contain_text("Answered 200.")
    expect(tester.editor).to_contain_text("Disallow: /a")
    tester.editor.click()
    tester.page.keyboard.press("Control+z")
    expect(source).to_have_text(before)


def test_a_file_that_another_edition_replaces_after_a_reload_is_not_restored_by_undo(tester: OpenPage) -> None:
    source = tester.find(".source-main")
    tester.site.sites.add("https://large.example/robots.txt", b"User-agent: *\nDisallow: /a\n" + b"#" * 512_000)
    tester.control("profile").select_option("yandex")
    tester.fetch("https://large.example/")
    tester.page.wait_for_function("() => history.state.provenance?.fetched?.edition === 'yandex'")
    tester.page.reload()
    tester.ready()
    tester.control("profile").select_option("rfc9309")
    expect(source).to_contain_text("Answered 200.")
    expect(tester.editor).to_contain_text("Disallow: /a")
    tester.editor.click()
    tester.page.keyboard.press("Control+z")
    expect(tester.editor).to_contain_text("Disallow: /a")
    expect(source).to_contain_text("Answered 200.")


def test_a_link_to_a_closed_site_does_not_allow_it(tester: OpenPage) -> None:
    tester.fetch("https://down.example/")
    tester.expect_blocked(5)
    # The address of the page restores its state.
    tester.page.wait_for_function("() => location.hash.startsWith('#v1.')")
    tester.page.reload()
    tester.ready()
    expect(tester.control("address")).to_have_value("https://down.example/robots.txt")
    expect(tester.find(f"[data-part=file] {NOTE}")).to_contain_text(CLOSED)
    tester.expect_blocked(5)
    tester.control("copy-command").click()
    command = "canfetch explain / --agent Googlebot --robots https://down.example/robots.txt"
    tester.expect_value("() => navigator.clipboard.readText()", command)


def test_an_address_without_a_scheme_is_fetched_by_http_on_request_only(tester: OpenPage) -> None:
    sites = tester.site.sites
    sites.add("http://down.example/robots.txt", b"User-agent: *\nDisallow: /old/\n")
    sites.requests.clear()
    tester.fetch("down.example")
    expect(tester.control("try-http")).to_be_visible()
    assert sites.requests == ["https://down.example/robots.txt"]
    tester.control("try-http").click()
    expect(tester.editor).to_contain_text("Disallow: /old/")
    expect(tester.control("address")).to_have_value("http://down.example/robots.txt")
    expect(tester.control("try-http")).to_have_count(0)
    tester.fetch("https://down.example")
    expect(tester.find(f"[data-part=file] {NOTE}")).to_be_visible()
    expect(tester.control("try-http")).to_have_count(0)
