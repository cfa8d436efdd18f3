"""Turn tables/access.toml into src/canfetch/access/_tables.py; with --check, only say whether it is fresh."""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tables" / "access.toml"
MODULE = ROOT / "src" / "canfetch" / "access" / "_tables.py"
NOTICE = "Generated from tables/access.toml by tools/generate_access_tables.py: edit that file, not this one."
DEFAULT = "rfc9309"


def shown(value: Any) -> str:
    """Render a cell's value as Python."""
    if isinstance(value, list):
        phases = [
            f"Phase({phase['from_seconds']:_}, {quoted(phase['with_copy'])}, {quoted(phase['without_copy'])})"
            for phase in value
        ]
        return f"({', '.join(phases)})" if len(phases) > 1 else f"({phases[0]},)"
    return quoted(value) if isinstance(value, str) else f"{value:_}"


def quoted(text: str) -> str:
    """Render a string as Python."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def python_tables(tables: dict[str, Any]) -> str:
    """Render the module."""
    policies = tables["policies"]
    default_cells = policies[DEFAULT]["cells"]
    lines = [f'"""{NOTICE}"""', "", "from typing import Final, NamedTuple", "", ""]
    lines += ["class Phase(NamedTuple):", '    """What holds from so many seconds after the first failure on."""', ""]
    lines += ["    from_seconds: int", "    with_copy: str", "    without_copy: str", "", ""]
    lines += ["class Provenance(NamedTuple):", '    """Where a cell comes from, and how binding it is."""', ""]
    lines += ["    level: str", "    source: str", "", ""]
    lines += [
        "class AccessPolicy(NamedTuple):",
        '    """Whose reading of status codes and time: a frozen set of cells."""',
    ]
    lines += ["", "    name: str", "    summary: str"]
    for cell in tables["cells"]:
        kind = default_cells[cell]["value"]
        annotation = "tuple[Phase, ...]" if isinstance(kind, list) else type(kind).__name__
        lines.append(f"    {cell}: {annotation}")
    lines += ["", "", "POLICIES: Final[dict[str, AccessPolicy]] = {"]
    for name, policy in policies.items():
        lines += [
            f'    "{name}": AccessPolicy(',
            f'        name="{name}",',
            f"        summary={quoted(policy['summary'])},",
        ]
        lines += [
            f"        {cell}={shown((default_cells | policy['cells'])[cell]['value'])}," for cell in tables["cells"]
        ]
        lines.append("    ),")
    lines += [
        "}",
        "",
        "# The cells that a policy's own source, or our choice, fills; the others are inherited and no claim.",
    ]
    lines.append("PROVENANCE: Final[dict[str, dict[str, Provenance]]] = {")
    for name, policy in policies.items():
        lines.append(f'    "{name}": {{')
        for cell, filled in policy["cells"].items():
            lines.append(f'        "{cell}": Provenance({quoted(filled["level"])}, {quoted(filled["source"])}),')
        lines.append("    },")
    lines += ["}", ""]
    return "\n".join(lines)


def main() -> int:
    """Write or check the module; 1 where it is stale under --check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 where the table is stale")
    check = parser.parse_args().check
    text = python_tables(tomllib.loads(SOURCE.read_text(encoding="utf-8")))
    if MODULE.exists() and MODULE.read_text(encoding="utf-8") == text:
        return 0
    if not check:
        MODULE.write_text(text, encoding="utf-8")
    print(f"{MODULE.relative_to(ROOT)} {'is stale' if check else 'written'}")
    return 1 if check else 0


if __name__ == "__main__":
    sys.exit(main())
