"""WARC files with thousands of bytes that only look like the start of a member or a record."""

import gzip
import io
import random
import zlib

import pytest
from tests.bulk.traced_memory import with_peak_memory
from tests.bulk.warc_files import RULES, response

from canfetch.bulk.reading import compressed_members
from canfetch.bulk.reading.captures import Capture, Fault
from canfetch.bulk.reading.compressed_members import BrokenMember, MemberReader
from canfetch.bulk.reading.warc import read_warc

MAGIC = b"\x1f\x8b\x08"
HEAD = MAGIC + bytes(6) + b"\x03"
SIZE = 100_000


def stored(length: int) -> bytes:
    """The start of a block that is stored without compression, and is not the last one."""
    return b"\0" + length.to_bytes(2, "little") + (length ^ 0xFFFF).to_bytes(2, "little")


def bomb() -> bytes:
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return compressor.compress(b"WARC/" + bytes(200_000)) + compressor.flush(zlib.Z_FULL_FLUSH)


# From each of these, a decoder that starts at the magic number can read for a long time.
FLOODS = {
    "magic": MAGIC,
    "magic without flags": MAGIC + b"\0",
    "header": HEAD,
    "long name": MAGIC + b"\x08" + b"abcdefg",
    "extra field": MAGIC + b"\x04" + bytes(6) + b"\xff\xff",
    "checksum of the header": MAGIC + b"\x02" + bytes(6),
    "long stored block": HEAD + stored(0xFFFF),
    "empty blocks": HEAD + stored(0),
    # The next header is the content of the block.
    "endless content": HEAD + stored(len(HEAD)),
    "endless record": HEAD + stored(5) + b"WARC/" + stored(len(HEAD)),
    "bombs": HEAD + bomb() + stored(len(HEAD)),
    "magic of zstd": b"\x28\xb5\x2f\xfd",
    "versions": b"\nWARC/",
    "records that are too long": b"WARC/1.0\r\nContent-Length: 9999999\r\n\r\n",
    "records and members": b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n" + HEAD + stored(0xFFFF) + b"\n",
}


def flood(name: str, size: int = SIZE) -> bytes:
    return FLOODS[name] * (size // len(FLOODS[name]))


def member(host: str, body: bytes = RULES) -> bytes:
    return gzip.compress(response(host, body), mtime=0)


def read(content: bytes) -> tuple[list[str], list[Fault]]:
    items = list(read_warc(io.BytesIO(content), "x.warc.gz", wants=lambda _: True, advance=lambda _: None))
    hosts = [item.owner.removeprefix("https://") for item in items if isinstance(item, Capture)]
    return hosts, [item for item in items if isinstance(item, Fault)]


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_costs_no_other_record(name: str) -> None:
    first, second, third = (member(f"{host}.example") for host in "abc")
    hosts, faults = read(first + flood(name) + second + third)
    assert hosts == ["a.example", "b.example", "c.example"]
    assert faults
    assert not any(fault.is_end for fault in faults)
    hosts, faults = read(flood(name) + second + third)
    assert hosts == ["b.example", "c.example"]
    assert not any(fault.is_end for fault in faults)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["magic", "endless record", "versions"])
def test_a_flood_at_the_end_may_hide_records(name: str) -> None:
    hosts, faults = read(member("a.example") + member("b.example") + flood(name))
    assert hosts == ["a.example", "b.example"]
    assert faults[-1].is_end


@pytest.mark.slow
@pytest.mark.parametrize("name", ["magic", "endless content", "magic of zstd"])
def test_large_records_follow_a_flood(name: str) -> None:
    noise = random.Random(1).randbytes(400_000).hex().encode()  # noqa: S311 - reproducible
    hosts, _ = read(flood(name) + member("a.example", noise) + flood(name) + member("b.example", noise))
    assert hosts == ["a.example", "b.example"]


@pytest.mark.slow
def test_members_without_the_start_of_a_record_are_read_again_after_a_flood() -> None:
    # Some programs compress a file in blocks that do not end where records end.
    noise = random.Random(2)  # noqa: S311 - reproducible
    names = [f"host{number}.example" for number in range(4_000)]
    plain = b"".join(response(name, noise.randbytes(64).hex().encode()) for name in names)
    blocks = b"".join(gzip.compress(plain[start : start + 50_000]) for start in range(0, len(plain), 50_000))
    hosts, _ = read(blocks + flood("magic") + blocks)
    assert hosts[: len(names)] == names
    assert len(hosts) > 1.8 * len(names)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["magic", "endless record", "bombs"])
def test_a_flood_takes_little_memory(name: str) -> None:
    content = flood(name, 300_000) + member("a.example")
    (hosts, _), peak = with_peak_memory(lambda: read(content))
    assert hosts == ["a.example"]
    assert peak < 32 << 20


@pytest.mark.slow
@pytest.mark.parametrize("name", ["long stored block", "endless content", "endless record"])
def test_the_work_for_a_flood_is_linear(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed_members, "_RESERVE", 1 << 20)

    def work(size: int) -> int:
        reader = MemberReader(io.BytesIO(flood(name, size)), lambda _: None, plain=(b"WARC/",))
        assert all(isinstance(piece, BrokenMember) for piece in reader.pieces())
        return reader.budget.spent + reader.record_budget.spent

    # The first part takes the reserve.
    assert work(600_000) < 1.2 * (2 * work(400_000) - work(200_000))


@pytest.mark.slow
def test_alternating_parts_take_linear_time() -> None:
    # Each of these is a record that is not compressed, and the start of a member.
    part = FLOODS["records and members"]
    reader = MemberReader(io.BytesIO(part * 20_000), lambda _: None, plain=(b"WARC/",))
    for piece in reader.pieces():
        if not isinstance(piece, BrokenMember) and piece.is_plain:
            at = reader.find_magic(piece.data, 0, len(piece.data))
            reader.return_bytes(piece.data[at if at >= 0 else len(piece.data) :], is_lost=False)
    assert reader.budget.spent + reader.record_budget.spent < (1 << 27) + 600 * 20_000 * len(part)


def test_a_plain_record_with_a_cut_header_costs_no_other_record() -> None:
    plain = [response(f"{host}.example") for host in "ab"]
    hosts, faults = read(plain[0] + plain[1][:40] + member("c.example") + member("d.example"))
    assert hosts == ["a.example", "c.example", "d.example"]
    assert [(fault.reason, fault.is_end) for fault in faults] == [("the header is cut", False)]


def test_a_plain_record_that_is_too_short_costs_no_other_record() -> None:
    cut = response("b.example", RULES * 1_000)[:5_000]
    hosts, faults = read(response("a.example") + cut + member("c.example"))
    assert hosts == ["a.example", "c.example"]
    assert [fault.reason for fault in faults] == ["the record is shorter than its Content-Length"]


def test_a_compressed_body_in_a_cut_record_is_not_a_record() -> None:
    body = gzip.compress(RULES * 1_000) + bytes(1_000)
    cut = response("b.example", body, headers=[("Content-Encoding", "gzip")])[:-500]
    hosts, faults = read(response("a.example") + cut)
    assert hosts == ["a.example"]
    assert [fault.is_end for fault in faults] == [True]
