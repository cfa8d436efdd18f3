"""Filters for long lists of URLs."""

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import NewPage, OpenPage

pytestmark = pytest.mark.service

FILE = "User-agent: *\nDisallow: /a\nDisallow: /b\n"
# Yandex does not read `dissallow` as `disallow`.
TWO_GROUPS = """\
User-agent: *
Dissallow: /all
Allow: /some/2

User-agent: GPTBot
Disallow: /all
Disallow: /some/1
Disallow: /some/2
Dissallow: /some/3
"""


@pytest.fixture
def filtered(tester: OpenPage) -> OpenPage:
    """Return the page with a file, three of a thousand rows that it blocks, and open filters."""
    tester.paste_file(FILE)
    tester.set_urls("\n".join(["/a/1", "/b/1", "/b/2", *(f"/page/{number}" for number in range(997))]))
    tester.control("filter").click()
    return tester


def test_rows_are_filtered_by_text_verdict_and_line(filtered: OpenPage) -> None:
    filtered.control("filter-text").fill("/PAGE/99")
    expect(filtered.rows).to_have_text(["/page/99", *(f"/page/99{digit}" for digit in range(7))])
    expect(filtered.find("[data-result=filter]")).to_have_text("8 of 1,000 rows")
    filtered.control("filter-text").fill("")
    filtered.control("filter-kind").select_option("blocked")
    expect(filtered.rows).to_have_text(["/a/1", "/b/1", "/b/2"])
    filtered.control("filter-line").fill("3")
    expect(filtered.rows).to_have_text(["/b/1", "/b/2"])
    filtered.control("filter-kind").select_option("allowed")
    expect(filtered.find(".empty-message")).to_have_text("No row matches the filter.")
    filtered.control("filter").click()
    expect(filtered.find("[role=grid]")).to_have_attribute("aria-rowcount", "1001")


def test_a_filter_finds_a_path_with_and_without_percent_encoding(tester: OpenPage) -> None:
    paths = ["/caf%C3%A9/a", "/café/b", "/caf%E9/c", "/tea"]
    tester.set_urls("\n".join(paths))
    tester.control("filter").click()
    for text, found in (("café", paths[:2]), ("CAF%C3%A9", paths[:2]), ("%e9", paths[2:3]), ("%c3", paths[:1])):
        tester.control("filter-text").fill(text)
        expect(tester.rows).to_have_text(found)


def test_rows_that_the_last_edit_changed_are_found(filtered: OpenPage) -> None:
    filtered.control("filter-kind").select_option("changed")
    expect(filtered.find(".empty-message")).to_have_text("No row matches the filter.")
    filtered.editor.click()
    filtered.page.keyboard.press("Control+Home")
    filtered.page.keyboard.insert_text("User-agent: *\nDisallow: /page/7$\nAllow: /b/2\n")
    expect(filtered.rows).to_have_text(["/b/2", "/page/7"])


def test_rows_that_are_blocked_for_only_some_crawlers_are_found(tester: OpenPage, new_page: NewPage) -> None:
    tester.paste_file(TWO_GROUPS)
    tester.set_urls("/all\n/some/1\n/some/2\n/some/3\n/none")
    tester.control("filter").click()
    tester.control("filter-kind").select_option(label="Blocked for only some crawlers")
    expect(tester.rows).to_have_text(["/some/1", "/some/2", "/some/3"])
    expect(tester.find("[data-result=filter]")).to_have_text("3 of 5 rows")
    tester.control("filter-text").fill("/2")
    expect(tester.rows).to_have_text(["/some/2"])
    tester.control("filter-text").fill("")
    tester.control("filter-line").fill("3")
    expect(tester.rows).to_have_text(["/some/2"])
    tester.control("filter-line").fill("")
    tester.control("only-differing").click()
    expect(tester.rows).to_have_text(["/some/3"])
    tester.control("link").click()
    expect(tester.find(".toast")).to_contain_text("Link copied.")
    other = new_page()
    other.open(tester.page.evaluate("location.hash"))
    expect(other.rows).to_have_text(["/some/3"])
    expect(other.control("filter-kind")).to_have_value("mixed")


def test_neither_control_tokens_nor_the_chosen_crawler_decide_which_rows_are_mixed(tester: OpenPage) -> None:
    tester.paste_file("User-agent: Google-Extended\nDisallow: /token\n\nUser-agent: GPTBot\nDisallow: /some\n")
    tester.set_urls("/token\n/some\n/none")
    tester.control("filter").click()
    tester.control("filter-kind").select_option("blocked")
    tester.control("filter-crawler").select_option("Googlebot")
    expect(tester.find(".empty-message")).to_have_text("No row matches the filter.")
    tester.control("filter-kind").select_option("mixed")
    expect(tester.rows).to_have_text(["/some"])
    expect(tester.control("filter-crawler")).to_be_disabled()
    tester.control("filter-line").fill("5")
    expect(tester.rows).to_have_text(["/some"])
    tester.control("filter-line").fill("2")
    expect(tester.find(".empty-message")).to_have_text("No row matches the filter.")


def test_a_link_restores_the_filter(filtered: OpenPage, new_page: NewPage) -> None:
    filtered.control("filter-text").fill("/b/")
    expect(filtered.rows).to_have_text(["/b/1", "/b/2"])
    filtered.control("link").click()
    expect(filtered.find(".toast")).to_contain_text("Link copied.")
    other = new_page()
    other.open(filtered.page.evaluate("location.hash"))
    expect(other.rows).to_have_text(["/b/1", "/b/2"])
    expect(other.control("filter-text")).to_have_value("/b/")


def test_rows_are_filtered_for_one_crawler_also_in_a_link(tester: OpenPage, new_page: NewPage) -> None:
    tester.paste_file(TWO_GROUPS)
    tester.set_urls("/all\n/some/1\n/some/2\n/some/3\n/none")
    tester.control("filter").click()
    tester.control("filter-kind").select_option(label="Blocked for")
    expect(tester.rows).to_have_text(["/all", "/some/1", "/some/2", "/some/3"])
    tester.control("filter-crawler").select_option("Googlebot")
    expect(tester.rows).to_have_text(["/all"])
    tester.control("filter-line").fill("6")
    expect(tester.find(".empty-message")).to_have_text("No row matches the filter.")
    tester.control("filter-crawler").select_option("GPTBot")
    expect(tester.rows).to_have_text(["/all"])
    tester.control("filter-line").fill("")
    tester.control("filter-kind").select_option(label="Allowed for")
    expect(tester.rows).to_have_text(["/none"])
    tester.control("filter-crawler").select_option(label="every crawler")
    expect(tester.rows).to_have_text(["/none"])
    tester.control("filter-crawler").select_option("Googlebot")
    expect(tester.rows).to_have_text(["/some/1", "/some/2", "/some/3", "/none"])
    tester.control("link").click()
    expect(tester.find(".toast")).to_contain_text("Link copied.")
    other = new_page()
    other.open(tester.page.evaluate("location.hash"))
    expect(other.rows).to_have_text(["/some/1", "/some/2", "/some/3", "/none"])
    expect(other.control("filter-crawler")).to_have_value("Googlebot")


def test_a_control_token_blocks_rows_only_if_it_is_chosen(tester: OpenPage) -> None:
    tester.control("filter").click()
    tester.replace_file("User-agent: Google-Extended\nDisallow: /shop/\n")
    tester.control("filter-kind").select_option("blocked")
    expect(tester.find(".empty-message")).to_have_text("No row matches the filter.")
    tester.control("filter-crawler").select_option("Google-Extended")
    expect(tester.rows.first).to_have_text("/shop/")
