"""What the programs tools/generate_*.py share: they write files, or check that the files are up to date."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parent.parent


def parse_check(description: str | None) -> bool:
    """Parse the command line of a generator, and return whether it has `--check`."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file is out of date")
    check: bool = parser.parse_args().check
    return check


def write_or_check(texts: Mapping[Path, str], *, check: bool) -> int:
    """Write files whose text is another one, or only name them.

    Returns: The exit code: 1 if `check` finds a file that is out of date.
    """
    outdated = False
    for path, text in texts.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        name = path.relative_to(ROOT).as_posix()
        if check:
            print(f"{name} is out of date: run python tools/{Path(sys.argv[0]).name}")
            outdated = True
        else:
            path.write_text(text, encoding="utf-8")
            print(f"{name} written")
    return int(outdated)
