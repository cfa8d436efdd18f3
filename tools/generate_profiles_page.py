"""Turn tables/protocol.toml into docs/profiles.md; with --check, only say whether the page is fresh."""

from __future__ import annotations

import argparse
import sys
import tomllib
from typing import Any

from generate_tables import ROOT, SOURCE, flag_default

PAGE = ROOT / "docs" / "profiles.md"

HEAD = """\
<!-- Generated from tables/protocol.toml by tools/generate_profiles_page.py: edit that file, not this one. -->

# Profiles

A profile says whose reading of the file is used. It is a frozen set of flags and nothing else, so what one does
differently is exactly what this page shows. `canfetch.PROFILES` holds them, and every flag is an attribute. The flag
`robotparser` alone stands for a reader of its own.

Choose one with `canfetch.parse(octets, profile="googlebot")` or `--profile googlebot`. How the flags act, with
examples, is in [Semantics](semantics.md).
"""


def cell(value: int) -> str:
    """Show a flag's value."""
    if isinstance(value, bool):
        return "yes" if value else "-"
    return f"{value:,}" if value else "-"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Lay out a table."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def differences(values: dict[str, Any], default: dict[str, Any], flags: dict[str, Any]) -> list[str]:
    """List the flags that a profile sets in another way than the default, each with its meaning."""
    lines = []
    for flag, facts in flags.items():
        usual = flag_default(flag)
        value = values.get(flag, usual)
        if value == default.get(flag, usual):
            continue
        said = "off" if value is False else "on" if value is True else f"{value:,}"
        lines.append(f"- `{flag}` {said}: {facts['meaning']}")
    return lines or ["In nothing: it has a name of its own for what may come."]


def page(tables: dict[str, Any]) -> str:
    """Render the page."""
    profiles, flags = tables["profiles"], tables["flags"]
    lines = [HEAD, "## Which there are", ""]
    lines += table(
        ["profile", "is", "after"],
        [[f"`{name}`", values["summary"], values["source"]] for name, values in profiles.items()],
    )
    lines += ["", "## Their flags", ""]
    lines += table(
        ["flag", *(f"`{name}`" for name in profiles)],
        [
            [f"`{flag}`", *(cell(values.get(flag, flag_default(flag))) for values in profiles.values())]
            for flag in flags
        ],
    )
    lines += ["", "## How each differs from the default", ""]
    for name, values in list(profiles.items())[1:]:
        lines += [f"### `{name}`", "", *differences(values, next(iter(profiles.values())), flags), ""]
    lines += ["## What the flags mean", ""]
    for name, flag in flags.items():
        lines += [f"`{name}`", f": {flag['meaning']}", f"  Source: {flag['source']}.", ""]
    lines += ["## Spellings", ""]
    lines.append("Keys are compared without regard to letter case. The first spelling is the record's name; the others")
    lines += ["count where the flag `typos` is on.", ""]
    lines += table(
        ["record", "also accepted"],
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
    """Write or check the page; 1 where it is stale under --check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 where the page is stale")
    check = parser.parse_args().check
    text = page(tomllib.loads(SOURCE.read_text(encoding="utf-8")))
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    if not check:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(text, encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} {'is stale' if check else 'written'}")
    return int(check)


if __name__ == "__main__":
    sys.exit(main())
