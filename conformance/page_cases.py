"""The cases of pages/, as questions: one for each decision about a page."""

import base64
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.cases import ROOT, Case, id_lines

FOLDER = ROOT / "pages"
NEW_YEAR = "2026-01-01T00:00:00+00:00"
# The keys of a case that not every program can read.
OPTIONAL_INPUT = ("tdm_file", "robots")


def load_pages() -> list[Case]:
    """Load the cases. A case with several dialects becomes several cases."""
    return [case for path in sorted(FOLDER.glob("*.toml")) for case in _load_file(path)]


def _load_file(path: Path) -> Iterator[Case]:
    text = path.read_bytes().decode()
    lines = id_lines(text)
    for table in tomllib.loads(text)["case"]:
        for dialect in dict.fromkeys(entry["dialect"] for entry in table["expect"]):
            entries = [entry for entry in table["expect"] if entry["dialect"] == dialect]
            yield Case(
                id=table["id"],
                source=table["source"],
                level=table["level"],
                why=table["why"],
                profiles=(dialect,),
                file=path.relative_to(ROOT).as_posix(),
                line=lines[table["id"]],
                table={"robots": "", "expect": [each for entry in entries for each in _as_questions(table, entry)]},
            )


def _as_questions(table: dict[str, Any], entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    html, now = table.get("html"), entry.get("now")
    page = {
        "headers": table.get("headers", []),
        "html": None if html is None else base64.b64encode(html.encode(table.get("html_encoding", "utf-8"))).decode(),
        "now": NEW_YEAR if now is None else now.isoformat(),
        **{key: table.get(key) for key in OPTIONAL_INPUT},
    }
    for decision, allowed in entry.items():
        if isinstance(allowed, bool) and (decision.startswith("may_") or decision == "available"):
            yield {
                "agent": entry["agent"],
                "star_applies": entry.get("star_applies", True),
                "url": entry.get("url", table.get("url", "https://example.com/")),
                "allowed": allowed,
                "page": {**page, "decision": decision},
            }
