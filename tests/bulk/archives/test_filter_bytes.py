"""Cells of a list of URLs that are not UTF-8: bytes in CSV, data URLs in other text, binary in Parquet."""

import csv
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from tests.bulk.archives.test_filter import make_store
from tests.bulk.captured_items import unexpected
from tests.bulk.warc_files import response
from tests.json_lines import read_json_lines

from canfetch.agents import agent
from canfetch.bulk.archives.decisions import NamedAgent
from canfetch.bulk.archives.filter_job import filter_urls
from canfetch.bulk.archives.filter_lists import FilterOptions, open_list
from canfetch.bulk.writing.columns import plain_value
from canfetch.bulk.writing.work_folder import WorkFolder

CELLS = [
    b"caf\xe9",
    b"caf%E9",
    b"\xff\xfe",
    b"data:;base64,/w==",
    b"",
    b"\xed\xa0\x80",
    b"\xc3\xa9",
    b"a\x00b",
    b"100%",
]
PREFIX = "data:;base64,"


def filtered(folder: Path, name: str, output: str, engine: str = "local") -> Path:
    store = make_store(folder, [response("a.example")])
    options = FilterOptions((NamedAgent("GPTBot", agent("GPTBot")),), "url", None, None, False, "rfc9309", "rfc9309")
    path = folder / output
    with WorkFolder(path, path.suffix.removeprefix("."), {}, restart=True) as work:
        urls = open_list(str(folder / name), None, options)
        filter_urls(
            work, store, [urls], options, processes=1, advance=lambda _: None, on_fault=unexpected, engine=engine
        )
    return path


def restored(text: str) -> bytes:
    """Return the bytes of a cell, as the documentation describes."""
    return b64decode(text.removeprefix(PREFIX)) if text.startswith(PREFIX) else text.encode()


@pytest.mark.parametrize("engine", ["local", "duckdb"])
def test_csv_keeps_its_bytes(tmp_path: Path, engine: str) -> None:
    if engine == "duckdb":
        pytest.importorskip("duckdb")
        pytest.importorskip("pyarrow")
    cells = [cell for cell in CELLS if b"\x00" not in cell]
    rows = [b'https://a.example/,"%b,"' % cell for cell in cells]
    (tmp_path / "urls.csv").write_bytes(b"\n".join([b"url,n\xe9", *rows, b""]))
    lines = filtered(tmp_path, "urls.csv", "out.csv", engine).read_bytes().splitlines()
    assert lines[0] == b"url,n\xe9,allowed,reason,line,rule"
    assert [line.removesuffix(lines[1].removeprefix(rows[0])) for line in lines[1:]] == rows


@pytest.mark.parametrize("form", ["ndjson", "parquet"])
def test_bytes_of_csv_can_be_restored(tmp_path: Path, form: str) -> None:
    cells = [cell for cell in CELLS if b"\x00" not in cell]
    (tmp_path / "urls.csv").write_bytes(b"url,n\xe9\n" + b"".join(b'/,"%b"\n' % cell for cell in cells))
    rows = read(filtered(tmp_path, "urls.csv", f"out.{form}"))
    assert [restored(row[f"{PREFIX}buk="] or "") for row in rows] == cells


def read(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
        return rows
    return read_json_lines(path)


@pytest.mark.parametrize("form", ["ndjson", "csv", "parquet"])
def test_binary_columns_of_parquet(tmp_path: Path, form: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"url": ["https://a.example/"] * len(CELLS), "cell": pyarrow.array(CELLS, pyarrow.binary())})
    parquet.write_table(table, tmp_path / "urls.parquet")
    path = filtered(tmp_path, "urls.parquet", f"out.{form}")
    if form == "parquet":
        assert [row["cell"] for row in read(path)] == CELLS
        assert parquet.read_schema(path).field("cell").type == pyarrow.binary()
        return
    if form == "csv":
        texts = [row["cell"] for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())]
    else:
        texts = [row["cell"] for row in read(path)]
    assert list(map(restored, texts)) == CELLS
    assert texts[:2] == [f"{PREFIX}Y2Fm6Q==", "caf%E9"]


def test_surrogates_of_json_are_not_bytes(tmp_path: Path) -> None:
    (tmp_path / "urls.ndjson").write_bytes(b'{"url": "https://a.example/", "cell": "\\ud800"}\n')
    [row] = read(filtered(tmp_path, "urls.ndjson", "out.ndjson"))
    assert restored(row["cell"]) == b"\xed\xa0\x80"
    assert b'"data:;base64,7aCA"' in filtered(tmp_path, "urls.ndjson", "out.csv").read_bytes()


def test_values_in_lists_and_maps() -> None:
    assert plain_value({b"\xff": [b"\x00", "caf\udce9", b"text"]}) == {
        f"{PREFIX}/w==": [f"{PREFIX}AA==", f"{PREFIX}Y2Fm6Q==", "text"]
    }
