"""docs/adding.md is complete: each change is made in a copy of the checkout, in the files of the page only.

A section of the page is a list of files and commands. `additions/` has a file for each section, with the edits of an
example. The commands of the page must succeed, and the files that change must be those of the page.
"""

import os
import re
import shlex
import sys
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from shutil import copy, copytree, ignore_patterns, which
from typing import Any, NamedTuple

import pytest
from tests.docs.blocks import ROOT
from tests.docs.programs import completed
from tests.missing import skip_unless_ci

PAGE = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
ADDITIONS = Path(__file__).parent / "additions"
# What the commands of the page read or write.
FOLDERS = (
    "benchmarks",
    "conformance",
    "docs",
    "examples",
    "page",
    "rust/c",
    "rust/core",
    "simulation",
    "src",
    "tables",
    "tests",
    "tools",
)
LEFT_OUT = ("__pycache__", "_build", "api-types.ts", "assets", "node_modules", "target")
PROGRAMS = {
    "canfetch": [sys.executable, "-m", "canfetch"],
    "npm": ["npm"],
    "pytest": [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
    "python": [sys.executable],
}
# The module, and not its stub.
NATIVE = "_native.*[!i]"
_SECTION = re.compile(r"^## How do I add (?:a|an) (.+)\?$", re.MULTILINE)
_ITEM = re.compile(r"^\d+\. (.+(?:\n {3}.+)*)", re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")
_FILE = re.compile(r"[\w./*-]+/[\w.*-]+\.\w+")


class Step(NamedTuple):
    """An item of a list: files to edit, or a command and the files that it writes."""

    command: str | None
    files: tuple[str, ...]


class Edit(NamedTuple):
    """A change of a file, or of several in which the same line is found.

    Attributes:
        path: The file, or a pattern with `*`.
        text: The whole file, or the lines that are inserted, or what replaces `replace`.
        after, before: The beginning of the line where `text` is inserted.
        replace: A part of the file.
        at_end: Lines for the end of the file.
    """

    path: str
    text: str = ""
    after: str = ""
    before: str = ""
    replace: str = ""
    at_end: str = ""

    @property
    def is_new(self) -> bool:
        return not (self.after or self.before or self.replace or self.at_end)

    def changed(self, content: str) -> str:
        """Return the changed content.

        Raises: ValueError: The line or the part is not in the file.
        """
        if self.at_end:
            return content + self.at_end
        if self.replace:
            start = content.index(self.replace)
            return content[:start] + self.text + content[start + len(self.replace) :]
        start = f"\n{content}".index(f"\n{self.after or self.before}")
        if self.after:
            start = content.index("\n", start) + 1
        return content[:start] + self.text + content[start:]


def with_names(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"[A-Z]{2,}", lambda word: names.get(word[0], word[0]), text)


def read_steps(section: str, names: Mapping[str, str]) -> list[Step]:
    """Return the steps of a section, with the names of an example in the place of the words in capitals."""
    found = []
    for item in _ITEM.findall(section):
        text = with_names(item, names)
        codes = _CODE.findall(text)
        if text.startswith("Run "):
            found.append(Step(codes[0], tuple(codes[1:])))
        else:
            # The files come before the colon.
            found.append(Step(None, tuple(_CODE.findall(text.partition(":")[0]))))
    return found


def section_of(change: str) -> str:
    sections = dict(zip(_SECTION.findall(PAGE), _SECTION.split(PAGE)[2::2], strict=True))
    return re.split(r"^## ", sections[change], flags=re.MULTILINE)[0]


def read_addition(change: str) -> dict[str, Any]:
    path = ADDITIONS / f"{change.replace(' ', '_')}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def edits_of(addition: Mapping[str, Any]) -> list[tuple[str, Edit]]:
    """Return the edits with the file of each."""
    found = []
    for edit in (Edit(**fields) for fields in addition["edits"]):
        paths = sorted(ROOT.glob(edit.path)) if "*" in edit.path else [ROOT / edit.path]
        # These files have no texts: they hold types, or are not a language.
        paths = [path for path in paths if path.name != "message.ts"]
        found += [(path.relative_to(ROOT).as_posix(), edit) for path in paths]
    return found


def hashes(folder: Path) -> dict[str, bytes]:
    paths = (path for name in FOLDERS for path in (folder / name).rglob("*"))
    return {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes()).digest()
        for path in paths
        if path.is_file() and not set(path.relative_to(folder).parts) & set(LEFT_OUT)
    }


def run(command: str, folder: Path) -> str:
    """Run a command of the page in a copy of the checkout, and return its output."""
    program, *arguments = shlex.split(command)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "CANFETCH"))}
    if not list((folder / "src" / "canfetch").glob(NATIVE)):
        # Otherwise, tests in CI require the native engine.
        environment["CANFETCH_BUILD"] = "python"
    done = completed(
        [*PROGRAMS[program], *arguments],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(folder / "src"), "NO_COLOR": "1", "COLUMNS": "100"},
    )
    # 1 is an answer of canfetch, such as a disallowed URL.
    allowed = (0, 1) if program == "canfetch" else (0,)
    assert done.returncode in allowed, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


CHANGES = _SECTION.findall(PAGE)


def test_every_addition_has_a_section() -> None:
    assert sorted(path.stem for path in ADDITIONS.iterdir()) == sorted(name.replace(" ", "_") for name in CHANGES)


@pytest.mark.parametrize("change", CHANGES)
def test_the_page_names_the_files_of_the_change(change: str) -> None:
    addition = read_addition(change)
    steps = read_steps(section_of(change), addition["names"])
    edits = edits_of(addition)
    listed = [file for step in steps if step.command is None for file in step.files]
    assert len(set(listed)) == len(listed)
    assert set(listed) == {path for path, _ in edits}
    for path, edit in edits:
        assert (ROOT / path).exists() is not edit.is_new, path
    assert any(step.command for step in steps)


@pytest.mark.parametrize("path", sorted({code for code in _CODE.findall(PAGE) if _FILE.fullmatch(code)}))
def test_each_path_without_a_placeholder_exists(path: str) -> None:
    if not re.search(r"[A-Z]{2,}", path):
        assert list(ROOT.glob(path))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of the parts of the checkout that the commands use."""
    folder = tmp_path / "checkout"
    for name in FOLDERS:
        copytree(ROOT / name, folder / name, ignore=ignore_patterns(*LEFT_OUT))
    for path in ROOT.iterdir():
        if path.is_file() and path.suffix in {".md", ".toml", ".py"}:
            copy(path, folder)
    return folder


def make(change: str, checkout: Path) -> None:
    """Make a change, and run its commands."""
    addition = read_addition(change)
    if addition.get("without_native_engine"):
        for module in (checkout / "src" / "canfetch").glob(NATIVE):
            module.unlink()
    before = hashes(checkout)
    steps = read_steps(section_of(change), addition["names"])
    edits = edits_of(addition)
    outputs = dict(addition.get("outputs", {}))
    for step in steps:
        for path, edit in edits:
            if step.command is None and path in step.files:
                file = checkout / path
                content = "" if edit.is_new else file.read_text(encoding="utf-8")
                file.write_text(edit.text if edit.is_new else edit.changed(content), encoding="utf-8")
        if step.command is not None:
            printed = run(step.command, checkout)
            for command in [name for name in outputs if with_names(name, addition["names"]) == step.command]:
                assert outputs.pop(command) in printed
    assert not outputs, "no command of the page has this output"
    after = hashes(checkout)
    changed = {path for path in before | after if before.get(path) != after.get(path)}
    assert changed == {file for step in steps for file in step.files}


def of_kind(*, npm: bool) -> list[str]:
    return [change for change in CHANGES if bool(read_addition(change).get("needs_npm")) is npm]


@pytest.mark.slow
@pytest.mark.parametrize("change", of_kind(npm=False))
def test_the_files_and_commands_of_the_page_make_the_change(change: str, checkout: Path) -> None:
    for module in read_addition(change).get("needs", ()):
        pytest.importorskip(module)
    make(change, checkout)


@pytest.mark.service
@pytest.mark.parametrize("change", of_kind(npm=True))
def test_the_files_of_the_page_make_a_change_that_compiles(change: str, checkout: Path) -> None:
    modules = ROOT / "page" / "node_modules"
    if which("npm") is None or not modules.exists():
        skip_unless_ci("npm is not installed, or `make page` was not run")
    (checkout / "page" / "node_modules").symlink_to(modules)
    make(change, checkout)
