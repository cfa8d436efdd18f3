"""WARC files that are compressed with zstd, with and without a dictionary."""

import io
from pathlib import Path

import pytest
from tests.bulk.small_reads import SmallReads
from tests.bulk.warc_files import RULES, compressed, response

from canfetch.bulk.reading.captures import Capture, Fault
from canfetch.bulk.reading.sources import find_source, read_captures
from canfetch.bulk.reading.warc import read_warc

zstandard = pytest.importorskip("zstandard")

HOSTS = [f"{name}.example" for name in "abcdef"]
RECORDS = [response(host) for host in HOSTS]


def frames(records: list[bytes], dictionary: object = None) -> bytes:
    compressor = zstandard.ZstdCompressor(dict_data=dictionary, write_checksum=True)
    return b"".join(compressor.compress(record) for record in records)


def dictionary_frame(content: bytes) -> bytes:
    return b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content


def read(content: bytes, stream: type[io.BytesIO] = io.BytesIO) -> tuple[list[str], list[Fault]]:
    items = list(read_warc(stream(content), "x.warc.zst", wants=lambda _: True, advance=lambda _: None))
    captures = [item for item in items if isinstance(item, Capture)]
    assert all(capture.content == RULES for capture in captures)
    hosts = [capture.owner.removeprefix("https://") for capture in captures]
    return hosts, [item for item in items if isinstance(item, Fault)]


@pytest.mark.parametrize("stream", [io.BytesIO, SmallReads])
def test_frames(stream: type[io.BytesIO]) -> None:
    assert read(frames(RECORDS), stream) == (HOSTS, [])
    # As a whole.
    assert read(frames([b"".join(RECORDS)]), stream) == (HOSTS, [])


@pytest.mark.parametrize("stream", [io.BytesIO, SmallReads])
@pytest.mark.parametrize("compressed", [False, True])
def test_dictionaries(stream: type[io.BytesIO], *, compressed: bool) -> None:
    trained = zstandard.train_dictionary(2048, [response(f"host{number}.example") for number in range(500)])
    content = trained.as_bytes()
    start = dictionary_frame(frames([content]) if compressed else content)
    assert read(start + frames(RECORDS, trained), stream) == (HOSTS, [])


@pytest.mark.parametrize("end", [4, 6, 20])
def test_a_cut_dictionary_is_reported(end: int) -> None:
    hosts, (fault,) = read(dictionary_frame(b"x" * 50)[:end])
    assert hosts == []
    assert fault.is_end
    assert fault.reason == "the dictionary at the start is cut or too long"


def test_an_invalid_dictionary_is_reported() -> None:
    hosts, (fault,) = read(dictionary_frame(frames([b"x"])[:-1]) + frames(RECORDS))
    assert hosts == []
    assert fault.reason.startswith("invalid dictionary: ")


def test_damage_costs_the_records_that_it_touches() -> None:
    parts = [frames([record]) for record in RECORDS]
    position = len(parts[0]) + len(parts[1])
    damaged = bytearray(b"".join(parts))
    # Within the checksum of the third frame.
    damaged[position + len(parts[2]) - 2] ^= 0xFF
    hosts, (fault,) = read(bytes(damaged))
    assert hosts == [host for host in HOSTS if host != "c.example"]
    assert fault.position == position
    assert fault.reason.startswith("invalid zstd data: ")


@pytest.mark.slow
def test_a_cut_file_is_reported() -> None:
    content = frames(RECORDS)
    last = len(frames(RECORDS[:-1]))
    for end in range(last + 1, len(content)):
        hosts, (fault,) = read(content[:end])
        assert hosts == HOSTS[:-1]
        assert (fault.position, fault.is_end) == (last, True)


def test_the_suffix(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.zst"
    path.write_bytes(frames(RECORDS))
    assert find_source(str(path)).format == "warc"
    assert len(list(read_captures(str(path)))) == len(HOSTS)


@pytest.mark.parametrize("junk", [b"\0" * 512, b"junk"])
def test_junk_before_a_file_costs_no_record(junk: bytes) -> None:
    hosts, (fault,) = read(junk + frames(RECORDS))
    assert (hosts, fault.position, fault.is_end) == (HOSTS, 0, False)


def test_damage_in_the_first_frame_costs_one_record() -> None:
    content = bytearray(frames(RECORDS))
    for offset in range(4):
        damaged = content.copy()
        damaged[offset] ^= 1
        hosts, (fault,) = read(bytes(damaged))
        assert (hosts, fault.position, fault.is_end) == (HOSTS[1:], 0, False)


def test_concatenated_files() -> None:
    content = RECORDS[0] + frames(RECORDS[1:3]) + RECORDS[3] + compressed(RECORDS[4:])
    assert read(content) == (HOSTS, [])
