"""The engine in a worker of Chromium, under the Content-Security-Policy of the tester page."""

import shutil
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.missing import skip_unless_ci
from tests.web.engine_module.conftest import MODULE, ROOT, _build_module, bundle

from canfetch.web.server.guard import CONTENT_SECURITY_POLICY

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.service

_PAGE: Final = b'<!doctype html><title>worker</title><script type="module" src="page.js"></script>'
_TYPES: Final = {"html": "text/html", "js": "text/javascript", "wasm": "application/wasm", "bin": "application/x-bin"}
_TIMEOUT_MS: Final = 180_000


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, files: dict[str, bytes], *arguments: Any) -> None:
        self._files = files
        super().__init__(*arguments)

    def do_GET(self) -> None:
        name = self.path[1:] or "index.html"
        content = self._files.get(name)
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Type", _TYPES.get(name.rpartition(".")[2], "text/plain"))
        self.send_header("Content-Length", str(len(content or b"")))
        self.send_header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *arguments: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a page with the engine."""
    _build_module()
    folder = tmp_path_factory.mktemp("worker")
    module = MODULE.read_bytes()
    files = {
        "index.html": _PAGE,
        "page.js": bundle(Path(__file__).with_name("worker_page.ts"), folder, "--platform=browser").read_bytes(),
        "worker.js": bundle(
            ROOT / "page" / "src" / "engine" / "worker.ts", folder, "--platform=browser", "--format=iife"
        ).read_bytes(),
        "failing.js": b"onmessage = () => { throw new Error('failed on purpose'); };",
        "engine.wasm": module,
        "engine.bin": module,
        "cut.wasm": module[:1000],
    }
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, files)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser_page(address: str) -> Iterator["Page"]:
    """Return the page in Chromium. A violation of the policy or an error in the page fails the tests."""
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        skip_unless_ci("Chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"], timeout=_TIMEOUT_MS)
        page: Page = browser.new_page()
        page.set_default_timeout(_TIMEOUT_MS)
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached")
        page.evaluate(
            """async () => {
                globalThis.agents = [["GPTBot"], ["Googlebot-Image", "Googlebot"]].map(
                    (tokens) => ({ tokens, starApplies: true }));
                globalThis.targets = ["/a", "/b", "https://example.org/", "no"];
                globalThis.question = { profile: "rfc9309", targets, agents, compareWith: ["original1994"] };
                globalThis.start = (moduleURL = "engine.wasm", worker = "worker.js") =>
                    Engine.start({ moduleURL, newWorker: () => newWorker(worker) });
                globalThis.codeOf = (promise) => promise.then(() => "no error", (error) => error.code);
                globalThis.engine = await start();
            }"""
        )
        yield page
        browser.close()
        assert [problem for problem in problems if "404" not in problem] == []


FILE: Final = "User-agent: *\nDisallow: /a\nAllow: /a$\n\nUser-agent: GPTBot\nDisallow: /\n"


def test_all_questions_are_answered(browser_page: "Page") -> None:
    answers = browser_page.evaluate(
        """async (file) => {
            await engine.open(file, { url: "https://example.com/robots.txt" });
            const matrix = await engine.matrix(question);
            const { rule, alsoMatched } = await engine.explain("/a", agents[1], "rfc9309");
            return {
                marks: [...matrix.marks], lines: [...matrix.lines], rows: matrix.rowProblems,
                differs: [...await matrix.differs],
                rules: [rule.line, ...alsoMatched.map(({ line }) => line)],
                readings: (await engine.readings("/a", agents[1])).length,
                lines_of_file: (await engine.info("google")).lineCount,
                reads: (await engine.readers(6, agents, "rfc9309")).reads,
                profiles: engine.profiles.length,
            };
        }""",
        FILE,
    )
    assert answers == {
        "marks": [2, 1, 2, 0, 3, 3, 3, 3],
        "lines": [6, 3, 6, 0, 0, 0, 0, 0],
        "rows": [None, None, "other-origin", "invalid-url"],
        "differs": [0, 1, 0, 0, 0, 0, 0, 0],
        "rules": [3, 2],
        "readings": 9,
        "lines_of_file": 6,
        "reads": [True, False],
        "profiles": 9,
    }


def test_errors_have_codes(browser_page: "Page") -> None:
    codes = browser_page.evaluate(
        """async (file) => {
            await engine.open(file, { url: "https://example.com/robots.txt" });
            const unknown = await codeOf(engine.matrix({ ...question, profile: "unknown" }));
            const codes = await Promise.all([
                engine.explain("no", agents[0], "rfc9309"),
                engine.explain("https://example.org/", agents[0], "rfc9309"),
                engine.explain("/", { tokens: ["a b"], starApplies: true }, "rfc9309"),
                engine.explain("/", agents[0], "unknown"),
                engine.open(file, { url: "https://example.com/" }),
                engine.info("rfc9309"),
            ].map(codeOf));
            return [unknown, ...codes];
        }""",
        FILE,
    )
    assert codes == [
        "unknown-profile",
        "invalid-url",
        "other-origin",
        "invalid-token",
        "unknown-profile",
        "invalid-robots-url",
        "no error",
    ]


def test_only_the_newest_of_several_questions_is_answered(browser_page: "Page") -> None:
    """Every key of a fast typist opens a file and asks for a matrix."""
    answers = browser_page.evaluate(
        """async () => {
            const many = Array.from({ length: 3000 }, (_, row) => `/${row}`);
            const asked = [];
            for (let version = 0; version < 20; version++) {
                const opened = engine.open(`User-agent: *\\nDisallow: /${version}$`);
                asked.push(opened.then(() => null), engine.matrix({ ...question, targets: many }));
            }
            const answers = (await Promise.all(asked)).filter((answer, index) => index % 2 === 1);
            const last = answers.at(-1);
            return {
                answered: answers.filter((answer) => answer !== null).length,
                blocked: [...last.marks.entries()].filter(([, mark]) => mark === 2).map(([cell]) => cell / 2),
                differs: (await last.differs).length,
            };
        }"""
    )
    # The first question may be answered before the others arrive.
    assert answers["answered"] < 20
    assert answers["blocked"] == [19, 19.5]
    assert answers["differs"] == 6000


def test_a_replaced_question_has_no_differences(browser_page: "Page") -> None:
    differs = browser_page.evaluate(
        """async () => {
            const many = Array.from({ length: 9000 }, (_, row) => `/${row}`);
            await engine.open("User-agent: *\\nDisallow: /*1*2*3*4");
            const first = await engine.matrix({ ...question, targets: many, compareWith: engine.profiles });
            const second = await engine.matrix({ ...question, targets: many });
            return [await first.differs, (await second.differs).length];
        }"""
    )
    assert differs == [None, 18_000]


def test_the_engine_starts_without_the_media_type_of_modules(browser_page: "Page") -> None:
    assert browser_page.evaluate("async () => (await start('engine.bin')).profiles.length") == 9


@pytest.mark.parametrize("module", ["missing.wasm", "cut.wasm"])
def test_a_module_that_cannot_be_loaded(browser_page: "Page", module: str) -> None:
    assert browser_page.evaluate("(module) => codeOf(start(module))", module) == "not-loaded"


def test_a_failed_worker_is_replaced(browser_page: "Page") -> None:
    """The new worker has the same file."""
    result = browser_page.evaluate(
        """async (file) => {
            let worker = "worker.js";
            const engine = await Engine.start({ moduleURL: "engine.wasm", newWorker: () => newWorker(worker) });
            await engine.open(file);
            const failures = [];
            engine.onFailure = ({ code }) => failures.push(code);
            worker = "failing.js";
            const waiting = codeOf(engine.info("rfc9309"));
            const restarted = await codeOf(engine.restart());
            const meanwhile = await codeOf(engine.matrix(question));
            worker = "worker.js";
            await engine.restart();
            const matrix = await engine.matrix(question);
            return { waiting: await waiting, restarted, meanwhile, failures, marks: [...matrix.marks].slice(0, 4) };
        }""",
        FILE,
    )
    assert result == {
        "waiting": "stopped",
        "restarted": "not-loaded",
        "meanwhile": "stopped",
        "failures": ["not-loaded"],
        "marks": [2, 1, 2, 0],
    }
