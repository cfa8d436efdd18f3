"""Keyboard, screen readers, small screens, and large text."""

import re

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import NewPage, OpenPage

pytestmark = pytest.mark.service

CELL_IS_ABOVE_THE_SHEET = """() => {
  const cell = document.querySelector(".grid .cell.selected");
  const sheet = document.querySelector(".why-panel.open");
  return cell.getBoundingClientRect().bottom <= sheet.getBoundingClientRect().top;
}"""


def test_the_grid_has_one_tab_stop_and_the_keys_of_a_grid(tester: OpenPage) -> None:
    expect(tester.find("[data-differs]")).to_have_text("5")
    expect(tester.cell("MJ12bot", "/index.php")).to_be_attached()
    expect(tester.find("[role=gridcell][tabindex='0']")).to_have_count(1)
    tester.cell("GPTBot", "/blog/members/1").focus()
    steps = [
        ("ArrowRight", "ClaudeBot, /blog/members/1: "),
        ("ArrowDown", "ClaudeBot, /blog/drafts/next: "),
        ("ArrowLeft", "GPTBot, /blog/drafts/next: "),
        ("ArrowUp", "GPTBot, /blog/members/1: "),
        ("Home", "Googlebot, /blog/members/1: "),
        ("End", "MJ12bot, /blog/members/1: "),
        ("Control+Home", "Googlebot, /: "),
        ("Control+End", "MJ12bot, /index.php: "),
        ("Control+Home", "Googlebot, /: "),
        ("n", "MJ12bot, /blog/?sessionid=9: "),
        ("n", "MJ12bot, /shop/: "),
        ("Shift+N", "MJ12bot, /blog/?sessionid=9: "),
    ]
    for key, expected in steps:
        tester.page.keyboard.press(key)
        expect(tester.find("[role=gridcell]:focus")).to_have_attribute(
            "aria-label", re.compile(f"^{re.escape(expected)}")
        )
    tester.page.keyboard.press("Enter")
    tester.expect_why("MJ12bot may fetch")


def focused(tester: OpenPage, selector: str, *, key: str = "Tab", presses: int = 40) -> None:
    """Press a key until an element has the focus."""
    for _ in range(presses):
        tester.page.keyboard.press(key)
        if tester.find(f"{selector}:focus").count() == 1:
            return
    raise AssertionError(f"{presses} presses of {key} do not reach {selector}")


def test_a_walk_through_the_grid_by_keyboard_alone_hears_each_verdict(tester: OpenPage) -> None:
    expect(tester.find("[data-differs]")).to_have_text("5")
    keyboard, cell = tester.page.keyboard, tester.find("[role=gridcell]:focus")
    tester.find("body").press("/")
    focused(tester, "[role=gridcell]")
    crawlers, paths = tester.crawlers_and_paths()
    keyboard.press("Control+Home")
    first_row = [(crawler, paths[0], "ArrowRight") for crawler in crawlers]
    last_column = [(crawlers[-1], path, "ArrowDown") for path in paths]
    for crawler, path, key in first_row + last_column:
        name = rf"^{re.escape(f'{crawler}, {path}: ')}(blocked by line \d+|allowed)"
        expect(cell).to_have_attribute("aria-label", re.compile(name))
        assert cell.locator("..").get_attribute("aria-rowindex") == str(paths.index(path) + 2)
        keyboard.press(key)
    keyboard.press("Control+Home")
    keyboard.press("ArrowDown")
    focused(tester, '[role=gridcell][aria-label^="GPTBot,"]', key="ArrowRight")
    keyboard.press("Enter")
    expect(cell).to_have_attribute("aria-selected", "true")
    expect(tester.find("[data-live=polite]")).to_have_text(
        "GPTBot may fetch /blog/2026/why-robots. Line 35 decides. 2 rules match; the longest wins."
    )
    # The grid is one stop for Tab, and Shift+Tab returns to the same cell.
    keyboard.press("Tab")
    expect(cell).to_have_count(0)
    keyboard.press("Shift+Tab")
    expect(cell).to_have_attribute("aria-label", re.compile("^GPTBot, /blog/2026/why-robots: "))


@pytest.mark.parametrize("number, view", [("2", "usage"), ("3", "rules"), ("4", "compare")])
def test_the_grids_of_other_views_are_walked_by_keyboard_alone(tester: OpenPage, number: str, view: str) -> None:
    keyboard, cell = tester.page.keyboard, tester.find(f".{view}-view [role=gridcell]:focus")
    tester.find("body").press(number)
    grid = tester.find(f".{view}-view [role=grid]")
    expect(grid.locator("[role=gridcell]").first).to_be_visible()
    tester.expect_answered(view)
    focused(tester, f".{view}-view [role=gridcell]")
    keyboard.press("Control+Home")
    first = cell.get_attribute("aria-label")
    keyboard.press("Control+End")
    last = cell.get_attribute("aria-label")
    expect(cell).to_have_attribute("aria-colindex", grid.get_attribute("aria-colcount") or "")
    assert cell.locator("..").get_attribute("aria-rowindex") == grid.get_attribute("aria-rowcount")
    assert first != last
    keyboard.press("Control+Home")
    expect(cell).to_have_attribute("aria-label", first or "")
    # An unchanged cell of the comparison has no explanation.
    target = grid.locator("[role=gridcell]:not([data-state=same])").first
    name = target.get_attribute("aria-label") or ""
    for key, attribute in (("ArrowDown", "data-row"), ("ArrowRight", "data-column")):
        for _ in range(int(target.get_attribute(attribute) or 0)):
            keyboard.press(key)
    expect(cell).to_have_attribute("aria-label", name)
    keyboard.press("Enter")
    expect(cell).to_have_attribute("aria-selected", "true")
    expect(tester.find(f".{view}-view .explanation h2")).not_to_be_empty()


def test_keyboard_alone_exports_and_the_focus_returns(tester: OpenPage) -> None:
    keyboard = tester.page.keyboard
    tester.control("export").focus()
    keyboard.press("Enter")
    expect(tester.find("dialog[open]")).to_have_accessible_name("Export")
    focused(tester, "[data-control=export-matrix]")
    keyboard.press("ArrowDown")
    expect(tester.control("export-list")).to_be_checked()
    focused(tester, "[data-control=export-csv]")
    with tester.page.expect_download():
        keyboard.press("Enter")
    expect(tester.find("dialog[open] [role=status]")).to_have_text("Saved as www.example.com-list.csv.")
    focused(tester, "[data-control=export-report]")
    keyboard.press("Enter")
    expect(tester.find("dialog[open]")).to_have_accessible_name("Report")
    expect(tester.control("report-print")).to_be_enabled()
    focused(tester, "[data-control=report-download]")
    keyboard.press("Escape")
    expect(tester.control("export")).to_be_focused()


def test_a_cell_has_its_label_when_it_gets_the_focus(tester: OpenPage) -> None:
    # The elements of rows that are out of view are used again.
    tester.set_urls("\n".join(f"/page/{number}" for number in range(1000)))
    tester.cell("GPTBot", "/page/0").focus()
    for key in ("PageDown", "Control+End", "Control+Home"):
        tester.page.keyboard.press(key)
        path, label = tester.page.evaluate(
            "[document.activeElement.parentElement.firstChild.textContent,"
            " document.activeElement.getAttribute('aria-label')]"
        )
        assert f", {path}: " in label
        assert (path == "/page/999") == (key == "Control+End")


def test_one_cell_is_selected(tester: OpenPage) -> None:
    for crawler in ("GPTBot", "MJ12bot", "GPTBot"):
        cell = tester.cell(crawler, "/blog/members/1")
        cell.click()
        expect(cell).to_have_attribute("aria-selected", "true")
        expect(tester.find("[role=gridcell][aria-selected=true]")).to_have_count(1)


def test_a_single_key_moves_the_focus_into_the_new_view(tester: OpenPage) -> None:
    tester.cell("GPTBot", "/blog/members/1").focus()
    for key, view in [("4", "compare"), ("2", "usage"), ("1", "access")]:
        tester.page.keyboard.press(key)
        expect(tester.find(f"main[data-view={view}] #view")).to_be_focused()


def test_keyboard_alone_fetches_edits_explains_fixes_and_copies(tester: OpenPage) -> None:
    tester.site.sites.add("https://keys.example/robots.txt", b"User-agent: *\nDisalow: /shop/\n")
    keyboard = tester.page.keyboard
    tester.find("body").press("/")
    keyboard.press("Control+a")
    # The page is the first row, and the rule has another one.
    keyboard.insert_text("https://keys.example/index.php")
    keyboard.press("Enter")
    expect(tester.editor).to_contain_text("Disalow")
    for _ in range(20):
        keyboard.press("Tab")
        if tester.editor.evaluate("element => element.getRootNode().activeElement === element"):
            break
    keyboard.press("Control+End")
    keyboard.type("Disallow: /index.php")
    tester.expect_blocked(2 * 5)
    keyboard.press("Control+Home")
    keyboard.press("ArrowDown")
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    keyboard.press("Control+.")
    keyboard.press("Enter")
    expect(tester.editor).to_contain_text("Disallow: /shop/")
    # The notes are listed anew, with other stops for the key.
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    for _ in range(30):
        keyboard.press("Tab")
        if tester.find("[role=gridcell]:focus").count() == 1:
            break
    keyboard.press("Control+Home")
    keyboard.press("Enter")
    tester.expect_why("Googlebot may not fetch")
    for _ in range(20):
        keyboard.press("Tab")
        if tester.find("[data-control=copy-command]:focus").count() == 1:
            break
    keyboard.press("Enter")
    expect(tester.find(".toast")).to_have_text("Copied.")
    command = tester.page.evaluate("navigator.clipboard.readText()")
    assert command == "canfetch explain /index.php --agent Googlebot --robots robots.txt"
    keyboard.press("Escape")
    expect(tester.find("[role=gridcell]:focus")).to_have_count(1)


def test_single_keys_open_the_help_and_the_views_and_can_be_turned_off(tester: OpenPage) -> None:
    body = tester.find("body")
    body.press("2")
    expect(tester.find("main[data-view=usage]")).to_be_attached()
    body.press("1")
    body.press("?")
    tester.control("singleKeys").uncheck()
    tester.page.keyboard.press("Escape")
    body.press("3")
    expect(tester.find("main[data-view=access]")).to_be_attached()


def test_the_dialog_of_keys_links_to_the_licenses_of_what_the_page_contains(tester: OpenPage) -> None:
    tester.control("keys").click()
    tester.control("licences").click()
    expect(tester.find("body")).to_contain_text("@codemirror/view")
    assert tester.page.url.endswith(".txt")


def test_a_change_of_verdicts_is_announced(tester: OpenPage) -> None:
    tester.editor.click()
    tester.page.keyboard.press("Control+End")
    # One change: pauses while typing would split the announcement.
    tester.page.keyboard.insert_text("\nUser-agent: Applebot\nDisallow: /")
    expect(tester.find("[data-live=polite]")).to_have_text("78 of 208 blocked; 14 more than before.")


def test_verdicts_of_other_urls_are_announced_without_a_comparison(tester: OpenPage) -> None:
    tester.set_urls("/shop/\n/index.php\n")
    tester.ready()
    expect(tester.find("[data-live=polite]")).to_have_text("12 of 26 blocked.")
    tester.replace_file("User-agent: *\nDisallow: /\n")
    expect(tester.find("[data-live=polite]")).to_have_text(re.compile("^24 of 26 blocked; "))


@pytest.mark.parametrize("width", [390, 320])
def test_a_phone_shows_all_parts_without_sideways_scrolling(new_page: NewPage, width: int) -> None:
    tester = new_page(viewport={"width": width, "height": 844}, has_touch=True)
    tester.open()
    for part in ("file", "verdicts", "why"):
        tester.find(f"[data-tab={part}]").click()
        expect(tester.find(f"section[data-part={part}]")).to_be_visible()
        tester.expect_width(width)
    tester.find("[data-tab=verdicts]").click()
    tester.cell("GPTBot", "/shop/7/reviews/write").tap()
    expect(tester.find(".why-panel.open .headline")).to_be_visible()
    # The grid scrolls after its size has changed.
    tester.expect_value(CELL_IS_ABOVE_THE_SHEET, expected=True)
    tester.find(".sheet-handle").click()
    expect(tester.find(".why-panel.open")).to_have_count(0)


def test_text_of_twice_the_size_keeps_everything_reachable(tester: OpenPage) -> None:
    tester.page.evaluate("document.documentElement.style.setProperty('font-size', '200%')")
    for name in ("urls", "crawlers", "profile", "only-differing", "copy-answer", "link"):
        tester.control(name).scroll_into_view_if_needed()
        expect(tester.control(name)).to_be_in_viewport()
    tester.expect_width(1440)
