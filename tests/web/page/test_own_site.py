"""After a paste, an open or a fetch, the rows and columns are those of the file, and the example goes."""

import re

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import OpenPage

pytestmark = pytest.mark.service

FILE = (
    "User-agent: *\nDisallow: /shop/\nAllow: /shop/$\nDisallow: /*.pdf$\nDisallow: /shop/cart/\nDisallow:\n\n"
    "User-agent: gptbot\nUser-agent: MyBot\nDisallow: /private\n"
)
# One URL for each rule that decides one, and one that no rule matches. The empty rule decides nothing.
ROWS = ["/shop/page", "/shop/", "/example.pdf", "/shop/cart/", "/private", "/"]
COLUMNS = ["Googlebot", "bingbot", "GPTBot", "ClaudeBot", "CCBot"]
SITE = "https://own.example"


@pytest.mark.parametrize("way", ["paste", "open", "fetch"])
def test_the_rows_and_columns_are_those_of_the_file(tester: OpenPage, way: str) -> None:
    if way == "paste":
        tester.paste_file(FILE)
    elif way == "open":
        tester.open_file(FILE.encode())
    else:
        tester.site.sites.add(f"{SITE}/robots.txt", FILE.encode())
        tester.fetch(SITE)
    expect(tester.rows).to_have_text(ROWS)
    expect(tester.columns).to_have_text(COLUMNS)
    expect(tester.find("[data-result=invitation]")).to_be_visible()
    # A file that was pasted or opened is not that of the example.
    expect(tester.control("address")).to_have_value(f"{SITE}/robots.txt" if way == "fetch" else "")
    tester.expect_why("Line 2 decides")
    tester.control("as-list").click()
    lines = tester.find(".verdict-list tbody tr").filter(has_text="Googlebot").locator(".number")
    expect(lines).to_have_text(["2", "3", "4", "5", "", ""])
    assert tester.problems == []


def test_a_rule_that_a_large_file_repeats_has_one_row(tester: OpenPage) -> None:
    tester.open_file(b"User-agent: *\n" + b"Disallow: /a/folder/\nDisallow: /b/folder/\n" * 5000)
    expect(tester.rows).to_have_text(["/a/folder/", "/b/folder/", "/"])


def test_the_page_that_was_typed_is_the_first_row_and_stays(tester: OpenPage) -> None:
    tester.site.sites.add(f"{SITE}/robots.txt", FILE.encode())
    tester.fetch(f"{SITE}/some/page?x=1")
    expect(tester.rows).to_have_text(["/some/page?x=1", *ROWS])
    expect(tester.control("address")).to_have_value(f"{SITE}/robots.txt")
    tester.open_file(b"User-agent: *\nDisallow: /a\n")
    expect(tester.rows).to_have_text(["/some/page?x=1", "/a", "/"])
    expect(tester.columns).to_have_text(COLUMNS[:5])


def test_the_page_of_one_site_is_no_row_of_another(tester: OpenPage) -> None:
    tester.site.sites.add(f"{SITE}/robots.txt", b"User-agent: *\nDisallow: /a\n")
    tester.site.sites.add("https://failing.example/robots.txt", status=503)
    tester.fetch("https://failing.example/page")
    expect(tester.rows).to_have_text(["/page"])
    tester.fetch(SITE)
    expect(tester.rows).to_have_text(["/a", "/"])
    # Another page of the same site is added.
    tester.fetch(f"{SITE}/one")
    expect(tester.rows).to_have_text(["/one", "/a", "/"])
    tester.fetch(f"{SITE}/two")
    expect(tester.rows).to_have_text(["/two", "/one", "/a", "/"])


def test_the_column_of_every_other_crawler_is_explained_as_such(tester: OpenPage) -> None:
    named = "".join(f"User-agent: {name}\n" for name in COLUMNS[:5])
    tester.open_file(f"User-agent: *\nDisallow: /a\n\n{named}Disallow: /b\n".encode())
    tester.cell("*", "/a").click()
    tester.expect_why("The group on line 1 is for crawlers that the file does not name.")
    expect(tester.find("[data-part=why]")).not_to_contain_text("not in the registry")


def test_a_reading_without_a_rule_is_not_explained_by_the_first_rule(tester: OpenPage) -> None:
    # A crawler of 1994 ignores the misspelt line.
    tester.open_file(b"User-agent: *\nDisalow: /a\n")
    tester.expect_why("Standard of 1994")
    tester.expect_why("There, line 2 is ignored.")
    expect(tester.find("[data-part=why]")).not_to_contain_text("The first rule that matches")


def test_what_the_user_listed_stays(tester: OpenPage) -> None:
    tester.set_urls("/mine\n/a/b")
    tester.control("crawlers").click()
    tester.control("crawlers-clear").click()
    tester.control("crawlers-search").fill("MJ12bot")
    tester.control("crawlers-all").click()
    tester.control("crawlers-apply").click()
    tester.open_file(FILE.encode())
    expect(tester.find(".source-main")).to_have_text("File opened.")
    expect(tester.rows).to_have_text(["/mine", "/a/b"])
    expect(tester.columns).to_have_text(["MJ12bot"])
    expect(tester.find("[data-result=invitation]")).to_be_hidden()


def test_pasted_urls_and_those_of_the_sitemap_take_the_place_of_the_chosen_rows(tester: OpenPage) -> None:
    sites = tester.site.sites
    sites.add(f"{SITE}/robots.txt", f"User-agent: *\nDisallow: /a\nSitemap: {SITE}/map.xml\n".encode())
    sites.add(
        f"{SITE}/map.xml",
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://own.example/listed</loc></url>'
        b"</urlset>",
        headers=(("content-type", "application/xml"),),
    )
    tester.fetch(f"{SITE}/typed")
    expect(tester.rows).to_have_text(["/typed", "/a", "/"])
    assert f"{SITE}/map.xml" not in sites.requests
    tester.control("rows-sitemap").click()
    expect(tester.find(".sitemap-message")).to_contain_text("1 URL added from the sitemap.")
    tester.control("urls-apply").click()
    expect(tester.rows).to_have_text(["/typed", "/listed"])
    expect(tester.find("[data-result=invitation]")).to_be_hidden()


def test_a_paste_is_undone_with_its_rows(tester: OpenPage) -> None:
    tester.paste_file("User-agent: *\nDisallow: /a\n")
    expect(tester.rows).to_have_text(["/a", "/"])
    tester.editor.click()
    tester.page.keyboard.press("Control+z")
    expect(tester.find(".source-main")).to_have_text("Example file.")
    tester.crawlers_and_paths()


def test_a_fetch_is_redone_with_its_rows_and_its_source(tester: OpenPage) -> None:
    tester.site.sites.add(f"{SITE}/robots.txt", b"User-agent: *\nDisallow: /a\n")
    tester.site.sites.add("https://second.example/robots.txt", b"User-agent: *\nDisallow: /b\n")
    tester.fetch(SITE)
    expect(tester.rows).to_have_text(["/a", "/"])
    tester.set_urls("/mine")
    expect(tester.rows).to_have_text(["/mine"])
    tester.fetch("https://second.example/")
    expect(tester.editor).to_contain_text("Disallow: /b")
    states = [
        ("https://www.example.com", "Example file."),
        (SITE, "Answered 200."),
        ("https://second.example", "Answered 200."),
    ]
    tester.editor.click()
    for key, (site, source) in [
        ("Control+z", states[1]),
        ("Control+z", states[0]),
        ("Control+y", states[1]),
        ("Control+y", states[2]),
        ("Control+z", states[1]),
    ]:
        tester.page.keyboard.press(key)
        expect(tester.control("address")).to_have_value(f"{site}/robots.txt")
        expect(tester.find(".source-main")).to_contain_text(source)
    expect(tester.rows).to_have_text(["/mine"])


def test_a_link_keeps_whose_the_rows_are(tester: OpenPage) -> None:
    tester.paste_file("User-agent: *\nDisallow: /a\n")
    expect(tester.rows).to_have_text(["/a", "/"])
    tester.page.wait_for_function("() => location.hash.startsWith('#v1.')")
    tester.page.reload()
    tester.ready()
    tester.open_file(b"User-agent: *\nDisallow: /b\n")
    expect(tester.rows).to_have_text(["/b", "/"])


def test_the_page_of_the_example_goes_from_page_rules(tester: OpenPage) -> None:
    tester.paste_file(FILE)
    tester.find("#tab-rules").click()
    expect(tester.find(".rules-view [data-state=empty]")).to_be_visible()
    expect(tester.control("rules-html")).to_have_value("")


def test_compare_starts_with_the_file_on_both_sides(tester: OpenPage) -> None:
    tester.paste_file(FILE)
    tester.find("#tab-compare").click()
    expect(tester.find(".compare-view [data-state=empty]")).to_contain_text("The draft is equal to the file")


def test_names_that_are_no_known_crawlers_are_columns_only_if_the_file_has_no_others(tester: OpenPage) -> None:
    tester.open_file(b"User-agent: Mozilla\nUser-agent: Goglebot\nDisallow: /x\n\nUser-agent: bingbot\nDisallow: /b\n")
    expect(tester.rows).to_have_text(["/b", "/"])
    expect(tester.columns).to_have_text(["bingbot", "Googlebot", *COLUMNS[2:5]])
    tester.open_file(b"User-agent: MyBot\nDisallow: /private\n")
    expect(tester.rows).to_have_text(["/private", "/"])
    expect(tester.columns).to_have_text([*COLUMNS[:5], "MyBot"])


def test_a_paste_over_a_fetched_file_brings_its_own_columns_and_adds_rows(tester: OpenPage) -> None:
    tester.site.sites.add(f"{SITE}/robots.txt", b"User-agent: MJ12bot\nDisallow: /old\n")
    tester.fetch(SITE)
    expect(tester.columns).to_have_text([*COLUMNS[:5], "MJ12bot"])
    tester.paste_file("User-agent: Applebot\nDisallow: /new\n")
    expect(tester.find(".source-main")).to_have_text("Fetched file, edited here.")
    expect(tester.rows).to_have_text(["/old", "/", "/new"])
    expect(tester.columns).to_contain_text(["Applebot"])
    expect(tester.columns.filter(has_text="MJ12bot")).to_have_count(0)
    tester.find("#tab-compare").click()
    expect(tester.find(".compare-view")).to_contain_text("The draft is compared with the fetched file.")


def test_every_sitemap_of_the_file_is_offered(tester: OpenPage) -> None:
    sites = tester.site.sites
    lines = f"Sitemap: http://[broken\nSitemap: {SITE}/gone.xml\nSitemap: /second.xml\n"
    sites.add(f"{SITE}/robots.txt", f"User-agent: *\nDisallow: /a\n{lines}".encode())
    xml = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://own.example/2</loc></url></urlset>'
    sites.add(f"{SITE}/second.xml", xml, headers=(("content-type", "application/xml"),))
    tester.fetch(SITE)
    expect(tester.rows).to_have_text(["/a", "/"])
    tester.control("rows-sitemap").click()
    offered = tester.find("[data-result=sitemaps] button")
    expect(offered).to_have_text([f"{SITE}/gone.xml", f"{SITE}/second.xml"])
    offered.nth(1).click()
    expect(tester.find(".sitemap-message")).to_contain_text("1 URL added from the sitemap.")


def test_urls_of_a_file_and_of_a_sitemap_replace_the_rows_that_the_page_chose(tester: OpenPage) -> None:
    tester.site.sites.add(f"{SITE}/robots.txt", b"User-agent: *\nDisallow: /a\n")
    tester.fetch(f"{SITE}/typed")
    expect(tester.rows).to_have_text(["/typed", "/a", "/"])
    tester.control("urls").click()
    for name, lines in (("first.txt", "/1\n/2\n"), ("second.txt", "/3\n")):
        with tester.page.expect_file_chooser() as chosen:
            tester.control("urls-file").click()
        chosen.value.set_files({"name": name, "mimeType": "text/plain", "buffer": lines.encode()})
        expect(tester.control("urls-text")).to_have_value(re.compile(re.escape(lines)))
    # The rows of the user stay.
    expect(tester.control("urls-text")).to_have_value("/typed\n/1\n/2\n/3\n")


def test_only_the_example_offers_its_crawlers(tester: OpenPage) -> None:
    tester.control("crawlers").click()
    expect(tester.control("crawlers-example")).to_be_visible()
    tester.page.keyboard.press("Escape")
    tester.open_file(FILE.encode())
    expect(tester.columns).to_have_text(COLUMNS)
    tester.control("crawlers").click()
    expect(tester.control("crawlers-clear")).to_be_visible()
    expect(tester.control("crawlers-example")).to_have_count(0)


def test_the_command_for_a_fetched_file_names_its_address_until_an_edit(tester: OpenPage) -> None:
    tester.site.sites.add(f"{SITE}/robots.txt", b"User-agent: *\nDisallow: /a\n")
    tester.fetch(SITE)
    tester.expect_why("Line 2 decides")
    tester.control("copy-command").click()
    copied = "() => navigator.clipboard.readText()"
    command = "canfetch explain /a --agent Googlebot --robots"
    tester.expect_value(copied, f"{command} {SITE}/robots.txt")
    tester.control("profile").select_option("bing")
    tester.page.wait_for_function("() => history.state.provenance?.fetched?.edition === 'bing'")
    tester.expect_why("Line 2 decides")
    tester.control("copy-command").click()
    tester.expect_value(copied, f"{command} {SITE}/robots.txt --edition bing")
    tester.editor.click()
    tester.page.keyboard.press("Control+End")
    tester.page.keyboard.insert_text("# edited")
    expect(tester.find(".source-main")).to_have_text("Fetched file, edited here.")
    tester.control("copy-command").click()
    tester.expect_value(copied, f"{command} robots.txt --profile bing")


def test_only_warnings_and_errors_have_a_sign_at_the_number_of_findings(tester: OpenPage) -> None:
    expect(tester.find(".notes-chip.error .mark, .notes-chip.warning .mark")).to_have_count(1)
    tester.open_file(b"User-agent: *\nDisallow: /a/\n")
    expect(tester.find(".notes-chip[data-state=ready]")).to_have_text("No findings")
    expect(tester.find(".notes-chip .mark")).to_have_count(0)


def test_a_row_of_another_port_has_one_line_and_does_not_count(tester: OpenPage) -> None:
    tester.site.sites.add(f"{SITE}/robots.txt", b"User-agent: *\nDisallow: /a\n")
    tester.fetch(SITE)
    expect(tester.rows).to_have_text(["/a", "/"])
    tester.set_urls(f"/a\nhttps://own.example:8443/{'path/' * 20}\n/b")
    expect(tester.find("[data-summary]")).to_have_text("2 URLs and 1 without a verdict, 5 crawlers, 5 blocked")
    remark = tester.find(".row-remark:not([hidden])")
    expect(remark).to_have_text("another scheme or port: this file does not apply to it")
    heights = "remark => [remark.offsetHeight <= remark.parentElement.offsetHeight, remark.offsetWidth > 150]"
    assert remark.evaluate(heights) == [True, True]
    expect(tester.rows.nth(1)).to_contain_text("https://own.example:8443/")
