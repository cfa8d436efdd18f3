"""Files in any encoding: the page, the HTTP API and the command read the same bytes."""

import base64
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from click.testing import CliRunner
from playwright.sync_api import expect
from tests.differential.generator import generate_case
from tests.web.page.conftest import NewPage, OpenPage, Site
from tests.web.page.test_generated_files import CRAWLERS, OPEN, ROBOTS_URL, link

from canfetch.author.formatting import format_robots
from canfetch.cli.main import run as run_command
from canfetch.lint import Linter

pytestmark = pytest.mark.service

# The files of a batch have the same rows, so that the page needs only one link for them. Each encoding is opened once
# and fetched once.
BATCH: Final = 20
ROWS: Final = 20
RULES: Final = "User-agent: *\nDisallow: /caf\u00e9\nDisallow: /shop/\n"
ENCODINGS: Final[dict[str, Callable[[str], bytes]]] = {
    "utf-8": str.encode,
    "utf-8-sig": lambda text: text.encode("utf-8-sig"),
    "utf-16-le": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "utf-16-be": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "utf-16-le without a byte order mark": lambda text: text.encode("utf-16-le"),
    "latin-1": lambda text: text.encode("latin-1", "replace"),
    "windows-1251": lambda text: (text + "Disallow: /\u043f\u0443\u0442\u044c\n").encode("cp1251", "replace"),
    "utf-8 with CR LF": lambda text: text.replace("\n", "\r\n").encode(),
    "latin-1 with CR": lambda text: text.replace("\n", "\r").encode("latin-1", "replace"),
    "utf-8 and invalid bytes": lambda text: text.encode() + b"Disallow: /\xff\xc3\n\xed\xa0\x80Disallow: /\xf0\x9f\n",
}
# Opens or fetches a file, and returns the cells and the notes once both are about it.
SEVERITIES: Final = ("error", "warning", "info")
READ: Final = """async ([content, isFetched]) => {
  const panel = document.querySelector(".verdict-panel");
  const chip = document.querySelector("[data-control=notes]");
  const wanted = Number(panel.dataset.generation) + 3;
  let isAsked = false;
  const done = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      isAsked ||= chip.dataset.state === "pending";
      if (!isAsked || chip.dataset.state === "pending" || Number(panel.dataset.generation) < wanted) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(panel, { attributes: true });
    observer.observe(chip, { attributes: true });
  });
  if (isFetched) document.querySelector("[data-control=fetch]").click();
  else {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], "robots.txt"));
    const input = document.querySelector("[data-control=file]");
    input.files = transfer.files;
    input.dispatchEvent(new Event("change"));
  }
  await done;
  const rows = [...document.querySelectorAll(".grid-row")];
  rows.sort((a, b) => a.ariaRowIndex - b.ariaRowIndex);
  const cells = rows.map((row) => [...row.querySelectorAll("[data-column]")].map((cell) => cell.classList[1]));
  const items = [...document.querySelectorAll(".note-item")];
  const notes = items.map(({ dataset }) => [dataset.code, Number(dataset.line)]);
  return [cells, notes];
}"""


@pytest.fixture
def api(site: Site) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=site.address) as client:
        yield client


def head(content: bytes) -> str:
    """Return the first lines, because the linter takes long for many rules."""
    return "".join(line[:200] + "\n" for line in content.decode("utf-8", "replace").splitlines()[:20])


def mark(verdict: dict[str, Any]) -> str:
    if verdict["rule"] is None:
        return "none"
    return "allowed" if verdict["allowed"] else "blocked"


def findings(report: dict[str, Any]) -> list[list[Any]]:
    """Return the findings in the order of the page: errors first."""
    ordered = sorted(report["findings"], key=lambda one: (SEVERITIES.index(one["severity"]), one["start"]["line"]))
    return [[finding["code"], finding["start"]["line"]] for finding in ordered]


def rows_of(marks: Sequence[str]) -> list[list[str]]:
    return [list(marks[at : at + len(CRAWLERS)]) for at in range(0, len(marks), len(CRAWLERS))]


def of_api(client: httpx2.Client, content: bytes, urls: Sequence[str]) -> tuple[list[list[str]], list[list[Any]]]:
    """Return the marks and the findings of the HTTP API."""
    file = {"content": base64.b64encode(content).decode(), "content_encoding": "base64"}
    questions = [{"url": url, "agent": crawler} for url in urls for crawler in CRAWLERS]
    lines = "".join(json.dumps(line) + "\n" for line in [file, *questions])
    stream = client.post("v1/decide/stream", content=lines, headers={"Content-Type": "application/x-ndjson"})
    report = client.post("v1/lint", json={**file, "robots_url": ROBOTS_URL})
    return rows_of([mark(json.loads(line)) for line in stream.text.splitlines()]), findings(report.json())


def of_command(folder: Path, content: bytes) -> tuple[list[list[str]], list[list[Any]]]:
    """Return the marks and the findings of the command."""
    (folder / "robots.txt").write_bytes(content)
    agents = [argument for crawler in CRAWLERS for argument in ("--agent", crawler)]
    file, urls = str(folder / "robots.txt"), str(folder / "urls.txt")
    verdicts = output("check", "--robots", file, "--urls-file", urls, *agents, "--format", "json")
    (report,) = output("lint", file, "--robots-url", ROBOTS_URL, "--format", "json")
    return rows_of([mark(verdict) for verdict in verdicts]), findings(report)


def output(*arguments: str) -> Any:
    with CliRunner().isolation() as (out, _, _):
        run_command(arguments)
        return json.loads(out.getvalue())


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 200), marks=pytest.mark.nightly)])
def test_page_api_and_command_agree_on_files_of_all_encodings(
    new_page: NewPage, api: httpx2.Client, tmp_path: Path, seeds: range
) -> None:
    tester = new_page(viewport={"width": 1440, "height": 1900})
    tester.open()
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    tester.control("notes").click()
    found: set[str] = set()
    for first in seeds[::BATCH]:
        cases = [generate_case(seed) for seed in range(first, first + BATCH)]
        paths = [url for case in cases for url in case.urls[:3] if isinstance(url, str) and url[:1] == "/" != url[1:2]]
        urls = list(dict.fromkeys(["/caf%E9/1", "/caf%C3%A9/1", "/%FF%C3", *filter(str.isprintable, paths)]))[:ROWS]
        (tmp_path / "urls.txt").write_text("\n".join(urls))
        tester.page.evaluate(OPEN, link("", urls, CRAWLERS))
        for number, case in enumerate(cases, first):
            name = list(ENCODINGS)[number % len(ENCODINGS)]
            content = ENCODINGS[name](RULES + head(case.content))
            # A response without faults, because only the notes of a fetched file include those about its delivery.
            tester.site.sites.add(ROBOTS_URL, content, headers=(("content-type", "text/plain"),))
            is_fetched = number // len(ENCODINGS) % 2 == 1
            cells, notes = tester.page.evaluate(READ, [base64.b64encode(content).decode(), is_fetched])
            assert [cells, notes] == [*of_api(api, content, urls)], f"{name}, seed {number}"
            assert [cells, notes] == [*of_command(tmp_path, content)], f"{name}, seed {number}"
            found.update(code for code, _ in notes)
    assert {"CF106", "CF107"} <= found
    assert tester.problems == []


def saved(tester: OpenPage) -> bytes:
    with tester.page.expect_download() as download:
        tester.control("save").click()
    return download.value.path().read_bytes()


@pytest.mark.parametrize("control", ["fix", "format"])
def test_rewriting_a_file_keeps_its_invalid_bytes(tester: OpenPage, control: str) -> None:
    content = b"user-agent: *\nallow: /caf\xe9\nDisalow: /\xff # \xe9\n"
    expected = Linter().fix(content).content if control == "fix" else format_robots(content).content
    tester.open_file(content)
    expect(tester.editor.locator(".raw-byte")).to_have_text(["%E9", "%FF", "%E9"])
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    tester.control(control).click()
    expect(tester.find(".toast")).to_contain_text(re.compile("Fixed|Formatted"))
    assert b"\xff" in expected != content
    assert saved(tester) == expected


def test_typing_and_fixing_a_note_keep_the_invalid_bytes(tester: OpenPage) -> None:
    tester.open_file(b"User-agent: *\nDisallow: /caf\xe9\nDisalow: /\xff\n")
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    opened = tester.written_address("")
    tester.control("notes").click()
    tester.find("button[data-fix=CF202]").click()
    expect(tester.editor).to_contain_text("Disallow: /%FF")
    fixed = tester.written_address(opened)
    tester.editor.click()
    tester.page.keyboard.press("Control+Home")
    tester.page.keyboard.insert_text("# \u00e9\n")
    expect(tester.editor).to_contain_text("# \u00e9")
    expected = b"# \xc3\xa9\nUser-agent: *\nDisallow: /caf\xe9\nDisallow: /\xff\n"
    assert saved(tester) == expected
    tester.written_address(fixed)
    tester.page.reload()
    tester.ready()
    assert saved(tester) == expected


def test_reloading_the_page_keeps_the_encoding_of_an_opened_file(tester: OpenPage) -> None:
    content = b"\xff\xfe" + RULES.replace("\n", "\r\n").encode("utf-16-le")
    tester.open_file(content)
    expect(tester.find("[data-part=file] .sizes")).to_contain_text(f"{len(content)} B, ")
    tester.page.wait_for_function("() => location.hash.startsWith('#v1.')")
    tester.page.reload()
    tester.ready()
    assert saved(tester) == content
    expect(tester.editor.locator(".cm-line")).to_have_count(4)
    tester.control("notes").click()
    expect(tester.find(".note-item[data-code=CF106]")).to_be_visible()


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe" + RULES.encode("utf-16-le") + b"\x00\xd8\n\x00", b"\xfe\xff" + RULES.encode("utf-16-be") + b"a"],
)
def test_invalid_utf_16_keeps_its_bytes_because_it_is_not_edited(tester: OpenPage, content: bytes) -> None:
    tester.open_file(content)
    locked = tester.find("[data-result=locked]")
    expect(locked).to_contain_text("This file is invalid UTF-16.")
    for control in ("fix", "format"):
        expect(tester.control(control)).to_be_hidden()
    tester.editor.click()
    tester.page.keyboard.insert_text("Disallow: /typed\n")
    tester.page.keyboard.press("Backspace")
    tester.find("#tab-usage").click()
    tester.expect_answered("usage")
    tester.find("#tab-access").click()
    assert saved(tester) == content
    tester.control("start-empty").click()
    expect(locked).to_be_hidden()
    tester.paste_file("User-agent: *\nDisallow: /\n")
    assert saved(tester) == b"User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_invalid_bytes_are_marked_and_legible(new_page: NewPage, scheme: str) -> None:
    tester = new_page(color_scheme=scheme)
    tester.open()
    tester.open_file(b"User-agent: *\nDisallow: /caf\xe9\n")
    mark = tester.editor.locator(".raw-byte")
    expect(mark).to_have_text("%E9")
    found = mark.evaluate(
        """mark => {
          const { color, backgroundColor } = getComputedStyle(mark);
          const colours = [color, backgroundColor].map((name) => name.match(/[\\d.]+/g).map(Number));
          const light = ([r, g, b]) => [0.2126, 0.7152, 0.0722].reduce((sum, part, at) => {
            const value = [r, g, b][at] / 255;
            return sum + part * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
          }, 0.05);
          const [low, high] = colours.map(light).sort((a, b) => a - b);
          return [high / low, colours[1].length];
        }"""
    )
    # An opaque background, and the contrast of WCAG AA.
    assert found[0] >= 4.5
    assert found[1] == 3
