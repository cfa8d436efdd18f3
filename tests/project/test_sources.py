"""A source file holds one idea, and stays short."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_LINES = 400
SOURCES = sorted(
    path
    for folder, ending in (("src", "*.py"), ("src", "*.pyi"), ("rust", "*.rs"))
    for path in (ROOT / folder).rglob(ending)
    if "target" not in path.relative_to(ROOT).parts
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_source_file_is_long(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    generated = "Generated from" in "".join(lines[:1])
    assert generated or len(lines) <= MOST_LINES
