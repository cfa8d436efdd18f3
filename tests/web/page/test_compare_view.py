"""The view Compare: which verdicts change, and the changed lines."""

import re
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from playwright.sync_api import Route, expect
from tests.web.page.conftest import ROOT, NewPage, OpenPage

import canfetch

pytestmark = pytest.mark.service

EXAMPLE: Final = (ROOT / "examples" / "robots.txt").read_text()


_UNFOLDED_LINES: Final = """() => {
    for (let fold; (fold = document.querySelector(".compare-view .diff-fold button")); ) fold.click();
    const without = (kind) => [...document.querySelectorAll(`.compare-view .diff-line:not(.${kind})`)].map(
        (row) => row.cells[3].textContent.trimEnd()
    );
    return [without("added"), without("removed")];
}"""
_CHANGES: Final = """() => [
    ...document.querySelectorAll(".compare-view [role=gridcell]:not([data-state=same])")
].map((cell) => [cell.ariaLabel.split(":")[0], cell.dataset.state]).sort()"""


@pytest.fixture
def compare(tester: OpenPage) -> OpenPage:
    """Return the page with the view Compare."""
    tester.find("#tab-compare").click()
    expect(tester.find(".compare-view [role=gridcell]").first).to_be_visible()
    return tester


def compare_with(compare: OpenPage, text: str) -> None:
    compare.find(".compare-view [data-pane=before]").click()
    compare.control("compare-before").fill(text)


def summary(compare: OpenPage) -> Any:
    return compare.find(".compare-view [data-result=summary]")


def library_changes(before: str, after: str, paths: list[str], crawlers: list[str]) -> list[list[str]]:
    """Return the name and the state of each cell that changes, in order."""
    old, new = canfetch.parse(before), canfetch.parse(after)
    return sorted(
        [f"{crawler}, {path}", "allowed" if new.allows(path, agent=agent) else "blocked"]
        for path in paths
        for crawler in crawlers
        for agent in (canfetch.agent(crawler),)
        if old.allows(path, agent=agent) is not new.allows(path, agent=agent)
    )


def test_the_example_is_compared_with_an_older_version(compare: OpenPage) -> None:
    expect(compare.find(".compare-view [data-result=before]")).to_have_text(
        "The draft is compared with an older version of the example."
    )
    expect(summary(compare)).to_contain_text("newly blocked")
    expect(compare.find("[data-result=compare-edition]")).to_contain_text("Edition: RFC 9309.")
    expect(compare.find(".compare-view .diff-line.added").first).to_be_visible()
    assert compare.problems == []


@pytest.mark.parametrize("seed", range(4))
def test_changes_equal_those_of_the_library(tester: OpenPage, seed: int) -> None:
    crawlers, paths = tester.crawlers_and_paths()
    random = Random(seed)  # noqa: S311
    lines = EXAMPLE.splitlines(keepends=True)
    before = "".join(line for line in lines if random.random() < 0.8)
    tester.find("#tab-compare").click()
    compare_with(tester, before)
    tester.expect_value(_CHANGES, library_changes(before, EXAMPLE, paths, crawlers))


def test_a_change_is_explained_by_the_lines_before_and_after(tester: OpenPage) -> None:
    crawlers, paths = tester.crawlers_and_paths()
    before = "User-agent: *\nDisallow: /search\n"
    compare = tester
    compare.find("#tab-compare").click()
    compare_with(compare, before)
    compare.expect_value(_CHANGES, library_changes(before, EXAMPLE, paths, crawlers))
    compare.find('[role=gridcell][aria-label="bingbot, /shop/cart/checkout: newly blocked"]').click()
    sides = compare.find(".before-after dd")
    expect(sides.nth(0)).to_have_text("allowedno rule matches")
    expect(sides.nth(1)).to_have_text("blockedline 6Disallow: /shop/cart/")
    sides.nth(1).get_by_role("button").click()
    expect(compare.find(".compare-view .cm-line.line-blocks")).to_have_text("Disallow: /shop/cart/")
    compare.find(".compare-view [data-pane=text]").click()
    expect(compare.find(".compare-view .diff-line.marked .diff-text")).to_have_text("Disallow: /shop/cart/")


def test_a_control_token_changes_a_use_and_no_fetching(tester: OpenPage) -> None:
    # Access has no column for Applebot-Extended, which only the other file names.
    draft = "User-agent: *\nDisallow: /cart/\n"
    tester.replace_file(draft + "User-agent: Google-Extended\nDisallow: /\n")
    compare = tester
    compare.find("#tab-compare").click()
    compare_with(compare, draft + "User-agent: Applebot-Extended\nDisallow: /shop/ # not for training\n")
    expect(summary(compare)).to_have_text(
        re.compile(r"^0 newly blocked, 0 newly allowed, of \d+; uses: 1\d newly reserved, [1-9] newly allowed$")
    )
    expect(compare.find(".compare-view .group-heading")).to_have_text(["Usage"])
    compare.find('[role=gridcell][aria-label="Google-Extended, /shop/: use newly reserved"]').click()
    explanation = compare.find(".compare-view .explanation")
    expect(explanation.locator(".state-badge")).to_have_text("use newly reserved")
    expect(explanation).to_contain_text("Google-Extended fetches nothing.")
    sides = explanation.locator("dd")
    expect(sides.nth(0)).to_contain_text("AI training: allowed")
    expect(sides.nth(1)).to_have_text("AI training: reservedline 4Disallow: /")
    exact = compare.find("[data-result=compare-exact] li")
    expect(exact.filter(has_text="Google-Extended")).to_contain_text("use newly reserved: /")
    assert compare.problems == []


def test_other_crawlers_are_compared_if_the_chosen_ones_lose_their_own_groups(tester: OpenPage) -> None:
    named = "".join(f"User-agent: {name}\n" for name in ("Googlebot", "bingbot", "GPTBot", "ClaudeBot", "CCBot"))
    before = f"User-agent: *\nDisallow: /old\n\n{named}Disallow: /shop\n"
    tester.site.sites.add("https://others.example/robots.txt", before.encode())
    tester.fetch("https://others.example/")
    expect(tester.columns).to_have_text(["Googlebot", "bingbot", "GPTBot", "ClaudeBot", "CCBot", "*"])
    tester.paste_file("User-agent: *\nDisallow: /shop\n")
    expect(tester.columns).to_have_text(["Googlebot", "bingbot", "GPTBot", "ClaudeBot", "CCBot"])
    tester.find("#tab-compare").click()
    tester.expect_value(_CHANGES, [["*, /old", "allowed"], ["*, /shop", "blocked"]])
    expect(tester.find("[data-result=compare-proof]")).to_contain_text("/old")


def test_a_name_of_crawlers_that_fetch_is_not_a_control_token(tester: OpenPage) -> None:
    # YandexBot reads the group of Yandex.
    tester.open_file(b"User-agent: Yandex\nDisallow: /\n")
    tester.expect_blocked(1)
    tester.find("#tab-compare").click()
    compare_with(tester, "User-agent: *\nDisallow:\n")
    expect(summary(tester)).to_have_text(re.compile("^1 newly blocked, 0 newly allowed, of [0-9]+$"))


def test_equal_files_have_an_empty_state(compare: OpenPage) -> None:
    compare_with(compare, EXAMPLE)
    expect(compare.find(".compare-view [data-state=empty]")).to_contain_text(
        "The draft is equal to the file that it is compared with."
    )
    expect(summary(compare)).to_have_text("224 verdicts, all unchanged")


def test_the_server_compares_the_files_for_all_urls(compare: OpenPage) -> None:
    compare_with(compare, EXAMPLE.replace("Disallow: /search\n", "Disallow: /search*\n"))
    proof = compare.find("[data-result=compare-proof]")
    expect(proof).to_have_text("Proved for every URL and every crawler: no verdict changes.")
    compare_with(compare, EXAMPLE.replace("Disallow: /search\n", "Disallow: /search\nDisallow: /unlisted\n"))
    # Only the draft allows what the other file disallows.
    exact = compare.find("[data-result=compare-exact] li").first
    expect(exact).to_contain_text("newly allowed: /unlisted (in part) such as /unlisted")
    expect(compare.find(".compare-view [data-state=empty]")).to_contain_text("None of the listed verdicts changes.")
    other = EXAMPLE + "\nUser-agent: UnlistedBot\nDisallow: /\n"
    compare_with(compare, other)
    expect(proof).to_have_text("No verdict of the chosen crawlers changes, on any URL.")


def test_a_fetched_file_is_compared_with_the_edited_draft(tester: OpenPage) -> None:
    tester.site.sites.add("https://shop.example/robots.txt", b"User-agent: *\r\nDisallow: /cart/\r\n")
    tester.fetch("https://shop.example/shop/")
    expect(tester.find(".source-main")).to_contain_text("200")
    tester.editor.click()
    tester.page.keyboard.press("Control+End")
    tester.page.keyboard.type("Disallow: /shop/\n")
    tester.control("compare").click()
    expect(tester.find(".compare-view [data-result=before]")).to_have_text(
        "The draft is compared with the fetched file."
    )
    expect(tester.find(".compare-view .diff-line.added")).to_have_count(1)
    expect(tester.find('[role=gridcell][aria-label="CCBot, /shop/: newly blocked"]')).to_be_visible()


def test_a_paste_over_a_fetched_file_is_compared_with_it(tester: OpenPage) -> None:
    tester.site.sites.add("https://shop.example/robots.txt", b"User-agent: *\nDisallow: /cart/\n")
    tester.fetch("https://shop.example/shop/")
    expect(tester.rows).to_have_text(["/shop/", "/cart/", "/"])
    fetched = tester.written_address("")
    tester.paste_file("User-agent: *\nDisallow: /shop/\n")
    expect(tester.find(".source-main")).to_have_text("Fetched file, edited here.")
    pasted = tester.written_address(fetched)
    tester.find("#tab-compare").click()
    tester.written_address(pasted)
    for _ in ("at once", "after a reload"):
        expect(tester.find(".compare-view [data-result=before]")).to_have_text(
            "The draft is compared with the fetched file."
        )
        expect(tester.find('[role=gridcell][aria-label="CCBot, /shop/: newly blocked"]')).to_be_visible()
        expect(tester.find('[role=gridcell][aria-label="CCBot, /cart/: newly allowed"]')).to_be_visible()
        tester.page.reload()


def test_an_opened_file_is_compared_with_the_edited_draft(tester: OpenPage, tmp_path: Path) -> None:
    file = tmp_path / "shop.txt"
    file.write_bytes(b"User-agent: *\r\nDisallow: /shop/\r\n")
    tester.control("file").set_input_files(file)
    expect(tester.find(".source-main")).to_have_text("File opened.")
    tester.editor.click()
    tester.page.keyboard.press("Control+End")
    tester.page.keyboard.type("Disallow: /$\n")
    expect(tester.find(".source-main")).to_have_text("File opened, edited here.")
    tester.find("#tab-compare").click()
    expect(tester.find(".compare-view [data-result=before]")).to_have_text("The draft is compared with shop.txt.")
    expect(tester.find(".compare-view .diff-line.added")).to_have_count(1)
    # The row that no rule matched, for each of the main crawlers.
    expect(summary(tester)).to_contain_text("5 newly blocked, 0 newly allowed")


def test_the_live_file_is_fetched_without_replacing_the_draft(compare: OpenPage) -> None:
    compare.site.sites.add("https://www.example.com/robots.txt", b"User-agent: *\nDisallow: /\n")
    compare.find(".compare-view [data-pane=before]").click()
    compare.control("compare-live").click()
    before = compare.find(".compare-view [data-result=before]")
    expect(before).to_have_text("The draft is compared with https://www.example.com/robots.txt.")
    expect(summary(compare)).to_have_text(re.compile(r"^0 newly blocked, "))
    compare.control("compare-loaded").click()
    expect(before).to_contain_text("an older version of the example")
    compare.control("address").fill("https://down.example/robots.txt")
    compare.control("address").blur()
    compare.control("compare-live").click()
    expect(before).to_contain_text("The server did not answer")
    # A copy of an earlier file is not the live one.
    compare.site.sites.add("https://www.example.com/robots.txt", status=503)
    compare.control("address").fill("https://www.example.com/robots.txt")
    compare.control("address").blur()
    compare.control("compare-live").click()
    expect(before).to_contain_text("503")


def test_a_file_is_opened(compare: OpenPage, tmp_path: Path) -> None:
    file = tmp_path / "old.txt"
    file.write_bytes(b"User-agent: GPTBot\r\nDisallow: /\r\n")
    compare.control("compare-file").set_input_files(file)
    expect(compare.find(".compare-view [data-result=before]")).to_have_text("The draft is compared with old.txt.")


@pytest.mark.parametrize("seed", range(4))
def test_the_difference_contains_both_files(compare: OpenPage, seed: int) -> None:
    random = Random(seed)  # noqa: S311
    lines = [*EXAMPLE.splitlines(), *(f"Disallow: /{number % 5}" for number in range(30))]
    before = "\n".join(random.sample(lines, k=len(lines) - seed * 15)) if seed else "\n".join(lines[:40])
    compare_with(compare, before)
    compare.find(".compare-view [data-pane=text]").click()
    # The lines are compared again after a pause, which folds them.
    compare.expect_value(_UNFOLDED_LINES, [before.split("\n"), EXAMPLE.splitlines()])


def test_a_link_restores_both_files(compare: OpenPage, new_page: NewPage) -> None:
    compare_with(compare, "User-agent: *\nDisallow: /blog/\n")
    expect(compare.find(".compare-view [data-result=before]")).to_contain_text("this text")
    compare.control("link").click()
    expect(compare.find(".toast")).to_contain_text("Link copied")
    fragment = compare.page.evaluate("location.hash")
    opened = new_page()
    opened.page.goto(compare.site.address + fragment)
    expect(opened.find(".compare-view [data-result=before]")).to_contain_text("this text")
    expect(opened.control("compare-before")).to_have_value("User-agent: *\nDisallow: /blog/\n")


def test_without_an_engine_the_server_compares(new_page: NewPage) -> None:
    opened = new_page()

    def refuse(route: Route) -> None:
        route.abort()

    opened.page.route("**/*.wasm", refuse)
    opened.page.goto(opened.site.address)
    opened.find("#tab-compare").click()
    expect(opened.find(".compare-view [role=gridcell]").first).to_be_visible()
    opened.page.route("**/v1/compare", refuse)
    compare_with(opened, "User-agent: *\nDisallow: /\n")
    failed = opened.find(".compare-view [data-state=failed]")
    expect(failed).to_contain_text("The engine did not start, so nothing was compared.")
    opened.page.unroute("**/v1/compare")
    failed.get_by_role("button").click()
    expect(summary(opened)).to_have_text(re.compile(r"^0 newly blocked, "))
