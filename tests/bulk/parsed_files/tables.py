"""Tables of `canfetch bulk parse`: made from archives, or row by row, and the decisions about them."""

import json
from hashlib import sha256
from pathlib import Path
from shutil import copy
from typing import Any, NamedTuple

import pytest
from tests.json_lines import read_json_lines

from canfetch.agents import agent
from canfetch.bulk import Files
from canfetch.bulk.archives.archive_job import collect, store_path, write_table
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.reading.sources import find_source
from canfetch.bulk.writing.work_folder import WorkFolder

pa = pytest.importorskip("pyarrow")

Row = dict[str, Any]
Decision = tuple[bool | None, str | None]
DISALLOW = "User-agent: *\nDisallow: /"
PRIVATE = "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /gpt"
PATHS = ["/", "/private/x", "/gpt", "/robots.txt"]


def parse_archive(folder: Path, captures: list[Row], policy: str = "rfc9309") -> list[Row]:
    """Return the rows of `canfetch bulk parse`. The captures are in `captures.sqlite`."""
    archive = folder / "files.ndjson"
    archive.write_text("".join(json.dumps(capture) + "\n" for capture in captures), encoding="utf-8")
    work = WorkFolder(folder / "out.ndjson", "ndjson", {}, restart=True)
    store = store_path(work)
    collect([find_source(str(archive))], store, advance=lambda _: None, on_fault=lambda _: None)
    # The end of the run removes the store.
    copy(store, folder / "captures.sqlite")
    write_table(work, TableOptions("files"), policy=policy, processes=1, advance=lambda _: None)
    return read_json_lines(folder / "out.ndjson")


def row(origin: str, effect: str | None, redirects: Any = 0, final: str | None = None, **cells: Any) -> Row:
    """Return a row of an origin, or of a host without a scheme."""
    url = f"{origin}/robots.txt" if "://" in origin else f"https://{origin}/robots.txt"
    return {"origin": origin, "url": url, "effect": effect, "redirects": redirects, "final_url": final or url} | cells


def hashed(cells: Row, final: str | None = None) -> Row:
    """Return a row with the hash of its content, and that of the content to which its redirect led."""
    digests = [None if text is None else sha256(text.encode()).hexdigest() for text in (cells["content"], final)]
    return cells | {"sha256": digests[0], "final_sha256": digests[1]}


def decisions_at(files: Files, origin: str) -> list[Decision]:
    """Return the decision about each of `PATHS`, on which all methods of the table agree."""
    found = files.decide_at([origin] * len(PATHS), agent("GPTBot"), PATHS).to_pylist()
    assert files.allows_at(origin, agent("GPTBot"), PATHS).to_pylist() == [each["allowed"] for each in found]
    assert files.matrix_at(origin, ["GPTBot"], PATHS).to_pylist() == [{"GPTBot": each["allowed"]} for each in found]
    return [(each["allowed"], each["reason"]) for each in found]


def home_page_decisions(source: Any, origins: list[str], engine: str) -> list[Decision]:
    """Return the decision about the home page of each origin, by a table of any library."""
    files = Files(source, id="origin", engine=engine)
    return [decisions_at(files, origin)[0] for origin in origins]


def decide_rows(rows: list[Row], engine: str, *columns: str) -> list[Decision]:
    """Return the decision about the home page of each row, by a table of these columns, or of all."""
    table = pa.Table.from_pylist(rows)
    return home_page_decisions(table.select(columns) if columns else table, [each["origin"] for each in rows], engine)


class Case(NamedTuple):
    """A row of a table, and the decision about its home page."""

    row: Row
    decision: Decision


CASES = {
    "file": Case(row("https://a.example", "conditional-allow", content=DISALLOW), (False, "disallow-rule")),
    "redirect to the file": Case(
        row("https://b.example", "conditional-allow", 1, "https://a.example/robots.txt", content=""),
        (False, "disallow-rule"),
    ),
    "server error": Case(row("https://c.example", "full-disallow", content="busy"), (False, "unreachable")),
    "missing file": Case(row("https://d.example", "full-allow", content="gone"), (True, "unavailable")),
    "redirect without effect": Case(row("https://e.example", None, 1, content=""), (None, "redirect-unresolved")),
    "unknown redirects": Case(
        row("https://f.example", "conditional-allow", None, content=""), (None, "redirect-unresolved")
    ),
    "content left out": Case(row("https://g.example", "conditional-allow", content=None), (None, "no-robots")),
}
ROWS = [case.row for case in CASES.values()]
ORIGINS = [each["origin"] for each in ROWS]
DECISIONS = [case.decision for case in CASES.values()]
FILE, REDIRECT, SERVER_ERROR = (CASES[name].row for name in ("file", "redirect to the file", "server error"))
