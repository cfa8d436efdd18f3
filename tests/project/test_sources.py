"""Source files stay short."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
MAX_LINES = 400
SOURCES = sorted(
    path
    for folder, ending in (("src", "*.py"), ("src", "*.pyi"), ("rust", "*.rs"))
    for path in (ROOT / folder).rglob(ending)
    if "target" not in path.relative_to(ROOT).parts
)


def test_source_files_are_short() -> None:
    assert len(SOURCES) > 800
    assert [path.relative_to(ROOT).as_posix() for path in SOURCES if is_long(path)] == []


def is_long(path: Path) -> bool:
    lines = path.read_text(encoding="utf-8").splitlines()
    generated = "Generated from" in "".join(lines[:1])
    return not generated and len(lines) > MAX_LINES
