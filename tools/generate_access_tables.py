"""Generate src/canfetch/access/_tables.py from tables/access.toml, or check that it is up to date."""

from __future__ import annotations

import sys
import tomllib
from typing import Any

from generated import ROOT, parse_check, write_or_check

SOURCE = ROOT / "tables" / "access.toml"
MODULE = ROOT / "src" / "canfetch" / "access" / "_tables.py"
NOTICE = "Generated from tables/access.toml by tools/generate_access_tables.py: edit that file, not this one."
DEFAULT = "rfc9309"
TYPES = """\
class UnreachablePhase(NamedTuple):
    \"\"\"What applies from `from_seconds` after the first failure.\"\"\"

    from_seconds: int
    with_copy: PhaseWithCopyValue
    without_copy: PhaseWithoutCopyValue
"""


def to_python(value: Any) -> str:
    """Render a value as a Python expression."""
    if isinstance(value, list):
        phases = [
            f"UnreachablePhase({phase['from_seconds']:_}, {quote(phase['with_copy'])}, {quote(phase['without_copy'])})"
            for phase in value
        ]
        return f"({', '.join(phases)}{',' if len(phases) == 1 else ''})"
    return quote(value) if isinstance(value, str) else f"{value:_}"


def quote(text: str) -> str:
    """Render a string as a Python literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def alias(values: str) -> str:
    """Return the name of the type of a list of values."""
    return "".join(word.capitalize() for word in values.split("_")) + "Value"


def annotation(setting: dict[str, Any]) -> str:
    """Return the type of a setting."""
    if "phases" in setting:
        return "tuple[UnreachablePhase, ...]"
    if "origins" in setting:
        return "tuple[str, ...]"
    return alias(setting["values"]) if "values" in setting else "int"


def policy_lines(name: str, policy: dict[str, Any], defaults: dict[str, Any], indent: str) -> list[str]:
    """Render the values of a policy that differ from defaults, as arguments."""
    values = {setting: given["value"] for setting, given in policy["settings"].items()}
    differing = {setting: value for setting, value in values.items() if defaults.get(setting) != value}
    named = [f'name="{name}"', f"summary={quote(policy['summary'])}"]
    return [
        f"{indent}{argument},"
        for argument in [*named, *(f"{setting}={to_python(value)}" for setting, value in differing.items())]
    ]


def python_tables(tables: dict[str, Any]) -> str:
    """Render the module."""
    settings, policies = tables["settings"], tables["policies"]
    fields = [f"    {name}: {annotation(setting)}" for name, setting in settings.items()]
    lines = [f'"""{NOTICE}"""', "", "from typing import Final, Literal, NamedTuple, TypedDict, get_args", ""]
    lines += [f"{alias(name)} = Literal[{', '.join(map(quote, values))}]" for name, values in tables["values"].items()]
    lines += ["", "", TYPES, ""]
    lines += ["class PolicySettings(TypedDict, total=False):"]
    lines += ['    """The settings of an access policy, as keyword arguments."""', "", *fields, "", ""]
    lines += ["class PolicyValues(NamedTuple):"]
    lines += ['    """The name, the summary and the settings of an access policy."""', ""]
    lines += ["    name: str", "    summary: str", *fields, "", ""]
    lines += ["# The values that each setting can have.", "CHOICES: Final[dict[str, tuple[str, ...]]] = {"]
    lines += [
        f'    "{name}": get_args({alias(setting["values"])}),'
        for name, setting in settings.items()
        if "values" in setting
    ]
    lines += ["}", "RANGES: Final[dict[str, tuple[int, int]]] = {"]
    lines += [
        f'    "{name}": ({setting["minimum"]:_}, {setting["maximum"]:_}),'
        for name, setting in settings.items()
        if "minimum" in setting
    ]
    lines += ["}"]
    with_copy, without_copy = settings["while_unreachable"]["phases"]
    for constant, name in (("WITH_COPY", with_copy), ("WITHOUT_COPY", without_copy)):
        lines.append(f"{constant}: Final = get_args({alias(name)})")
    lines.append(f"MAX_PHASE_SECONDS: Final = {settings['while_unreachable']['maximum']:_}")
    lines.append(f"MAX_ORIGINS: Final = {settings['misconfigured_origins']['origins']}")
    values = {name: setting["value"] for name, setting in policies[DEFAULT]["settings"].items()}
    lines += ["", f"_{DEFAULT.upper()}: Final = PolicyValues("]
    lines += policy_lines(DEFAULT, policies[DEFAULT], {}, " " * 4)
    lines += [")", "POLICIES: Final[dict[str, PolicyValues]] = {", f'    "{DEFAULT}": _{DEFAULT.upper()},']
    for name, policy in policies.items():
        if name != DEFAULT:
            lines.append(f'    "{name}": _{DEFAULT.upper()}._replace(')
            lines += [*policy_lines(name, policy, values, " " * 8), "    ),"]
    lines += ["}", ""]
    return "\n".join(lines)


def main() -> int:
    """Write or check the module, and return the exit code."""
    check = parse_check(__doc__)
    return write_or_check({MODULE: python_tables(tomllib.loads(SOURCE.read_text(encoding="utf-8")))}, check=check)


if __name__ == "__main__":
    sys.exit(main())
