"""The npm package decides in workerd, the runtime of Cloudflare Workers, which compiles no code for a request."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.request import Request, urlopen

import pytest
from tests.docs.blocks import blocks
from tests.missing import skip_unless_ci
from tests.npm.conftest import ROOT, Archive, Project, install_required, new_project

import canfetch

pytestmark = pytest.mark.service

WORKERD: Final = "workerd@1.20261117.1"
PROGRAM: Final = "@cloudflare/workerd-*/bin/workerd"
PAGE: Final = ROOT / "docs" / "javascript.md"
QUESTIONS: Final = ROOT / "tests" / "packaging" / "questions.json"
# The interfaces of the newest date, and of the oldest one of a worker that is a module: without FinalizationRegistry.
DATES: Final = ("2026-11-01", "2021-11-03")
CONFIG: Final = """\
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "out/worker.js"),
    (name = "engine.wasm", wasm = embed "engine.wasm"),
  ],
  compatibilityDate = "DATE",
);
"""


@pytest.fixture(scope="module")
def workers(archive: Archive, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a project with workerd, and with the programs of the documentation. The first one has been run."""
    project = new_project(tmp_path_factory.mktemp("workers"), archive)
    install_required(project, WORKERD)
    programs = [block for block in blocks(PAGE) if block.language == "js"]
    (writes,) = (block for block in programs if "engineBytes" in block.text)
    (worker,) = (block for block in programs if block.file == "worker.mjs")
    (project.folder / "write.mjs").write_text(writes.text, encoding="utf-8")
    (project.folder / "worker.mjs").write_text(worker.text, encoding="utf-8")
    assert project.run("node", "write.mjs") == ""
    return project


@contextmanager
def serving(project: Project, program: str, date: str) -> Iterator[str]:
    """Bundle a worker as Wrangler does, serve it with workerd, and yield its address."""
    bundler = ROOT / "page" / "node_modules" / ".bin" / "esbuild"
    if not bundler.exists():
        skip_unless_ci("esbuild is not installed: run `make page`")
    executable = next((project.folder / "node_modules").glob(PROGRAM), None)
    if executable is None:
        pytest.skip("the npm package of workerd has no program for this platform")
    options = [
        "--bundle",
        "--format=esm",
        "--target=es2024",
        "--external:*.wasm",
        "--conditions=workerd,worker,browser",
    ]
    project.run(bundler, program, *options, "--outfile=out/worker.js", "--log-level=warning")
    (project.folder / "config.capnp").write_text(CONFIG.replace("DATE", date), encoding="utf-8")
    reader, writer = os.pipe()
    command = [str(executable), "serve", f"--control-fd={writer}", "config.capnp"]
    with (
        os.fdopen(reader, encoding="utf-8") as events,
        (project.folder / "problems.txt").open("w", encoding="utf-8") as problems,
        subprocess.Popen(
            command, cwd=project.folder, env=project.environment, pass_fds=[writer], stderr=problems
        ) as server,
    ):
        os.close(writer)
        try:
            # One line when it listens, and none if it cannot start.
            event = events.readline()
            assert event, (project.folder / "problems.txt").read_text(encoding="utf-8")
            yield f"http://127.0.0.1:{json.loads(event)['port']}/"
        finally:
            server.kill()


def ask(address: str, question: dict[str, Any] | None = None) -> Any:
    """Return the answer of a worker."""
    data = None if question is None else json.dumps(question).encode()
    request = Request(address, data)  # noqa: S310 - our own server
    with urlopen(request, timeout=120) as response:  # noqa: S310 - the same
        return json.load(response)


@pytest.mark.parametrize("date", DATES)
def test_the_worker_of_the_documentation(workers: Project, date: str) -> None:
    questions = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    with serving(workers, "worker.mjs", date) as address:
        for question in questions:
            verdict = ask(address, {key: question[key] for key in ("robots", "url", "agent")})
            assert (verdict["allowed"], verdict["line"] or 0) == (question["allowed"], question["line"]), question
    assert len(questions) == 20


@pytest.mark.parametrize("date", DATES)
def test_a_worker_without_the_compiled_engine(workers: Project, date: str) -> None:
    with serving(workers, "workers-use.mjs", date) as address:
        answers = [ask(address), ask(address)]
    assert answers[0] == answers[1]
    assert (answers[0]["version"], answers[0]["disallowed"]) == (canfetch.__version__, 2_000)
    for problem in answers[0]["problems"]:
        assert "code generation disallowed by embedder" in problem
        assert problem.endswith("Cloudflare Workers need 'await load(module)'")
