"""The linter in the browser: a static site on any host, where nothing else can be reached."""

import json
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect
from tests.conformance.case_files import CASES
from tests.missing import skip_unless_ci
from tests.web.page.conftest import ROOT, OpenPage, Site, Sites, static_server

from canfetch.core.text import encode_text
from canfetch.web.site.assets import Assets
from canfetch.web.site.browser_answers import answer
from canfetch.web.site.browser_linter import LinterError, find_pyodide, linter_files
from canfetch.web.site.static_site import write_static_site

pytestmark = pytest.mark.service

FILES: Final = 30
HTML_PAGES: Final = 400
SCHEMES: Final = ("blob:", "data:", "about:")
DRAFT: Final = "user-agent: *\nDisalow: /a\nDisallow: /b\nDisallow: /b\n\nUser-agent: GPTBot\nCrawl-delay: 5\n"
# Opens a file, and returns the notes once they are about it.
# In the order of the page.
SEVERITIES: Final = ("error", "warning", "info")
READ: Final = """async (content) => {
  const chip = document.querySelector("[data-control=notes]");
  let isAsked = false;
  const done = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      isAsked ||= chip.dataset.state === "pending";
      if (!isAsked || chip.dataset.state === "pending") return;
      observer.disconnect();
      resolve();
    });
    observer.observe(chip, { attributes: true });
  });
  const transfer = new DataTransfer();
  transfer.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], "robots.txt"));
  const input = document.querySelector("[data-control=file]");
  input.files = transfer.files;
  input.dispatchEvent(new Event("change"));
  await done;
  return [...document.querySelectorAll(".note-item")].map((item) => [
    item.dataset.code,
    item.classList[1],
    Number(item.dataset.line),
    [...item.querySelectorAll("p")].map((paragraph) => paragraph.textContent),
    item.querySelector("[data-fix]") !== null,
  ]);
}"""
SEVERITY_WORDS = {"error": "Error", "warning": "Warning", "info": "Note"}


@pytest.fixture(scope="module")
def folder(built_page: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a site with the linter."""
    try:
        linter = linter_files(find_pyodide([ROOT / "page" / "node_modules"]))
    except LinterError as error:
        skip_unless_ci(str(error))
    site = tmp_path_factory.mktemp("site") / "page"
    write_static_site(site, Assets(built_page), linter)
    return site


def open_page(browser: Browser, address: str) -> OpenPage:
    """Open a page that reaches no other host."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
    context.route(lambda url: not url.startswith((address, *SCHEMES)), lambda route: route.abort())
    opened = OpenPage(context.new_page(), Site(address, Sites()))
    opened.open()
    return opened


@pytest.fixture(scope="module")
def loaded(browser: Browser, folder: Path) -> Iterator[OpenPage]:
    """Return the page after its linter was loaded: Python starts once for all tests."""
    with static_server(folder) as address:
        opened = open_page(browser, address)
        assert not [url for url in opened.requests if "linter-" in url and not url.endswith(".js")]
        size = sum(file.stat().st_size for file in folder.glob("static/linter-*/*"))
        assert 7_000_000 < size < 10_000_000
        expect(opened.control("load-linter")).to_have_text(f"Check the file: loads {size / 1_000_000:.1f} MB")
        expect(opened.control("fix")).to_be_hidden()
        opened.control("load-linter").click()
        expect(opened.control("notes")).to_have_attribute("data-state", "ready")
        yield opened
        assert opened.problems == []
        assert [url for url in opened.requests if not url.startswith((address, *SCHEMES))] == []
        opened.page.context.close()


def contents() -> list[bytes]:
    """Return the robots.txt of 30 conformance cases with most lines, of which the linter reports most."""
    found = {robots for case in CASES if isinstance(robots := case.table.get("robots"), str) and len(robots) < 2000}
    by_lines = sorted(found, key=lambda text: (-text.count("\n"), text))
    return [encode_text(text) for text in by_lines[:FILES]]


def test_findings_are_those_of_the_command(loaded: OpenPage, tmp_path: Path) -> None:
    paths = []
    for number, content in enumerate(contents()):
        path = tmp_path / str(number) / "robots.txt"
        path.parent.mkdir()
        path.write_bytes(content)
        paths.append(path)
    assert len(paths) == FILES
    command = [sys.executable, "-m", "canfetch", "lint", "--format", "json", "--show", "info", *map(str, paths)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "src", check=False)
    loaded.open_file(b"")
    expect(loaded.control("notes")).to_have_attribute("data-state", "ready")
    loaded.control("notes").click()
    shown = 0
    for path, report in zip(paths, json.loads(run.stdout), strict=True):
        found = loaded.page.evaluate(READ, b64encode(path.read_bytes()).decode())
        findings = sorted(report["findings"], key=lambda one: (SEVERITIES.index(one["severity"]), one["start"]["line"]))
        assert found == [as_shown(finding) for finding in findings], path.read_text()
        shown += len(found)
    assert shown > FILES


def as_sentence(text: str) -> str:
    start = text[:1].upper() + text[1:]
    return start if start.endswith((".", "!", "?")) else f"{start}."


def as_shown(finding: dict[str, Any]) -> list[Any]:
    message = f"{SEVERITY_WORDS[finding['severity']]} {as_sentence(finding['message'])}"
    effect = None if finding["effect"] is None else as_sentence(finding["effect"])
    texts = [message, effect, f"{finding['how_to_fix']} {finding['code']}"]
    shown = [text.replace("`", "") for text in texts if text is not None]
    return [finding["code"], finding["severity"], finding["start"]["line"], shown, finding["fix"] is not None]


def test_fixes_and_the_formatter_change_the_file(loaded: OpenPage) -> None:
    loaded.open_file(DRAFT.encode())
    expect(loaded.control("fix")).to_be_visible()
    loaded.control("fix").click()
    expect(loaded.editor).not_to_contain_text("Disallow: /bDisallow: /b")
    expect(loaded.editor).to_contain_text("user-agent: *")
    loaded.control("format").click()
    expect(loaded.editor).to_contain_text("User-agent: *")


def test_views_need_no_server_for_what_is_not_fetched(loaded: OpenPage) -> None:
    loaded.open_file(DRAFT.encode())
    loaded.control("facts").click()
    expect(loaded.find(".facts[data-state=ready]")).to_contain_text("GPTBot")
    loaded.page.keyboard.press("Escape")
    loaded.find("#tab-usage").click()
    expect(loaded.find(".usage-view [role=gridcell]").first).to_be_visible()
    loaded.find("#tab-rules").click()
    loaded.control("rules-headers").fill("X-Robots-Tag: noindex")
    expect(loaded.find(".rules-view [role=gridcell]").first).to_be_visible()
    loaded.control("rules-html").fill("<!doctype html>\n<meta name=googlebot content=nosnippet>")
    expect(loaded.find(".rules-view .records")).to_contain_text("nosnippetfor googlebot onlymeta element, line 2")
    loaded.control("rules-headers").fill("")
    loaded.control("rules-html").fill("")
    loaded.find("#tab-compare").click()
    loaded.find("#tab-access").click()
    loaded.control("crawlers").click()
    loaded.control("crawlers-search").fill("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)")
    expect(loaded.find("[data-result=user-agent]")).to_contain_text("bingbot")
    loaded.page.keyboard.press("Escape")


# Tags, and what hides tags: comments, scripts, raw text, and declarations.
HTML: Final = (
    *("<meta name=robots content=noindex>", "<META NAME='Bingbot' CONTENT=\"none, nosnippet\"/>", "<meta name=robots"),
    *("<meta\nname = robots\ncontent='max-snippet:5' name=x>", "<meta name=googlebot content='a&gt;b&nbsp;&copy='>"),
    *(
        "<!doctype html>",
        "<html>",
        "<head>",
        "</head>",
        "</p>",
        "text",
        " \n",
        "&amp;",
        "<",
        "</",
        "<!",
        "<!-",
        "\0",
        "\xe9",
    ),
    *("<title>a <meta name=robots></title>", "<textarea><meta name=robots></textarea>", "<style><meta></style>", "-->"),
    *("<!-- <meta name=robots content=a> -->", "<!--><meta name=robots content=b>-->", "<!-- x --!>", "<?x <meta> ?>"),
    *("<script>'<meta name=robots>'</script>", "<script><!-- <script> </script> <meta name=robots> --></script>"),
    *("<script><!-- --> <script> </script>", "<script>", "<![CDATA[ <meta name=robots> ]]>", "<iframe><meta></iframe>"),
    *(
        "<noscript><meta name=robots content=n></noscript>",
        "<svg><title><meta name=robots></title></svg>",
        "<plaintext>",
    ),
    *("<a rel=nofollow href=/a>", "<a rel='ugc sponsored' href='?a=1&amp;b&copy=3'>", "<div data-nosnippet>", "</div>"),
    "<script type=application/rsl+xml><rsl xmlns='https://rslstandard.org/rsl'><content url='/'/></rsl></script>",
)
# In the worker of the linter, which answers at once.
ASK: Final = """(bodies) => {
  const send = self.postMessage;
  const answers = [];
  self.postMessage = ({ json }) => answers.push(JSON.parse(json).value.rows[0].page);
  for (const body of bodies) self.onmessage({ data: { id: 0, path: "page", body } });
  self.postMessage = send;
  return answers;
}"""


def test_html_is_read_as_on_the_server(loaded: OpenPage) -> None:
    random = Random(1)  # noqa: S311
    pages = [*HTML, *("".join(random.choices(HTML, k=random.randint(2, 9))) for _ in range(HTML_PAGES))]
    bodies = [json.dumps({"headers": "", "html": page, "agents": ["Googlebot"]}) for page in pages]
    (worker,) = (worker for worker in loaded.page.workers if "linter-worker" in worker.url)
    found = worker.evaluate(ASK, bodies)
    # Here lxml reads HTML.
    expected = [json.loads(answer("page", body))["value"]["rows"][0]["page"] for body in bodies]
    assert dict(zip(pages, found, strict=True)) == dict(zip(pages, expected, strict=True))
    assert sum(len(page["directives"]) for page in found) > HTML_PAGES // 2


def test_a_linter_that_cannot_be_loaded_is_named_and_can_be_loaded_again(
    browser: Browser, folder: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    shutil.copytree(folder, site)
    (library,) = site.glob("static/linter-*/canfetch.zip")
    wasm = library.with_name("pyodide.asm.wasm.gz")
    content = wasm.read_bytes()
    library.rename(library.with_suffix(".moved"))
    with static_server(site) as address:
        opened = open_page(browser, address)
        offer = opened.find(".offer")
        opened.control("load-linter").click()
        expect(offer).to_contain_text("The linter could not be loaded: canfetch.zip: status 404")
        library.with_suffix(".moved").rename(library)
        wasm.write_bytes(content[:1000])
        opened.control("load-linter").click()
        # A part of the file cannot be unpacked.
        expect(offer).to_contain_text("The linter could not be loaded: pyodide.asm.wasm.gz")
        wasm.write_bytes(content)
        expect(opened.control("load-linter")).to_have_text("Try again")
        opened.control("load-linter").click()
        expect(offer).to_contain_text("Starting the linter")
        opened.page.context.close()


def test_a_site_without_the_linter_names_what_it_lacks(browser: Browser, built_page: Path, tmp_path: Path) -> None:
    write_static_site(tmp_path / "site", Assets(built_page))
    with static_server(tmp_path / "site") as address:
        opened = open_page(browser, address)
        expect(opened.find("[data-result=no-linter]")).to_contain_text("--with-linter")
        expect(opened.control("load-linter")).to_have_count(0)
        opened.open_file(b"<!doctype html><title>Not found</title>")
        expect(opened.find("[data-result=markup]")).to_have_text("This is an HTML or XML page, not a robots.txt.")
        assert opened.problems == []
        opened.page.context.close()
