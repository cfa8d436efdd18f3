"""Every cell of generated files, in the page and in the library."""

from collections.abc import Sequence
from typing import Any, Final

import pytest
from playwright.sync_api import expect
from tests.differential.generator import generate_case
from tests.web.page.conftest import NewPage, OpenPage
from tests.web.page.test_sources import fragment

import canfetch
from canfetch.core.document import RobotsTxt
from canfetch.errors import CanfetchError

pytestmark = pytest.mark.service

ROBOTS_URL: Final = "https://www.example.com/robots.txt"
# Fewer than the rows that the grid keeps in the document.
MAX_URLS: Final = 44
# With and without groups of other crawlers, and one that ignores the rules for `*`.
CRAWLERS: Final = ("Googlebot-Image", "AdsBot-Google", "GPTBot", "ExampleBot")
# The readings that the page compares.
TODAY: Final = ("rfc9309", "google", "googlebot", "bing", "yandex")
# Another file changes the panel three times: without verdicts, with the matrix, and with the comparison of readings.
OPEN: Final = """async (fragment) => {
  const panel = document.querySelector(".verdict-panel");
  const generation = () => Number(panel.dataset.generation);
  const wanted = generation() + 3;
  const done = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
      if (generation() < wanted) return;
      observer.disconnect();
      resolve();
    }).observe(panel, { attributes: true });
  });
  location.hash = fragment;
  await done;
  const rows = [...document.querySelectorAll(".grid-row")];
  rows.sort((a, b) => a.ariaRowIndex - b.ariaRowIndex);
  return rows.map((row) => [...row.querySelectorAll("[data-column]")].map((cell) => cell.hidden ? "" : cell.className));
}"""
LINES: Final = """() => [...document.querySelectorAll(".why-panel .rule")].map((rule) => [
  Number(rule.dataset.line),
  rule.querySelector(".rule-key").textContent === "Allow",
  rule.title.slice(rule.title.indexOf(": ") + 2),
  Number(rule.querySelector(".rule-length").textContent.replaceAll(",", "")),
])"""


def link(file: str, urls: Sequence[str], crawlers: Sequence[str], selected: tuple[int, int] | None = None) -> str:
    """Return the fragment of a link."""
    state = {"r": file, "u": urls, "a": crawlers, "p": "rfc9309", "s": selected, "w": "access", "o": ROBOTS_URL}
    return fragment(state)


def case(seed: int) -> tuple[str, list[str], list[str]]:
    """Return file, URLs and crawlers of a generated case, as the page keeps them."""
    generated = generate_case(seed)
    file = generated.content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    texts = [url if isinstance(url, str) else url.decode("utf-8", "replace") for url in generated.urls]
    urls = [text.encode("utf-8", "replace").decode() for text in dict.fromkeys(texts)]
    named = [agent.decode("ascii", "replace") for agent in generated.agents]
    return file, urls[:MAX_URLS], [*dict.fromkeys([*named[:4], *CRAWLERS])]


def expected_rows(file: str, urls: Sequence[str], crawlers: Sequence[str]) -> list[list[str]]:
    """Return the class of each cell."""
    readings = [canfetch.parse(file, url=ROBOTS_URL, profile=profile) for profile in TODAY]
    return [[cell_class(readings, url, crawler) for crawler in crawlers] for url in urls]


def cell_class(readings: Sequence[RobotsTxt], url: str, crawler: str) -> str:
    try:
        verdicts = [robots.decide(url, agent=canfetch.agent(crawler)) for robots in readings]
    except (canfetch.InvalidURL, canfetch.OriginMismatch):
        return ""
    except canfetch.InvalidProductToken:
        return "cell invalid"
    first = verdicts[0]
    mark = "none" if first.rule is None else "allowed" if first.allowed else "blocked"
    differs = any(verdict.allowed != first.allowed for verdict in verdicts)
    return f"cell {mark}{' differs' if differs else ''}"


@pytest.fixture
def tall(new_page: NewPage) -> OpenPage:
    """Return a page in which the rows of a case are visible at once."""
    tester = new_page(viewport={"width": 1440, "height": 1900})
    tester.open()
    expect(tester.find("[data-differs]")).to_have_text("5")
    return tester


@pytest.mark.parametrize("seeds", [range(80), pytest.param(range(80, 200), marks=pytest.mark.nightly)])
def test_every_cell_of_generated_files_is_that_of_the_library(tall: OpenPage, seeds: range) -> None:
    shown = 0
    for seed in seeds:
        file, urls, crawlers = case(seed)
        expected = expected_rows(file, urls, crawlers)
        rows: list[list[str]] = tall.page.evaluate(OPEN, link(file, urls, crawlers))
        assert rows == expected, f"seed {seed}"
        shown += sum(map(len, rows))
    assert shown > 50 * len(seeds)
    assert tall.problems == []


def test_rules_of_an_explanation_have_the_order_of_the_library(tall: OpenPage) -> None:
    compared = 0
    for seed in range(40):
        file, urls, crawlers = case(seed)
        robots = canfetch.parse(file, url=ROBOTS_URL)
        cells = [(row, column) for row in range(len(urls)) for column in range(len(crawlers))]
        losers = {cell: rules_of(robots, urls[cell[0]], crawlers[cell[1]]) for cell in cells}
        selected = max(losers, key=lambda cell: len(losers[cell]))
        if len(losers[selected]) < 2:
            continue
        tall.page.evaluate(OPEN, link(file, urls, crawlers, selected))
        expect(tall.find(".why-panel .rule")).to_have_count(len(losers[selected]))
        assert [tuple(rule) for rule in tall.page.evaluate(LINES)] == losers[selected], f"seed {seed}"
        compared += 1
    assert compared > 10


def rules_of(robots: RobotsTxt, url: str, crawler: str) -> list[tuple[Any, ...]]:
    """Return line, type, pattern and specificity of all rules that match, the winner first."""
    try:
        verdict = robots.decide(url, agent=canfetch.agent(crawler))
    except CanfetchError:
        return []
    found = verdict.to_json()
    rules = [found["rule"], *found["also_matched"]] if found["rule"] else []
    return [(rule["line"], rule["type"] == "allow", rule["pattern"], rule["specificity"]) for rule in rules]


def test_safe_fixes_change_the_file_and_no_cell(tall: OpenPage) -> None:
    urls = ["/", "/shop/", "/shop/cart", "/caf%C3%A9", "/x?sid=1", "/~staff/"]
    named = "user-agent: GPTBot\nDisalow: /shop/\nAllow:/shop/cart\n"
    file = f"{named}\nUser-agent:*\nDisallow: /caf\u00e9\ndisallow: /%7Estaff/\n"
    before: list[list[str]] = tall.page.evaluate(OPEN, link(file, urls, CRAWLERS))
    assert before == expected_rows(file, urls, CRAWLERS)
    expect(tall.control("fix")).to_be_visible()
    text = tall.editor.inner_text()
    generation = tall.find(".verdict-panel").get_attribute("data-generation")
    tall.control("fix").click()
    expect(tall.find(".toast")).to_contain_text("Fixed")
    expect(tall.find(".verdict-panel")).not_to_have_attribute("data-generation", generation or "")
    assert tall.editor.inner_text() != text
    rows = "() => [...document.querySelectorAll('.grid-row')].map((row) => [...row.querySelectorAll('[data-column]')])"
    after = tall.page.evaluate(f"({rows})().map((cells) => cells.map((cell) => cell.className))")
    assert sorted(after) == sorted(before)
