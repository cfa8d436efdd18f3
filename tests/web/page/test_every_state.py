"""What holds in every state: the policy, requests, accessibility, small screens, and text of twice the size."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect
from tests.web.page.conftest import ROOT, NewPage, OpenPage

pytestmark = pytest.mark.service

AXE: Final = ROOT / "page" / "node_modules" / "axe-core" / "axe.min.js"
VIEWS: Final = ("access", "usage", "rules", "compare")
# The rules of axe-core that depend on colours.
COLOUR_RULES: Final = ["color-contrast", "link-in-text-block"]
LANGUAGES: Final = ("en", "de", "es", "it", "ja", "ko")
WATCH: Final = """
  window.violations = [];
  addEventListener("securitypolicyviolation", (event) =>
    violations.push(`${event.violatedDirective}: ${event.blockedURI}`), { capture: true });
"""
# What a page of the width of the window never does, except for parts that scroll by themselves.
REACHABLE: Final = """() => {
  const dialog = document.querySelector("dialog[open]");
  const visible = (dialog ?? document.documentElement).getBoundingClientRect();
  // The body of a dialog scrolls only down.
  const scrolls = (element) => {
    for (let parent = element.parentElement; parent && parent !== dialog; parent = parent.parentElement) {
      const { overflowX } = getComputedStyle(parent);
      if (/auto|scroll/.test(overflowX) && !parent.matches(".dialog-body")) return true;
    }
    return false;
  };
  return [...(dialog ?? document.querySelector("#page")).querySelectorAll("button, a, input, select, textarea")]
    .filter((element) => element.checkVisibility() && !element.matches(".visually-hidden") && !scrolls(element))
    .filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return left < visible.left - 1 || right > visible.right + 1;
    })
    .map((element) => element.outerHTML.slice(0, 120));
}"""


def show_view(tester: OpenPage, view: str) -> None:
    tester.find("body").press(str(1 + VIEWS.index(view)))
    element = ".access" if view == "access" else f".{view}-view"
    expect(tester.find(f"#view > {element} :is([role=gridcell], [data-state=empty])").first).to_be_visible()
    if view != "access":
        tester.expect_answered(view)


def dialog_states(tester: OpenPage) -> Iterator[str]:
    """Open each dialog, and yield its name. A phone has no button for the keys."""
    for dialog in ("urls", "crawlers", "keys", "export"):
        if dialog == "keys" and not tester.control(dialog).is_visible():
            continue
        tester.control(dialog).click()
        expect(tester.find("dialog[open]")).to_be_visible()
        yield f"dialog {dialog}"
        tester.page.keyboard.press("Escape")
        expect(tester.find("dialog[open]")).to_have_count(0)
    tester.control("export").click()
    tester.control("export-report").click()
    expect(tester.find(".report[data-state=ready]")).to_be_visible()
    yield "report"
    tester.page.keyboard.press("Escape")


def fetch_states(tester: OpenPage) -> Iterator[str]:
    """Fetch a file with each outcome, and yield the outcomes."""
    sites = tester.site.sites
    sites.add("https://state.example/robots.txt", b"User-agent: *\nDisallow: /shop/\n")
    sites.add("https://failing.example/robots.txt", status=500)
    for url, kind in (
        ("https://state.example/robots.txt", "successful"),
        ("https://absent.example/robots.txt", "unavailable"),
        ("https://failing.example/robots.txt", "unreachable"),
        ("http://10.0.0.1/robots.txt", "error"),
    ):
        tester.control("address").fill(url)
        tester.control("fetch").click()
        expect(tester.find(".source-state")).to_have_attribute("data-state", kind)
        yield f"fetch: {kind}"


def resource_states(tester: OpenPage) -> Iterator[str]:
    """Fetch a page, and yield once its resources are listed."""
    show_view(tester, "rules")
    html = b"<script src=/shop/a.js></script>"
    tester.site.sites.add("https://state.example/", html, headers=(("content-type", "text/html"),))
    tester.find("[data-pane=fetch]").click()
    tester.control("rules-address").fill("https://state.example/")
    tester.control("rules-fetch").click()
    expect(tester.find(".resources tbody tr")).to_have_count(1)
    yield "resources"


def states(tester: OpenPage) -> Iterator[str]:
    """Put the page into its states, one after the other, and yield their names."""
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    yield "first visit"
    tester.control("notes").click()
    expect(tester.find(".note-item").first).to_be_visible()
    yield "notes"
    tester.control("as-list").click()
    expect(tester.find(".verdict-list")).to_be_visible()
    yield "list"
    tester.control("as-list").click()
    tester.control("filter").click()
    expect(tester.control("filter-kind")).to_be_visible()
    yield "filter"
    tester.control("filter").click()
    tester.cell("MJ12bot", "/shop/").click()
    tester.expect_why("MJ12bot may not fetch")
    yield "readings differ"
    yield from dialog_states(tester)
    tester.replace_file("")
    expect(tester.find(".empty-file")).to_be_visible()
    yield "empty file"
    large = b"User-agent: *\n" + b"Disallow: /a/folder/\n" * 30_000
    payload: Any = {"name": "robots.txt", "mimeType": "text/plain", "buffer": large}
    tester.control("file").set_input_files(payload)
    expect(tester.find(".limit")).to_be_visible()
    yield "large file"
    yield from fetch_states(tester)
    tester.set_urls("https://other.example/x\nnothing\n/a")
    expect(tester.find(".row-remark:visible").first).to_be_visible()
    yield "rows without verdicts"
    tester.control("only-differing").click()
    yield "only differing rows"
    tester.control("link").click()
    expect(tester.find(".toast")).to_contain_text("Link copied.")
    yield "link"
    for view in VIEWS[1:]:
        show_view(tester, view)
        yield f"view {view}"
    yield from resource_states(tester)
    tester.page.evaluate("location.hash = '#v1.!!!'")
    expect(tester.find(".toast")).to_contain_text("damaged")
    yield "damaged link"


def axe_problems(page: Page, **options: Any) -> list[str]:
    """Return everything that axe-core reports, and load it first if necessary."""
    if not page.evaluate("'axe' in window"):
        # The debugger may evaluate scripts that the policy does not allow.
        page.evaluate(AXE.read_text(encoding="utf-8"))
    results: dict[str, Any] = page.evaluate("(options) => axe.run(options)", {"resultTypes": ["violations"], **options})
    return [
        f"{violation['id']} ({violation['impact']}): {node['target']} {node['failureSummary']}"
        for violation in results["violations"]
        for node in violation["nodes"][:3]
    ]


def test_no_state_violates_the_policy_or_sends_a_request_to_another_origin(new_page: NewPage) -> None:
    tester = new_page()
    tester.page.add_init_script(WATCH)
    tester.open()
    shown = []
    for state in states(tester):
        assert tester.page.evaluate("violations") == [], state
        shown.append(state)
    assert len(shown) == 24
    tester.find("[data-control=language]").select_option("ja")
    expect(tester.find("html")).to_have_attribute("lang", "ja")
    assert tester.page.evaluate("violations") == []
    assert [url for url in tester.requests if not url.startswith((tester.site.address, "about:", "blob:"))] == []
    assert [problem for problem in tester.problems if "violates" in problem] == []


def test_axe_finds_nothing_in_any_state(new_page: NewPage) -> None:
    # Colours that are being changed have no contrast yet.
    tester = new_page(color_scheme="light", reduced_motion="reduce")
    tester.open()
    found = {}
    for state in states(tester):
        found[state] = axe_problems(tester.page)
        # Only the colours are others in the dark.
        tester.page.emulate_media(color_scheme="dark")
        found[f"{state}, dark"] = axe_problems(tester.page, runOnly={"type": "rule", "values": COLOUR_RULES})
        tester.page.emulate_media(color_scheme="light")
    assert {state: problems for state, problems in found.items() if problems} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_view_in_every_language_passes_axe_and_fits_a_phone(new_page: NewPage, language: str) -> None:
    tester = new_page(locale=language, viewport={"width": 320, "height": 700}, reduced_motion="reduce")
    tester.open()
    expect(tester.find("html")).to_have_attribute("lang", language)
    # No placeholder of a text is left.
    assert "{" not in tester.find("#page").inner_text().replace(tester.editor.inner_text(), "")
    for view in VIEWS:
        show_view(tester, view)
        assert axe_problems(tester.page) == [], view
        tester.expect_width(320)
        tester.expect_value(REACHABLE, [])


@pytest.mark.parametrize("width", [320, 390, 1440])
def test_every_view_and_dialog_with_text_of_twice_the_size_is_reachable(new_page: NewPage, width: int) -> None:
    tester = new_page(viewport={"width": width, "height": 844})
    tester.open()
    tester.page.evaluate("document.documentElement.style.setProperty('font-size', '200%')")
    for _ in dialog_states(tester):
        tester.expect_width(width)
        tester.expect_value(REACHABLE, [])
    for view in VIEWS:
        show_view(tester, view)
        tester.expect_width(width)
        tester.expect_value(REACHABLE, [])


@pytest.mark.parametrize("control", ["urls", "crawlers", "export", "keys", "facts"])
def test_a_double_click_opens_one_dialog(tester: OpenPage, control: str) -> None:
    tester.find("[data-editor=ready]").wait_for()
    # Both clicks are there before the part is loaded.
    tester.control(control).evaluate("button => { button.click(); button.click(); }")
    expect(tester.find("dialog[open]")).to_have_count(1)
    tester.page.keyboard.press("Escape")
    expect(tester.find("dialog")).to_have_count(0)
    tester.control(control).click()
    expect(tester.find("dialog[open]")).to_have_count(1)
