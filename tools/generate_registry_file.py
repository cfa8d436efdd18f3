"""Write src/canfetch/agents/registry.json in its one form; with --check, only report whether it has that form.

Edit the file in an editor, then run this program: a crawler has one line for each field and for each header, and its
fields are in the order of `canfetch.Crawler`.

    python tools/generate_registry_file.py [--check]
"""

import json
import sys
from collections.abc import Mapping
from typing import Any

from canfetch.agents import Crawler
from canfetch.agents.releases import parse_release
from generated import ROOT, parse_check, write_or_check

TARGET = ROOT / "src" / "canfetch" / "agents" / "registry.json"
OTHER_HEADERS = ROOT / "tests" / "agents" / "other_headers.json"
# As in `Crawler`, with the source beside its date, and the long lists last.
_LAST = ("verification", "comment", "headers")
_FIRST = ("tokens", "operator", "purposes", "source", "source_kind", "checked")
ORDER = (*_FIRST, *(field for field in Crawler._fields if field not in {*_FIRST, *_LAST}), *_LAST)


def format_release(plain: Mapping[str, Any]) -> str:
    """Return a release as text: the same for the same values, and with a line for each value that may change."""
    lists = {"crawlers": _crawler, "other_headers": _value}
    parts = []
    for key, value in plain.items():
        if key in lists:
            rows = ",\n".join(f"  {lists[key](row)}" for row in value)
            parts.append(f' "{key}": [\n{rows}\n ]')
        else:
            parts.append(f' "{key}": {_value(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _crawler(row: Mapping[str, Any]) -> str:
    fields = []
    for key in sorted(row, key=ORDER.index):
        if key == "headers":
            headers = ",\n".join(f"    {_value(header)}" for header in row[key])
            fields.append(f'   "headers": [\n{headers}\n   ]')
        else:
            fields.append(f'   "{key}": {_value(row[key])}')
    return "{\n" + ",\n".join(fields) + "\n  }"


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def read_plain() -> dict[str, Any]:
    """Return the values of the file, which are valid."""
    content = TARGET.read_bytes()
    parse_release(content)
    plain: dict[str, Any] = json.loads(content)
    return plain


def main() -> int:
    """Write or check the file, and return the exit code."""
    check = parse_check(__doc__)
    return write_or_check({TARGET: format_release(read_plain())}, check=check)


if __name__ == "__main__":
    sys.exit(main())
