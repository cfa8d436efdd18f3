"""Write docs/policies.md from tables/access.toml; with --check, only say whether it is fresh."""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tables" / "access.toml"
PAGE = ROOT / "docs" / "policies.md"
INTRODUCTION = """# Access policies

Whose reading of status codes and time a client follows, cell by cell.
This page is made from `tables/access.toml`, as the code is.

A value in *italics* is inherited from `rfc9309`, where a policy's own source says nothing: it is no claim about
that engine. `rules` means that the file decides; `unreachable` that time and the last good copy do.

`site-decides` asks what no robots.txt says: whether the site's other pages can be fetched. Who fetches them knows, and
says it with the question, `client.decide(url, site_reachable=True)`: a site that answers is open then, one that does
not is closed, and so is one of which nothing is said.

`misconfigured_server_error` is a cell of what the crawler knows, too, from pages that it asked for and that are not
there: `Client(..., policy="google2019", misconfigured_origins=["https://example.com"])` names the origins.
"""


def shown(value: Any) -> str:
    """Render a value for a table."""
    if isinstance(value, list):
        return "<br>".join(
            f"from {span(phase['from_seconds'])}: {phase['with_copy']}, or {phase['without_copy']} without a copy"
            for phase in value
        )
    return str(value)


def span(seconds: int) -> str:
    """Render seconds."""
    if seconds and seconds % 86_400 == 0:
        return f"{seconds // 86_400} d"
    return f"{seconds // 3600} h"


def page(tables: dict[str, Any]) -> str:
    """Render the page."""
    policies = tables["policies"]
    lines = [INTRODUCTION, "## What they say", ""]
    lines.append("| cell | " + " | ".join(f"`{name}`" for name in policies) + " |")
    lines.append("|---" * (len(policies) + 1) + "|")
    for cell, about in tables["cells"].items():
        row = [f"`{cell}`: {about['meaning']}"]
        for policy in policies.values():
            own = policy["cells"].get(cell)
            value = shown((own or policies["rfc9309"]["cells"][cell])["value"])
            row.append(value if own else f"*{value}*")
        lines.append("| " + " | ".join(row) + " |")
    for name, policy in policies.items():
        lines += ["", f"## `{name}`", "", policy["summary"], "", "| cell | how binding | source |", "|---|---|---|"]
        lines += [f"| `{cell}` | {filled['level']} | {filled['source']} |" for cell, filled in policy["cells"].items()]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write or check the page; 1 where it is stale under --check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 where the page is stale")
    check = parser.parse_args().check
    text = page(tomllib.loads(SOURCE.read_text(encoding="utf-8")))
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    if not check:
        PAGE.write_text(text, encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} {'is stale' if check else 'written'}")
    return 1 if check else 0


if __name__ == "__main__":
    sys.exit(main())
