"""The answers in the browser are those of the HTTP API, and the files of a static site with the linter are complete."""

import json
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import API

import canfetch
from canfetch.web.site.browser_answers import answer
from canfetch.web.site.browser_linter import PYODIDE_VERSION, LinterError, find_pyodide, linter_files

ROOT = Path(__file__).parents[2]
DRAFT = (
    "User-agent: *\nDisalow: /a\nDisallow: /b\nDisallow: /b/c\nContent-Signal: ai-train=no\nSitemap: /map.xml\n\n"
    "User-agent: GPTBot\nCrawl-delay: 5\nDisallow: /caf\u00e9\nAllow: /\n"
)
FILE = {"content": DRAFT, "content_encoding": "utf-8"}
AGENTS = ["GPTBot", "Googlebot", "MyBot"]
# As the page sends them.
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("lint", {**FILE, "language": "de", "robots_url": "https://b\u00fccher.example/robots.txt"}),
    ("lint", {"content": "/1UAcwBlAHIA", "content_encoding": "base64", "language": "en"}),
    ("fix", {**FILE, "language": "en"}),
    ("format", FILE),
    ("facts", {**FILE, "profile": "bing"}),
    ("use", {**FILE, "url": "/a", "agents": AGENTS, "profile": "google", "headers": "", "tdm_file": None}),
    (
        "use",
        {**FILE, "url": "/a", "agents": AGENTS, "headers": "tdm-reservation: 1", "tdm_file": '[{"location": "/"}]'},
    ),
    ("page", {"headers": "X-Robots-Tag: noindex", "html": "", "agents": AGENTS}),
    (
        "page",
        {
            "headers": "HTTP/1.1 200 OK\nX-Robots-Tag: googlebot: noarchive",
            "html": "<meta name=robots content=noindex>",
            "url": "https://example.com/a",
            "agents": AGENTS,
            "robots": DRAFT,
            "robots_encoding": "utf-8",
            "profile": "rfc9309",
        },
    ),
    ("compare", {"old": DRAFT, "new": "", "profile": "rfc9309", "urls": ["/a", "no URL"], "agents": AGENTS}),
]
REJECTED: list[tuple[str, dict[str, Any]]] = [
    ("lint", {**FILE, "robots_url": "https://example.com/a"}),
    ("lint", {"content": "*", "content_encoding": "base64"}),
    ("use", {**FILE, "url": "/", "agents": ["no token"]}),
    ("use", {**FILE, "url": "ftp://[", "agents": AGENTS, "headers": "tdm-reservation: 1"}),
    ("compare", {"old": "", "new": "", "profile": "other", "agents": AGENTS}),
]


def outcome(path: str, body: dict[str, Any]) -> Any:
    return json.loads(answer(path, json.dumps(body)))


def without_time(found: Any) -> Any:
    """Return an answer without the time at which it was computed."""
    if isinstance(found, dict):
        return {key: without_time(value) for key, value in found.items() if key != "now"}
    return [without_time(value) for value in found] if isinstance(found, list) else found


@pytest.mark.parametrize("path, body", REQUESTS)
def test_an_answer_is_that_of_the_api(api: API, path: str, body: dict[str, Any]) -> None:
    assert without_time(outcome(path, body)) == {"value": without_time(api.answer(path, **body))}


@pytest.mark.parametrize("path, body", REJECTED)
def test_a_problem_is_that_of_the_api(api: API, path: str, body: dict[str, Any]) -> None:
    expected = api.problem("POST", f"/v1/{path}", 422, json=body)
    found = outcome(path, body)["problem"]
    assert (found["type"], found["status"], found["detail"]) == (expected["type"], 422, expected["detail"])


def test_a_user_agent_header_is_identified_as_by_the_api(api: API) -> None:
    path = "agents/find?user_agent=Mozilla%2F5.0%20(compatible%3B%20bingbot%2F2.0)"
    assert json.loads(answer(path, "")) == {"value": api.get(f"/v1/{path}").json()}


def test_a_file_that_takes_minutes_to_fix_is_rejected() -> None:
    problem = outcome("fix", {"content": DRAFT + "#" * 128 * 1024})["problem"]
    assert (problem["status"], "larger than 128 KiB" in problem["detail"]) == (422, True)


def test_an_unknown_request_is_an_error() -> None:
    assert outcome("fetch", {"url": "https://example.com/"})["problem"]["status"] == 500


@pytest.fixture
def pyodide(tmp_path: Path) -> Path:
    """Return the folder of a package with the names and versions of Pyodide's."""
    package = tmp_path / "pyodide"
    package.mkdir()
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"):
        (package / name).write_bytes(name.encode())
    (package / "pyodide-lock.json").write_text('{"info": {"abi_version": "1"}, "packages": {"numpy": {}}}')
    (package / "package.json").write_text(json.dumps({"version": PYODIDE_VERSION, "license": "MPL-2.0"}))
    return package


def test_pyodide_of_the_checkout_is_that_of_the_library() -> None:
    package = json.loads((ROOT / "page" / "package.json").read_text())
    assert package["devDependencies"]["pyodide"] == PYODIDE_VERSION


def test_a_missing_pyodide_is_named_with_the_command_that_installs_it(pyodide: Path, tmp_path: Path) -> None:
    assert find_pyodide([tmp_path / "other", tmp_path]) == pyodide
    (pyodide / "package.json").write_text('{"version": "0.1.0"}')
    for folder in (tmp_path, tmp_path / "other"):
        with pytest.raises(LinterError, match=f"run 'npm install pyodide@{PYODIDE_VERSION}'"):
            find_pyodide([folder])


def test_pyodide_that_cannot_be_read_is_an_error(pyodide: Path) -> None:
    (pyodide / "python_stdlib.zip").unlink()
    with pytest.raises(LinterError, match="cannot read the files of Pyodide"):
        linter_files(pyodide)


@pytest.mark.slow
def test_the_archive_answers_without_any_other_package(pyodide: Path, tmp_path: Path) -> None:
    files = linter_files(pyodide)
    assert json.loads(files["pyodide-lock.json"])["packages"] == {}
    assert b"BSD 3-Clause" in files["licenses.txt"]
    archive = zipfile.ZipFile(BytesIO(files["canfetch.zip"]))
    assert canfetch.__version__ in archive.read("canfetch/__init__.py").decode()
    names = archive.namelist()
    assert not [name for name in names if "/cli/" in name or "/transports/" in name or "/assets/" in name]
    (tmp_path / "canfetch.zip").write_bytes(files["canfetch.zip"])
    code = (
        "import sys, json; sys.path.insert(0, sys.argv[1])\n"
        "from canfetch.web.site.browser_answers import answer\n"
        "for path, body in json.load(sys.stdin): print(answer(path, json.dumps(body)))"
    )
    command = [sys.executable, "-I", "-S", "-c", code, str(tmp_path / "canfetch.zip")]
    run = subprocess.run(command, input=json.dumps(REQUESTS), capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in run.stdout.splitlines()]
    assert without_time(found) == without_time([outcome(path, body) for path, body in REQUESTS])
