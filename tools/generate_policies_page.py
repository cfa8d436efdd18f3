"""Generate docs/policies.md from tables/access.toml, or check that the page is up to date."""

from __future__ import annotations

import sys
import tomllib
from typing import Any

from generated import ROOT, parse_check, write_or_check

SOURCE = ROOT / "tables" / "access.toml"
PAGE = ROOT / "docs" / "policies.md"
INTRODUCTION = """\
<!-- Generated from tables/access.toml by tools/generate_policies_page.py: edit that file, not this one. -->

# Access policies

An access policy defines what a client does with the status code of a robots.txt, with a failure to fetch it, and with
the age of a cached copy. Select one with `Client(..., policy="google")`. The default is `rfc9309`.
To choose other values, [adjust a policy](access.md#adjust-a-policy).

## Values

| value | meaning |
|---|---|
| `rules` | the rules of the file apply |
| `full-allow`, `full-disallow` | every URL of the origin is allowed or disallowed |
| `unreachable` | `while_unreachable` defines what applies, depending on the time since the first failure |
| `copy` | the last good copy applies |
| `truncate` | the part of the file within the size limit applies |
| `site-decides` | everything is allowed if the rest of the site is reachable, and disallowed if not |

For `site-decides`, the caller passes what it knows about the site: `client.decide(url, site_reachable=True)`. Without
this argument, everything is disallowed.

The status decides first, then `oversize`, then [`not_robots`](access.md#pages-instead-of-a-robotstxt). The latter two
only apply to responses whose status means `rules`.

For `misconfigured_server_error`, the caller lists the affected origins: with the policy
`google2019+misconfigured_origins=https://example.com,https://example.org`,
with `Client(..., policy="google2019", misconfigured_origins=["https://example.com"])`,
or with `--policy google2019 --misconfigured-origin https://example.com` on the command line.
"""
INHERITED = """\
A value in *italics* is inherited from `rfc9309`, because the source of the policy does not mention it. It is not a
claim about that crawler."""
# The page scrolls tables of this class, and keeps their first column visible.
WIDE = ":::{container} wide"
LEVELS = """\
The level is MUST, SHOULD or MAY of RFC 9309, `documented` if another source states the value, and `canfetch` if no
source does and the value is a choice of this project."""


VALID = """\
`AccessPolicy.replace` accepts these values. Integers are given as their range. `while_unreachable` is a tuple of
`canfetch.UnreachablePhase(from_seconds, with_copy, without_copy)`, in ascending order and from 0 on."""


def code_list(values: list[str]) -> str:
    """Format values as code, separated by commas."""
    return ", ".join(f"`{value}`" for value in values)


def valid_values(tables: dict[str, Any], setting: dict[str, Any]) -> str:
    """Format the values that a setting can have."""
    if "phases" in setting:
        with_copy, without_copy = (code_list(tables["values"][name]) for name in setting["phases"])
        return f"`with_copy`: {with_copy}<br>`without_copy`: {without_copy}"
    if "values" in setting:
        return code_list(tables["values"][setting["values"]])
    if "origins" in setting:
        return f"a tuple of at most {setting['origins']} origins, such as `https://example.com`"
    return f"{setting['minimum']} to {setting['maximum']}"


def format_value(value: Any) -> str:
    """Format a value for a table cell."""
    if isinstance(value, list):
        return (
            "<br>".join(
                f"from {duration(phase['from_seconds'])}: {phase['with_copy']}; without a copy: {phase['without_copy']}"
                for phase in value
            )
            or "none"
        )
    return str(value)


def duration(seconds: int) -> str:
    """Format a number of seconds as hours or days."""
    if seconds and seconds % 86_400 == 0:
        return f"{seconds // 86_400} d"
    return f"{seconds // 3600} h"


def page(tables: dict[str, Any]) -> str:
    """Render the page."""
    policies = tables["policies"]
    lines = [INTRODUCTION, "## Comparison", ""]
    lines += [INHERITED, "", WIDE, ""]
    lines.append("| setting | " + " | ".join(f"`{name}`" for name in policies) + " |")
    lines.append("|---" * (len(policies) + 1) + "|")
    for setting, about in tables["settings"].items():
        row = [f"`{setting}`: {about['meaning']}"]
        for policy in policies.values():
            own = policy["settings"].get(setting)
            value = format_value((own or policies["rfc9309"]["settings"][setting])["value"])
            row.append(value if own else f"*{value}*")
        lines.append("| " + " | ".join(row) + " |")
    lines += ["", ":::", "", "## Valid values", "", VALID, "", "| setting | values |", "|---|---|"]
    lines += [f"| `{name}` | {valid_values(tables, setting)} |" for name, setting in tables["settings"].items()]
    lines += ["", "## Sources", "", LEVELS]
    for name, policy in policies.items():
        lines += ["", f"### `{name}`", "", policy["summary"], "", "| setting | level | source |", "|---|---|---|"]
        lines += [
            f"| `{setting}` | {filled['level']} | {filled['source']} |"
            for setting, filled in policy["settings"].items()
        ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write or check the page, and return the exit code."""
    check = parse_check(__doc__)
    return write_or_check({PAGE: page(tomllib.loads(SOURCE.read_text(encoding="utf-8")))}, check=check)


if __name__ == "__main__":
    sys.exit(main())
