"""Files as sites publish them by mistake: the fault is found on its line, with the right advice, and nothing else."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from canfetch.lint import Finding, Linter, LintInput, Severity

_CASES: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "broken_files.toml").read_text("utf-8"))["file"]


def _text(finding: Finding) -> str:
    plain = finding.to_json()
    return " ".join(str(plain[key]) for key in ("message", "why", "how_to_fix")).lower()


def _is_expected(finding: Finding, expected: dict[str, Any]) -> bool:
    return (
        finding.line == expected["line"]
        and finding.severity >= Severity[expected["severity"].upper()]
        and any(word.lower() in _text(finding) for word in expected["words"])
    )


@pytest.mark.parametrize("case", _CASES, ids=[case["name"].replace(" ", "-") for case in _CASES])
def test_each_fault_is_one_finding(case: dict[str, Any]) -> None:
    content = case["content"].encode()
    file = LintInput(content, url=case["url"]) if "url" in case else LintInput(content)
    left = [finding for finding in Linter().lint(file).findings if finding.severity >= Severity.WARNING]
    for expected in case["findings"]:
        found = next((finding for finding in left if _is_expected(finding, expected)), None)
        assert found is not None, f"not found: {expected}; found: {left}"
        left.remove(found)
    assert not left


@pytest.mark.slow
def test_the_names_of_the_files_are_unique() -> None:
    names = [case["name"] for case in _CASES]
    assert len(names) == len(set(names))
