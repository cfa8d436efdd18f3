"""Write src/canfetch/lint/_tables.py from the checks; with --check, only report whether it is fresh."""

from __future__ import annotations

import sys
from enum import Enum
from graphlib import TopologicalSorter
from importlib import import_module
from typing import TYPE_CHECKING, Any

from generated import ROOT, parse_check, write_or_check

if TYPE_CHECKING:
    from collections.abc import Collection

    from canfetch.lint import Check

SOURCE = ROOT / "src"
LINT = SOURCE / "canfetch" / "lint"
TABLE = LINT / "_tables.py"
HEAD = '''"""Generated from the modules in checks/ by tools/generate_check_table.py: edit those files, not this one.

The checks are in the order in which they run: each one comes after those that supersede it.
"""

from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.lint.analysis.needs import InRule, Trait
from canfetch.lint.analysis.odd_lines import Oddity
from canfetch.lint.check import CheckEntry
from canfetch.lint.severity import Severities, Severity

CHECK_TABLE: Final[tuple[CheckEntry, ...]] = (
'''
TAIL = """)
ENTRIES_BY_WORD: Final = {word: entry for entry in CHECK_TABLE for word in (entry.code, entry.name)}
"""


def load_checks() -> dict[str, Check]:
    """Return all checks by module, sorted by code."""
    modules = [f"{path.parent.name}.{path.stem}" for path in (LINT / "checks").glob("*/[!_]*.py")]
    checks = {module: import_module(f"canfetch.lint.checks.{module}").CHECK for module in modules}
    return dict(sorted(checks.items(), key=lambda item: item[1].code))


def superseding_codes(checks: Collection[Check]) -> dict[str, tuple[str, ...]]:
    """Return for each check the codes of the checks that supersede it, in the order in which the checks have to run.

    Raises: graphlib.CycleError: Two checks supersede each other.
    """
    by_code = {check.code: tuple(other.code for other in checks if _supersedes(other, check)) for check in checks}
    return {code: by_code[code] for code in TopologicalSorter(by_code).static_order()}


def _supersedes(one: Check, other: Check) -> bool:
    if one is other or one.yields_to_others:
        return False
    return other.yields_to_others or other.code.startswith(one.supersedes)


def table(checks: dict[str, Check]) -> str:
    """Return the text of the table."""
    modules = {check.code: module for module, check in checks.items()}
    superseding = superseding_codes(checks.values())
    rows = [_row(checks[modules[code]], modules[code], others) for code, others in superseding.items()]
    return HEAD + "".join(rows) + TAIL


def _row(check: Check, module: str, superseded_by: tuple[str, ...]) -> str:
    values = [_text(check.code), _text(check.name), _text(module), _severities(check.severities)]
    if superseded_by:
        values.append(f"superseded_by={_texts(superseded_by)}")
    if check.requires is not None:
        values.append(f"requires={_text(check.requires)}")
    if check.needs:
        values.append(f"needs={_texts(check.needs)}")
    return f"    CheckEntry({', '.join(values)}),\n"


def _severities(severities: Any) -> str:
    named = {name: severity for name, severity in severities._asdict().items() if severity is not None}
    return f"Severities({', '.join(f'{name}=Severity.{severity.name}' for name, severity in named.items())})"


def _texts(values: tuple[Any, ...]) -> str:
    return f"({', '.join(map(_text, values))}{',' if len(values) == 1 else ''})"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)


def main() -> int:
    """Write or check the table, and return the exit code."""
    check = parse_check(__doc__)
    sys.path.insert(0, str(SOURCE))
    return write_or_check({TABLE: table(load_checks())}, check=check)


if __name__ == "__main__":
    sys.exit(main())
