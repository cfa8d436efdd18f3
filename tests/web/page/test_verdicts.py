"""The first visit, the matrix and the explanation."""

import json
import re
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import ROOT, NewPage, OpenPage
from tests.web.page.test_sources import fragment

import canfetch

pytestmark = pytest.mark.service

EXAMPLE = (ROOT / "examples" / "robots.txt").read_bytes()
# After a scroll, the part in view is empty until its rows are drawn.
ROWS_ARE_DRAWN = """() => {
  const { left, top, width, height } = document.querySelector(".grid-scroll").getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + height / 2)?.closest(".grid-row");
}"""


def library_blocks(tester: OpenPage, content: bytes, *, profile: str = "rfc9309") -> set[str]:
    """Return crawler and path of each cell that the library blocks."""
    robots = canfetch.parse(content, url="https://www.example.com/robots.txt", profile=profile)
    crawlers, paths = tester.crawlers_and_paths()
    return {
        f"{crawler}, {path}"
        for path in paths
        for crawler in crawlers
        if not robots.allows(path, agent=canfetch.agent(crawler))
    }


def fetching(cells: set[str]) -> int:
    """Return the number of cells of crawlers that fetch, which the summary counts."""
    crawlers = (canfetch.REGISTRY.get_crawler(cell.partition(",")[0]) for cell in cells)
    return sum(crawler is None or not crawler.token_only for crawler in crawlers)


def test_the_first_visit_shows_the_example_its_verdicts_and_an_explanation(tester: OpenPage) -> None:
    expect(tester.find(".source-main")).to_have_text("Example file.")
    tester.expect_blocked(64)
    tester.expect_why("GPTBot may not fetch")
    tester.expect_why("Line 57 decides. 3 rules match; the longest wins.")
    expect(tester.find(".line-blocks .cm-line, .cm-line.line-blocks")).to_have_text("Disallow: /blog/members/")
    assert tester.problems == []


def test_a_control_token_is_not_a_crawler_that_may_not_fetch(tester: OpenPage) -> None:
    tester.replace_file("User-agent: Google-Extended\nDisallow: /\n")
    expect(tester.cell("Google-Extended", "/shop/")).to_have_class(re.compile("blocked"))
    tester.expect_blocked(0)
    tester.cell("Google-Extended", "/shop/").click()
    tester.expect_why("Google-Extended: not for AI training: /shop/")


def test_no_request_leaves_the_origin_and_typing_requests_only_the_linter(tester: OpenPage) -> None:
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    tester.requests.clear()
    tester.editor.click()
    tester.page.keyboard.press("Control+End")
    with tester.page.expect_response("**/v1/lint"):
        tester.page.keyboard.type("\nUser-agent: Applebot\nDisallow: /")
    requested = {url for url in tester.requests if url.startswith("http")}
    # Chromium may request the icon of the page this late, and the page its dialogs.
    files = {url for url in requested if url.startswith(f"{tester.site.address}static/")}
    assert requested - files == {f"{tester.site.address}v1/lint"}
    assert tester.problems == []


def test_typing_a_rule_changes_the_cells(tester: OpenPage) -> None:
    tester.replace_file("User-agent: GPTBot\n")
    tester.expect_blocked(0)
    tester.page.keyboard.type("Disallow: /")
    tester.expect_blocked(16)
    expect(tester.cell("GPTBot", "/shop/")).to_have_attribute("aria-label", "GPTBot, /shop/: blocked by line 2")


def test_example_cells_equal_the_answers_of_the_library(tester: OpenPage) -> None:
    tester.expect_blocked(64)
    expect(tester.cell("MJ12bot", "/index.php")).to_be_attached()
    assert set(tester.blocked_cells()) == library_blocks(tester, EXAMPLE)


def test_googles_parser_changes_the_five_cells_whose_readings_differ(tester: OpenPage) -> None:
    expect(tester.find("[data-differs]")).to_have_text("5")
    names = "cells => cells.map(cell => cell.getAttribute('aria-label').split(':')[0])"
    expect(tester.cell("MJ12bot", "/index.php")).to_be_attached()
    differing = set(tester.find(".cell.differs[role=gridcell]").evaluate_all(names))
    before = library_blocks(tester, EXAMPLE)
    after = library_blocks(tester, EXAMPLE, profile="google")
    assert differing == before ^ after
    assert {name.partition(",")[0] for name in differing} == {"MJ12bot"}
    tester.control("profile").select_option("google")
    tester.expect_blocked(fetching(after))
    expect(tester.cell("MJ12bot", "/index.php")).to_have_class("cell blocked differs")


def test_only_rows_with_differing_readings_are_shown_on_request(tester: OpenPage) -> None:
    expect(tester.find("[data-differs]")).to_have_text("5")
    tester.control("only-differing").click()
    rows = tester.find(".grid-row [role=rowheader]")
    expect(rows).to_have_text(
        ["/blog/?sessionid=9", "/shop/", "/shop/originals/kite.jpg", "/search?q=kite", "/index.php"]
    )
    expect(tester.find("[role=grid]")).to_have_attribute("aria-rowcount", "6")


def test_a_click_explains_and_shows_the_deciding_line(tester: OpenPage) -> None:
    tester.cell("MJ12bot", "/shop/").click()
    tester.expect_why("MJ12bot may not fetch")
    tester.expect_why("3 of 5 block it, 2 allow it.")
    tester.expect_why("so line 41 names another crawler")
    expect(tester.find(".cm-line.line-blocks")).to_have_attribute("data-remark", "decides in 3 of 5 readings")
    expect(tester.find(".cm-line.line-blocks")).to_be_in_viewport()
    expect(tester.find("[data-readers]")).to_have_text("Line 43 read by MJ12bot")


def test_a_crawler_that_never_reads_the_rules_for_all_has_that_reason(tester: OpenPage) -> None:
    tester.replace_file("User-agent: *\nDisallow: /\n")
    tester.cell("AdsBot-Google", "/shop/").click()
    tester.expect_why("No group names AdsBot-Google, and the rules for * do not apply to it. So it is allowed.")
    # Without a rule that matches, there is nothing to list.
    expect(tester.find("[data-part=why] .rules")).to_have_count(0)
    tester.replace_file("User-agent: CCBot\nDisallow: /\n")
    tester.cell("GPTBot", "/shop/").click()
    tester.expect_why("No group names GPTBot, and there is no group for *. So it is allowed.")


EMPTY_GROUP: Final = "User-agent: GPTBot\n\nUser-agent: MJ12bot\nDisallow: /shop/\n"
MISSPELT_AGENT: Final = "User-agent: GPTBot\nAllow: /a\nUseragent: MJ12bot\nDisallow: /shop/\n"
GROUP_ENDS: Final = ("ended", "not-ended", "agent-unread", "agent-read", "only-agent-unread")


@pytest.mark.parametrize(
    "file, crawler, profile, reading",
    [
        (
            "User-agent: *\n\nDisallow: /shop/\n",
            "GPTBot",
            "rfc9309",
            "no ruleYandex, Draft of 1996, Standard of 1994. There, the blank line 2 ends the group.",
        ),
        (
            "User-agent: *\n\nDisallow: /shop/\n",
            "GPTBot",
            "yandex",
            "Bing. There, the blank line 2 does not end the group.",
        ),
        (
            "User-agent: *\nDisalow: /shop/\n",
            "GPTBot",
            "rfc9309",
            "Yandex, Draft of 1996, Standard of 1994. There, line 2 is ignored.",
        ),
        ("User-agent: *\nDisalow: /shop/\n", "GPTBot", "yandex", "Bing. There, line 2 counts, too."),
        (
            "User-agent: *\nDisallow: /s*p/\n",
            "GPTBot",
            "rfc9309",
            "Draft of 1996, Standard of 1994. Line 2 is compared with the URL in another way there. Allowed.",
        ),
        (
            "User-agent: *\nAllow: /\nDisallow: /shop/\n",
            "GPTBot",
            "rfc9309",
            "line 2Draft of 1996. The first rule that matches decides there. Allowed.",
        ),
        (
            "User-agent: The CCBot\nDisallow: /shop/\n\nUser-agent: *\nDisallow: /shop\n\nUser-agent: *\nAllow: /b\n",
            "CCBot",
            "draft1996",
            "They apply the rules for * on lines 4 and 7.",
        ),
        # The reading decides where the group of the crawler ends.
        (EMPTY_GROUP, "GPTBot", "rfc9309", "no ruleYandex. There, the blank line 2 ends the group."),
        (EMPTY_GROUP, "GPTBot", "yandex", "Bing. There, the blank line 2 does not end the group."),
        (MISSPELT_AGENT, "GPTBot", "rfc9309", "There, line 3 is ignored."),
        (MISSPELT_AGENT, "GPTBot", "yandex", "Bing. There, line 3 counts, too."),
        ("Useragent: GPTBot\nDisallow: /shop/\n", "GPTBot", "rfc9309", "There, line 1 is ignored."),
    ],
    ids=["blank", "no-blank", "unread", "also-read", "compared", "first", "lines", *GROUP_ENDS],
)
def test_the_reason_of_a_difference_is_named(
    tester: OpenPage, file: str, crawler: str, profile: str, reading: str
) -> None:
    tester.replace_file(file)
    tester.control("profile").select_option(profile)
    tester.cell(crawler, "/shop/").click()
    expect(tester.find(".readings li").filter(has_text=reading)).to_have_count(1)


def test_a_corner_marks_only_differences_from_readings_of_crawlers_of_today(tester: OpenPage) -> None:
    # The grammar alone reads no group of GPTBot here.
    tester.replace_file("User-agent: GPTBot, CCBot\nDisallow: /shop/\n")
    tester.cell("GPTBot", "/shop/").click()
    tester.expect_why("All 5 current readings block it, by the same line.")
    tester.expect_why("grammar alone")
    expect(tester.cell("GPTBot", "/shop/")).to_have_class("cell blocked selected")
    expect(tester.find("[data-differs]")).to_have_text("0")
    tester.control("keys").click()
    tester.control("historic").check()
    tester.page.keyboard.press("Escape")
    expect(tester.cell("GPTBot", "/shop/")).to_have_class("cell blocked differs selected")
    tester.expect_why("Readings differ")


def test_a_tie_is_explained(tester: OpenPage) -> None:
    tester.cell("bingbot", "/internal/press").click()
    tester.expect_why("Lines 14 and 15 are equally long. Then allow wins.")


def test_ten_thousand_urls_keep_sixty_rows_in_the_document(tester: OpenPage) -> None:
    tester.set_urls("\n".join(f"/page/{number}" for number in range(10_000)))
    tester.ready()
    expect(tester.find("[role=grid]")).to_have_attribute("aria-rowcount", "10001")
    expect(tester.find("[data-summary]")).to_contain_text("10,000 URLs")
    for top in (0, 100_000, 250_000):
        tester.find(".grid-scroll").evaluate(f"element => element.scrollTo(0, {top})")
        tester.page.wait_for_function(ROWS_ARE_DRAWN)
        assert tester.find(".grid-row").count() <= 60
    rows = tester.find(".grid-row [role=rowheader]").filter(has_text=re.compile(r"^/page/8\d{3}$"))
    expect(rows).not_to_have_count(0)


def test_an_empty_file_offers_recipes(tester: OpenPage) -> None:
    tester.replace_file("")
    expect(tester.find(".empty-file")).to_contain_text("An empty file allows everything.")
    tester.control("recipe-closed").click()
    # AdsBot-Google ignores the rules for all crawlers, and Google-Extended fetches nothing.
    tester.expect_blocked(16 * 12)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("User-agent: *\nDisallow: /shop/\n".encode("utf-16"), id="utf-16"),
        pytest.param(b"\xef\xbb\xbfUser-agent: *\nDisallow: /shop/\n", id="bom"),
        pytest.param(b"User-agent: *\rDisallow: /shop/\r", id="carriage-return"),
        pytest.param(b"User-agent: *\nDisallow: /shop/\0/x\n", id="nul"),
        pytest.param(b"User-agent: *\nDisallow: /\xe9\nDisallow: /shop/\n", id="latin-1"),
    ],
)
@pytest.mark.parametrize("profile", ["rfc9309", "google"])
def test_files_in_other_forms_are_read_as_the_library_reads_them(
    tester: OpenPage, tmp_path: Path, content: bytes, profile: str
) -> None:
    file = tmp_path / "robots.txt"
    file.write_bytes(content)
    crawlers, paths = tester.crawlers_and_paths()
    # Rows and columns of the user stay.
    tester.open(fragment({"r": "", "u": paths, "a": crawlers, "o": "https://www.example.com/robots.txt"}))
    tester.control("profile").select_option(profile)
    tester.control("file").set_input_files(file)
    expect(tester.find(".source-main")).to_have_text("File opened.")
    tester.expect_blocked(fetching(library_blocks(tester, content, profile=profile)))


def test_an_engine_that_does_not_start_is_reported_and_the_editor_still_works(new_page: NewPage) -> None:
    tester = new_page()
    tester.page.route("**/engine-*.wasm", lambda route: route.abort())
    tester.page.goto(tester.site.address)
    expect(tester.find(".message-title")).to_have_text("The verdicts could not be computed.")
    expect(tester.editor).to_contain_text("User-agent")
    tester.page.unroute("**/engine-*.wasm")
    tester.control("retry").click()
    tester.ready()
    tester.expect_blocked(64)


def test_the_list_has_a_line_for_each_cell(tester: OpenPage) -> None:
    # The list is drawn again when the readings have been compared.
    expect(tester.find("[data-differs]")).to_have_text("5")
    tester.control("as-list").click()
    expect(tester.find(".verdict-list tbody tr")).to_have_count(16 * 14)
    tester.find(".list-verdict[data-cell='CCBot /shop/']").click()
    tester.expect_why("CCBot may not fetch")


def test_built_files_are_within_their_budget(built_page: Path) -> None:
    files = json.loads((built_page / "manifest.json").read_text())["files"]

    def kilobytes(pattern: str) -> float:
        found: list[int] = [sizes["brotli"] for name, sizes in files.items() if Path(name).match(pattern)]
        assert found
        return sum(found) / 1000

    # The script is what the first visit loads: the entry, the first view, and what they import.
    scripts = re.findall(r'(?:href|src)="static/([^"]+\.js)"', (built_page / "index.html").read_text())
    assert len(scripts) >= 3
    assert sum(map(kilobytes, scripts)) <= 40
    later = (ROOT / "page" / "src" / "texts" / "later" / "en.ts").read_text()
    first = "".join((built_page / "static" / name).read_text() for name in scripts)
    assert [key for key in re.findall(r"^  (\w+):", later, re.MULTILINE) if f'"{key}"' in first] == []
    assert kilobytes("editor-*.js") <= 95
    assert kilobytes("engine-*.wasm") <= 50
    assert kilobytes("page-*.css") <= 12
    assert kilobytes("*.woff2") <= 90
