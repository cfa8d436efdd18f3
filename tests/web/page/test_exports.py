"""Exports of the verdicts, which other programs read, and the report."""

import csv
import io
import re
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import openpyxl
import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Locator, expect
from tests.web.page.conftest import NewPage, OpenPage
from tests.web.page.test_sources import fragment

pytestmark = [
    pytest.mark.service,
    # Workbooks without a default style are valid.
    pytest.mark.filterwarnings("ignore:Workbook contains no default style"),
]

# What a spreadsheet reads as a formula, and what Markdown reads as markup.
HOSTILE_ROWS: Final = [
    "=HYPERLINK(1)",
    "@SUM(1)",
    "+1",
    "-1",
    "/a|b`c`\\|<b>&copy;*x*",
    '/"quoted",\x01/caf\u00e9',
    # An escape of the format, and what only looks like one.
    "/_x0041_/_x41_/__x000A_x",
    "/plain",
]
FORMS: Final = ("csv", "xlsx", "md")
PDF_PAGE: Final = re.compile(rb"/Type\s*/Page\b(?!s)")


def saved(tester: OpenPage, control: str) -> bytes:
    with tester.page.expect_download() as waiting:
        tester.control(control).click()
    return Path(waiting.value.path()).read_bytes()


def exported(tester: OpenPage, form: str, shape: str) -> bytes:
    tester.control("export").click()
    tester.control(f"export-{shape}").check()
    content = saved(tester, f"export-{form}")
    expect(tester.find("[data-result=export]")).to_contain_text(f"-{shape}.{form}")
    tester.page.keyboard.press("Escape")
    return content


def parsed(content: bytes, form: str) -> list[list[str]]:
    """Return the cells of a file as texts."""
    if form == "csv":
        return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
    if form == "xlsx":
        sheet = openpyxl.load_workbook(io.BytesIO(content)).worksheets[0]
        cells: list[list[Any]] = [list(row) for row in sheet.iter_rows()]
        assert {cell.data_type for row in cells for cell in row} <= {"s", "n"}
        return [["" if cell.value is None else str(cell.value) for cell in row] for row in cells]
    tokens = MarkdownIt("commonmark").enable("table").parse(content.decode())
    rows: list[list[str]] = []
    for token, inside in pairwise(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in {"th_open", "td_open"}:
            assert {child.type for child in inside.children or ()} <= {"text", "text_special"}
            rows[-1].append("".join(child.content for child in inside.children or ()))
    return rows


def about(workbook: openpyxl.Workbook) -> dict[str, object]:
    """Return the facts about the file, which the last sheet has."""
    return {str(label): value for label, value in workbook.worksheets[-1].iter_rows(values_only=True)}


def page_lines(tester: OpenPage) -> list[list[str]]:
    """Return the lines of the list that the page shows."""
    tester.control("as-list").click()
    rows = tester.find(".verdict-list tr")
    # The page loads the list on demand.
    expect(rows).not_to_have_count(0)
    lines: list[list[str]] = rows.evaluate_all(
        "rows => rows.map(row => [...row.children].map(cell => cell.textContent))"
    )
    tester.control("as-list").click()
    return lines


def test_exports_have_the_verdicts_of_the_page(tester: OpenPage) -> None:
    expect(tester.find("[data-differs]")).to_have_text("5")
    shown = page_lines(tester)
    assert len(shown) == 1 + 16 * 14
    for form in FORMS:
        found = parsed(exported(tester, form, "list"), form)
        assert found[0] == [*shown[0], "Readings differ"]
        # The page shows a verdict and its difference in one cell.
        lines = [
            [url, name, "; ".join(filter(None, (word, differs))), line] for url, name, word, line, differs in found
        ]
        assert lines[1:] == shown[1:]
        head, *rows = parsed(exported(tester, form, "matrix"), form)
        verdicts = {(row[0], name): word for row in rows for name, word in zip(head[1:], row[1:], strict=True)}
        assert verdicts == {(url, name): word for url, name, word, _, _ in found[1:]}
    tester.control("only-differing").click()
    paths = tester.find("[data-part=verdicts] [role=rowheader]").all_inner_texts()
    assert 0 < len(paths) < 16
    assert [row[0] for row in parsed(exported(tester, "csv", "matrix"), "csv")] == ["URL", *paths]


def test_texts_are_exported_as_they_are_and_never_as_formulas(tester: OpenPage) -> None:
    tester.control("crawlers").click()
    tester.control("crawlers-clear").click()
    tester.control("crawlers-search").fill("=1+1")
    tester.control("crawlers-add").click()
    tester.control("crawlers-apply").click()
    tester.replace_file("User-agent: =1+1\nDisallow: /plain\n")
    tester.set_urls("\n".join(HOSTILE_ROWS))
    tester.expect_blocked(1)
    for form in FORMS:
        head, *found = parsed(exported(tester, form, "matrix"), form)
        quote = "'" if form == "csv" else ""
        assert head == ["URL", f"{quote}=1+1"]
        # openpyxl leaves the escapes of control characters as they are.
        rows = [row.replace("\x01", "_x0001_") if form == "xlsx" else row for row in HOSTILE_ROWS]
        assert [row[0] for row in found] == [quote + row if row[0] in "=@+-" else row for row in rows]
        assert [row[1] for row in found] == ["not a URL or a path"] * 4 + ["no rule matches"] * 3 + ["blocked"]


def test_a_large_list_becomes_a_workbook_with_facts_about_the_file(tester: OpenPage) -> None:
    # Compressing a sheet of this size must not need a worker, which the policy of the page refuses.
    tester.set_urls("\n".join(f"/page/{number}" for number in range(1000)))
    expect(tester.find("[data-summary]")).to_contain_text("1,000 URLs")
    workbook = openpyxl.load_workbook(io.BytesIO(exported(tester, "xlsx", "list")))
    assert [sheet.title for sheet in workbook.worksheets] == ["Verdicts", "About"]
    assert workbook.worksheets[0].max_row == 1 + 1000 * 14
    facts = about(workbook)
    assert facts["Address"] == "https://www.example.com/robots.txt"
    assert facts["Where the file is from"] == "The example of the tester."
    assert tester.problems == []


def open_report(tester: OpenPage) -> None:
    expect(tester.find("[data-differs]")).to_have_text("5")
    tester.control("export").click()
    tester.control("export-report").click()
    expect(tester.find(".report[data-state=ready]")).to_be_visible()


def test_the_report_of_the_example_is_one_printed_page(tester: OpenPage) -> None:
    open_report(tester)
    report = tester.find(".report .paper")
    headings = ["What was examined", "Summary", "Findings", "Who may fetch what", "The file"]
    expect(report.locator("h2")).to_have_text(headings)
    facts = report.locator(".facts")
    expect(facts).to_contain_text("16 URLs, 13 crawlers")
    # The time has its zone.
    expect(facts).to_contain_text(re.compile(r"Date of the report.*\d:\d\d:\d\d [AP]M [A-Z]{3}"))
    summary = report.locator(".summary")
    expect(summary).to_contain_text("May fetch every one of the 16 URLs examined: Googlebot-Image and AdsBot-Google.")
    expect(summary).to_contain_text("GPTBot (5 of 16)")
    expect(summary).to_contain_text(
        "Google-Extended fetches nothing. With it, the site does not permit the use of 5 of 16 URLs for AI"
    )
    expect(report.locator(".matrix .state.blocked")).to_have_count(69)
    crawlers = report.locator(".crawlers tr")
    expect(crawlers.filter(has_text="GPTBot")).to_contain_text("11 of 16")
    expect(crawlers.filter(has_text="Google-Extended")).to_contain_text("not permitted for 5 of 16")
    findings = report.locator(".findings")
    expect(findings.locator("[data-line]")).to_have_count(17)
    words = findings.inner_text()
    assert words.count("What to do:") == findings.locator("li").count()
    assert ". because" not in words
    assert "does not end with a slash. Because of line 8, bingbot" in words
    assert {line.inner_text() for line in findings.locator("strong").all()} <= {"Error", "Warning", "Note"}
    expect(report.locator(".file li")).to_have_count(60)
    assert len(PDF_PAGE.findall(tester.page.pdf(prefer_css_page_size=True))) == 1


def test_the_report_marks_where_readings_differ_and_names_the_filter(tester: OpenPage) -> None:
    expect(tester.find("[data-differs]")).to_have_text("5")
    tester.control("only-differing").click()
    count = len(tester.rows.all_inner_texts())
    open_report(tester)
    report = tester.find(".report .paper")
    differing = report.locator(".matrix td.differs")
    expect(differing).to_have_count(5)
    expect(differing.first).to_contain_text("crawlers read the file differently")
    expect(report.locator(".legend")).to_contain_text("crawlers read the file differently")
    expect(report.locator("[data-result=filtered]")).to_contain_text(f"the report has {count} of 16 URLs")


def test_the_report_of_a_site_without_an_answer_shows_no_file_of_another(tester: OpenPage) -> None:
    tester.site.sites.add("https://failing.example/robots.txt", status=503)
    tester.fetch("https://failing.example/")
    expect(tester.find(".source-state")).to_contain_text("503: the server failed")
    tester.control("export").click()
    tester.control("export-report").click()
    expect(tester.find(".report[data-state=ready]")).to_be_visible()
    report = tester.find(".report .paper")
    expect(report.locator(".facts")).to_contain_text("503: the server failed.")
    expect(report.locator(".matrix .state.blocked")).not_to_have_count(0)
    expect(report.locator(".findings")).to_contain_text("What to do: Let the server return the file")
    expect(report.locator(".file")).to_have_count(0)
    expect(report).not_to_contain_text("Size")


def test_the_report_names_a_port_and_a_pasted_file(tester: OpenPage) -> None:
    tester.site.sites.add("https://port.example:8443/robots.txt", b"User-agent: *\nDisallow: /a\n")
    tester.fetch("https://port.example:8443/")
    expect(tester.editor).to_contain_text("Disallow: /a")
    tester.control("export").click()
    tester.control("export-report").click()
    expect(tester.find(".report h1")).to_have_text("robots.txt of port.example:8443")
    tester.page.keyboard.press("Escape")
    # A paste over a fetched file is an edit of it.
    tester.open()
    tester.paste_file("User-agent: *\nDisallow: /pasted\n")
    tester.control("export").click()
    tester.control("export-report").click()
    expect(tester.find(".report .facts")).to_contain_text("Pasted into the tester.")


def test_the_report_is_saved_as_one_file_that_needs_nothing_else(new_page: NewPage) -> None:
    tester = new_page(locale="de-DE")
    tester.site.sites.add("https://report.example/robots.txt", b"User-agent: *\nDisallow: /caf\xe9/\n# </style><b>\n")
    tester.open()
    tester.control("address").fill("https://report.example/robots.txt")
    tester.control("fetch").click()
    expect(tester.find(".source-state")).to_have_attribute("data-state", "successful")
    tester.control("export").click()
    tester.control("export-report").click()
    expect(tester.find(".report[data-state=ready]")).to_be_visible()
    content = saved(tester, "report-download").decode()
    assert not re.search(r'<script|\s(?:src|href)="', content)
    other = new_page().page
    other.set_content(content)
    expect(other.locator("html")).to_have_attribute("lang", "de")
    expect(other.locator("h1")).to_have_text("robots.txt von report.example")
    expect(other.locator(".facts")).to_contain_text("Von der Website abgerufen am")
    expect(other.locator(".file li").nth(1)).to_have_text("Disallow: /caf%E9/")
    expect(other.locator(".file li").nth(2)).to_have_text("# </style><b>")
    assert other.locator(".matrix .state.blocked").first.evaluate("mark => getComputedStyle(mark).backgroundColor") == (
        "rgb(194, 71, 15)"
    )
    assert tester.problems == []


def test_a_report_of_a_failed_check_has_everything_else(tester: OpenPage) -> None:
    tester.page.route("**/v1/lint", lambda route: route.abort())
    open_report(tester)
    expect(tester.find(".report .findings")).to_contain_text("could not be checked")
    expect(tester.find(".report .matrix .state.blocked")).to_have_count(69)


def test_a_workbook_has_filters_and_the_lines_that_decide(tester: OpenPage) -> None:
    shown = page_lines(tester)[1:]
    workbook = openpyxl.load_workbook(io.BytesIO(exported(tester, "xlsx", "matrix")))
    assert [sheet.title for sheet in workbook.worksheets] == ["Verdicts", "Deciding lines", "About"]
    assert [sheet.auto_filter.ref for sheet in workbook.worksheets] == ["A1:O17", "A1:O17", None]
    head, *rows = workbook.worksheets[1].iter_rows(values_only=True)
    lines = {(row[0], name): row[at] for row in rows for at, name in enumerate(head) if at > 0}
    assert lines == {(url, name): int(line) if line else None for url, name, _, line in shown}
    workbook = openpyxl.load_workbook(io.BytesIO(exported(tester, "xlsx", "list")))
    assert workbook.worksheets[0].auto_filter.ref == f"A1:E{1 + 16 * 14}"


def test_an_export_of_filtered_rows_states_their_number(tester: OpenPage) -> None:
    assert "Filter" not in about(openpyxl.load_workbook(io.BytesIO(exported(tester, "xlsx", "list"))))
    tester.control("filter").click()
    tester.control("filter-text").fill("/shop/cart")
    expect(tester.find("[data-result=filter]")).to_have_text("1 of 16 rows")
    assert about(openpyxl.load_workbook(io.BytesIO(exported(tester, "xlsx", "list"))))["Filter"] == "1 of 16 rows"
    assert "Filter: 1 of 16 rows" in exported(tester, "md", "matrix").decode()


# A blank line ends the group in the reading of Yandex.
SHOP: Final = (
    "User-agent: *\n\nDisallow: /*print # no print versions\nDisallow: /cart\n\nUser-agent: GPTBot\nDisallow: /\n\n"
    "User-agent: Google-Extended\nDisallow: /a\n"
)


def open_shop_report(tester: OpenPage) -> Locator:
    """Open the report of a shop, for URLs and crawlers of the user."""
    rows = ["/robots.txt", "https://other.example/", *(f"/print/{number}" for number in range(9)), "/cart", "/a"]
    crawlers = ["Googlebot", "YandexBot", "GPTBot", "Google-Extended"]
    tester.open(fragment({"r": SHOP, "u": rows, "a": crawlers, "o": "https://www.example.com/robots.txt"}))
    expect(tester.find("[data-differs]")).to_have_text("21")
    tester.control("export").click()
    tester.control("export-report").click()
    expect(tester.find(".report[data-state=ready]")).to_be_visible()
    return tester.find(".report .paper")


def test_the_report_names_the_lines_that_block_with_examples(tester: OpenPage) -> None:
    lines = open_shop_report(tester).locator(".blocking li")
    spread = "/print/0, /print/2, /print/4, /print/6, /print/8"
    expect(lines).to_have_text(
        [
            "Line 7, Disallow: /, blocks 11 of 11 URLs (GPTBot), such as /print/0, /print/3, /print/5, /print/8, /a.",
            f"Line 3, Disallow: /*print, blocks 9 of 11 URLs (Googlebot, YandexBot), such as {spread}.",
            "Line 4, Disallow: /cart, blocks 1 of 11 URLs (Googlebot, YandexBot): /cart.",
        ]
    )


def test_the_report_counts_neither_robots_txt_nor_urls_without_a_verdict(tester: OpenPage) -> None:
    report = open_shop_report(tester)
    summary = report.locator(".summary")
    expect(summary).to_contain_text("Googlebot (1 of 11)")
    expect(summary).to_contain_text("May fetch none of the URLs examined: GPTBot.")
    expect(summary).to_contain_text("/robots.txt itself is not counted: crawlers may always fetch it.")
    expect(summary).to_contain_text("With it, the site does not permit the use of 1 of 11 URLs for AI training.")
    crawlers = report.locator(".crawlers tbody tr")
    expect(crawlers).to_contain_text(["10 of 11", "10 of 11", "11 of 11", "not permitted for 1 of 11"])
    expect(report.locator(".facts")).to_contain_text("RFC 9309, the Internet standard for robots.txt")
    expect(report.locator(".facts")).to_contain_text("11 URLs and 1 without a verdict, 3 crawlers")


def test_a_finding_about_another_reading_than_that_of_the_report_names_it(tester: OpenPage) -> None:
    report = open_shop_report(tester)
    expect(report.locator(".findings [data-line='2']")).to_contain_text("YandexBot may.")
    finding = report.locator(".findings li").filter(has=tester.find("[data-line='2']"))
    # One sentence for each reading, and one for the report.
    expect(finding.locator("p.effect")).to_have_text(
        "Edition Yandex reads the file like this (YandexBot). The verdicts of this report follow RFC 9309."
    )
    tester.page.keyboard.press("Escape")
    tester.control("profile").select_option("yandex")
    # In this reading, only the group of GPTBot blocks, also /robots.txt.
    tester.expect_blocked(12)
    tester.control("export").click()
    tester.control("export-report").click()
    expect(tester.find(".report[data-state=ready]")).to_be_visible()
    expect(finding).not_to_contain_text("like this (YandexBot)")


def test_notes_of_a_check_with_warnings_are_notes_in_the_report(tester: OpenPage) -> None:
    # Only the first group has no rule that `*` has.
    tester.paste_file(
        "User-agent: *\nDisallow: /cart/\nDisallow: /checkout\nDisallow: /x/\n\n"
        "User-agent: Googlebot\nDisallow: /cart/\n\nUser-agent: bingbot\nDisallow: /wp-admin/\n"
    )
    expect(tester.rows).to_contain_text(["/cart/"])
    tester.control("export").click()
    tester.control("export-report").click()
    expect(tester.find(".report[data-state=ready]")).to_be_visible()
    for severity, line in (("warning", 9), ("info", 6)):
        expect(tester.find(f".report .findings li.{severity} [data-line='{line}']")).to_have_count(1)


def test_the_tables_of_the_report_are_as_wide_as_the_paper(tester: OpenPage) -> None:
    report = open_shop_report(tester)
    width = report.locator(".answers").evaluate("answers => answers.clientWidth")
    widths = report.locator(".answers > *").evaluate_all(
        "tables => Object.values(Object.groupBy(tables, (table) => table.offsetTop + table.offsetHeight))"
        ".map((row) => row.at(-1).offsetLeft + row.at(-1).offsetWidth - row[0].offsetLeft)"
    )
    assert [abs(found - width) <= 1 for found in widths] == [True] * len(widths)


def test_source_and_time_of_a_fetched_file_are_known_after_a_reload(tester: OpenPage, new_page: NewPage) -> None:
    tester.site.sites.add("https://kept.example/robots.txt", b"User-agent: *\nDisallow: /a\n")
    tester.fetch("https://kept.example/")
    expect(tester.find(".source-main")).to_contain_text("Answered 200")
    expect(tester.rows).to_have_text(["/a", "/"])
    before = about(openpyxl.load_workbook(io.BytesIO(exported(tester, "xlsx", "list"))))
    source = str(before["Where the file is from"])
    assert re.fullmatch(r"Fetched from the website on .* at \d+:\d\d:\d\d .*\.", source)
    tester.page.wait_for_function("() => location.hash.startsWith('#v1.')")
    tester.page.reload()
    tester.ready()
    expect(tester.find(".source-main")).to_contain_text("Answered 200")
    expect(tester.rows).to_have_text(["/a", "/"])
    after = about(openpyxl.load_workbook(io.BytesIO(exported(tester, "xlsx", "list"))))
    assert after["Where the file is from"] == source
    assert source in exported(tester, "md", "list").decode().replace("\\", "")
    # Edited, after another reload.
    tester.editor.click()
    tester.page.keyboard.press("Control+End")
    tester.page.keyboard.insert_text("Disallow: /b\n")
    tester.control("link").click()
    expect(tester.find(".toast")).to_contain_text("Link copied")
    tester.page.reload()
    tester.ready()
    expect(tester.find(".source-main")).to_have_text("Fetched file, edited here.")
    after = about(openpyxl.load_workbook(io.BytesIO(exported(tester, "xlsx", "list"))))
    assert after["Where the file is from"] == f"{source} It was edited afterwards."
    # A link holds the file only.
    other = new_page()
    other.open(tester.page.evaluate("location.hash"))
    expect(other.find(".source-main")).to_have_text("From the link.")


def test_a_control_token_is_not_called_blocked(tester: OpenPage) -> None:
    rows = ["/a", "/b"]
    tokens = "User-agent: Google-Extended\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /a\n"
    tester.open(fragment({"r": tokens, "u": rows, "a": ["GPTBot", "Google-Extended"]}))
    expect(tester.find("[data-differs]")).to_have_text("0")
    for form in FORMS:
        lines = parsed(exported(tester, form, "matrix"), form)
        assert lines[1:] == [["/a", "blocked", "use not permitted"], ["/b", "no rule matches", "no rule matches"]]
    label = "Google-Extended, /a: use not permitted by line 2"
    expect(tester.cell("Google-Extended", "/a")).to_have_attribute("aria-label", label)
    tester.cell("Google-Extended", "/a").click()
    expect(tester.find(".badge")).to_have_text("Use not permitted")
    tester.control("as-list").click()
    expect(tester.find(".list-verdict").nth(1)).to_have_text("use not permitted")


def test_rows_that_the_page_made_are_called_examples(tester: OpenPage) -> None:
    tester.open_file(b"User-agent: *\nDisallow: /a\n")
    expect(tester.rows).to_have_text(["/a", "/"])
    note = "These URLs are examples, made from the rules of this file."
    expect(tester.find("[data-result=invitation]")).to_contain_text(note)
    tester.control("export").click()
    tester.control("export-report").click()
    expect(tester.find(".report .facts")).to_contain_text(note)
    tester.page.keyboard.press("Escape")
    assert note in exported(tester, "md", "matrix").decode()
    tester.set_urls("/a\n/c")
    expect(tester.rows).to_have_text(["/a", "/c"])
    assert note not in exported(tester, "md", "matrix").decode()


def test_a_name_that_is_no_known_crawler_is_marked_in_the_report(tester: OpenPage) -> None:
    tester.open(fragment({"r": "User-agent: Mozilla\nDisallow: /\n", "u": ["/a"], "a": ["GPTBot", "Mozilla"]}))
    tester.control("export").click()
    tester.control("export-report").click()
    summary = tester.find(".report .summary")
    expect(summary).to_contain_text("May fetch none of the URLs examined: Mozilla (not in the list of known crawlers).")
    expect(summary).to_contain_text("May fetch the URL examined: GPTBot.")
