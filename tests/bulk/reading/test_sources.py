"""Folders, tar files and tables as archives of robots.txt files."""

import bz2
import csv
import gzip
import io
import json
import sys
import tarfile
from base64 import b64encode
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.bulk.captured_items import captures
from tests.bulk.traced_memory import with_peak_memory
from tests.bulk.warc_files import RULES, compressed, response

from canfetch.bulk.reading.captures import NO_RESPONSE, Capture, Fault, Name
from canfetch.bulk.reading.file_names import parse_file_name
from canfetch.bulk.reading.row_files import CUT_ROW, MAX_LINE_BYTES, TOO_LONG, BadRows, read_ndjson
from canfetch.bulk.reading.rows import to_capture
from canfetch.bulk.reading.sources import find_source, read_captures, read_source
from canfetch.bulk.reading.url_lists import list_format, read_url_rows
from canfetch.core.lines import BYTE_ORDER_MARK
from canfetch.errors import InvalidOption, InvalidURL

TIME = 1777636800.0


def read(path: Path, form: str | None = None) -> list[Capture | Fault]:
    return list(read_source(find_source(str(path), form), wants=lambda _: True))


def reasons(items: list[Capture | Fault]) -> list[str]:
    return [item.reason for item in items if isinstance(item, Fault)]


@pytest.mark.parametrize(
    "text, name",
    [
        ("example.com", ("example.com", "https://example.com/robots.txt")),
        ("EXAMPLE.com:8443", ("example.com:8443", "https://example.com:8443/robots.txt")),
        ("example.com/robots.txt", ("example.com", "https://example.com/robots.txt")),
        ("http://example.com", ("http://example.com", "http://example.com/robots.txt")),
        ("http://EXAMPLE.com:80/robots.txt#x", ("http://example.com", "http://example.com/robots.txt")),
        ("https://example.com/a?b", ("https://example.com", "https://example.com/a?b")),
        ("https://example.com?b", ("https://example.com", "https://example.com/?b")),
    ],
)
def test_names(text: str, name: tuple[str, str]) -> None:
    assert Name.parse(text) == name


@pytest.mark.parametrize("text", ["", "/robots.txt", "a b", "https://", "example.com/other", "http://[::1"])
def test_invalid_names(text: str) -> None:
    with pytest.raises(InvalidURL):
        Name.parse(text)


@pytest.mark.parametrize(
    "path, owner, time",
    [
        ("example.com.txt", "example.com", None),
        ("example.com", "example.com", None),
        ("example.com_8443.txt", "example.com:8443", None),
        ("https%3A%2F%2Fexample.com.txt", "https://example.com", None),
        ("sites/example.com/robots.txt", "example.com", None),
        ("example.com/2026-05-01T12-00-00Z.txt", "example.com", TIME),
        ("./example.com/2026-05-01.txt", "example.com", TIME - 43_200),
        ("Example.com.TXT", "example.com", None),
        ("example.com/2026-05-01.TXT", "example.com", TIME - 43_200),
        # A host that starts like a date.
        ("sites/2026-05-01.example.com.txt", "2026-05-01.example.com", None),
        ("2026-13-99.example.com", "2026-13-99.example.com", None),
    ],
)
def test_file_names(path: str, owner: str, time: float | None) -> None:
    parsed = parse_file_name(path)
    assert (parsed.name.owner, parsed.time) == (owner, time)


@pytest.mark.parametrize(
    "path, message",
    [
        ("example.com/2026-13-99.txt", "invalid date '2026-13-99'"),
        ("example.com/2026-05-01T25-00-00Z.txt", "invalid date '2026-05-01T25-00-00Z'"),
        ("2026-13-99", "invalid date '2026-13-99'"),
        ("2026-05-01.txt", r"no host in the name '2026-05-01\.txt'"),
        ("Robots.txt", r"no host in the name 'Robots\.txt': expected a name such as example\.com\.txt"),
    ],
)
def test_file_names_without_a_host_or_a_date(path: str, message: str) -> None:
    with pytest.raises(InvalidURL, match=message):
        parse_file_name(path)


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "b.example.txt").write_bytes(RULES)
    (tmp_path / "a.example").mkdir()
    (tmp_path / "a.example" / "2026-05-01.txt").write_bytes(RULES)
    (tmp_path / "a.example" / "robots.txt").write_bytes(b"")
    (tmp_path / "not a host.txt").write_bytes(RULES)
    (tmp_path / ".hidden").write_bytes(RULES)
    (tmp_path / "dangling.example.txt").symlink_to(tmp_path / "absent")
    (tmp_path / "linked.example").symlink_to(tmp_path / "a.example")
    items = read(tmp_path)
    assert [(item.owner, item.status) for item in captures(items)] == [
        ("b.example", None),
        ("a.example", None),
        ("a.example", None),
    ]
    assert [reason.partition(":")[0] for reason in reasons(items)] == [
        "linked.example",
        "dangling.example.txt",
        "not a host.txt",
    ]


def make_tar(path: Path, mode: str = "w") -> bytes:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for host in ("a.example", "b.example"):
            member = tarfile.TarInfo(f"robots/{host}.txt")
            member.size = len(RULES)
            archive.addfile(member, io.BytesIO(RULES))
    return path.read_bytes()


@pytest.mark.parametrize("suffix, mode", [("tar", "w"), ("tar.gz", "w:gz"), ("tgz", "w:gz"), ("tar.xz", "w:xz")])
def test_tar(tmp_path: Path, suffix: str, mode: str) -> None:
    path = tmp_path / f"files.{suffix}"
    make_tar(path, mode)
    items = read(path)
    assert not reasons(items)
    assert [(item.owner, item.content) for item in captures(items)] == [("a.example", RULES), ("b.example", RULES)]


@pytest.mark.slow
@pytest.mark.parametrize("suffix, mode", [("tar", "w"), ("tar.gz", "w:gz"), ("tar.bz2", "w:bz2"), ("tar.xz", "w:xz")])
def test_truncated_tar(tmp_path: Path, suffix: str, mode: str) -> None:
    path = tmp_path / f"files.{suffix}"
    content = make_tar(path, mode)
    # After both files, the zeros of the end marker and of the padding follow.
    end_of_files = 2 * 1024 if mode == "w" else len(content)
    for end in [*range(1, end_of_files, 61 if mode == "w" else 1), *range(512, end_of_files + (mode == "w"), 512)]:
        path.write_bytes(content[:end])
        items = read(path)
        assert all(item.content == RULES for item in captures(items)), end
        assert [item.is_end for item in items if isinstance(item, Fault)] == [True], end


ROWS: list[dict[str, Any]] = [
    {"origin": "https://a.example", "time": "2026-05-01T12:00:00Z", "status": 200, "content": "Disallow: /\n"},
    {"origin": "b.example", "time": None, "status": 404, "content": None},
    {"origin": "c.example", "time": None, "status": 200, "content": None},
    {"origin": None, "time": None, "status": 200, "content": ""},
    {"origin": "d.example", "time": None, "status": 200, "content": ""},
    {"origin": "e.example", "time": "soon", "status": 200, "content": ""},
    {"origin": "f.example", "time": None, "status": 7, "content": ""},
]
REASONS = [
    "no content: expected text or bytes in the column content, or the status 0 if there was no response",
    "no origin: expected text in the column origin, host or url",
    "invalid time 'soon': expected one such as 2026-05-01T12:30:00Z, or seconds since the epoch",
    "invalid status '7': expected a number such as 200, or 0 for no response",
]


def check_rows(items: list[Capture | Fault]) -> None:
    assert [(item.owner, item.time, item.status, item.content) for item in captures(items)] == [
        ("https://a.example", TIME, 200, b"Disallow: /\n"),
        ("b.example", None, 404, b""),
        ("d.example", None, 200, b""),
    ]
    assert reasons(items) == REASONS


@pytest.mark.parametrize("is_compressed", [False, True])
def test_ndjson(tmp_path: Path, *, is_compressed: bool) -> None:
    content = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    path = tmp_path / ("rows.ndjson.gz" if is_compressed else "rows.ndjson")
    path.write_bytes(gzip.compress(content) if is_compressed else content)
    check_rows(read(path))


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "rows.parquet", row_group_size=2)
    check_rows(read(tmp_path / "rows.parquet"))


def test_parquet_that_is_cut(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    path.write_bytes(path.read_bytes()[:-10])
    (fault,) = read(path)
    assert isinstance(fault, Fault)
    assert (fault.position, fault.is_end, fault.lost) == (0, True, None)
    assert fault.reason.startswith("not a valid Parquet file: ")


@pytest.mark.slow
@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_damaged_parquet(tmp_path: Path, compression: str) -> None:
    """Content is damaged anywhere: each row is read or counted as lost, or the file is set aside as a whole."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    table = pyarrow.table({"host": [f"h{n}.example" for n in range(300)], "content": ["user-agent: *\n"] * 300})
    parquet.write_table(table, path, row_group_size=100, compression=compression)
    whole = path.read_bytes()
    random = Random(9309)  # noqa: S311 - damage of a test
    unreadable = 0
    for _ in range(200):
        content = bytearray(whole)
        content[random.randrange(len(content))] ^= random.randrange(1, 256)
        path.write_bytes(content)
        try:
            items = read(path)
        except InvalidOption as error:
            # A name of a column.
            assert "expected a column origin" in str(error)  # noqa: PT017 - most are read
            continue
        lost = [item.lost for item in items if isinstance(item, Fault)]
        if lost == [None]:
            unreadable += 1
        elif b"ARROW:schema" in content and len(content) == len(whole):
            assert len(captures(items)) + sum(count or 0 for count in lost) == 300
    assert 0 < unreadable < 200


def test_reading_continues_after_a_damaged_row_group(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    table = pyarrow.table({"host": [f"h{n}.example" for n in range(300)], "content": [f"# {n}" for n in range(300)]})
    parquet.write_table(table, path, row_group_size=100, compression="zstd")
    content = bytearray(path.read_bytes())
    pages = parquet.ParquetFile(path).metadata.row_group(1).column(1)
    start, size = pages.dictionary_page_offset, pages.total_compressed_size
    content[start : start + size] = b"\xff" * size
    path.write_bytes(content)
    items = read(path)
    assert [capture.position for capture in captures(items)] == [*range(1, 101), *range(201, 301)]
    (fault,) = [item for item in items if isinstance(item, Fault)]
    assert (fault.position, fault.is_end, fault.lost) == (101, True, 100)
    assert fault.reason.startswith("the last 100 rows of this row group cannot be read: ")


def test_rows_before_damage_within_a_row_group_are_read(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    contents = [f"# content of row {n}\n" for n in range(6000)]
    table = pyarrow.table({"host": [f"h{n}.example" for n in range(6000)], "content": contents})
    parquet.write_table(table, path, compression="none", use_dictionary=False)
    whole = path.read_bytes()
    text = contents[3900].encode()
    damaged = whole.replace(len(text).to_bytes(4, "little") + text, b"\xff\xff\xff\x7f" + text, 1)
    assert damaged != whole
    path.write_bytes(damaged)
    items = read(path)
    (fault,) = [item for item in items if isinstance(item, Fault)]
    rows = [capture.position for capture in captures(items)]
    assert rows == [*range(1, fault.position)]
    assert 3900 - 256 < fault.position <= 3901
    assert fault.lost == 6001 - fault.position


def test_parquet_with_text_that_is_not_utf_8(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    content = pyarrow.array([b"# caf\xe9\n", b"#\n"]).view(pyarrow.string())
    parquet.write_table(pyarrow.table({"host": ["a.example", "b.example"], "content": content}), tmp_path / "r.parquet")
    assert [capture.content for capture in captures(read(tmp_path / "r.parquet"))] == [b"# caf\xe9\n", b"#\n"]


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, ROWS[0])
        writer.writeheader()
        # A missing cell of CSV is an empty one, which counts as an empty file if there is a status.
        writer.writerows(row for row in ROWS if row["origin"] != "c.example")
        writer.writerow({"origin": "g.example", "time": "", "status": "", "content": ""})
    items = read(path)
    assert [item.owner for item in captures(items)] == ["https://a.example", "b.example", "d.example"]
    assert reasons(items) == [*REASONS[1:], REASONS[0]]


def test_csv_with_broken_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(
        'url,status,content\nhttps://a.example/robots.txt,404\na.example,404,x,y\nb.example,404,""x\nc.example,404,\n',
        encoding="utf-8",
    )
    items = read(path)
    assert [item.owner for item in captures(items)] == ["c.example"]
    assert reasons(items) == [
        "the row has 2 cells: expected 3",
        "the row has 4 cells: expected 3",
        "invalid CSV: ',' expected after '\"'",
    ]


@pytest.mark.parametrize("name", ["rows.csv.bz2", "rows.ndjson.bz2", "rows"])
def test_tables_and_lists_compressed_with_bzip2(tmp_path: Path, name: str) -> None:
    row = {"host": "a.example", "content": "x" * 5_000, "url": "https://a.example/robots.txt"}
    is_csv = ".csv" in name
    text = "\n".join([",".join(row), ",".join(row.values()), ""]) if is_csv else json.dumps(row) + "\n"
    path = tmp_path / name
    # Two streams, as of parallel programs.
    path.write_bytes(bz2.compress(text[:100].encode()) + bz2.compress(text[100:].encode()))
    form = None if name != "rows" else "ndjson"
    items = list(read_captures(str(path), format=form))
    assert [(item.owner, item.content) for item in captures(items)] == [("a.example", b"x" * 5_000)]
    with path.open("rb") as stream:
        found = list(read_url_rows(stream, "x", "csv" if is_csv else "ndjson", lambda _: None, lambda _: None))
    assert found == [row]
    # A cut stream loses the row, and the end is reported.
    path.write_bytes(path.read_bytes()[:-20])
    *_, last = read_captures(str(path), format=form)
    assert isinstance(last, Fault)
    assert last.is_end
    path.write_bytes(b"BZh,host,content\n" if is_csv else b'{"host": "a.example", "content": "x"}\n')
    assert len(list(read_captures(str(path), format=form))) == (0 if is_csv else 1)


def test_every_url_of_a_sitemap_before_the_cut_is_read() -> None:
    urls = [f"https://a.example/{number}" for number in range(5_000)]
    listed = "".join(f"<url><loc>{url}</loc></url>\n" for url in urls)
    whole = gzip.compress(f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{listed}</urlset>".encode())
    stream = io.BytesIO(whole + b"this is not compressed")
    *rows, last = read_url_rows(io.BufferedReader(stream), "x", "sitemap", lambda _: None, lambda _: None)
    assert [row["url"] for row in rows if isinstance(row, dict)] == urls
    assert isinstance(last, Fault)
    assert last.is_end


@pytest.mark.parametrize(
    "compression, magic", [("xz", b"\xfd7zXZ\0\0"), ("zstd", b"\x28\xb5\x2f\xfd\0"), ("zip", b"PK\x03\x04\0")]
)
@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.zst", "rows.ndjson.xz", "rows"])
def test_other_compressions_are_an_error(tmp_path: Path, name: str, compression: str, magic: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(magic)
    message = f"{name}' is compressed with {compression}: expected gzip, bzip2 or no compression"
    with pytest.raises(InvalidOption, match=message):
        list(read_captures(str(path)))
    with path.open("rb") as stream, pytest.raises(InvalidOption, match=message):
        list(read_url_rows(stream, str(path), list_format(name), lambda _: None, lambda _: None))


@pytest.mark.parametrize(
    "content, found", [("", "is empty"), ("\n", "has an empty first line"), (" \r\na,b\n", "has an empty first line")]
)
def test_csv_without_a_header(tmp_path: Path, content: str, found: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(content.encode())
    message = f"rows.csv' {found}: expected a line with the names of columns"
    if content:
        with pytest.raises(InvalidOption, match=message):
            list(read_captures(str(path)))
    else:
        assert list(read_captures(str(path))) == [Fault(str(path), 0, "the file is empty", is_end=True, lost=None)]
    with path.open("rb") as stream, pytest.raises(InvalidOption, match=message):
        list(read_url_rows(stream, str(path), "csv", lambda _: None, lambda _: None))


def test_a_parquet_file_with_wider_integers_than_pyarrow_reads(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    path = tmp_path / "rows.parquet"
    wide = polars.Series([2**70], dtype=polars.Int128)
    polars.DataFrame({"host": ["a.example"], "content": ["x"], "n": wide}).write_parquet(path)
    with pytest.raises(
        InvalidOption, match=r"rows.parquet' has a column that pyarrow does not read: Integers with more"
    ):
        list(read_captures(str(path)))


def test_csv_that_ends_in_a_quoted_cell(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = "".join(f"host{number}.example,Disallow: /\n" for number in range(3))
    path.write_text(f'host,content\na.example,"x"\nb.example,"Disallow: /\n{rows}', encoding="utf-8")
    first, second = read(path)
    assert isinstance(first, Capture)
    reason = f"{CUT_ROW}: lines 3 to 6 are set aside"
    assert second == Fault(str(path), 3, reason, is_end=True, lost=None)
    path.write_text('url,n\nhttps://a.example/,1\n"https://b.example/,2\nhttps://c.example/,3\n', encoding="utf-8")
    with path.open("rb") as stream:
        rows_of_list = list(read_url_rows(stream, "x", "csv", lambda _: None, lambda _: None))
    assert rows_of_list == [
        {"url": "https://a.example/", "n": "1"},
        Fault("x", 3, reason.replace("6", "4"), is_end=True, lost=None),
    ]


def test_lines_that_end_with_carriage_returns(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"host,content\ra.example,Disallow: /\r")
    with pytest.raises(InvalidOption, match=r"the lines of .*rows.csv. end with carriage returns: expected line feeds"):
        read(path)
    path.write_bytes(b"host,content\r\na.example,Disallow: /\r\n")
    assert [item.content for item in captures(read(path))] == [b"Disallow: /"]
    urls = io.BytesIO(b"https://a.example/\rhttps://b.example/\r")
    assert list(read_url_rows(urls, "x", "text", lambda _: None, lambda _: None)) == [
        {"url": "https://a.example/"},
        {"url": "https://b.example/"},
    ]


def test_csv_with_an_invalid_header(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"x" * (MAX_LINE_BYTES + 1))
    with pytest.raises(InvalidOption, match=r"rows.csv. has an invalid header: it is longer than 1 MiB"):
        read(path)


@pytest.mark.parametrize("name", ["rows.csv", "rows.ndjson", "rows.csv.gz", "rows.ndjson.gz"])
def test_truncated_tables(tmp_path: Path, name: str) -> None:
    rows = [("a.example", "User-agent: *\nDisallow: /a\n"), ("b.example", "User-agent: *\nDisallow: /b\n")]
    if "csv" in name:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([("host", "content"), *rows])
        content = text.getvalue().encode()
    else:
        content = "".join(json.dumps({"host": host, "content": rules}) + "\n" for host, rules in rows).encode()
    whole = {host: rules.encode() for host, rules in rows}
    if name.endswith("gz"):
        content = gzip.compress(content)
    path = tmp_path / name
    for end in range(24, len(content)):
        path.write_bytes(content[:end])
        items = read(path)
        assert all(whole[item.owner] == item.content for item in captures(items)), end
        assert len(captures(items)) == 2 or reasons(items) or content[end - 1 : end] in {b"\n", b"}"}, end


def test_base64_and_header_columns(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    row = {
        "URL": "http://a.example/robots.txt",
        "status": 301,
        "location": "/x",
        "content_base64": b64encode(b"\xff").decode(),
    }
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    (capture,) = captures(read(path))
    assert (capture.owner, capture.content, capture.headers) == ("http://a.example", b"\xff", (("location", "/x"),))


def test_tables_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("name,size\na,1\n", encoding="utf-8")
    with pytest.raises(InvalidOption, match="has the columns name, size: expected a column origin, host or url"):
        read(path)


def test_formats_are_recognised_by_content(tmp_path: Path) -> None:
    files = {
        "warc": response("a.example"),
        "warc ": compressed([response("a.example")]),
        "tar": make_tar(tmp_path / "x.tar"),
        "ndjson": b'{"host": "a.example", "status": 404}\n',
    }
    path = tmp_path / "file"
    for form, content in files.items():
        path.write_bytes(content)
        assert find_source(str(path)).format == form.strip()
    path.write_bytes(b"unknown")
    with pytest.raises(InvalidOption, match="unknown format: pass --input-format"):
        find_source(str(path))


def test_standard_input_needs_a_format(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidOption, match="standard input needs --input-format"):
        find_source("-")
    with monkeypatch.context() as context:
        context.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(response("a.example"))))
        items = list(read_source(find_source("-", "warc"), wants=lambda _: True))
    assert [item.owner for item in captures(items)] == ["https://a.example"]


@pytest.mark.parametrize("status", ["200.0", " 200. ", "200", b"200.0", 200.0])
def test_statuses_of_pandas(status: Any) -> None:
    item = to_capture({"origin": "a.example", "status": status, "content": ""}, "x.csv", 2, empty_is_null=True)
    assert isinstance(item, Capture)
    assert item.status == 200


@pytest.mark.parametrize("status", [0, -1, -1.0, "0", "000", "-1", "-2.0", b"0"])
@pytest.mark.parametrize("content", ["", None])
def test_a_request_without_a_response(status: Any, content: str | None) -> None:
    item = to_capture({"origin": "a.example", "status": status, "content": content}, "x.csv", 2, empty_is_null=True)
    assert isinstance(item, Capture)
    assert (item.status, item.content) == (NO_RESPONSE, b"")


@pytest.mark.parametrize("status", ["timeout", "200.5", "2e2", "0200.0.0", "x", 200.5, float("inf"), "9" * 5000])
def test_statuses_that_are_not_whole_numbers(status: Any) -> None:
    item = to_capture({"origin": "a.example", "status": status, "content": ""}, "x.csv", 2)
    assert isinstance(item, Fault)
    assert item.reason.startswith("invalid status ")


@pytest.mark.parametrize("length", ["0", "0.0"])
def test_an_empty_file_of_pandas(length: str) -> None:
    item = to_capture({"origin": "a.example", "bytes": length, "content": ""}, "x.csv", 2, empty_is_null=True)
    assert isinstance(item, Capture)
    assert item.content == b""


def test_an_unexpected_error_costs_one_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def recurse(*_: object, **__: object) -> None:
        raise RecursionError("maximum recursion depth exceeded")

    path = tmp_path / "x.csv"
    path.write_text("origin,content\na.example,x\n")
    monkeypatch.setattr("canfetch.bulk.reading.sources.to_capture", recurse)
    reason = "cannot be read after this record: RecursionError: maximum recursion depth exceeded"
    assert read(path) == [Fault(str(path), 0, reason, is_end=True, lost=None)]


@pytest.mark.parametrize("encoding", ["utf-7", "big5", "unknown", "base64"])
def test_a_sitemap_with_an_unsupported_encoding(encoding: str) -> None:
    content = f'<?xml version="1.0" encoding="{encoding}"?><urlset><url><loc>https://a.example/</loc></url></urlset>'
    items = list(read_url_rows(io.BytesIO(content.encode()), "x", "sitemap", lambda _: None, lambda _: None))
    assert [item.is_end for item in items if isinstance(item, Fault)] == [True]
    assert "encoding" in str(items)


@pytest.mark.parametrize(
    "middle, reason",
    [
        ("<!--" + "x" * 3_000_000 + "-->", "a tag or a comment is too long"),
        ("<a>" * 500_000, "elements are nested too deeply: expected at most 256 levels"),
    ],
    ids=["comment", "depth"],
)
def test_the_memory_for_a_sitemap_is_bounded(middle: str, reason: str) -> None:
    content = f"<urlset><url><loc>https://a.example/</loc></url>{middle}</urlset>".encode()
    stream = io.BytesIO(content)
    items, peak = with_peak_memory(lambda: list(read_url_rows(stream, "x", "sitemap", lambda _: None, lambda _: None)))
    assert items[0] == {"url": "https://a.example/", "lastmod": None}
    assert [(item.is_end, f"invalid XML: {reason}" in item.reason) for item in items if isinstance(item, Fault)] == [
        (True, True)
    ]
    # The rest of the content is not parsed.
    assert peak < 12 << 20
    assert stream.tell() < len(content)


def test_declarations_in_a_sitemap_are_refused() -> None:
    content = b'<!DOCTYPE l [<!ENTITY a "x">]><urlset><url><loc>https://a.example/&a;</loc></url></urlset>'
    items = list(read_url_rows(io.BytesIO(content), "x", "sitemap", lambda _: None, lambda _: None))
    assert [item.reason for item in items if isinstance(item, Fault)] == ["invalid XML: declarations are not supported"]


def test_the_memory_for_a_csv_header_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("origin,content" + ",a" * 2_000_000 + "\n")

    def refused() -> None:
        with pytest.raises(InvalidOption, match="has an invalid header: it is longer than 1 MiB"):
            read(path)

    _, peak = with_peak_memory(refused)
    assert peak < 32 << 20


@pytest.mark.parametrize("count", [1, 1001])
def test_json_rows_of_something_else_are_one_error(tmp_path: Path, count: int) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_text("x\n" + '{"Origin": "a.example", "size": 1}\n' * count, encoding="utf-8")
    with pytest.raises(InvalidOption, match="has the columns origin, size: expected a column origin, host or url"):
        read(path)


def test_a_row_of_a_file_after_others(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    row = {"origin": "a.example", "content": ""}
    path.write_text('x\n{"origin": "a.example"}\n{}\n' + json.dumps(row) + '\n{"content": ""}\n', encoding="utf-8")
    items = read(path)
    assert [item.position for item in items] == [1, 2, 3, 4, 5]
    assert len(captures(items)) == 1
    assert [reason.partition(":")[0] for reason in reasons(items)] == [
        "not a JSON object",
        "no content",
        "no origin",
        "no origin",
    ]


def test_ndjson_with_a_line_that_is_too_long() -> None:
    long = b'{"url": "' + b"x" * MAX_LINE_BYTES
    for start in (b"", BYTE_ORDER_MARK):
        found = list(read_ndjson(io.BytesIO(start + long + b'"}\n{"url": "a"}\n' + long), lambda _: None))
        assert found == [
            (1, BadRows(TOO_LONG)),
            (2, {"url": "a"}),
            (3, BadRows(f"{TOO_LONG}; it has no line end, so that it may be cut", is_end=True, lost=None)),
        ]


@pytest.mark.parametrize("length", [MAX_LINE_BYTES, MAX_LINE_BYTES + 1, 2 * MAX_LINE_BYTES])
def test_a_list_with_a_line_that_is_too_long(length: int) -> None:
    stream = io.BytesIO(b"https://a.example/\n" + b"x" * length + b"\nhttps://b.example/\n")
    read_bytes: list[int] = []
    found = list(read_url_rows(stream, "x", "text", read_bytes.append, lambda _: None))
    assert found == [{"url": "https://a.example/"}, Fault("x", 2, TOO_LONG), {"url": "https://b.example/"}]
    assert sum(read_bytes) == stream.tell()
