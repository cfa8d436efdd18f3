"""What the documents say is true: their Python and their commands are run, and every public name has its place."""

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
# What a document's console blocks may start; everything else in them sets something up.
RUN_HERE = ("canfetch ", "python ", "printf ")


def blocks(document: Path, language: str) -> list[str]:
    return [match[2] for match in FENCE.finditer(document.read_text(encoding="utf-8")) if match[1] == language]


def commands(document: Path) -> list[tuple[str, str]]:
    """Give each command with what the document says that it prints."""
    found = []
    for block in blocks(document, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            # A backslash carries a command on to the next line.
            command, _, printed = re.sub(r"\\\n *", "", part).partition("\n")
            if command.startswith(RUN_HERE):
                found.append((command, printed))
    return found


def named(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_python_in_documents_gives_what_they_say(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    session = "".join(block for block in blocks(document, "python") if ">>>" in block)
    test = doctest.DocTestParser().get_doctest(session, {}, document.name, str(document), 0)
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize(
    "command, printed",
    [
        pytest.param(*pair, id=f"{named(document)}-{number}")
        for document in DOCUMENTS
        for number, pair in enumerate(commands(document))
    ],
)
def test_commands_in_documents_print_what_they_say(command: str, printed: str) -> None:
    environment = dict(os.environ, NO_COLOR="1", COLUMNS="120")
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment.get("PATH", "")])
    run = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    # The documents show the native engine; these tests run on either.
    assert ENGINE.sub("engine native", run.stdout + run.stderr) == printed


def test_every_public_name_is_on_the_api_page() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    errors = {name for name in canfetch.__all__ if hasattr(canfetch.errors, name)}
    missing = [name for name in canfetch.__all__ if name not in errors and f"canfetch.{name}" not in page]
    assert not missing


def test_readme_names_every_profile() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert not [name for name in canfetch.PROFILES if f"| `{name}`" not in readme]


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "docs/benchmarks.md"])
def test_documents_count_the_checks(name: str) -> None:
    counts = re.findall(r"(\d+) checks\b", (ROOT / name).read_text(encoding="utf-8"))
    assert counts
    assert set(counts) == {str(len(CHECKS))}


def test_languages_of_messages_are_told() -> None:
    page = (ROOT / "docs" / "linting.md").read_text(encoding="utf-8")
    names = {"en": "English", "it": "Italian", "es": "Spanish", "ko": "Korean", "de": "German", "ja": "Japanese"}
    assert set(names) == set(LANGUAGES)
    assert all(name in page for name in names.values())
