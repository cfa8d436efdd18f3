"""Measure the tester page in Chromium: the time from a keystroke to the painted matrix, and to the first verdicts.

    python -m benchmarks.tester_page [--keystrokes 50] [--visits 10]

`canfetch serve` runs in another process on the loopback interface. The keystrokes are those of the browser, and all
times are taken in the page: from the time stamp of the event to the first task after the frame that shows the new
verdicts. Each keystroke turns `Disallow: ` into `Disallow: /` or back at the end of the file, so most cells change.
Requires Playwright, Chromium, and the built page (`make page`).
"""

import argparse
import base64
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks.inputs import CRAWLERS, ORIGIN, SIZES, generate, urls
from canfetch.web.site.assets import FOLDER, Assets

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT: Final = Path(__file__).parents[1]
# Bytes that RFC 9309 asks crawlers to read.
LIMIT: Final = 500 * 1024
BROWSER_OPTIONS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Four crawlers with groups of their own, and sixteen that follow the rules for `*`.
AGENTS: Final = (
    *CRAWLERS[:4],
    *("Applebot-Extended", "ChatGPT-User", "Claude-SearchBot", "Claude-User", "DuckAssistBot", "FacebookBot"),
    *("Google-CloudVertexBot", "GoogleOther", "Meta-ExternalAgent", "Meta-ExternalFetcher", "MistralAI-User"),
    *("OAI-SearchBot", "Perplexity-User", "Timpibot", "cohere-ai", "omgili"),
)
# Milliseconds between keystrokes of a fast typist.
TYPING_INTERVAL: Final = 100
RULE: Final = "\nUser-agent: *\nDisallow: "
# Brotli, in kilobytes of 1,000 bytes.
BUDGET: Final = {
    "editor": ("editor-*.js", 95),
    "engine": ("engine-*.wasm", 50),
    "styles": ("page-*.css", 12),
    "fonts": ("*.woff2", 90),
}
SCRIPT_BUDGET: Final = 40
# Counts the verdicts that are painted, and measures keystrokes. An attribute of the panel changes with each matrix.
PROBE: Final = """() => {
  const panel = document.querySelector(".verdict-panel");
  const probe = { waiting: [], times: [], generation: 0 };
  window.probe = probe;
  addEventListener("keydown", (event) => probe.waiting.push(event.timeStamp), { capture: true });
  const channel = new MessageChannel();
  let isScheduled = false;
  let summary = document.querySelector("[data-summary]").textContent;
  channel.port1.onmessage = () => {
    isScheduled = false;
    const now = performance.now();
    for (const start of probe.waiting.splice(0)) probe.times.push(now - start);
  };
  new MutationObserver(() => {
    probe.generation += 1;
    const text = document.querySelector("[data-summary]").textContent;
    // The corners of differing readings change the panel, too, but not the number of blocked cells.
    if (text === summary || isScheduled) return;
    summary = text;
    isScheduled = true;
    requestAnimationFrame(() => channel.port2.postMessage(null));
  }).observe(panel, { attributes: true, attributeFilter: ["data-generation"] });
}"""
# Wait until the verdicts and the comparison of readings have arrived, and the page has been idle for two frames.
SETTLED: Final = """async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const pause = () => new Promise((resolve) => setTimeout(resolve, 400));
  for (const start = performance.now(); probe.waiting.length > 0; await frame()) {
    if (performance.now() - start > 20_000) throw new Error("the verdicts did not change");
  }
  await pause();
  await frame();
}"""
FIRST_VERDICTS: Final = """() => {
  const channel = new MessageChannel();
  const ready = new Promise((resolve) => {
    channel.port1.onmessage = () => resolve(performance.now());
  });
  window.firstVerdicts = ready;
  const observer = new MutationObserver(() => {
    const why = document.querySelector(".why-panel[data-cell]");
    if (!why || !document.querySelector(".verdict-panel:not(.pending)")) return;
    observer.disconnect();
    requestAnimationFrame(() => channel.port2.postMessage(null));
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true });
}"""


class Case(NamedTuple):
    """A file with rows and columns, and the limits of its latencies in milliseconds."""

    name: str
    content: str
    urls: int
    limit: float


class Result(NamedTuple):
    """The measured times of a case in milliseconds."""

    settled: list[float]
    typing: list[float]
    # For each keystroke, the longest task of the main thread, and the processor time of all its tasks.
    longest: Sequence[float]
    processor: Sequence[float]


def cases() -> list[Case]:
    """Return the two files of the page's targets."""
    large = generate(LIMIT).text[: LIMIT - len(RULE) - 200]
    large = large[: large.rindex("\n") + 1]
    return [
        Case("5 KB", generate(SIZES["5 KB"]).text, 50, 50),
        Case("500 KiB", large, 200, 150),
    ]


@contextmanager
def server() -> Iterator[str]:
    """Run `canfetch serve`, and return its address."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "canfetch", "serve", "--store", "none"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if address := re.search(r"http://[\w.:\[\]]+", line):
                yield f"{address[0]}/"
                break
        else:
            sys.exit("benchmarks.tester_page: canfetch serve did not start")
    finally:
        process.terminate()
        process.wait(30)


def link(case: Case) -> str:
    """Return the fragment that opens a case."""
    file = generate(SIZES["5 KB"] if case.urls == 50 else LIMIT)
    state = {
        "r": case.content + RULE,
        "u": [target.removeprefix(ORIGIN) for target in urls(file, case.urls)],
        "a": AGENTS,
        "p": "rfc9309",
        "s": [0, 0],
        "w": "access",
        "o": f"{ORIGIN}/robots.txt",
    }
    deflate = zlib.compressobj(9, wbits=-15)
    packed = deflate.compress(json.dumps(state).encode()) + deflate.flush()
    return "#v1." + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def open_case(page: "Page", address: str, case: Case) -> None:
    """Open a case, and put the cursor at the end of its file."""
    page.goto(address + link(case))
    page.locator(".file-panel[data-editor=ready]").wait_for()
    page.locator(".verdict-panel:not(.pending)").wait_for()
    # The first explanation moves the cursor.
    page.locator(".why-panel[data-cell]").wait_for()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.evaluate(PROBE)


def measure(page: "Page", address: str, case: Case, keystrokes: int) -> Result:
    """Measure keystrokes with pauses, keystrokes of a fast typist, and the tasks of the main thread."""
    open_case(page, address, case)
    keys = ["/", "Backspace"] * (keystrokes // 2)
    for key in keys[:4]:
        press(page, key)
    settled = [press(page, key) for key in keys]
    page.evaluate("probe.times.length = 0")
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(TYPING_INTERVAL)
    page.evaluate(SETTLED)
    typing = page.evaluate("probe.times")
    return Result(settled, typing, *zip(*tasks(page, keys[:10]), strict=True))


def press(page: "Page", key: str) -> float:
    """Return the time from a keystroke to the painted matrix, and wait until the page is idle."""
    page.evaluate("probe.times.length = 0")
    page.keyboard.press(key)
    page.evaluate(SETTLED)
    times: list[float] = page.evaluate("probe.times")
    return times[0]


def tasks(page: "Page", keys: Sequence[str]) -> list[tuple[float, float]]:
    """Return the longest task and the processor time of each keystroke, from traces of the browser."""
    session = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    complete: list[bool] = []
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda _: complete.append(True))
    categories = {"includedCategories": ["disabled-by-default-devtools.timeline", "__metadata"]}
    measured = []
    for key in keys:
        events.clear()
        complete.clear()
        session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": categories})
        press(page, key)
        session.send("Tracing.end")
        while not complete:
            page.wait_for_timeout(20)
        own = main_tasks(events)
        measured.append((max(task["dur"] for task in own) / 1000, sum(task.get("tdur", 0) for task in own) / 1000))
    session.detach()
    return measured


def main_tasks(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the tasks of renderers' main threads. Times are in microseconds."""
    threads = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    return [
        event
        for event in events
        if event["name"] == "RunTask" and "dur" in event and (event["pid"], event["tid"]) in threads
    ]


def first_visits(browser: "Browser", address: str, count: int) -> list[float]:
    """Return the times from the navigation to the painted verdicts and explanation, with an empty cache."""
    times = []
    for _ in range(count):
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.add_init_script(f"({FIRST_VERDICTS})()")
        page.goto(address)
        times.append(page.evaluate("firstVerdicts"))
        context.close()
    return times


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that is not smaller than a share of the values."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def sizes() -> list[str]:
    """Return the rows of the table of sizes."""
    manifest = FOLDER / "manifest.json"
    files = json.loads(manifest.read_text(encoding="utf-8"))["files"]
    # What the first visit loads.
    scripts = re.findall(r'(?:href|src)="(static/[^"]+\.js)"', (FOLDER / "index.html").read_text(encoding="utf-8"))
    rows = [f"| script | {sum(files[name]['brotli'] for name in scripts) / 1000:.1f} KB | {SCRIPT_BUDGET} KB |"]
    for name, (pattern, limit) in BUDGET.items():
        total = sum(size["brotli"] for file, size in files.items() if Path(file).match(pattern))
        rows.append(f"| {name} | {total / 1000:.1f} KB | {limit} KB |")
    return rows


def report(visits: Sequence[float], results: dict[str, tuple[Case, Result]], version: str) -> str:
    """Return the tables as Markdown."""
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg()[:2])
    lines = [
        f"Chromium {version}, {os.cpu_count()} cores, load {load}",
        "",
        "| | p50 | p95 | limit |",
        "| --- | ---: | ---: | ---: |",
        times_row("first verdicts and explanation, empty cache", visits, "p50 500 ms"),
    ]
    for case, result in results.values():
        what = f"{case.name} x {case.urls} URLs x 20 crawlers"
        lines += [
            times_row(f"keystroke to painted matrix, {what}", result.settled, f"p95 {case.limit:.0f} ms"),
            times_row(f"the same, a key every {TYPING_INTERVAL} ms", result.typing, ""),
            times_row("longest task of the main thread for a keystroke", result.longest, "16 ms"),
            times_row("processor time of the main thread for a keystroke", result.processor, ""),
        ]
    lines += ["", "| brotli | size | limit |", "| --- | ---: | ---: |", *sizes()]
    return "\n".join(lines)


def times_row(what: str, times: Sequence[float], limit: str) -> str:
    """Return a row of the table of times."""
    return f"| {what} | {statistics.median(times):.0f} ms | {percentile(times, 0.95):.0f} ms | {limit} |"


def main() -> None:
    """Run the benchmark."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keystrokes", type=int, default=50)
    parser.add_argument("--visits", type=int, default=10)
    options = parser.parse_args()
    executable = shutil.which("chromium")
    if executable is None:
        sys.exit("benchmarks.tester_page: Chromium is not installed")
    if not Assets().has_engine:
        sys.exit("benchmarks.tester_page: the page is not built: run 'make page'")
    with server() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(BROWSER_OPTIONS))
        visits = first_visits(browser, address, options.visits)
        results = {}
        for case in cases():
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(120_000)
            results[case.name] = case, measure(page, address, case, options.keystrokes)
            page.close()
        print(report(visits, results, browser.version))
        browser.close()


if __name__ == "__main__":
    main()
