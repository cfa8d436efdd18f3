"""The documentation is correct: its Python examples and commands run, and the API page lists every public name."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import canfetch
from canfetch.lint import CHECKS, LANGUAGES

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ENGINE = re.compile(r"\bengine (python|native|both)$", re.MULTILINE)
# The commands of console blocks that are run. All others need a setup.
TESTED_COMMANDS = ("canfetch ", "python ", "printf ")


def blocks(document: Path, language: str) -> list[str]:
    return [match[2] for match in FENCE.finditer(document.read_text(encoding="utf-8")) if match[1] == language]


def commands(document: Path) -> list[tuple[str, str]]:
    """Return each command with the output that the document shows."""
    found = []
    for block in blocks(document, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            # A backslash continues a command on the next line.
            command, _, printed = re.sub(r"\\\n *", "", part).partition("\n")
            if command.startswith(TESTED_COMMANDS):
                found.append((command, printed))
    return found


def document_name(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


def python_session(document: Path) -> str:
    return "".join(block for block in blocks(document, "python") if ">>>" in block)


@pytest.mark.parametrize("document", [path for path in DOCUMENTS if python_session(path)], ids=document_name)
def test_python_sessions_have_the_documented_output(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    session = python_session(document)
    test = doctest.DocTestParser().get_doctest(session, {}, document.name, str(document), 0)
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize(
    "command, printed",
    [
        pytest.param(*pair, id=f"{document_name(document)}-{number}")
        for document in DOCUMENTS
        for number, pair in enumerate(commands(document))
    ],
)
def test_commands_have_the_documented_output(command: str, printed: str) -> None:
    environment = dict(os.environ, NO_COLOR="1", COLUMNS="120")
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment.get("PATH", "")])
    run = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    # The documents show the native engine, but the tests run with either engine.
    assert ENGINE.sub("engine native", run.stdout + run.stderr) == printed


def test_every_public_name_is_on_the_api_page() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    errors = {name for name in canfetch.__all__ if hasattr(canfetch.errors, name)}
    missing = [name for name in canfetch.__all__ if name not in errors and f"canfetch.{name}" not in page]
    assert not missing


def test_readme_lists_every_profile() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert not [name for name in canfetch.PROFILES if f"| `{name}`" not in readme]


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "docs/benchmarks.md"])
def test_documented_number_of_checks_is_correct(name: str) -> None:
    counts = re.findall(r"(\d+) checks\b", (ROOT / name).read_text(encoding="utf-8"))
    assert counts
    assert set(counts) == {str(len(CHECKS))}


def test_linting_page_lists_every_language() -> None:
    page = (ROOT / "docs" / "linting.md").read_text(encoding="utf-8")
    names = {"en": "English", "it": "Italian", "es": "Spanish", "ko": "Korean", "de": "German", "ja": "Japanese"}
    assert set(names) == set(LANGUAGES)
    assert all(name in page for name in names.values())
