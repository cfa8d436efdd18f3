"""The documentation is complete: it lists every public name, profile and language."""

import re
import tomllib
from pathlib import Path

import click
from tests.cli.commands import commands

import canfetch
from canfetch.lint import LANGUAGES

ROOT = Path(__file__).parents[2]


def test_every_public_name_is_on_the_api_page() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    errors = {name for name in canfetch.__all__ if hasattr(canfetch.errors, name)}
    missing = [name for name in canfetch.__all__ if name not in errors and f"canfetch.{name}" not in page]
    assert not missing


def test_command_page_describes_every_command() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    top = {names[0]: command for names, command in commands() if len(names) == 1}
    names = list(top)
    assert [name for name in names if f":prog: canfetch {name}\n" in page] == names
    groups = {name for name, command in top.items() if isinstance(command, click.Group)}
    assert set(re.findall(r":prog: canfetch (.+)\n   :nested: full\n", page)) == groups


def test_installation_page_lists_every_extra() -> None:
    page = (ROOT / "docs" / "installation.md").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert extras
    assert not [name for name in extras if f"| `canfetch[{name}]` |" not in page]


def test_command_page_lists_every_environment_variable() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    read = set(re.findall(r"os\.environ(?:\.get\(|\[)\"([A-Z_]+)\"", sources))
    assert read
    assert not [name for name in read if f"`{name}`" not in page]


def test_stability_page_classifies_every_module() -> None:
    page = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(canfetch[.\w]*)` \| (stable|provisional|internal) \|", page, re.MULTILINE))
    package = ROOT / "src" / "canfetch"
    modules = {path.stem for path in package.glob("*.py")} | {
        path.parent.name for path in package.glob("*/__init__.py")
    }
    public = {f"canfetch.{name}" for name in modules if not name.startswith("_")}
    assert set(rows) == public | {"canfetch"}


def test_c_page_lists_every_function_and_status() -> None:
    page = (ROOT / "docs" / "c.md").read_text(encoding="utf-8")
    header = (ROOT / "rust" / "c" / "include" / "canfetch.h").read_text(encoding="utf-8")
    names = set(re.findall(r"^\w[\w *]*\b(canfetch_\w+)\(|^  (CANFETCH_STATUS_\w+) =", header, re.MULTILINE))
    found = {function or status for function, status in names}
    assert {"canfetch_parse", "canfetch_close", "CANFETCH_STATUS_OK"} <= found
    assert not [name for name in found if f"`{name}`" not in page]


def test_c_page_names_the_binary_interface_of_the_version() -> None:
    page = (ROOT / "docs" / "c.md").read_text(encoding="utf-8")
    major, minor, _ = canfetch.__version__.split(".", 2)
    interface = major if major != "0" else f"{major}.{minor}"
    assert set(re.findall(r"libcanfetch\.so\.([\d.]*\d)", page)) == {interface}


def test_linting_page_lists_every_language() -> None:
    page = (ROOT / "docs" / "linting.md").read_text(encoding="utf-8")
    names = {"en": "English", "it": "Italian", "es": "Spanish", "ko": "Korean", "de": "German", "ja": "Japanese"}
    assert set(names) == set(LANGUAGES)
    assert all(name in page for name in names.values())
