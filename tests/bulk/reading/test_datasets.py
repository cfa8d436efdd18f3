"""Folders with the parts of a table or an archive."""

from pathlib import Path

import pytest
from tests.bulk.warc_files import compressed, response

from canfetch.bulk.reading import read_captures
from canfetch.bulk.reading.captures import Capture, Fault
from canfetch.bulk.reading.datasets import list_parts
from canfetch.bulk.reading.folders import has_files
from canfetch.errors import InvalidOption


def fill(folder: Path, *names: str) -> str:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")
    return str(folder)


def parts(folder: Path, form: str | None = None) -> list[str]:
    return [str(Path(part).relative_to(folder)) for part in list_parts(str(folder), form)]


def test_parts_of_a_dataset(tmp_path: Path) -> None:
    fill(tmp_path, "_SUCCESS", ".part-0.crc", "_temporary/x", "part-1.parquet", "part-0.snappy.parquet", "2/a.parquet")
    assert parts(tmp_path) == ["part-0.snappy.parquet", "part-1.parquet", "2/a.parquet"]
    assert parts(tmp_path, "folder") == ["."]


def test_folders_of_robots_files_are_not_divided(tmp_path: Path) -> None:
    fill(tmp_path, "a.example.txt", "b.example/robots.txt")
    assert parts(tmp_path) == ["."]
    assert parts(tmp_path, "csv") == ["a.example.txt", "b.example/robots.txt"]
    assert list_parts(str(tmp_path / "a.example.txt")) == [str(tmp_path / "a.example.txt")]


@pytest.mark.parametrize(
    "names, message",
    [
        (["a.parquet", "b.example.txt"], r"has '.*a\.parquet' and '.*b\.example\.txt': pass tables"),
        (["b.example.txt", "c.parquet"], r"has '.*c\.parquet' and '.*b\.example\.txt': pass tables"),
        (["b.example/robots.txt", "a.csv"], r"has '.*a\.csv' and '.*robots\.txt': pass tables"),
        (["readme.example.txt", "z/z.csv"], r"has '.*z\.csv' and '.*readme\.example\.txt': pass tables"),
        (["infos.json", "z.parquet"], r"has '.*z\.parquet' and '.*infos\.json': pass tables"),
        (["z.json", "a.csv"], r"has '.*a\.csv' and '.*z\.json': pass tables"),
        (["date=1/a.parquet"], "partitioned by 'date', so that its files lack this column"),
        (["a.parquet", "_delta_log/0.json"], "is a Delta table"),
    ],
)
def test_folders_that_are_not_a_whole_table(tmp_path: Path, names: list[str], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        list_parts(fill(tmp_path, *names))


def test_captures_of_a_folder_of_archives(tmp_path: Path) -> None:
    for name in "ba":
        (tmp_path / f"{name}.warc.gz").write_bytes(compressed([response(f"{name}.example")]))
    items = list(read_captures(str(tmp_path)))
    assert [item.owner for item in items if isinstance(item, Capture)] == ["https://a.example", "https://b.example"]
    assert [item.source for item in items] == [str(tmp_path / name) for name in ("a.warc.gz", "b.warc.gz")]


def test_a_table_among_robots_files_is_set_aside_in_an_explicit_folder(tmp_path: Path) -> None:
    fill(tmp_path, "a.example.txt", "b.parquet", "c.example.txt")
    items = list(read_captures(str(tmp_path), format="folder"))
    assert [item.owner for item in items if isinstance(item, Capture)] == ["a.example", "c.example"]
    assert [item.reason.partition(":")[0] for item in items if isinstance(item, Fault)] == ["b.parquet"]


@pytest.mark.parametrize("table", ["a.parquet", "z.warc.gz"])
def test_documentation_next_to_tables_is_skipped(tmp_path: Path, table: str) -> None:
    documentation = ["README", "README.md", "LICENSE.txt", "Licence", "CHECKSUMS.md5", "notes.md", "part.parquet.crc"]
    fill(tmp_path, table, *documentation)
    assert parts(tmp_path) == [table]
    assert parts(tmp_path, "parquet") == [table]
    assert len(parts(tmp_path, "text")) == 8


def test_documentation_without_tables_is_that_of_robots_files(tmp_path: Path) -> None:
    fill(tmp_path, "readme.md", "a.example.txt")
    assert parts(tmp_path) == ["."]


def test_json_of_spark(tmp_path: Path) -> None:
    fill(tmp_path, "_SUCCESS", "part-00001.json")
    (tmp_path / "part-00000.json").write_text('{"host": "a.example", "content": ""}\n', encoding="utf-8")
    assert parts(tmp_path) == ["part-00000.json", "part-00001.json"]
    assert [item.owner for item in read_captures(str(tmp_path)) if isinstance(item, Capture)] == ["a.example"]
    fill(tmp_path, "part-00002.json.gz", "more.ndjson")
    assert parts(tmp_path) == ["more.ndjson", "part-00000.json", "part-00001.json", "part-00002.json.gz"]


@pytest.mark.parametrize(
    "name",
    [
        "part-00000",
        "part-r-00001",
        "part-00000.gz",
        "part-00000-0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f-c000.txt",
        "part-00000-0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f.c000.txt.gz",
    ],
)
def test_text_of_spark_is_not_the_file_of_a_host(tmp_path: Path, name: str) -> None:
    fill(tmp_path, "_SUCCESS", name, "README.md")
    with pytest.raises(InvalidOption, match="its name does not show: pass it, such as --input-format ndjson"):
        list(read_captures(str(tmp_path)))
    assert len(parts(tmp_path, "ndjson")) == 1
    # A stray file costs no other file.
    fill(tmp_path, "part-00000.example.txt")
    items = list(read_captures(str(tmp_path)))
    assert [item.owner for item in items if isinstance(item, Capture)] == ["part-00000.example"]
    assert f"{name}: text of Spark by its name, and not a robots.txt" in [
        item.reason for item in items if isinstance(item, Fault)
    ]
    fill(tmp_path, "a.parquet")
    with pytest.raises(InvalidOption, match="pass tables and archives one by one"):
        parts(tmp_path)


def test_text_of_spark_with_a_format(tmp_path: Path) -> None:
    (tmp_path / "part-00000").write_text('{"host": "a.example", "content": ""}\n', encoding="utf-8")
    items = list(read_captures(str(tmp_path), format="ndjson"))
    assert [item.owner for item in items if isinstance(item, Capture)] == ["a.example"]


def test_a_json_array_is_not_a_table(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[\n{"host": "a.example", "content": ""}]', encoding="utf-8")
    with pytest.raises(InvalidOption, match="is a JSON array: expected one JSON object per line"):
        list(read_captures(str(path)))


def test_files_about_a_dataset_are_not_hosts(tmp_path: Path) -> None:
    fill(tmp_path, "_SUCCESS", "_temporary/a.example.txt")
    assert not has_files(str(tmp_path))
    assert list(read_captures(str(tmp_path))) == []
    fill(tmp_path, "a.example.txt")
    assert has_files(str(tmp_path))
    assert [item.owner for item in read_captures(str(tmp_path)) if isinstance(item, Capture)] == ["a.example"]


def test_documentation_among_robots_files_is_set_aside(tmp_path: Path) -> None:
    fill(tmp_path, "README.md", "a.example.txt", "hosts/LICENSE")
    items = list(read_captures(str(tmp_path)))
    assert [item.owner for item in items if isinstance(item, Capture)] == ["a.example"]
    assert [item.reason.partition(":")[0] for item in items if isinstance(item, Fault)] == [
        "README.md",
        "hosts/LICENSE",
    ]
