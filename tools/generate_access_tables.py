"""Generate src/canfetch/access/_tables.py from tables/access.toml, or check that it is up to date."""

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


def to_python(value: Any) -> str:
    """Render a value as a Python expression."""
    if isinstance(value, list):
        phases = [
            f"Phase({phase['from_seconds']:_}, {quote(phase['with_copy'])}, {quote(phase['without_copy'])})"
            for phase in value
        ]
        return f"({', '.join(phases)})" if len(phases) > 1 else f"({phases[0]},)"
    return quote(value) if isinstance(value, str) else f"{value:_}"


def quote(text: str) -> str:
    """Render a string as a Python literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def python_tables(tables: dict[str, Any]) -> str:
    """Render the module."""
    policies = tables["policies"]
    default_settings = policies[DEFAULT]["settings"]
    lines = [f'"""{NOTICE}"""', "", "from typing import Final, NamedTuple", "", ""]
    lines += [
        "class Phase(NamedTuple):",
        '    """What applies from `from_seconds` after the first failure."""',
        "",
    ]
    lines += ["    from_seconds: int", "    with_copy: str", "    without_copy: str", "", ""]
    lines += ["class Provenance(NamedTuple):", '    """The source of a value, and how binding the source is."""', ""]
    lines += ["    level: str", "    source: str", "", ""]
    lines += [
        "class AccessPolicy(NamedTuple):",
        '    """One way to react to status codes, failures and age: an immutable set of values."""',
    ]
    lines += ["", "    name: str", "    summary: str"]
    for setting in tables["settings"]:
        kind = default_settings[setting]["value"]
        annotation = "tuple[Phase, ...]" if isinstance(kind, list) else type(kind).__name__
        lines.append(f"    {setting}: {annotation}")
    lines += ["", "", "POLICIES: Final[dict[str, AccessPolicy]] = {"]
    for name, policy in policies.items():
        lines += [
            f'    "{name}": AccessPolicy(',
            f'        name="{name}",',
            f"        summary={quote(policy['summary'])},",
        ]
        lines += [
            f"        {setting}={to_python((default_settings | policy['settings'])[setting]['value'])},"
            for setting in tables["settings"]
        ]
        lines.append("    ),")
    lines += [
        "}",
        "",
        "# The values that a policy sets itself. The others are inherited from rfc9309.",
    ]
    lines.append("PROVENANCE: Final[dict[str, dict[str, Provenance]]] = {")
    for name, policy in policies.items():
        lines.append(f'    "{name}": {{')
        for setting, filled in policy["settings"].items():
            lines.append(f'        "{setting}": Provenance({quote(filled["level"])}, {quote(filled["source"])}),')
        lines.append("    },")
    lines += ["}", ""]
    return "\n".join(lines)


def main() -> int:
    """Write or check the module. Return 1 if `--check` finds it out of date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the module is out of date")
    check = parser.parse_args().check
    text = python_tables(tomllib.loads(SOURCE.read_text(encoding="utf-8")))
    if MODULE.exists() and MODULE.read_text(encoding="utf-8") == text:
        return 0
    if not check:
        MODULE.write_text(text, encoding="utf-8")
    print(f"{MODULE.relative_to(ROOT)} {'is out of date' if check else 'written'}")
    return 1 if check else 0


if __name__ == "__main__":
    sys.exit(main())
