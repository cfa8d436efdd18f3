"""ARC files: what is read, what damage costs, and what warcio reads."""

import gzip
import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.bulk.arc_files import ORIGIN_2, arc_record, arc_response, description
from tests.bulk.warc_files import RULES, chunked, compressed, http_response, record

from canfetch.bulk.reading import Capture, Fault, read_captures
from canfetch.bulk.reading.sources import find_source, read_source
from canfetch.bulk.reading.warc_records import ARC

Item = Capture | Fault
HOSTS = ("a.example", "b.example", "c.example", "d.example")
RECORDS = [description(), *map(arc_response, HOSTS)]
WRITERS: dict[str, Callable[[list[bytes]], bytes]] = {
    "plain": b"".join,
    "members": compressed,
    "whole": lambda records: gzip.compress(b"".join(records), mtime=0),
}


def read(tmp_path: Path, content: bytes, name: str = "crawl.arc.gz") -> list[Item]:
    path = tmp_path / name
    path.write_bytes(content)
    return list(read_captures(str(path)))


def hosts(items: list[Item]) -> list[str]:
    return [item.owner.removeprefix("http://") for item in items if isinstance(item, Capture)]


def reasons(items: list[Item]) -> list[tuple[str, bool]]:
    return [(item.reason, item.is_end) for item in items if isinstance(item, Fault)]


def by_warcio(content: bytes) -> list[tuple[str, str, int, bytes]]:
    """Return the robots.txt responses that warcio reads: their URL, time, status and body."""
    iterator = pytest.importorskip("warcio.archiveiterator").ArchiveIterator
    found = []
    for item in iterator(io.BytesIO(content), arc2warc=True):
        url = item.rec_headers.get_header("WARC-Target-URI")
        if item.rec_type == "response" and url.endswith("/robots.txt"):
            body = item.content_stream().read()
            date = item.rec_headers.get_header("WARC-Date")
            found.append((url, date, int(item.http_headers.get_statuscode()), body))
    return found


@pytest.mark.parametrize("kind", list(WRITERS))
def test_the_same_as_warcio(tmp_path: Path, kind: str) -> None:
    records = [
        description("a b.arc"),
        arc_response("a.example"),
        arc_response("b.example", b"x" * 100_000),
        arc_response("c.example", b"", status=404, date="20120101000000"),
        arc_response("d.example", b"User-agent: *\r\n\r\nhttp://e.example/ 1.2.3.4 20080101000000 text/plain 5\n"),
        arc_record("dns:a.example", b"20080430204825\na.example. 60 IN A 192.0.2.1\n", kind="text/dns"),
        arc_record("http://a.example/page", http_response(b"<p>"), kind="text/html"),
        arc_record(
            "http://e.example/robots.txt", http_response(chunked(RULES), headers=[("Transfer-Encoding", "chunked")])
        ),
    ]
    # A length that the chunked body does not have.
    records[-1] = records[-1].replace(b"Content-Length", b"X-Length")
    records[-1] = arc_record("http://e.example/robots.txt", records[-1].partition(b"\n")[2].removesuffix(b"\n"))
    content = WRITERS[kind](records)
    items = read(tmp_path, content)
    assert not reasons(items)
    found = [
        (
            item.url,
            datetime.fromtimestamp(item.time or 0, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            item.status,
            item.content,
        )
        for item in items
        if isinstance(item, Capture)
    ]
    # The body of an error is not read.
    expected = [(url, date, status, body) for url, date, status, body in by_warcio(b"".join(records))]
    assert found == expected
    assert len(found) == 5


@pytest.mark.parametrize("name", ["crawl.arc", "crawl.arc.gz", "crawl", "x.bin"])
def test_arc_files_are_recognised(tmp_path: Path, name: str) -> None:
    content = b"".join(RECORDS) if name.endswith("arc") else compressed(RECORDS)
    assert hosts(read(tmp_path, content, name)) == list(HOSTS)
    assert find_source(str(tmp_path / name)).format == "arc"


def test_a_folder_of_arc_and_warc_files(tmp_path: Path) -> None:
    (tmp_path / "1.arc.gz").write_bytes(compressed(RECORDS))
    (tmp_path / "2.warc.gz").write_bytes(compressed([record("http://w.example/robots.txt", http_response(RULES))]))
    assert hosts(list(read_captures(str(tmp_path)))) == [*HOSTS, "w.example"]


@pytest.mark.parametrize("kind", list(WRITERS))
def test_version_2_and_unusual_headers(tmp_path: Path, kind: str) -> None:
    block = http_response(RULES)
    records = [
        description(origin=ORIGIN_2),
        arc_record("http://a.example/robots.txt", block, more="200 FAC069150613FE55599CC7FA88AA089D - 209 a.arc "),
        arc_record("http://b.example/robots.txt", block, more="200 - - 123456789012 a.arc "),
        # URLs with spaces, content types with parameters, and none.
        arc_record("http://c.example/robots.txt?a b", block),
        arc_record("http://d.example/robots.txt", block, kind="text/plain; charset=utf-8"),
        arc_record("http://e.example/robots.txt", block).replace(b" text/plain ", b" ", 1),
        arc_record("HTTPS://f.example:443/robots.txt", block).replace(b"\n", b"\r\n", 1),
    ]
    items = read(tmp_path, WRITERS[kind](records))
    assert not reasons(items)
    assert hosts(items) == ["a.example", "b.example", "d.example", "e.example", "https://f.example"]


def test_captures_have_the_date_and_the_position(tmp_path: Path) -> None:
    content = b"".join(RECORDS)
    first = next(item for item in read(tmp_path, content) if isinstance(item, Capture))
    assert first.time == datetime(2008, 4, 30, 20, 48, 25, tzinfo=UTC).timestamp()
    assert content[first.position :].startswith(b"http://a.example/robots.txt ")
    assert (first.status, first.content, dict(first.headers)["content-type"]) == (200, RULES, "text/plain")


@pytest.mark.parametrize(
    "item, reason",
    [
        (
            arc_record("http://x.example/robots.txt", b"<html>"),
            "http://x.example/robots.txt: the HTTP header is incomplete",
        ),
        (
            arc_record("http://x.example/robots.txt", http_response(RULES)[:-3]),
            "http://x.example/robots.txt: the body has 31 of 34 bytes",
        ),
        (arc_response("x.example", date="20081430204825"), "date: invalid time"),
        (arc_record("http:/x.example/robots.txt", http_response(RULES)), "invalid URL 'http:/x.example/robots.txt'"),
    ],
)
@pytest.mark.parametrize("kind", list(WRITERS))
def test_a_record_that_cannot_be_used(tmp_path: Path, kind: str, item: bytes, reason: str) -> None:
    items = read(tmp_path, WRITERS[kind]([*RECORDS[:3], item, *RECORDS[3:]]))
    assert hosts(items) == list(HOSTS)
    ((found, is_end),) = reasons(items)
    assert reason in found
    assert not is_end


@pytest.mark.parametrize("kind", list(WRITERS))
@pytest.mark.parametrize("length", [10, 151, 5_000])
def test_a_wrong_length_costs_one_record(tmp_path: Path, kind: str, length: int) -> None:
    broken = arc_record("http://x.example/robots.txt", http_response(RULES), length=length)
    items = read(tmp_path, WRITERS[kind]([*RECORDS[:3], broken, *RECORDS[3:]]))
    found = hosts(items)
    # A record that is too long can contain the ones after it, as far as the file is one part.
    assert found[:2] == list(HOSTS[:2])
    assert "x.example" not in found
    assert reasons(items)
    if length < 5_000 or kind == "members":
        assert found == list(HOSTS)


@pytest.mark.parametrize("cut", range(1, 260, 7))
@pytest.mark.parametrize("kind", list(WRITERS))
def test_a_truncated_file(tmp_path: Path, kind: str, cut: int) -> None:
    content = WRITERS[kind](RECORDS)
    items = read(tmp_path, content[:-cut])
    found = hosts(items)
    # Only complete records are used, and the end is reported unless only a line end is missing.
    assert found == list(HOSTS[: len(found)])
    assert all(item.content == RULES for item in items if isinstance(item, Capture))
    ends = [len(b"".join(RECORDS[: count + 1])) for count in range(len(RECORDS))]
    is_complete = kind == "plain" and {len(content) - cut, len(content) - cut + 1} & set(ends)
    assert [is_end for _, is_end in reasons(items)] == ([] if is_complete else [True])


def test_members_without_a_line_end(tmp_path: Path) -> None:
    items = read(tmp_path, compressed(item.removesuffix(b"\n") for item in RECORDS))
    assert (hosts(items), reasons(items)) == (list(HOSTS), [])


def test_a_file_that_ends_between_records_is_complete(tmp_path: Path) -> None:
    content = b"".join(RECORDS[:-1])
    items = read(tmp_path, content)
    assert (hosts(items), reasons(items)) == (list(HOSTS[:-1]), [])


@pytest.mark.slow
def test_any_damaged_byte_costs_one_record_of_members(tmp_path: Path) -> None:
    content = compressed(RECORDS)
    for position in range(0, len(content), 3):
        damaged = bytearray(content)
        damaged[position] ^= 0x10
        items = read(tmp_path, bytes(damaged))
        assert len(hosts(items)) >= len(HOSTS) - 1, position
        assert all(item.content == RULES for item in items if isinstance(item, Capture)), position


@pytest.mark.slow
def test_any_damaged_byte_of_a_plain_file(tmp_path: Path) -> None:
    content = b"".join(RECORDS)
    lost = 0
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 0x10
        found = hosts(read(tmp_path, bytes(damaged)))
        lost = max(lost, len(HOSTS) - len(set(found) & set(HOSTS)))
    # A length that grows by a digit hides records after it.
    assert lost <= 2


def test_a_damaged_first_record_of_a_plain_file(tmp_path: Path) -> None:
    content = b"".join(RECORDS)
    for damaged in (b"F\0" + content[2:], content[30:], b"\0" * 20 + content[20:]):
        items = read(tmp_path, damaged, "crawl.arc")
        assert hosts(items) == list(HOSTS)
        assert reasons(items)[0][0] == "not an ARC record"


def test_bytes_in_the_middle_are_missing(tmp_path: Path) -> None:
    content = b"".join(RECORDS)
    middle = content.index(b"http://b.example") + 5
    items = read(tmp_path, content[:middle] + content[middle + 30 :])
    assert hosts(items) == ["a.example", "c.example", "d.example"]
    assert reasons(items) == [("not an ARC record", False)]


@pytest.mark.parametrize("step", [1, 7, 64])
def test_pieces_of_any_size(step: int) -> None:
    from canfetch.bulk.reading.warc import read_warc

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(step, size or step))

    content = b"junk\n" + b"".join(RECORDS) + b"http://x.example/robots.txt 192.0.2.1"
    stream: Any = Slow(content)
    items = list(read_warc(stream, "x", wants=lambda _: True, advance=lambda _: None, record_format=ARC))
    assert hosts(items) == list(HOSTS)
    assert reasons(items) == [("not an ARC record", False), ("the archive ends within this record", True)]


DATE = b"20080430204825"


@pytest.mark.parametrize(
    "line, url",
    [
        (b"http://a.example/x 192.0.2.1 %b text/plain 200" % DATE, "http://a.example/x"),
        (b"http://a.example/x 192.0.2.1 %b 200 \t\r" % DATE, "http://a.example/x"),
        # The URL ends before the last date that fits.
        (b"http://a.example/x y 1 %b z 192.0.2.1 %b 0 200" % (DATE, DATE), f"http://a.example/x y 1 {DATE.decode()} z"),
        (b"http: %b %b %b 200" % (DATE, DATE, DATE), f"http: {DATE.decode()}"),
        (b"http://a.example/x 192.0.2.1 %b %b 200" % (DATE, b"y" * 1024), "http://a.example/x"),
        (b"http://a.example/x 192.0.2.1 %b %b 200" % (DATE, b"y" * 1025), None),
        (b"http://a.example/x %b %b 200" % (b"y" * 64, DATE), "http://a.example/x"),
        (b"http://a.example/x %b %b 200" % (b"y" * 65, DATE), None),
        (b"http:%b 192.0.2.1 %b 200" % (b"y" * 14_336, DATE), f"http:{'y' * 14_336}"),
        (b"http:%b 192.0.2.1 %b 200" % (b"y" * 14_337, DATE), None),
        (b"http://a.example/x 192.0.2.1 %b  200" % DATE, None),
        (b"http://a.example/x  %b 200" % DATE, None),
        (b"http://a.example/x 192.0.2.1 %b 1234567890123456" % DATE, None),
        (b"http://a.example/x 192.0.2.1 2008043020482 200", None),
        (b"1http://a.example/x 192.0.2.1 %b 200" % DATE, None),
    ],
)
def test_the_fields_of_a_header(line: bytes, url: str | None) -> None:
    assert ARC.parse_head(line).get("warc-target-uri") == url
    assert ARC.starts_at(line + b"\n", 0) == (url is not None)
    assert ARC.find_next(b"\n" + line + b"\n", 0, len(line) + 2) == (-1 if url is None else 0)
    assert not ARC.starts_at(line, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        # Lines that could be headers, up to the last field.
        b"http:" + b" a 20080101000000" * 900 + b" x\n",
        b"http:" + b" 20080101000000" * 1_000 + b" x\n",
        b"http:" + b" 20080101000000" * 900 + b" x" * 600 + b" 5\n",
    ],
)
def test_hostile_lines_take_linear_time(tmp_path: Path, line: bytes) -> None:
    items = read(tmp_path, description() + line * 100 + b"".join(RECORDS[1:]), "crawl.arc")
    assert hosts(items) == list(HOSTS)


def test_an_empty_file(tmp_path: Path) -> None:
    assert reasons(read(tmp_path, b"")) == [("the file is empty", True)]
    assert reasons(read(tmp_path, b"no archive at all", "x.arc")) == [("not an ARC record", True)]
    assert not read(tmp_path, description())


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as context:
        context.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(compressed(RECORDS))))
        items = list(read_source(find_source("-", "arc"), wants=lambda _: True))
    assert hosts(items) == list(HOSTS)
