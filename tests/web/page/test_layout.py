"""What the page looks like: nothing is cut, covered or wrapped, and the panels can be resized."""

from typing import Final

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import NewPage, OpenPage

pytestmark = pytest.mark.service

IS_UNCOVERED: Final = """cell => {
    const { x, y, width, height } = cell.getBoundingClientRect();
    return cell.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""


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
    expect(headings.last).to_have_text("Other")
    assert headings.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).length") == 0


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
