"""`canfetch bulk`: archives without content."""

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Any
ROW = json.dumps({"url": "https://a.example/robots.txt", "content": ""}) + "\n"
PLAIN: list[tuple[str, Callable[[bytes], bytes]]] = [
    (f"empty.{suffix}", bytes) for suffix in ("ndjson", "csv", "tsv", "warc")
]
COMPRESSED: list[tuple[str, Callable[[bytes], bytes]]] = [
    (f"empty.{suffix}.gz", gzip.compress) for suffix in ("ndjson", "csv", "warc")
]


@pytest.mark.parametrize("name, compress", [*PLAIN, *COMPRESSED, ("empty.ndjson.bz2", bz2.compress)])
def test_an_empty_archive_is_named_and_the_others_are_read(
    run: Run, folder: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    (folder / name).write_bytes(compress(b""))
    (folder / "rows.ndjson").write_text(ROW, encoding="utf-8")
    done = run("bulk", "parse", name, "rows.ndjson", "-o", "out.ndjson", "-j1")
    warnings = f"canfetch: warning: {name}:0: set aside: the file is empty\n"
    warnings += f"canfetch: warning: '{name}': no record can be used\n"
    assert done == (
        2,
        "",
        f"{warnings}canfetch: wrote 1 file to out.ndjson; at least 1 record in 1 file was set aside\n",
    )


def test_a_table_can_have_parts_without_a_row(run: Run, folder: Path) -> None:
    (folder / "rows").mkdir()
    (folder / "rows" / "part-00000.json").touch()
    (folder / "rows" / "part-00001.json").write_text(ROW, encoding="utf-8")
    done = run("bulk", "parse", "rows", "-o", "out.ndjson", "-j1")
    assert done == (0, "", "canfetch: wrote 1 file to out.ndjson\n")


def test_an_empty_parquet_file(run: Run, folder: Path) -> None:
    pytest.importorskip("pyarrow")
    (folder / "empty.parquet").touch()
    (folder / "rows.ndjson").write_text(ROW, encoding="utf-8")
    done = run("bulk", "parse", "empty.parquet", "rows.ndjson", "-o", "out.ndjson", "-j1")
    assert done.err.startswith("canfetch: warning: empty.parquet:0: set aside: the file is empty\n")
    assert (done.code, "wrote 1 file" in done.err) == (2, True)


def test_a_run_that_writes_no_file_has_a_warning(run: Run, folder: Path) -> None:
    (folder / "blank.ndjson").write_text("\n \n", encoding="utf-8")
    done = run("bulk", "parse", "blank.ndjson", "-o", "out.ndjson", "-j1")
    assert done.err.endswith(
        "canfetch: warning: wrote 0 files to out.ndjson; at least 1 record in 1 file was set aside\n"
    )
    assert done.code == 2
    # A header is content.
    (folder / "header.csv").write_text("url,content\n", encoding="utf-8")
    done = run("bulk", "parse", "header.csv", "-o", "rows.csv", "-j1")
    assert done == (0, "", "canfetch: warning: wrote 0 files to rows.csv\n")
