"""What the page looks like: nothing is cut, covered or wrapped, and the panels can be resized."""

from typing import Final

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import NewPage, OpenPage
from tests.web.page.test_sources import fragment

pytestmark = pytest.mark.service

IS_UNCOVERED: Final = """cell => {
    const { x, y, width, height } = cell.getBoundingClientRect();
    return cell.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""


# A grid that is scrolled to its end: whether the name of its first row is in sight, and covers what would be under it.
NAMES_STAY: Final = """grid => {
    let scroller = grid;
    while (scroller.scrollWidth <= scroller.clientWidth) scroller = scroller.parentElement;
    scroller.scrollLeft = scroller.scrollWidth;
    const head = grid.querySelector("[role=rowheader]");
    const text = document.createRange();
    text.selectNodeContents(head);
    const { left, right, top, bottom } = text.getBoundingClientRect();
    const at = (x, y) => head.contains(document.elementFromPoint(x, y));
    const isNamed = at(left + 1, (top + bottom) / 2) && at(right - 1, (top + bottom) / 2);
    return isNamed && at(left + 1, top - 3);
}"""
NAMED: Final = (
    *("AI2Bot", "Amazonbot", "Applebot", "Bytespider", "CCBot", "ChatGPT-User", "ClaudeBot", "cohere-ai", "Diffbot"),
    *("DuckAssistBot", "FacebookBot", "facebookexternalhit", "Google-CloudVertexBot", "GoogleOther", "GPTBot"),
    *("ImagesiftBot", "meta-externalagent", "OAI-SearchBot", "omgili", "PerplexityBot", "PetalBot", "Timpibot"),
)


def open_many_crawlers(tester: OpenPage) -> None:
    """Open a file that names more crawlers than columns fit into the panel."""
    tester.open_file("".join(f"User-agent: {name}\n" for name in NAMED).encode() + b"Disallow: /private/\n")
    expect(tester.columns).to_have_count(len({*NAMED, "Googlebot", "bingbot", "GPTBot", "ClaudeBot", "CCBot"}))


@pytest.mark.parametrize("width, height", [(1100, 800), (390, 844)])
def test_names_of_rows_stay_in_sight_in_grids_that_scroll(new_page: NewPage, width: int, height: int) -> None:
    is_phone = width < 480
    tester = new_page(viewport={"width": width, "height": height}, has_touch=is_phone)
    tester.open()
    open_many_crawlers(tester)
    assert tester.find(".grid").evaluate(NAMES_STAY)
    tester.find("body").press("3")
    if is_phone:
        tester.find(".rules-view [data-tab=input]").click()
    tester.control("rules-headers").fill("X-Robots-Tag: noindex")
    if is_phone:
        tester.find(".rules-view [data-tab=main]").click()
    expect(tester.find(".rules-view [role=gridcell]").first).to_be_visible()
    assert tester.find(".rules-view .view-grid").evaluate(NAMES_STAY)
    tester.control("rules-headers").blur()
    tester.find("body").press("4")
    tester.find(".compare-view [data-pane=before]").evaluate("pane => pane.click()")
    tester.control("compare-before").evaluate(
        "text => { text.value = 'User-agent: *\\nDisallow: /'; text.dispatchEvent(new Event('input')); }"
    )
    expect(tester.find(".compare-view [role=gridcell]").first).to_be_visible()
    assert tester.find(".compare-view .view-grid").evaluate(NAMES_STAY)
    tester.expect_width(width)


def test_a_cell_with_the_focus_is_not_under_the_names_of_the_rows(new_page: NewPage) -> None:
    tester = new_page(viewport={"width": 1100, "height": 800})
    tester.open()
    open_many_crawlers(tester)
    tester.find(".grid [role=gridcell][tabindex='0']").focus()
    tester.page.keyboard.press("End")
    for _ in range(len(NAMED)):
        tester.page.keyboard.press("ArrowLeft")
        assert tester.find(".grid [role=gridcell]:focus").evaluate(IS_UNCOVERED)


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_columns_of_usage_fit_into_a_narrow_panel(new_page: NewPage, language: str) -> None:
    tester = new_page(viewport={"width": 1100, "height": 800}, locale=language)
    tester.open()
    tester.open_file(b"User-agent: facebookexternalhit\nContent-Signal: search=yes, ai-train=no\nDisallow: /a\n")
    tester.find("body").press("2")
    texts = tester.find(".usage-view :is(.row-name, .cell-text)")
    expect(texts.first).to_be_visible()
    lines = "all => all.filter(one => one.offsetHeight > 1.5 * parseFloat(getComputedStyle(one).lineHeight))"
    assert texts.evaluate_all(f"{lines}.length") == 0
    body = tester.find(".usage-view .main-panel .panel-body")
    assert body.evaluate("body => body.scrollWidth <= body.clientWidth")


@pytest.mark.parametrize(
    "control, panel, wider",
    [("first-panel-edge", ".file-panel", "ArrowRight"), ("last-panel-edge", ".why-panel", "ArrowLeft")],
)
def test_panels_are_resized_with_keys_and_pointer(tester: OpenPage, control: str, panel: str, wider: str) -> None:
    width = "panel => Math.round(panel.getBoundingClientRect().width)"
    edge, resized = tester.control(control), tester.find(panel)
    before = resized.evaluate(width)
    edge.focus()
    edge.press(wider)
    assert resized.evaluate(width) == before + 24
    assert edge.get_attribute("aria-valuenow") == str(before + 24)
    box = edge.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tester.page.mouse.move(x, y)
    tester.page.mouse.down()
    tester.page.mouse.move(x + (50 if wider == "ArrowRight" else -50), y)
    tester.page.mouse.up()
    assert resized.evaluate(width) == before + 74
    # The panels of other views have the same width.
    tester.find("body").press("4")
    other = ".compare-view .input-panel" if control == "first-panel-edge" else ".compare-view .explanation-panel"
    assert tester.find(other).evaluate(width) == before + 74
    tester.control(control).press("Enter")
    assert tester.find(other).evaluate(width) == before
    tester.expect_width(1440)


def test_counts_headings_and_marks_are_whole(tester: OpenPage) -> None:
    tester.set_urls("\n".join(f"/page/{number}" for number in range(300)))
    tester.find("body").press("2")
    count = tester.find(".usage-view [role=gridcell] .cell-text").first
    expect(count).to_have_attribute("data-text", "300 of 300")
    assert count.evaluate("text => text.offsetHeight / parseFloat(getComputedStyle(text).lineHeight)") < 2
    tester.open()
    tester.find("body").press("4")
    headings = tester.find(".compare-view .group-heading")
    expect(headings.last).to_have_text("Usage")
    assert headings.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).length") == 0


@pytest.mark.parametrize("view", ["usage", "rules", "compare"])
def test_nothing_covers_the_headings_of_groups(tester: OpenPage, view: str) -> None:
    tester.find(f"#tab-{view}").click()
    headings = tester.find(f".{view}-view .group-heading")
    expect(headings.first).to_be_visible()
    script = """all => all.map(one => {
      const { left, top, height } = one.getBoundingClientRect();
      return [1, height / 2, height - 2].every(y => document.elementFromPoint(left + 8, top + y) === one);
    })"""
    assert all(headings.evaluate_all(script))


def test_the_head_of_the_verdicts_has_one_row_on_a_wide_screen(tester: OpenPage) -> None:
    rows = [f"/page/{number}" for number in range(1007)] + [f"https://other{number}.example/" for number in range(11)]
    tester.set_urls("\n".join(rows))
    head = tester.find(".verdict-top .panel-head")
    expect(head).to_contain_text("1,007 URLs and 11 without a verdict")
    title, control = head.locator("h2").bounding_box(), head.locator("label").bounding_box()
    assert title
    assert control
    assert title["y"] + title["height"] / 2 == pytest.approx(control["y"] + control["height"] / 2, abs=2)


@pytest.mark.parametrize("key", ["1", "2"])
def test_the_outline_of_a_view_is_inside_the_window_and_above_no_panel(tester: OpenPage, key: str) -> None:
    for pressed in ("4", key):
        tester.find("body").press(pressed)
    view = tester.find("#view")
    view.focus()
    tester.page.keyboard.press("Shift")
    assert view.evaluate("view => getComputedStyle(view).outlineOffset") == "-2px"
    panel = tester.find("#view .panel").first
    expect(panel).to_be_visible()
    first = panel.bounding_box()
    frame = view.bounding_box()
    assert first
    assert frame
    assert first["y"] - frame["y"] >= 2


def test_a_long_address_in_an_explanation_wraps(tester: OpenPage) -> None:
    tester.replace_file("User-agent: Google-Extended\nDisallow: /\n")
    tester.find("#tab-usage").click()
    tester.find('.usage-view [role=gridcell][aria-label^="Googlebot, AI input:"]').click()
    explanation = tester.find(".usage-view .explanation")
    expect(explanation).to_contain_text("https://developers.google.com/")
    assert explanation.evaluate("panel => panel.scrollWidth - panel.clientWidth") == 0


def test_marks_of_a_resource_do_not_touch(tester: OpenPage) -> None:
    sites = tester.site.sites
    sites.add("https://marks.example/", b"<img src=/a.png>", headers=(("Content-Type", "text/html"),))
    robots = b"User-agent: GPTBot\nDisallow: /a\nUser-agent: bingbot\nDisallow: /a\n"
    sites.add("https://marks.example/robots.txt", robots)
    tester.find("#tab-rules").click()
    tester.find("[data-pane=fetch]").click()
    tester.control("rules-address").fill("https://marks.example/")
    tester.control("rules-fetch").click()
    marks = tester.find(".resource-verdict .state")
    expect(marks).to_have_count(2)
    first, second = marks.evaluate_all("all => all.map(mark => mark.getBoundingClientRect())")
    assert second["top"] - first["bottom"] >= 2


def test_an_empty_list_of_urls_is_not_applied(tester: OpenPage) -> None:
    tester.control("urls").click()
    tester.control("urls-text").fill("\n\n")
    expect(tester.control("urls-apply")).to_be_disabled()
    tester.control("urls-text").fill("/a")
    expect(tester.control("urls-apply")).to_be_enabled()


def test_severities_differ_in_word_and_shape(tester: OpenPage) -> None:
    tester.replace_file("User-agent: *\nDisallow: a\nDisalow: /b\nDisallow: /c/\nDisallow: /c/d/\n")
    notes = tester.control("notes")
    expect(notes).to_have_attribute("data-state", "ready")
    notes.click()
    shapes: dict[str, list[str]] = {"list": [], "margin": []}
    for severity, word in (("error", "Error"), ("warning", "Warning"), ("info", "Note")):
        note = tester.find(f".note-item.{severity}").first
        expect(note.locator(".severity")).to_have_text(word)
        marks = {"list": note.locator(".mark"), "margin": tester.find(f".cm-marks .mark-{severity}").first}
        for place, mark in marks.items():
            shapes[place].append(mark.evaluate("mark => getComputedStyle(mark).clipPath"))
    assert {place: len(set(found)) for place, found in shapes.items()} == {"list": 3, "margin": 3}


@pytest.mark.parametrize("key, view", [("2", "usage"), ("3", "rules"), ("4", "compare")])
def test_a_chosen_cell_is_announced_and_not_covered_on_a_phone(new_page: NewPage, key: str, view: str) -> None:
    tester = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    tester.open()
    tester.find("body").press(key)
    cells = tester.find(f".{view}-view [role=gridcell]:not([data-state=same])")
    expect(cells.first).to_be_visible()
    cells.last.tap()
    expect(tester.find(f".{view}-view .explanation-panel.open")).to_be_visible()
    assert tester.find(f".{view}-view [role=gridcell][aria-selected=true]").evaluate(IS_UNCOVERED)
    title = tester.find(f".{view}-view .explanation-title").inner_text()
    expect(tester.find("[data-live=polite]")).to_contain_text(title)


def test_the_column_of_urls_is_as_wide_as_the_longest_one_if_there_is_room(tester: OpenPage) -> None:
    url = "/a-folder/with-a-long-name/and-a-page.html"
    tester.open(fragment({"r": "User-agent: *\nDisallow: /\n", "u": ["/", url], "a": ["Googlebot", "GPTBot"]}))
    tester.find("[role=rowheader]").filter(has_text=url).wait_for()
    is_cut = "head => head.scrollWidth > head.clientWidth"
    assert not tester.find("[role=rowheader]").filter(has_text=url).evaluate(is_cut)
    long = "/long" * 60
    tester.set_urls(f"/\n{long}\n")
    tester.find("[role=rowheader]").filter(has_text=long).wait_for()
    # The crawlers stay in sight.
    assert tester.find(".grid-scroll").evaluate("grid => grid.scrollWidth <= grid.clientWidth")
    tester.set_urls("/\n")
    expect(tester.rows).to_have_text(["/"])
    assert tester.find(".grid-row .row-head").evaluate("head => head.offsetWidth") == 194


def test_names_and_numbers_of_the_list_do_not_wrap(tester: OpenPage) -> None:
    tester.control("as-list").click()
    tester.find(".verdict-list").wait_for()
    heights = tester.find(".verdict-list th, .verdict-list td:nth-child(2)").evaluate_all(
        "cells => cells.map((cell) => cell.offsetHeight)"
    )
    assert max(heights) < 40


@pytest.mark.parametrize("view", ["usage", "compare"])
def test_rows_do_not_show_above_the_heads_of_a_grid_that_scrolls(new_page: NewPage, view: str) -> None:
    tester = new_page(viewport={"width": 1280, "height": 700})
    tester.open()
    tester.find(f"#tab-{view}").click()
    expect(tester.find(f".{view}-view [role=gridcell]").first).to_be_visible()
    body = tester.find(f".{view}-view .panel-body:has(.view-grid)")
    heads = tester.find(f".{view}-view .view-grid .column-head")
    strips = []
    for top in (150, 157, 164, 171):
        body.evaluate("(body, top) => { body.scrollTop = top; }", top)
        first, last, frame = heads.first.bounding_box(), heads.last.bounding_box(), body.bounding_box()
        assert first
        assert last
        assert frame
        width = last["x"] + last["width"] - first["x"]
        height = first["y"] - frame["y"]
        strips.append(tester.page.screenshot(clip={"x": first["x"], "y": frame["y"], "width": width, "height": height}))
    assert len(set(strips)) == 1
