"""The adapters of the scoreboard."""

import json
import shlex
import shutil
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from conformance.__main__ import main
from conformance.cases import Answer, Question
from conformance.scoreboard import __main__ as scoreboard
from conformance.scoreboard.builder import BUILDERS, BuildError, build_for
from conformance.scoreboard.catalogue import ADAPTERS, BUILD, Adapter, adapters, unavailable
from conformance.scoreboard.page import PROFILES, reproduce
from conformance.scoreboard.program import AdapterProgram

NAMES = sorted(adapters())
# These run with the interpreter of the tests.
INSTALLED = [name for name in NAMES if adapters()[name].build is None]
ROBOTS = b"User-agent: ExampleBot\nDisallow: /private\n"
LOCKS = {
    "python": "requirements.txt",
    "rust": "Cargo.lock",
    "go": "go.mod",
    "java": "pom.xml",
    "javascript": "package-lock.json",
}


def question(path: str, robots: bytes = ROBOTS) -> Question:
    url = f"https://example.com{path}".encode()
    return Question("test", "rfc9309", ("ExampleBot",), None, True, robots, None, None, url, Answer(True))


def ask(adapter: Adapter, questions: Sequence[Question]) -> list[Answer | str]:
    with AdapterProgram(adapter.command(), adapter.process_environment()) as program:
        return [program.ask(each) for each in questions]


def python_program(source: str) -> AdapterProgram:
    return AdapterProgram([sys.executable, "-c", source], {})


@pytest.fixture
def built() -> None:
    """Build all adapters, unless they are built already."""
    for adapter in adapters().values():
        build_for(adapter, BUILD)


@pytest.mark.parametrize("name", INSTALLED)
def test_installed_adapter_answers(name: str) -> None:
    answers = ask(adapters()[name], [question("/private"), question("/public")])

    assert answers == [Answer(False), Answer(True)]


@pytest.mark.service
@pytest.mark.parametrize("name", NAMES)
def test_adapter_answers(name: str) -> None:
    adapter = adapters()[name]
    try:
        build_for(adapter, BUILD)
    except BuildError as error:
        pytest.skip(str(error))

    answers = ask(adapter, [question("/private"), question("/public")])

    assert answers == [Answer(False), Answer(True)]
    assert adapter.installed_version()


@pytest.mark.parametrize("name", NAMES)
def test_versions_are_those_of_the_lock_file(name: str) -> None:
    adapter = adapters()[name]
    if adapter.build is None:
        assert adapter.version_command
        return
    folder = ADAPTERS / adapter.build
    lock = (folder / LOCKS[adapter.build]).read_text("utf-8")
    package, version = adapter.package, adapter.version

    if adapter.build == "rust":
        assert {"name": package, "version": version}.items() <= next(
            each.items() for each in tomllib.loads(lock)["package"] if each["name"] == package
        )
    elif adapter.build == "javascript":
        assert json.loads(lock)["packages"][f"node_modules/{package}"]["version"] == version
    elif adapter.build == "java":
        group, artifact = package.split(":")
        words = lock.split()
        assert f"<groupId>{group}</groupId>" in words
        assert words[words.index(f"<artifactId>{artifact}</artifactId>") + 1] == f"<version>{version}</version>"
    else:
        name_in_lock = package.replace(".", "-") if adapter.build == "python" else package
        assert f"{name_in_lock}=={version} " in lock or f"{package} {version}\n" in lock


def test_catalogue_is_complete() -> None:
    for adapter in adapters().values():
        assert adapter.claim
        assert adapter.source
        assert set(adapter.profiles) <= set(PROFILES)
        assert adapter.build is None or adapter.build in BUILDERS
    assert all(each.reason for each in unavailable())


def test_questions_that_an_interface_cannot_express_are_skipped() -> None:
    adapter = adapters()["protego"]

    assert not adapter.reason_to_skip(question("/"))
    assert adapter.reason_to_skip(question("/")._replace(agents=("A", "B"))) == "agent-lists"
    assert adapter.reason_to_skip(question("/")._replace(url=b"/\xff")) == "urls-of-bytes"
    assert adapter.reason_to_skip(question("/")._replace(star_applies=False)) == "no-star"


def test_crash_is_reported_and_the_program_restarted() -> None:
    source = """
import json, os, sys
for line in sys.stdin:
    if "crash" in json.loads(line)["id"]: os._exit(3)
    print('{"allowed": true}', flush=True)
"""
    with python_program(source) as program:
        answers = [program.ask(question("/")._replace(case=case)) for case in ("crash", "fine", "crash", "fine")]

    assert [str(answer) for answer in answers] == ["error crashed, exit code 3", "allowed"] * 2


def test_a_crash_that_a_new_process_does_not_repeat_does_not_count() -> None:
    # The first line is the question with which the program is started.
    source = """
import itertools, os, sys
for number, line in enumerate(sys.stdin):
    if number == 2: os._exit(3)
    print('{"allowed": true}', flush=True)
"""
    with python_program(source) as program:
        answers = [program.ask(question("/")) for _ in range(4)]

    assert answers == [Answer(True)] * 4


def test_time_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.scoreboard.program.SECONDS", 0.2)
    source = """
import json, sys
for line in sys.stdin:
    while json.loads(line)["id"] == "slow": pass
    print('{"allowed": true}', flush=True)
"""
    with python_program(source) as program:
        answers = [program.ask(question("/")._replace(case=case)) for case in ("slow", "fine")]

    assert [str(answer) for answer in answers] == ["error too slow", "allowed"]


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    # Filling the memory takes processor time, on some machines much of it.
    monkeypatch.setattr("conformance.scoreboard.program.SECONDS", 60)
    monkeypatch.setattr("conformance.scoreboard.program.MEGABYTES", 200)
    source = """
import json, sys
for line in sys.stdin:
    filled = b"x" * 300_000_000 if json.loads(line)["id"] == "large" else b""
    print('{"allowed": true}', flush=True)
"""
    with python_program(source) as program:
        answers = [program.ask(question("/")._replace(case=case)) for case in ("large", "fine")]

    assert [str(answer) for answer in answers] == ["error too much memory", "allowed"]


def test_an_exception_of_the_library_is_its_answer() -> None:
    source = 'import sys\nfor line in sys.stdin: print(\'{"exception": "ValueError: no"}\', flush=True)'
    expected = Answer(error="invalid-url")
    with python_program(source) as program:
        assert str(program.ask(question("/"))) == "error raised ValueError: no"
        answer = program.ask(question("/"))

    assert isinstance(answer, Answer)
    assert answer.matches(expected)


def test_scoreboard_and_its_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert scoreboard.main(["--adapter", "urllib", "--output", str(tmp_path)]) == 0

    report = json.loads((tmp_path / "scoreboard.json").read_text("utf-8"))
    page = (tmp_path / "scoreboard.md").read_text("utf-8")
    (implementation,) = report["implementations"]
    (profile,) = implementation["profiles"]
    failures = (tmp_path / "scoreboard" / "urllib.md").read_text("utf-8")
    assert "| [urllib.robotparser](scoreboard/urllib.md) |" in page
    assert profile["failures"]
    for failure in profile["failures"]:
        assert failure["command"] in failures
        assert (ADAPTERS.parent.parent / failure["file"]).is_file()
        assert_reproduced(failure, capsys)


@pytest.mark.service
@pytest.mark.usefixtures("built")
def test_published_failures_are_reproduced(capsys: pytest.CaptureFixture[str]) -> None:
    """One failure of each outcome of each implementation, by the command that the page prints."""
    report = json.loads((ADAPTERS.parent.parent / "docs" / "scoreboard.json").read_text("utf-8"))
    for implementation in report["implementations"]:
        # The failures of the running interpreter depend on its version.
        if implementation["name"] not in INSTALLED:
            failures = [failure for profile in implementation["profiles"] for failure in profile["failures"]]
            for failure in {failure["outcome"]: failure for failure in failures}.values():
                assert_reproduced(failure, capsys)


def assert_reproduced(failure: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(failure["command"])
    assert words[:3] == ["python", "-m", "conformance"]
    assert main(words[3:]) == 1
    out = capsys.readouterr().out
    assert f"FAIL {failure['case']} " in out
    assert f"got      {failure['answer']}\n" in out


def test_reproduce_names_the_adapter_the_profile_and_the_case() -> None:
    from conformance.cases import load

    case = load()[0]

    assert reproduce(adapters()["protego"], "google", case) == (
        f"python -m conformance --adapter protego --profile google --case {case.id}"
    )


def test_missing_tool_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)

    with pytest.raises(BuildError, match="cargo is not installed"):
        build_for(adapters()["robotxt"], tmp_path)
