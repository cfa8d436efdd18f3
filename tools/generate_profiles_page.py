"""Generate docs/profiles.md from tables/protocol.toml, or check that the page is up to date."""

from __future__ import annotations

import sys
import tomllib
from typing import Any

from generate_tables import SOURCE, flag_default, full_meaning
from generated import ROOT, parse_check, write_or_check

PAGE = ROOT / "docs" / "profiles.md"

HEAD = """\
<!-- Generated from tables/protocol.toml by tools/generate_profiles_page.py: edit that file, not this one. -->

# Profiles

A profile is one way to read a robots.txt: for example, as RFC 9309 specifies or as Google's parser does. Select one
with `canfetch.parse(content, profile="googlebot")` or `--profile googlebot`.

A profile is an immutable set of flags, so this page lists every difference between two profiles. `canfetch.PROFILES`
maps names to profiles, and every flag is an attribute of a profile. [Semantics](semantics.md) explains the flags with
examples. Every engine has all profiles.
"""

# The page scrolls tables of this class, and keeps their first column visible.
WIDE = ":::{container} wide narrow-header"


def cell(value: int) -> str:
    """Format the value of a flag for a table cell."""
    if isinstance(value, bool):
        return "yes" if value else "-"
    return f"{value:,}" if value else "-"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Render a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def differences(values: dict[str, Any], default: dict[str, Any], flags: dict[str, Any]) -> list[str]:
    """Return a list item with the meaning of each flag whose value differs from the default profile's."""
    lines = []
    for flag, facts in flags.items():
        unset = flag_default(flag)
        value = values.get(flag, unset)
        if value == default.get(flag, unset):
            continue
        state = "off" if value is False else "on" if value is True else f"{value:,}"
        meaning = facts["when_off"] if value is False else facts["meaning"]
        lines.append(f"- `{flag}` {state}: {meaning}")
    return lines or ["No differences."]


def page(tables: dict[str, Any]) -> str:
    """Render the page."""
    profiles, flags = tables["profiles"], tables["flags"]
    lines = [HEAD, "## Overview", ""]
    lines += table(
        ["profile", "description", "source"],
        [[f"`{name}`", values["summary"], values["source"]] for name, values in profiles.items()],
    )
    lines += ["", "## Flags by profile", "", WIDE, ""]
    lines += table(
        ["flag", *(f"`{name}`" for name in profiles)],
        [
            [f"`{flag}`", *(cell(values.get(flag, flag_default(flag))) for values in profiles.values())]
            for flag in flags
        ],
    )
    lines += ["", ":::", "", "## Differences from the default", ""]
    for name, values in list(profiles.items())[1:]:
        lines += [f"### `{name}`", "", *differences(values, next(iter(profiles.values())), flags), ""]
    lines += ["## Flags", ""]
    for name, flag in flags.items():
        lines += [f"`{name}`", f": {full_meaning(flag)}", f"  Source: {flag['source']}.", ""]
    lines += ["## Spellings", ""]
    lines.append("Keys are case-insensitive. The other spellings are accepted only if the flag `typos` is on.")
    lines.append("")
    lines += table(
        ["record", "other spellings"],
        [
            [f"`{spellings[0]}`", ", ".join(f"`{spelling}`" for spelling in spellings[1:]) or "-"]
            for spellings in tables["spellings"].values()
        ],
    )
    lines += ["", "## Limits", ""]
    limits = tables["limits"]
    lines += table(
        ["limit", "value", "source"],
        [
            [f"`{name}`", f"{value:,}", limits["source"][name]]
            for name, value in limits.items()
            if isinstance(value, int)
        ],
    )
    return "\n".join([*lines, ""])


def main() -> int:
    """Write or check the page, and return the exit code."""
    check = parse_check(__doc__)
    return write_or_check({PAGE: page(tomllib.loads(SOURCE.read_text(encoding="utf-8")))}, check=check)


if __name__ == "__main__":
    sys.exit(main())
