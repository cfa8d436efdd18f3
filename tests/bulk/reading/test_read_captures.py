"""`read_captures`: robots.txt files only, from every format."""

import json
from pathlib import Path

import pytest
from tests.bulk.warc_files import compressed, http_response, record, redirect, response

from canfetch.bulk.reading import Capture, Fault, read_captures
from canfetch.errors import InvalidOption

URLS = ["https://a.example/robots.txt", "https://b.example/robots.txt"]
OTHERS = ["https://a.example/index.html", "https://b.example/moved"]


def urls(path: Path) -> list[str]:
    items = list(read_captures(str(path)))
    assert not [item for item in items if isinstance(item, Fault)]
    return [item.url for item in items if isinstance(item, Capture)]


def test_other_pages_of_a_warc_file_are_left_out(tmp_path: Path) -> None:
    others = [record(url, http_response(b"")) for url in OTHERS]
    records = [response("a.example"), redirect("b.example", OTHERS[1]), *others]
    (tmp_path / "a.warc.gz").write_bytes(compressed(records))
    assert urls(tmp_path / "a.warc.gz") == URLS


def test_other_pages_of_a_table_are_left_out(tmp_path: Path) -> None:
    rows = [{"url": url, "content": "", "status": 200} for url in (*URLS, *OTHERS)]
    (tmp_path / "a.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert urls(tmp_path / "a.ndjson") == URLS
    text = "url,content,status\n" + "".join(f"{url},,404\n" for url in (*URLS, *OTHERS))
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    assert urls(tmp_path / "a.csv") == URLS


def test_two_columns_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("host,content,Content\na.example,x,y\n", encoding="utf-8")
    with pytest.raises(InvalidOption, match=r"a\.csv' has two columns 'content': rename one"):
        list(read_captures(str(tmp_path / "a.csv")))
    # Columns that are not read may have any name.
    (tmp_path / "b.csv").write_text("host,content,x,x\na.example,,1,2\nb.example,,1,2\n", encoding="utf-8")
    assert len(list(read_captures(str(tmp_path / "b.csv")))) == 2


def test_two_columns_of_the_same_name_in_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    columns = [pa.array(["a.example"]), pa.array(["x"]), pa.array(["y"])]
    pq.write_table(pa.table(columns, names=["host", "content", "content"]), tmp_path / "a.parquet")
    with pytest.raises(InvalidOption, match="has two columns 'content': rename one"):
        list(read_captures(str(tmp_path / "a.parquet")))


@pytest.mark.parametrize("column", ["origin", "host"])
@pytest.mark.parametrize("rest", ["/path", "/robots.txt?x", "?x"])
def test_a_page_in_the_place_of_an_origin_is_set_aside(tmp_path: Path, column: str, rest: str) -> None:
    origins = [f"https://a.example{rest}", "https://a.example/", "https://b.example/robots.txt"]
    text = "".join(json.dumps({column: origin, "content": ""}) + "\n" for origin in origins)
    (tmp_path / "a.ndjson").write_text(text, encoding="utf-8")
    fault, *captures = read_captures(str(tmp_path / "a.ndjson"))
    assert isinstance(fault, Fault)
    expected = f"invalid origin {origins[0]!r}: expected one without a path, such as https://a.example"
    assert (fault.position, fault.reason) == (1, expected)
    assert [capture.url for capture in captures if isinstance(capture, Capture)] == URLS


def test_a_page_in_the_name_of_a_file_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "https%3A%2F%2Fa.example%2Fpath.txt").write_bytes(b"")
    (fault,) = read_captures(str(tmp_path))
    assert isinstance(fault, Fault)
    assert "expected one without a path, such as https://a.example" in fault.reason


def test_checksums_of_parquet_pages(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table(
        {"host": [f"h{n}.example" for n in range(300)], "content": [f"Disallow: /{n}" for n in range(300)]}
    )
    path = tmp_path / "rows.parquet"
    options = {"compression": "none", "use_dictionary": False, "write_page_checksum": True}
    pq.write_table(table, path, row_group_size=100, **options)
    path.write_bytes(path.read_bytes().replace(b"Disallow: /177", b"Xisallow: /177", 1))
    items = list(read_captures(str(path)))
    assert [item.position for item in items if isinstance(item, Capture)] == [*range(1, 101), *range(201, 301)]
    (fault,) = [item for item in items if isinstance(item, Fault)]
    assert (fault.position, fault.is_end) == (101, True)
    assert "CRC checksum verification failed" in fault.reason


@pytest.mark.parametrize("status", ["404.5", "503.5", "true", '"404.5"', "1e400"])
def test_a_status_that_is_not_a_whole_number_is_set_aside(tmp_path: Path, status: str) -> None:
    rows = f'{{"host": "a.example", "status": {status}}}\n{{"host": "a.example", "status": 404.0}}\n'
    (tmp_path / "a.ndjson").write_text(rows, encoding="utf-8")
    fault, capture = read_captures(str(tmp_path / "a.ndjson"))
    assert isinstance(fault, Fault)
    assert fault.reason.startswith("invalid status ")
    assert isinstance(capture, Capture)
    assert capture.status == 404


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_csv_in_utf_16(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.csv").write_bytes("\ufeffhost,content\na.example,\n".encode(encoding))
    with pytest.raises(InvalidOption, match=r"a\.csv' is encoded as UTF-16: expected UTF-8"):
        list(read_captures(str(tmp_path / "a.csv")))
