"""The output of `parse` as an archive: each file comes back as it was, in each format."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.bulk.warc_files import compressed, redirect, response

from canfetch.agents import agent
from canfetch.bulk.archives.archive_job import collect, store_path, write_table
from canfetch.bulk.archives.decisions import NamedAgent
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.sources import find_source
from canfetch.bulk.writing.work_folder import WorkFolder

FORMATS = ["csv", "ndjson", "parquet"]
DECISIONS = TableOptions("decisions", (NamedAgent("GPTBot", agent("GPTBot")),), ("/", "/x"))
RULES = "User-agent: *\nDisallow: /\n"
CONTENTS = {
    "utf-16": RULES.encode("utf-16"),
    "utf-8-mark": RULES.encode("utf-8-sig"),
    "latin-1": f"# caf\xe9\n{RULES}".encode("latin-1"),
    "carriage-returns": RULES.replace("\n", "\r").encode(),
    "line-ends": RULES.replace("\n", "\r\n").encode(),
    "separators": f'# "a",\tb\u2028\x85\n{RULES}'.encode(),
    "null-byte": f"# \0\n{RULES}".encode(),
    "empty": b"",
}


def make_table(source: Path, output: Path, options: TableOptions) -> list[dict[str, Any]]:
    """Write a table, and return its rows if it is NDJSON. No record may be set aside."""
    if output.suffix == ".parquet":
        pytest.importorskip("pyarrow")
    faults: list[Fault] = []
    with WorkFolder(output, output.suffix[1:], {}, restart=True) as work:
        collect([find_source(str(source))], store_path(work), advance=lambda _: None, on_fault=faults.append)
        write_table(work, options, policy="rfc9309", processes=1, advance=lambda _: None)
    assert not faults
    if output.suffix != ".ndjson":
        return []
    return [json.loads(line) for line in output.read_text(encoding="utf-8").split("\n")[:-1]]


def check_round_trip(source: Path, folder: Path, form: str) -> list[dict[str, Any]]:
    """Check that decisions by the output of `parse` are those by its input, and return them."""
    table = folder / f"files.{form}"
    make_table(source, table, TableOptions("files"))
    expected = make_table(source, folder / "expected.ndjson", DECISIONS)
    assert make_table(table, folder / "found.ndjson", DECISIONS) == expected
    first, second = (make_table(path, folder / "f.ndjson", TableOptions("files")) for path in (source, table))
    compared = ("origin", "url", "time", "status", "location", "content_type", "effect", "bytes", "sha256")
    assert [[row[key] for key in compared] for row in second] == [[row[key] for key in compared] for row in first]
    return expected


@pytest.mark.parametrize("form", FORMATS)
def test_responses(tmp_path: Path, form: str) -> None:
    archive = tmp_path / "robots.warc.gz"
    records = [response(f"{name}.example", content) for name, content in CONTENTS.items()]
    records += [
        response("gone.example", b"", status=404),
        redirect("moved.example", "https://empty.example/robots.txt"),
    ]
    archive.write_bytes(compressed(records))
    expected = check_round_trip(archive, tmp_path, form)
    assert [row["allowed"] for row in expected[:2]] == [False, False]


@pytest.mark.parametrize("form", FORMATS)
def test_files_without_a_response(tmp_path: Path, form: str) -> None:
    folder = tmp_path / "robots"
    folder.mkdir()
    for name, content in CONTENTS.items():
        (folder / f"{name}.example.txt").write_bytes(content)
    check_round_trip(folder, tmp_path, form)
