"""The documentation is complete: it lists every public name, profile and language, and the number of checks."""

import re
from pathlib import Path

import pytest

import canfetch
from canfetch.lint import CHECKS, LANGUAGES

ROOT = Path(__file__).parents[2]


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
