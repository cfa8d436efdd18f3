"""The npm package works in each runtime, with its types, and within its size."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from tests.missing import skip_unless_ci
from tests.npm.conftest import ROOT, Archive, Project, Runtime, install_required, new_project

import canfetch

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.service

# The archive has about 79,300. The engine of another compiler may be a little larger.
MAX_BYTES = 80_000
MAX_LINE = 8_000
# The oldest compiler whose programs can use the types.
TYPESCRIPT = (
    "typescript@5.2.2",
    "sha512-mI4WrpHsbCIcwT9cF4FZvr80QUeKvsUsUvKDoR+X/7XHQH98xYD8YHZg7ANtz2GtZt/CBq2QJ0thkGJMHfqc1w==",
)


@pytest.mark.parametrize("ci, outcome", [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_missing_package_is_an_error_in_ci(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("CI", ci)
    # npm exits without a package.json there.
    with pytest.raises(outcome, match="npm cannot install"):
        install_required(Project(tmp_path), "file:missing")


def test_the_package_is_small_and_complete(archive: Archive) -> None:
    assert archive.size < MAX_BYTES
    modules = ["canfetch.js", "index.js", "index.mjs", "robots-parser.js", "robots-parser.mjs"]
    types = ["index.d.mts", "index.d.ts", "robots-parser.d.mts", "robots-parser.d.ts"]
    assert sorted(archive.names) == sorted(
        [*modules, *types, "LICENSE", "LICENSES-OF-PARTS", "README.md", "package.json"]
    )
    # Node.js prints the line that throws an error.
    script = (archive.folder / "canfetch.js").read_text(encoding="utf-8")
    assert max(map(len, script.splitlines())) < MAX_LINE
    manifest = json.loads((archive.folder / "package.json").read_text(encoding="utf-8"))
    assert manifest["version"] == canfetch.__version__
    assert not {"dependencies", "optionalDependencies", "peerDependencies", "scripts"} & manifest.keys()
    for notice in ("memchr", "cfg-if", "The Rust Project Developers"):
        assert notice in (archive.folder / "LICENSES-OF-PARTS").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "program, output",
    [
        ("module.mjs", f"{canfetch.__version__}\n"),
        ("common.cjs", f"{canfetch.__version__}\n"),
        ("thread.mjs", f"{canfetch.__version__}\n" * 2),
        ("loading.mjs", "loaded\n"),
        ("arguments.mjs", "done\n"),
        ("many-files.mjs", "done\n"),
    ],
)
def test_each_runtime(runtime: Runtime, program: str, output: str) -> None:
    assert runtime.run(program) == output


def test_the_documentation_lists_each_code() -> None:
    types = (ROOT / "npm" / "types" / "index.d.ts").read_text(encoding="utf-8")
    codes = re.findall(
        r'^  \| "([a-z-]+)"', types.partition("type ArgumentErrorCode =")[2].partition(";")[0], re.MULTILINE
    )
    text = (ROOT / "docs" / "javascript.md").read_text(encoding="utf-8")
    table = text.partition("| code | what is wrong |\n")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == codes
    assert len(codes) == 11


MODULES = pytest.mark.parametrize(
    "module, resolution, file",
    [
        ("nodenext", "nodenext", "types.ts"),
        ("nodenext", "nodenext", "types.mts"),
        ("esnext", "bundler", "types.ts"),
        ("nodenext", "nodenext", "types-of-require.cts"),
    ],
)


@MODULES
def test_types(project: Project, module: str, resolution: str, file: str) -> None:
    compiler = ROOT / "page" / "node_modules" / ".bin" / "tsc"
    if not compiler.exists():
        skip_unless_ci("TypeScript is not installed: run `make page`")
    compile_types(compiler, project, module, resolution, file)


@pytest.fixture(scope="module")
def with_typescript(archive: Archive, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a project with the oldest TypeScript that the documentation names."""
    project = new_project(tmp_path_factory.mktemp("typescript"), archive)
    package, integrity = TYPESCRIPT
    if problem := project.install(package):
        skip_unless_ci(f"npm cannot install TypeScript: {problem}")
    lock = json.loads((project.folder / "package-lock.json").read_text(encoding="utf-8"))
    assert lock["packages"]["node_modules/typescript"]["integrity"] == integrity
    return project


@MODULES
def test_types_with_the_oldest_compiler(with_typescript: Project, module: str, resolution: str, file: str) -> None:
    minimum = re.fullmatch(r"typescript@(\d+\.\d+)\.\d+", TYPESCRIPT[0])
    assert minimum is not None
    page = (ROOT / "docs" / "javascript.md").read_text(encoding="utf-8")
    assert f"types for TypeScript {minimum[1]} and later" in page
    compiler = with_typescript.folder / "node_modules" / ".bin" / "tsc"
    compile_types(compiler, with_typescript, module, resolution, file)


def compile_types(compiler: Path, project: Project, module: str, resolution: str, file: str) -> None:
    source = project.folder / file
    if not source.exists():
        shutil.copy(source.with_suffix(".ts"), source)
    options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--esModuleInterop"]
    options += ["--target", "es2022", "--lib", "es2023,dom"]
    project.run(compiler, *options, "--module", module, "--moduleResolution", resolution, str(source))


class _Handler(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is that of the base class
        del format, args


@pytest.fixture(scope="module")
def page(project: Project) -> Iterator["Page"]:
    """Return a page of Chromium that may load what the project has installed."""
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        skip_unless_ci("Chromium is not installed")
    shutil.copytree(project.folder / "node_modules" / "canfetch", project.folder / "canfetch", dirs_exist_ok=True)
    (project.folder / "page.html").write_text("<!doctype html><title>Page</title>", encoding="utf-8")
    (project.folder / "worker.js").write_text(
        'import * as canfetch from "./canfetch/index.mjs";\n'
        'import robotsParser from "./canfetch/robots-parser.mjs";\n'
        'import { use } from "./usage.mjs";\npostMessage(use(canfetch, robotsParser));\n',
        encoding="utf-8",
    )
    handler = partial(_Handler, directory=os.fspath(project.folder))
    handler.func.extensions_map = {**_Handler.extensions_map, ".mjs": "text/javascript"}  # type: ignore[attr-defined]
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, sync_api.sync_playwright() as playwright:
        Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"], timeout=120_000)
        page: Page = browser.new_page()
        page.set_default_timeout(120_000)
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/page.html")
        yield page
        browser.close()
        server.shutdown()


@pytest.mark.parametrize("load", ["await canfetch.load();", ""], ids=["loaded", "synchronous"])
def test_browser(page: "Page", load: str) -> None:
    page.reload()
    version = page.evaluate(
        f"""async () => {{
            const canfetch = await import("./canfetch/index.mjs");
            {load}
            const {{ default: robotsParser }} = await import("./canfetch/robots-parser.mjs");
            return (await import("./usage.mjs")).use(canfetch, robotsParser);
        }}"""
    )
    assert version == canfetch.__version__


def test_worker_of_a_browser(page: "Page") -> None:
    version = page.evaluate(
        """() => new Promise((resolve) => {
            const worker = new Worker("./worker.js", { type: "module" });
            worker.onmessage = ({ data }) => resolve(data);
            worker.onerror = ({ message }) => resolve(message);
        })"""
    )
    assert version == canfetch.__version__
