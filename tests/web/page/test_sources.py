"""Where files and URLs come from: pasted lists, sitemaps, live files, links; and the linter's fixes."""

import base64
import json
import re
import zlib
from hashlib import sha256
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Route, expect
from tests.web.page.conftest import NewPage, OpenPage

pytestmark = pytest.mark.service

ROBOTS = b"User-agent: *\nDisallow: /shop/\n"


def fragment(value: object, version: int = 1) -> str:
    """Return the fragment of a link that holds a value."""
    return encoded(json.dumps(value).encode(), version)


def encoded(content: bytes, version: int = 1) -> str:
    compressor = zlib.compressobj(wbits=-15)
    deflated = compressor.compress(content) + compressor.flush()
    return f"#v{version}." + base64.urlsafe_b64encode(deflated).decode().rstrip("=")


def expect_state(tester: OpenPage, state: str, text: str) -> None:
    expect(tester.find(".source-state")).to_have_attribute("data-state", state)
    expect(tester.find(".source-state")).to_contain_text(text)


def test_each_pasted_line_has_its_outcome(tester: OpenPage) -> None:
    tester.control("urls").click()
    tester.control("urls-text").fill(
        "/a\n\n/a\nhttps://other.example/x\nnothing\nhttps://www.example.com/b?x=1\nhttp://www.example.com/\n"
        "HTTPS://WWW.EXAMPLE.COM:443/b?x=1#top\nhttps://exam ple.com/\n"
    )
    lines = tester.find(".outcome-list li")
    expect(lines).to_have_count(7)
    outcomes = lines.evaluate_all("items => items.map(item => [item.dataset.line, item.dataset.outcome])")
    assert outcomes == [
        ["2", "blank"],
        ["3", "duplicate"],
        ["4", "other-host"],
        ["5", "invalid"],
        ["7", "other-scheme"],
        ["8", "duplicate"],
        ["9", "invalid"],
    ]
    expect(lines.nth(1)).to_contain_text("the same as line 1, skipped")
    expect(lines.nth(5)).to_contain_text("the same as line 6, skipped")
    tester.control("urls-apply").click()
    expect(tester.find("[role=grid]")).to_have_attribute("aria-rowcount", "7")
    for text, remark in [
        ("https://other.example/x", "another host: this file does not apply to it"),
        ("http://www.example.com/", "another scheme or port: this file does not apply to it"),
        ("https://exam ple.com/", "not a URL or a path"),
    ]:
        expect(tester.find(".grid-row").filter(has_text=text).locator(".row-remark")).to_have_text(remark)
    expect(tester.cell("GPTBot", "/b?x=1")).to_be_attached()


def test_urls_without_a_scheme_have_that_of_the_file(tester: OpenPage) -> None:
    tester.site.sites.add("http://plain.example/robots.txt", b"User-agent: *\nDisallow: /a\n")
    tester.fetch("http://plain.example/")
    expect(tester.control("address")).to_have_value("http://plain.example/robots.txt")
    tester.control("urls").click()
    tester.control("urls-text").fill(
        "plain.example/a\nwww.other.example/b\nindex.html\nhttp://plain.example/a\n/c\n127.0.0.1:81/d"
    )
    expect(tester.find(".outcome-list li")).to_contain_text(
        [
            "http://plain.example/awithout a scheme: read as http",
            "http://www.other.example/banother host",
            "index.htmlnot a URL or a path",
            "http://plain.example/athe same as line 1, skipped",
            "http://127.0.0.1:81/danother host",
        ]
    )
    tester.control("urls-apply").click()
    expect(tester.rows).to_contain_text(
        ["/a", "http://www.other.example/b", "index.html", "/c", "http://127.0.0.1:81/d"]
    )


def test_a_sitemap_is_fetched_on_request_only(tester: OpenPage) -> None:
    tester.site.sites.add(
        "https://www.example.com/map.xml",
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://www.example.com/from-map</loc>'
        b"</url></urlset>",
        headers=(("content-type", "application/xml"),),
    )
    tester.site.sites.requests.clear()
    tester.control("urls").click()
    tester.control("sitemap-address").fill("https://www.example.com/map.xml")
    assert tester.site.sites.requests == []
    tester.control("sitemap-fetch").click()
    expect(tester.find(".sitemap-message")).to_contain_text("1 URL added from the sitemap.")
    tester.control("urls-apply").click()
    expect(tester.find("[role=grid]")).to_have_attribute("aria-rowcount", "18")


def test_the_sitemaps_of_an_index_are_fetched_one_after_the_other(tester: OpenPage) -> None:
    sites = tester.site.sites
    schema = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    names = ("a", "b")
    entries = "".join(f"<sitemap><loc>https://www.example.com/{name}.xml</loc></sitemap>" for name in names)
    listed = {"index": f"<sitemapindex {schema}>{entries}</sitemapindex>"}
    for name in names:
        listed[name] = f"<urlset {schema}><url><loc>https://www.example.com/in-{name}</loc></url></urlset>"
    for name, text in listed.items():
        headers = (("content-type", "application/xml"),)
        sites.add(f"https://www.example.com/{name}.xml", text.encode(), headers=headers)
    tester.control("urls").click()
    tester.control("urls-text").fill("")
    tester.control("sitemap-address").fill("https://www.example.com/index.xml")
    tester.control("sitemap-fetch").click()
    for count, name in enumerate(names, 1):
        tester.find(f"[data-result=sitemap-index] >> text={name}.xml").click()
        expect(tester.find(".outcome")).to_contain_text(f"{count} row")
    tester.control("urls-apply").click()
    expect(tester.rows).to_have_text(["/in-a", "/in-b"])


def test_urls_that_the_list_already_has_are_not_counted_as_added(tester: OpenPage) -> None:
    schema = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    entries = "".join(f"<url><loc>https://www.example.com/{name}</loc></url>" for name in "abc")
    map_url = "https://www.example.com/map.xml"
    tester.site.sites.add(map_url, f"<urlset {schema}>{entries}</urlset>".encode())
    tester.control("urls").click()
    tester.control("urls-text").fill("/b\nhttps://www.example.com/c")
    tester.control("sitemap-address").fill(map_url)
    tester.control("sitemap-fetch").click()
    message = tester.find(".sitemap-message")
    expect(message).to_have_text("1 URL added from the sitemap. 2 were already in the list.")
    rows = "\n".join(f"/{number}" for number in range(9999))
    tester.control("urls-text").evaluate("(area, rows) => { area.value = rows; }", rows)
    tester.control("sitemap-fetch").click()
    expect(message).to_have_text("1 URL added from the sitemap. The sitemap has more URLs than are shown here.")


def test_a_long_list_of_sitemaps_is_complete_or_its_rest_is_counted(tester: OpenPage) -> None:
    schema = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    urls = [f"https://www.example.com/{number}.xml" for number in range(502)]
    entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    tester.site.sites.add(
        "https://www.example.com/index.xml", f"<sitemapindex {schema}>{entries}</sitemapindex>".encode()
    )
    tester.replace_file("User-agent: *\n" + "".join(f"Sitemap: {url}\n" for url in urls[:60]))
    tester.control("urls").click()
    expect(tester.find("[data-result=sitemaps] button")).to_have_count(60)
    tester.control("sitemap-address").fill("https://www.example.com/index.xml")
    tester.control("sitemap-fetch").click()
    expect(tester.find(".sitemap-message")).to_have_text("This is an index of 502 sitemaps. Fetch one of these:")
    index = tester.find("[data-result=sitemap-index]")
    expect(index.locator("button")).to_have_count(500)
    expect(index).to_contain_text("2 more sitemaps are not shown. Enter the address of one above.")


def test_a_draft_that_does_not_fit_into_the_address_is_not_lost_without_a_question(tester: OpenPage) -> None:
    asked: list[str] = []

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    tester.page.on("dialog", accept)
    tester.replace_file("User-agent: *\nDisallow: /a\n")
    tester.page.wait_for_function("() => location.hash.startsWith('#v1.')")
    tester.page.reload()
    tester.ready()
    assert asked == []
    # Hashes cannot be compressed, and 700 are more than a link holds.
    paths = [sha256(bytes([number % 256, number // 256])).hexdigest() for number in range(800)]
    tester.replace_file("User-agent: *\n" + "".join(f"Disallow: /{path}\n" for path in paths))
    tester.page.wait_for_function("() => location.hash === ''")
    tester.page.reload()
    assert asked == ["beforeunload"]


@pytest.mark.parametrize(
    "listed, address",
    [
        ("Sitemap: https://files.example/a.xml", "https://files.example/a.xml"),
        ("Sitemap: /maps/b.xml", "https://www.example.com/maps/b.xml"),
        ("Sitemap: https://", "https://www.example.com/sitemap.xml"),
        ("Disallow:", "https://www.example.com/sitemap.xml"),
    ],
    ids=["absolute", "path", "invalid", "none"],
)
def test_the_sitemap_of_the_file_is_suggested(tester: OpenPage, listed: str, address: str) -> None:
    tester.replace_file(f"User-agent: *\n{listed}\n")
    tester.control("urls").click()
    expect(tester.control("sitemap-address")).to_have_value(address)


def test_a_live_file_shows_hops_age_and_effect(tester: OpenPage) -> None:
    sites = tester.site.sites
    sites.add("https://old.example/robots.txt", status=301, headers=(("location", "https://new.example/robots.txt"),))
    sites.add("https://new.example/robots.txt", status=302, headers=(("location", "https://new.example/r.txt"),))
    sites.add("https://new.example/r.txt", ROBOTS, headers=(("content-type", "text/plain"),))
    tester.fetch("old.example")
    expect_state(tester, "successful", "Redirected 2 times, answered 200. In force for 24 hours.")
    expect(tester.editor).to_contain_text("Disallow: /shop/")
    tester.find(".source-details summary").click()
    expect(tester.find(".source-popup")).to_contain_text("https://new.example/r.txt")
    expect(tester.find(".source-popup")).to_contain_text("text/plain")
    # One of the two rows, for each of the main crawlers.
    tester.expect_blocked(5)


@pytest.mark.parametrize(
    "url, status, text, blocked",
    [
        pytest.param(
            "https://gone.example/robots.txt",
            404,
            "404: no robots.txt, so everything is allowed.",
            0,
            id="404",
        ),
        pytest.param(
            "https://forbidden.example/robots.txt",
            403,
            "403: robots.txt is unavailable. Every URL is allowed now, as without a robots.txt.",
            0,
            id="403",
        ),
        pytest.param(
            "https://circle.example/robots.txt",
            301,
            "Answered 301. Every URL is blocked now, by the policy rfc9309.",
            5,
            id="301",
        ),
        pytest.param(
            "https://broken.example/robots.txt",
            500,
            "500: the server failed. Every URL is blocked now, because crawlers must assume “Disallow: /”",
            5,
            id="500",
        ),
        pytest.param(
            "https://down.example/robots.txt",
            None,
            "The server did not answer. Every URL is blocked now, because crawlers must assume “Disallow: /”",
            5,
            id="timeout",
        ),
    ],
)
def test_a_file_that_is_missing_or_unreachable(
    tester: OpenPage, url: str, status: int | None, text: str, blocked: int
) -> None:
    if status is not None:
        tester.site.sites.add(url, status=status)
    tester.fetch(url)
    expect_state(tester, "unreachable" if blocked else "unavailable", text)
    tester.expect_blocked(blocked)
    if blocked:
        tester.expect_why(text)
        tester.expect_why("Blocked by the access policy")


def test_the_notes_of_a_fetched_file_are_those_of_the_command(tester: OpenPage) -> None:
    headers = (("content-type", "text/plain; charset=iso-8859-1"),)
    tester.site.sites.add("https://served.example/robots.txt", ROBOTS, headers=headers)
    tester.fetch("https://served.example/")
    expect(tester.editor).to_contain_text("/shop/")
    notes = tester.control("notes")
    expect(notes).to_have_attribute("data-state", "ready")
    notes.click()
    expect(tester.find(".note-item[data-code=CF804]")).to_contain_text("iso-8859-1")
    # The draft is not what the server delivers.
    tester.editor.click()
    tester.page.keyboard.press("Control+End")
    tester.page.keyboard.insert_text("Disallow: /b/\n")
    expect(tester.find(".note-item[data-code=CF804]")).to_have_count(0)
    tester.fetch("https://down.example/")
    expect(tester.find(".note-item[data-code=CF801]")).to_be_visible()


def test_the_draft_that_an_unreachable_site_replaced_is_restored(tester: OpenPage) -> None:
    tester.fetch("https://down.example/robots.txt")
    expect_state(tester, "unreachable", "The server did not answer.")
    tester.fetch("https://down.example/robots.txt")
    expect(tester.editor).to_have_text("")
    tester.control("restore-draft").click()
    expect_state(tester, "example", "Example file.")
    expect(tester.control("address")).to_have_value("https://www.example.com/robots.txt")
    tester.expect_blocked(64)
    tester.fetch("https://down.example/robots.txt")
    tester.expect_blocked(5)
    tester.replace_file("User-agent: *\nDisallow: /\nUser-agent: CCBot\nAllow: /\n")
    expect_state(tester, "fetched", "Fetched file, edited here.")
    tester.expect_blocked(4)


@pytest.mark.parametrize("way", ["button", "undo"])
def test_the_draft_that_a_missing_file_replaced_is_restored(tester: OpenPage, way: str) -> None:
    tester.replace_file("User-agent: *\nDisallow: /shop/\n")
    tester.expect_blocked(4 * 12)
    tester.fetch("https://nothing.example/robots.txt")
    expect_state(tester, "unavailable", "404: no robots.txt, so everything is allowed.")
    tester.expect_blocked(0)
    if way == "button":
        tester.control("restore-draft").click()
    else:
        tester.editor.click()
        tester.page.keyboard.press("Control+z")
    expect_state(tester, "example", "Example file, edited here.")
    expect(tester.control("address")).to_have_value("https://www.example.com/robots.txt")
    tester.expect_blocked(4 * 12)


@pytest.mark.parametrize("line_length, line", [(60, 8535), (70_000, 9)], ids=["short-lines", "long-lines"])
def test_a_large_file_shows_the_limit_and_the_first_line_that_is_not_read(
    tester: OpenPage, tmp_path: Path, line_length: int, line: int
) -> None:
    header = b"User-agent: *\n"
    count = 600_000 // line_length
    file = tmp_path / "robots.txt"
    # Lines are read up to the last one that ends within the limit.
    file.write_bytes(
        header + b"".join(f"Disallow: /{number:0{line_length - 12}d}\n".encode() for number in range(count))
    )
    tester.control("file").set_input_files(file)
    expected = f"Reading stops at line {line}: the limit is 500 KiB."
    expect(tester.find("[data-part=file] .limit")).to_have_text(expected)
    expect(tester.find("[data-part=file] .sizes")).to_contain_text(f"{round(file.stat().st_size / 1000, 1):g} KB, ")
    # The lines are those of the editor, and not only those that crawlers read.
    expect(tester.find("[data-part=file] .sizes")).to_contain_text(f"{count + 1:,} lines")
    readings = tester.find("[data-readings]")
    expect(readings).to_contain_text("Yandex is not counted: if the file that the site serves is larger than 500 KiB")
    expect(readings.locator("li")).not_to_contain_text(["Yandex"])
    # A file is fetched up to the limit, so its size is not known.
    tester.site.sites.add("https://large.example/robots.txt", file.read_bytes()[:512_001])
    tester.fetch("https://large.example/")
    expect(tester.find("[data-part=file] .sizes")).to_contain_text("over 512 KB, ")
    rest = "Only the first 500 KiB of the file are read. Later lines are not counted."
    expect(tester.find("[data-part=file] .limit")).to_have_text(rest)
    tester.find(".source-details summary").click()
    expect(tester.find(".source-popup")).to_contain_text("over 512 KB, ")
    tester.find(".source-details summary").click()
    tester.find("#tab-compare").click()
    expect(tester.find("[data-result=before]")).to_contain_text(rest)
    tester.find("#tab-access").click()
    tester.control("export").click()
    tester.control("export-report").click()
    expect(tester.find(".report [data-result=rest]")).to_have_text(rest)


@pytest.mark.parametrize(
    "content, text",
    [
        (b"<!DOCTYPE html>\n<html><body>\n" + b"<p>A page</p>\n" * 5000, "an HTML or XML page, not a robots.txt."),
        (b"<!doctype html><title>Not found</title>", "an HTML or XML page, not a robots.txt."),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10", "a binary file, not a robots.txt."),
        (b"%PDF-1.7\n", "a binary file, not a robots.txt."),
        ("User-agent: *\n".encode("utf-16-le"), None),
        (b"User-agent: *\nDisallow: /\0\n", None),
    ],
    ids=["large-page", "page", "png", "pdf", "utf-16", "nul"],
)
def test_what_is_not_a_robots_txt_has_a_banner(tester: OpenPage, content: bytes, text: str | None) -> None:
    tester.open_file(content)
    expect(tester.find(".source-main")).to_have_text("File opened.")
    banner = tester.find("[data-result=markup]")
    if text is None:
        expect(banner).to_be_hidden()
    else:
        expect(banner).to_have_text(f"This is {text}")


def test_a_pasted_web_page_has_a_banner_until_it_is_replaced(tester: OpenPage) -> None:
    tester.paste_file("<html><body>Not found</body></html>")
    expect(tester.find("[data-result=markup]")).to_be_visible()
    tester.paste_file("User-agent: *\nDisallow: /\n")
    expect(tester.find("[data-result=markup]")).to_be_hidden()


def test_a_large_file_is_checked_with_a_button(tester: OpenPage) -> None:
    tester.open_file(b"User-agent: *\n" + b"Disallow: /a/folder/\n" * 4000)
    check = tester.control("notes")
    expect(check).to_have_attribute("data-state", "on-request")
    expect(check).to_have_text("Check the file")
    # Other buttons that are offered look like this.
    assert check.evaluate("chip => chip.matches('.button.strong')")
    check.click()
    expect(check).to_have_attribute("data-state", "ready")


def test_a_private_address_is_not_fetched_and_the_draft_stays(tester: OpenPage) -> None:
    tester.fetch("http://10.0.0.1/robots.txt")
    expect_state(tester, "error", "This address is not public, so it is not fetched.")
    tester.expect_blocked(64)
    tester.fetch("ftp://example.com/robots.txt")
    expect_state(tester, "error", "This is not the address of a site.")


def test_a_fix_in_the_notes_changes_the_file_and_can_be_undone(tester: OpenPage) -> None:
    tester.replace_file("User-agent: *\nDisalow: /shop/\n")
    tester.expect_blocked(4 * 12)
    chip = tester.control("notes")
    expect(chip).to_have_attribute("data-state", "ready")
    chip.click()
    item = tester.find(".note-item[data-line='2']").filter(has=tester.page.locator("button[data-fix]")).first
    item.locator("button[data-fix]").click()
    expect(tester.editor).to_contain_text("Disallow: /shop/")
    tester.expect_blocked(4 * 12)
    tester.editor.click()
    tester.page.keyboard.press("Control+z")
    expect(tester.editor).to_contain_text("Disalow: /shop/")


@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_the_button_for_fixes_does_not_move_the_others(new_page: NewPage, locale: str) -> None:
    tester = new_page(locale=locale)
    tester.open()
    tester.replace_file("User-agent: *\nDisallow: /shop/\n")
    fix = tester.control("fix")
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    expect(fix).to_be_hidden()
    before = tester.control("save").bounding_box()
    tester.replace_file("User-agent: *\nDisallow: /shop/\nDisallow: /shop/\n")
    expect(fix).to_be_visible()
    after = tester.control("save").bounding_box()
    assert before is not None
    assert after is not None
    assert after["y"] == before["y"]


def test_escape_closes_the_notes_and_returns_the_focus(tester: OpenPage) -> None:
    chip = tester.control("notes")
    expect(chip).to_have_attribute("data-state", "ready")
    chip.click()
    tester.find(".note-line").first.focus()
    tester.page.keyboard.press("Escape")
    expect(tester.find(".notes")).to_be_hidden()
    expect(chip).to_be_focused()


def test_a_mark_in_the_margin_opens_its_note(tester: OpenPage) -> None:
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    tester.find(".mark-warning").last.click()
    expect(tester.find(".note-item[data-line='52']")).to_be_in_viewport()


def test_formatting_keeps_the_verdicts(tester: OpenPage) -> None:
    tester.replace_file("user-agent:*\ndisallow:/shop/")
    tester.expect_blocked(4 * 12)
    lines = tester.find("[data-part=file] .sizes")
    expect(lines).to_have_text("28 B, 2 lines, 1 group")
    tester.control("format").click()
    expect(tester.editor).to_contain_text("User-agent: *")
    # The size is that of the file about which the verdicts are.
    expect(lines).not_to_have_text("28 B, 2 lines, 1 group")
    tester.expect_blocked(4 * 12)


def test_a_link_restores_the_page(tester: OpenPage, new_page: NewPage) -> None:
    tester.replace_file("User-agent: CCBot\nDisallow: /caf\u00e9\n")
    tester.set_urls("/caf%C3%A9\n/b")
    tester.control("profile").select_option("bing")
    tester.expect_blocked(1)
    tester.cell("CCBot", "/caf%C3%A9").click()
    tester.expect_why("CCBot may not fetch")
    tester.control("link").click()
    expect(tester.find(".toast")).to_contain_text("Link copied.")
    link = tester.page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{tester.site.address}#v1.")

    other = new_page()
    other.open(link.removeprefix(tester.site.address))
    other.expect_why("CCBot may not fetch")
    expect(other.find(".source-main")).to_have_text("From the link.")
    expect(other.editor).to_contain_text("Disallow: /caf\u00e9")
    expect(other.control("profile")).to_have_value("bing")
    expect(other.find(".grid-row [role=rowheader]")).to_have_text(["/caf%C3%A9", "/b"])
    assert other.problems == []


def test_a_link_opens_the_view_that_it_names(new_page: NewPage) -> None:
    tester = new_page()
    tester.page.goto(tester.site.address + fragment({"r": "", "u": ["/"], "a": ["GPTBot"], "w": "compare"}))
    expect(tester.find("main[data-view=compare]")).to_be_attached()


@pytest.mark.parametrize(
    "broken, text",
    [
        pytest.param("#v1.!!!", "This link is damaged", id="not-base64"),
        pytest.param("#v1.AAAA", "This link is damaged", id="not-deflated"),
        pytest.param(encoded(b"[1, 2"), "This link is damaged", id="not-json"),
        pytest.param(fragment({"r": 1}), "This link is damaged", id="other-types"),
        pytest.param(
            fragment({"r": "", "u": [], "a": ["GPTBot,CCBot"]}), "This link is damaged", id="two-names-in-one"
        ),
        pytest.param(fragment({}, version=2), "This link was made by a newer version", id="newer"),
        pytest.param(encoded(b"[" * 4_000_000), "more than 1 MB", id="bomb"),
    ],
)
def test_a_broken_link_is_reported_and_the_example_is_shown(new_page: NewPage, broken: str, text: str) -> None:
    tester = new_page()
    tester.open(broken)
    expect(tester.find(".toast")).to_contain_text(text)
    expect(tester.find("[data-live=error]")).to_contain_text(text)
    tester.expect_blocked(64)


def test_verdicts_explanations_and_links_work_without_the_network(tester: OpenPage) -> None:
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    tester.page.context.set_offline(True)
    tester.replace_file("User-agent: GPTBot\nDisallow: /")
    tester.expect_blocked(16)
    tester.cell("GPTBot", "/index.php").click()
    tester.expect_why("Line 2 decides. No other rule matches.")
    tester.control("link").click()
    expect(tester.find(".toast")).to_contain_text("Link copied.")


def test_the_facts_of_the_file_are_listed(tester: OpenPage) -> None:
    tester.paste_file(
        "User-agent: Yandex\nCrawl-delay: 5\nVisit-time: 0100-0300\nDisallow: /a\nDisallow: b/\n\n"
        "User-agent: *\nRequest-rate: 1/10\nContent-Signal: ai-train=no\nDisallow: /\n\n"
        "Sitemap: https://own.example/map.xml\nHost: own.example\n"
    )
    tester.control("facts").click()
    facts = tester.find("[data-dialog=facts]")
    for kind, texts in (
        ("file", ["https://own.example/map.xml", "own.example"]),
        ("named", ["Yandex", "some URLs blocked", "/a line 4", "5 seconds between requests", "01:00 to 03:00 UTC"]),
        ("others", ["Googlebot", "bingbot", "every URL blocked", "1 per 10 seconds", "Training: reserved"]),
    ):
        for text in texts:
            expect(facts.locator(f"[data-facts={kind}]")).to_contain_text(text)
    # This pattern matches no URL.
    expect(facts.locator("[data-facts=named]")).not_to_contain_text("b/")
    # A chosen crawler that does not follow the rules for all others is in another row.
    expect(facts.locator("[data-facts=others]")).not_to_contain_text("AdsBot-Google")
    facts.locator("[data-facts=named] [data-line='2']").click()
    expect(facts).to_have_count(0)
    expect(tester.find("[data-readers]")).to_contain_text("Line 2")


def test_facts_state_who_reads_a_record_and_all_groups_of_a_crawler(tester: OpenPage) -> None:
    tester.paste_file(
        "User-agent: bingbot\nCrawl-delay: 5\nDisallow: /a\n\nUser-agent: FooBot\nDisallow: /b\n\n"
        "User-agent: foobot\nDisallow: /c\n\nHost: own.example\n"
    )
    tester.control("facts").click()
    facts = tester.find("[data-dialog=facts]")
    expect(facts.locator("[data-facts=file]")).to_contain_text("no crawler is known to read it")
    named = facts.locator("[data-facts=named]")
    expect(named.first).to_contain_text("Read as a window with one request bybingbot")
    expect(named.nth(1).locator("h3")).to_have_text("FooBot line 5 line 8")


def test_the_edition_selects_how_the_file_is_read(tester: OpenPage) -> None:
    groups = tester.control("profile").locator("optgroup")
    expect(groups).to_have_count(3)
    labels = groups.evaluate_all("groups => groups.map(group => [group.label, group.children.length])")
    assert labels == [["The standard", 2], ["Crawlers today", 4], ["Earlier documents", 3]]


def test_the_edition_selects_how_a_fetched_file_is_accessed(tester: OpenPage) -> None:
    url = "https://circle.example/robots.txt"
    tester.site.sites.add(url, status=301)
    tester.fetch(url)
    tester.expect_blocked(5)
    # A redirect without a target is a missing file in the edition of 2019.
    tester.control("profile").select_option("google2019")
    tester.fetch(url)
    tester.expect_blocked(0)


def test_another_edition_never_shows_an_older_response(tester: OpenPage) -> None:
    url = "https://changing.example/robots.txt"
    tester.site.sites.add(url, b"User-agent: *\nDisallow: /before\n")
    tester.fetch(url)
    expect(tester.editor).to_contain_text("/before")
    # The server stores a response for each access policy.
    with tester.page.expect_response("**/v1/fetch"):
        tester.control("profile").select_option("google2019")
    with tester.page.expect_response("**/v1/fetch"):
        tester.control("profile").select_option("rfc9309")
    tester.site.sites.add(url, b"User-agent: *\nDisallow: /after\n")
    tester.fetch(url)
    expect(tester.editor).to_contain_text("/after")
    with tester.page.expect_response(lambda answer: answer.url.endswith("/v1/fetch") and "/after" in answer.text()):
        tester.control("profile").select_option("google2019")
    expect(tester.find(".source-state")).to_have_attribute("data-state", "successful")
    expect(tester.editor).to_contain_text("/after")


def test_the_page_of_a_site_without_a_server_has_the_same_policy(built_page: object) -> None:
    from canfetch.web.server.guard import CONTENT_SECURITY_POLICY
    from canfetch.web.site.assets import FOLDER

    assert built_page == FOLDER
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', (FOLDER / "static.html").read_text())
    assert found is not None
    # A meta element cannot hold frame-ancestors.
    assert found[1] == CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'; ", "")


def test_the_number_of_fixes_is_that_of_the_findings_that_they_fix(tester: OpenPage) -> None:
    content = b"\xef\xbb\xbfUser-agent: *\nDisallow: /a\nSitemap: /map.xml\n"
    tester.site.sites.add("https://fixed.example/robots.txt", content)
    tester.fetch("https://fixed.example/")
    expect(tester.editor).to_contain_text("/map.xml")
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    # The fix of the sitemap changes no verdict, but what the file states.
    expect(tester.control("fix")).to_have_text("Fix 1")
    tester.control("fix").click()
    expect(tester.find(".toast")).to_have_text("Fixed 1 problem.")
    expect(tester.control("fix")).to_have_class(re.compile("invisible"))
    expect(tester.editor).to_contain_text("Sitemap: /map.xml")
    tester.control("notes").click()
    fix = tester.find("[data-fix=CF601]")
    expect(fix).to_have_text("Fix")
    fix.click()
    expect(tester.editor).to_contain_text("Sitemap: https://fixed.example/map.xml")


def test_a_file_without_records_has_no_fixes(tester: OpenPage) -> None:
    tester.replace_file("Googlebot\nGPTBot\nUnlistedBot\n")
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    expect(tester.control("fix")).to_have_class(re.compile("invisible"))


def test_fixes_that_cannot_be_applied_are_not_offered_again(tester: OpenPage) -> None:
    def unchanged(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "changed": False, "fixed": []})

    tester.page.route("**/v1/fix", unchanged)
    tester.replace_file("User-agent: *\nDisallow: /a\nGooglebot\nGPTBot\n")
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    expect(tester.control("fix")).to_have_text("Fix 2")
    tester.control("fix").click()
    expect(tester.find(".toast")).to_contain_text("No fix could be applied without changing verdicts.")
    expect(tester.control("fix")).to_have_class(re.compile("invisible"))


def test_errors_are_listed_before_warnings_and_notes(tester: OpenPage) -> None:
    tester.replace_file("User-agent: *\nCrawl-delay: x\nDisalow: /a\n\nDisallow: b|c\nSitemap: /map.xml\nNoindex: /d\n")
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    tester.control("notes").click()
    items = tester.find(".note-item").evaluate_all(
        "items => items.map((item) => [item.querySelector('strong').textContent, Number(item.dataset.line)])"
    )
    ranks = {"Error": 0, "Warning": 1, "Note": 2}
    assert len({name for name, _ in items}) == 3
    assert items == sorted(items, key=lambda item: (ranks[item[0]], item[1]))
    expect(tester.control("notes")).to_have_text(f"{len(items)} findings")
