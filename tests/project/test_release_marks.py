"""Commands that need a registry are marked until the first release, by one switch."""

from pathlib import Path

import pytest

from canfetch.cli.main import native_hint
from canfetch.repository import PUBLISHED, RELEASE_KEYS, REPOSITORY
from generate_release_marks import (
    COMMENT,
    INLINE,
    NEVER_RUN,
    WORDS,
    marked,
    marked_file,
    marked_workflow,
    pages,
    registry_command,
    workflows,
)
from generated import ROOT
from release_check import EARLY

PAGES = pages()
COMMANDS = [
    "pip install canfetch",
    "python -m pip install --upgrade canfetch pandas",
    "pip install 'canfetch[web,redis]'",
    "pip install canfetch==0.1.0",
    "uv tool install canfetch",
    "uvx canfetch check /",
    "cargo add canfetch",
    "npm install canfetch",
    "import { parse } from 'npm:canfetch'; npx canfetch",
    'canfetch = "0.1"',
    "additional_dependencies: [canfetch]",
]
OTHERS = [
    "pip install dist/canfetch-0.1.0-py3-none-any.whl",
    "pip install protego",
    "pip install /path/to/canfetch",
    "pip install --no-index --find-links wheels canfetch",
    "uv tool install git+file:///path/to/canfetch",
    "pip install canfetch-conformance",
    "cargo add canfetch --path canfetch/rust/core",
    "pip install pandas\ncanfetch check /",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_that_need_a_registry(command: str) -> None:
    assert registry_command(command)


@pytest.mark.parametrize("command", OTHERS)
def test_commands_that_need_no_registry(command: str) -> None:
    assert registry_command(command) is None


def test_marks_follow_the_switch() -> None:
    page = "Run `pip install canfetch`, or `make run`.\n\n```sh\npip install canfetch\nmake run\n```\n"
    with_marks = marked(page, published=False)
    assert with_marks == (
        f"Run `pip install canfetch`{INLINE}, or `make run`.\n\n```sh\npip install canfetch{COMMENT}\nmake run\n```\n"
    )
    assert marked(with_marks, published=False) == with_marks
    assert marked(with_marks, published=True) == page
    broken = with_marks.replace(INLINE, f"\n({WORDS.replace(' the ', chr(10) + 'the ')})")
    assert marked(broken, published=False) == broken
    assert marked(broken, published=True) == page


def test_other_files_name_the_registry_in_words() -> None:
    text = "# The server is from PyPI.\nrun: pip install canfetch\n"
    with_marks = marked_file(text, published=False)
    assert with_marks == text.replace("PyPI", f"PyPI{INLINE}")
    assert marked_file(with_marks, published=True) == text
    with pytest.raises(ValueError, match="does not say"):
        marked_file("run: pip install canfetch\n", published=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_have_the_marks_of_the_switch(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    change = marked if page.suffix == ".md" else marked_file
    assert change(text, published=PUBLISHED) == text
    if page.name != "CONTRIBUTING.md":
        assert WORDS not in change(text, published=True)


def test_the_pages_for_each_registry_are_checked() -> None:
    names = {page.relative_to(ROOT).as_posix() for page in PAGES}
    assert {"README.md", "docs/installation.md", "npm/README.md", "rust/core/README.md"} <= names


def test_messages_need_no_registry_before_the_first_release() -> None:
    # An extra is added to an installed canfetch: tests/packaging/test_extras.py.
    found = {
        path.name
        for path in (ROOT / "src").rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if (command := registry_command(line)) and "canfetch[" not in line[line.index(command) :]
    }
    assert found == set()
    assert registry_command(native_hint(published=True))
    assert registry_command(native_hint(published=False)) is None


@pytest.mark.parametrize(
    "receipt, command",
    [("pipx_metadata.json", "pipx reinstall canfetch"), ("uv-receipt.toml", "uv tool upgrade --reinstall")],
)
def test_the_native_engine_is_built_by_the_tool_that_installed_canfetch(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, receipt: str, command: str
) -> None:
    (tmp_path / receipt).touch()
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    assert command in native_hint(published=False)
    assert "pip install" not in native_hint(published=False)


def test_workflows_are_marked_until_the_project_has_a_repository() -> None:
    assert len(workflows()) > 5
    for path in workflows():
        text = path.read_text(encoding="utf-8")
        assert marked_workflow(text, has_repository=REPOSITORY is not None) == text
        without = marked_workflow(text, has_repository=True)
        assert NEVER_RUN not in without
        # The first line describes the workflow.
        assert marked_workflow(without, has_repository=False).splitlines(keepends=True)[1] == NEVER_RUN
    for page, (sentence, _) in EARLY.items():
        is_early = not RELEASE_KEYS if page == "docs/agents.md" else REPOSITORY is None
        assert (sentence in (ROOT / page).read_text(encoding="utf-8")) == is_early
