"""Source files stay short."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAX_LINES = 400
SOURCES = sorted(
    path
    for folder, ending in (("src", "*.py"), ("src", "*.pyi"), ("rust", "*.rs"))
    for path in (ROOT / folder).rglob(ending)
    if "target" not in path.relative_to(ROOT).parts
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_source_file_is_short(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    generated = "Generated from" in "".join(lines[:1])
    assert generated or len(lines) <= MAX_LINES
