"""WARC files: what is read, and what damage costs."""

import gzip
import io
import random

import pytest
from tests.bulk.captured_items import captures, faults
from tests.bulk.small_reads import SmallReads
from tests.bulk.traced_memory import with_peak_memory
from tests.bulk.warc_files import RULES, chunked, compressed, deflated, http_response, record, redirect, response

from canfetch.bulk.reading.captures import MAX_CONTENT_BYTES, Capture, Fault
from canfetch.bulk.reading.warc import read_warc
from canfetch.core.limits import DEFAULT_MAX_BYTES

HOSTS = ("a.example", "b.example", "c.example", "d.example")


def noise(seed: int) -> bytes:
    return random.Random(seed).randbytes(600)  # noqa: S311 - reproducible


def read(content: bytes, stream: type[io.BytesIO] = io.BytesIO) -> list[Capture | Fault]:
    return list(read_warc(stream(content), "x.warc", wants=lambda _: True, advance=lambda _: None))


def hosts(items: list[Capture | Fault]) -> list[str]:
    return [item.owner.removeprefix("https://") for item in captures(items)]


@pytest.mark.parametrize("stream", [io.BytesIO, SmallReads])
@pytest.mark.parametrize("is_compressed", [False, True])
def test_responses(stream: type[io.BytesIO], *, is_compressed: bool) -> None:
    records = [
        record("", b"software: x\r\n", kind="warcinfo"),
        record("https://a.example/robots.txt", b"GET /robots.txt HTTP/1.1\r\n\r\n", kind="request"),
        response("a.example"),
        redirect("b.example", "https://a.example/robots.txt"),
        record("dns:a.example", b"20260501\r\na.example. 60 IN A 127.0.0.1\r\n"),
    ]
    items = read(compressed(records) if is_compressed else b"".join(records), stream)
    assert not faults(items)
    first, second = captures(items)
    assert first == Capture(
        "https://a.example",
        "https://a.example/robots.txt",
        1777636800.0,
        200,
        (("content-type", "text/plain"), ("content-length", str(len(RULES)))),
        RULES,
        "x.warc",
        len(compressed(records[:2]) if is_compressed else b"".join(records[:2])),
    )
    assert (second.status, dict(second.headers)["location"]) == (301, "https://a.example/robots.txt")


def test_wet_files_have_content_without_a_status() -> None:
    items = read(record("https://a.example/robots.txt", RULES, kind="conversion"))
    assert [(item.status, item.content) for item in captures(items)] == [(None, RULES)]


@pytest.mark.slow
def test_whole_file_compressed_as_one_member() -> None:
    content = gzip.compress(b"".join(response(f"host{n}.example", RULES * 40) for n in range(4_000)))
    assert len(hosts(read(content))) == 4_000


def test_records_across_members() -> None:
    # Some tools compress blocks of a fixed size.
    content = b"".join(map(response, HOSTS))
    blocks = [gzip.compress(content[start : start + 100]) for start in range(0, len(content), 100)]
    items = read(b"".join(blocks))
    assert not faults(items)
    assert hosts(items) == list(HOSTS)


@pytest.mark.slow
@pytest.mark.parametrize("is_compressed", [False, True])
def test_truncation_at_every_byte(*, is_compressed: bool) -> None:
    records = [response(host) for host in HOSTS[:2]]
    parts = [compressed([item]) for item in records] if is_compressed else records
    content = b"".join(parts)
    # The line ends after a block are not part of it. A checksum that is cut verifies nothing.
    whole = [len(parts[0]), len(content)] if is_compressed else [len(parts[0]) - 4, len(content) - 4]
    for end in range(len(content)):
        items = read(content[:end])
        complete = sum(end >= length for length in whole)
        assert all(item.content == RULES for item in captures(items)), end
        assert hosts(items) == list(HOSTS[:complete]), end
        boundary = end == len(parts[0]) if is_compressed else len(parts[0]) - 4 <= end <= len(parts[0])
        at_end = end >= len(content) - 4 and not is_compressed
        expected = [] if boundary or at_end else [True]
        assert [fault.is_end for fault in faults(items)] == expected, end


@pytest.mark.slow
def test_flipped_byte_costs_one_record() -> None:
    members = [compressed([response(host)]) for host in HOSTS]
    start = len(members[0])
    for offset in range(start, start + len(members[1])):
        content = bytearray(b"".join(members))
        content[offset] ^= 0x55
        items = read(bytes(content))
        read_hosts = hosts(items)
        # Some bytes of a gzip header, such as the time, have no effect on the content.
        assert read_hosts in ([HOSTS[0], *HOSTS[2:]], list(HOSTS)), offset
        assert len(faults(items)) == (len(HOSTS) - len(read_hosts)), offset
        assert all(item.content == RULES for item in captures(items)), offset


def test_foreign_bytes_between_members_cost_no_record() -> None:
    members = [compressed([response(host)]) for host in HOSTS]
    items = read(members[0] + b"foreign \x1f\x8b\x08 bytes" + b"".join(members[1:]))
    assert hosts(items) == list(HOSTS)
    assert [(fault.position, fault.is_end) for fault in faults(items)] == [(len(members[0]), False)]


def test_hole_in_a_large_file_costs_the_records_in_it() -> None:
    members = [compressed([response(f"host{n}.example", noise(n))]) for n in range(500)]
    content = b"".join(members)
    start = len(b"".join(members[:100])) + 100
    end = len(b"".join(members[:103])) + 200
    items = read(content[:start] + content[end:])
    assert hosts(items) == [f"host{n}.example" for n in range(500) if n not in range(100, 104)]
    assert len(faults(items)) == 1


@pytest.mark.parametrize("is_compressed", [False, True])
@pytest.mark.parametrize("length", [3, 10_000, 10_000_000])
def test_wrong_content_length_costs_one_record(length: int, *, is_compressed: bool) -> None:
    wrong = record("https://b.example/robots.txt", http_response(RULES), length=length)
    records = [response("a.example"), wrong, response("c.example"), response("d.example")]
    items = read(compressed(records) if is_compressed else b"".join(records))
    assert hosts(items) == ["a.example", "c.example", "d.example"]
    assert len(faults(items)) == 1


@pytest.mark.parametrize("length", ["", "-1", "x", "9" * 40])
def test_invalid_content_length_costs_one_record(length: str) -> None:
    size = f"Content-Length: {len(http_response(RULES))}".encode()
    wrong = response("b.example").replace(size, f"Content-Length: {length}".encode(), 1)
    items = read(response("a.example") + wrong + response("c.example"))
    assert hosts(items) == ["a.example", "c.example"]
    assert len(faults(items)) == 1


def test_text_that_is_not_a_warc_file() -> None:
    items = read(b"<html>no archive</html>\n" * 100_000)
    assert [item.reason for item in faults(items)] == ["not a WARC record"]
    assert read(b"") == [Fault("x.warc", 0, "the file is empty", is_end=True, lost=None)]


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n"[:-2],
        b"SSH-2.0-x\r\n\r\n" + RULES,
        http_response(RULES)[:-5],
        http_response(gzip.compress(RULES, mtime=0)[:-20], headers=[("Content-Encoding", "gzip")]),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(RULES)[:-12],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(RULES, 100)[:-12],
    ],
)
def test_incomplete_response_is_never_an_empty_file(block: bytes) -> None:
    items = read(response("a.example") + record("https://b.example/robots.txt", block) + response("c.example"))
    assert hosts(items) == ["a.example", "c.example"]
    assert len(faults(items)) == 1


@pytest.mark.parametrize(
    "body, headers",
    [
        (gzip.compress(RULES, mtime=0), [("Content-Encoding", "gzip")]),
        (deflated(RULES), [("Content-Encoding", "deflate")]),
        (RULES, [("Content-Encoding", "gzip")]),
        (RULES, [("Content-Encoding", "br")]),
        (chunked(RULES), [("Transfer-Encoding", "chunked")]),
        (RULES, [("Transfer-Encoding", "chunked")]),
        (chunked(gzip.compress(RULES, mtime=0)), [("Transfer-Encoding", "chunked"), ("Content-Encoding", "x-gzip")]),
    ],
)
def test_codings_that_were_stored_or_removed(body: bytes, headers: list[tuple[str, str]]) -> None:
    items = read(response("a.example", body, headers=headers))
    assert [item.content for item in captures(items)] == [RULES]


@pytest.mark.parametrize("body", [b"Disallow: /\n", b"Allow: /a\n", b"deadbeef\n", b""])
def test_text_that_resembles_a_chunk(body: bytes) -> None:
    items = read(response("a.example", body, headers=[("Transfer-Encoding", "chunked")]))
    # A line of hexadecimal digits announces a chunk, which is missing here.
    assert [item.content for item in captures(items)] == ([] if body == b"deadbeef\n" else [body])


def test_truncated_by_the_crawler() -> None:
    cut = ("WARC-Truncated", "length")
    short = record("https://a.example/robots.txt", http_response(RULES), headers=[cut])
    long = record("https://b.example/robots.txt", http_response(RULES * 20_000), headers=[cut])
    items = read(short + long)
    assert hosts(items) == ["b.example"]
    assert len(captures(items)[0].content) > DEFAULT_MAX_BYTES
    assert "truncated the content (length)" in faults(items)[0].reason


def test_large_bodies_are_cut() -> None:
    items = read(response("a.example", RULES * 200_000) + response("b.example"))
    assert hosts(items) == ["a.example", "b.example"]
    assert len(captures(items)[0].content) == MAX_CONTENT_BYTES


def test_revisit_is_not_an_empty_file() -> None:
    revisit = record("https://a.example/robots.txt", http_response(b""), kind="revisit")
    assert [item.reason for item in faults(read(revisit))] == [
        "the content of https://a.example/robots.txt is in another record, which was not searched"
    ]


def test_unwanted_urls_are_not_decoded() -> None:
    page = record("https://a.example/page", b"no HTTP response")
    stream = io.BytesIO(page + response("a.example"))
    items = list(read_warc(stream, "x", wants=lambda url: url.endswith("robots.txt"), advance=lambda _: None))
    assert hosts(items) == ["a.example"]
    assert not faults(items)


def test_invalid_urls_are_set_aside() -> None:
    items = read(record("http://[/robots.txt", http_response(RULES)) + record("", http_response(RULES)))
    assert [fault.reason for fault in faults(items)] == [
        "invalid WARC-Target-URI 'http://[/robots.txt'",
        "invalid WARC-Target-URI ''",
    ]


@pytest.mark.parametrize("seed", range(20))
def test_fuzzed_archives(seed: int) -> None:
    # Whatever the damage, reading ends, and no content is one that no record has.
    chance = random.Random(seed)  # noqa: S311 - reproducible
    members = [compressed([response(f"host{n}.example")]) for n in range(8)]
    content = bytearray(b"".join(members) if seed % 2 else b"".join(gzip.decompress(member) for member in members))
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(content))
        damage = chance.randrange(3)
        if damage == 0:
            content[at] = chance.randrange(256)
        elif damage == 1:
            del content[at : at + chance.randrange(1, 200)]
        else:
            content[at:at] = chance.randbytes(chance.randrange(1, 200))
    items = read(bytes(content))
    if seed % 2:
        # Checksums show all damage.
        assert all(item.content == RULES for item in captures(items))
    assert len(items) >= 1


@pytest.mark.slow
def test_bomb_takes_little_memory() -> None:
    content = (
        compressed([response("a.example")])
        + gzip.compress(bytes(100 << 20), mtime=0)
        + compressed([response("b.example")])
    )
    items, peak = with_peak_memory(lambda: read(content))
    assert hosts(items) == ["a.example", "b.example"]
    assert len(faults(items)) == 1
    assert peak < 64 << 20


@pytest.mark.parametrize(
    "target, expected",
    [
        ("HTTPS://upper.example/robots.txt", "https://upper.example/robots.txt"),
        ("<Http://upper.example/robots.txt>", "http://upper.example/robots.txt"),
        # Damage, or no URL at all: it is unknown which file the record has.
        ("httpspe=response", "invalid WARC-Target-URI 'httpspe=response'"),
        ("a.example/robots.txt", "invalid WARC-Target-URI 'a.example/robots.txt'"),
        ("https:a.example", "invalid WARC-Target-URI 'https:a.example'"),
        ("http:/robots.txt", "invalid WARC-Target-URI 'http:/robots.txt'"),
        ("", "invalid WARC-Target-URI ''"),
        # Archives have records of other schemes.
        ("dns:a.example", None),
        ("urn:X-wget:log", None),
        ("https://a.example/page", None),
    ],
)
def test_target_of_a_record(target: str, expected: str | None) -> None:
    items = list(
        read_warc(
            io.BytesIO(record(target, http_response(RULES))),
            "x.warc",
            wants=lambda url: url.endswith("/robots.txt"),
            advance=lambda _: None,
        )
    )
    found = [item.reason if isinstance(item, Fault) else item.url for item in items]
    assert found == ([] if expected is None else [expected])


def test_types_of_records() -> None:
    def read(kind: str) -> list[str]:
        data = record("https://a.example/robots.txt", http_response(RULES), kind=kind)
        items = read_warc(io.BytesIO(data), "x.warc", wants=lambda _: True, advance=lambda _: None)
        return [item.reason if isinstance(item, Fault) else item.url for item in items]

    assert read("Response") == ["https://a.example/robots.txt"]
    assert read("request") == []
    assert read("") == ["the record has no WARC-Type"]


@pytest.mark.parametrize("stream", [io.BytesIO, SmallReads])
@pytest.mark.parametrize("junk", [b"\0" * 512, b"junk", b"\x1f\x8b\x08" + bytes(40), b"WAR", b"x" * 70_000])
def test_junk_before_a_compressed_file_costs_no_record(junk: bytes, stream: type[io.BytesIO]) -> None:
    items = read(junk + compressed(map(response, HOSTS)), stream)
    assert hosts(items) == list(HOSTS)
    assert [(fault.position, fault.is_end) for fault in faults(items)] == [(0, False)]


def test_line_ends_before_a_compressed_file_are_not_damage() -> None:
    items = read(b"\r\n\n" + compressed(map(response, HOSTS)))
    assert (hosts(items), faults(items)) == (list(HOSTS), [])


@pytest.mark.slow
def test_damage_in_the_first_member_costs_one_record() -> None:
    members = [compressed([response(host)]) for host in HOSTS]
    for offset in range(len(members[0])):
        content = bytearray(b"".join(members))
        content[offset] ^= 0x55
        items = read(bytes(content))
        assert hosts(items) in (list(HOSTS[1:]), list(HOSTS)), offset
        assert len(faults(items)) == len(HOSTS) - len(hosts(items)), offset
        assert not any(fault.is_end for fault in faults(items)), offset
    items = read(b"".join(members)[10:])
    assert (hosts(items), len(faults(items))) == (list(HOSTS[1:]), 1)


@pytest.mark.parametrize("stream", [io.BytesIO, SmallReads])
@pytest.mark.parametrize("kinds", ["pg", "gp", "pgp", "gpg", "ppg", "gpgpgp"])
def test_concatenated_files_with_and_without_compression(kinds: str, stream: type[io.BytesIO]) -> None:
    parts, names = [], []
    for number, kind in enumerate(kinds):
        own = [f"{host[0]}{number}.example" for host in HOSTS]
        names += own
        # The body of a response is a member, too.
        records = [response(host, gzip.compress(RULES), headers=[("Content-Encoding", "gzip")]) for host in own]
        parts.append(compressed(records) if kind == "g" else b"".join(records))
    items = read(b"".join(parts), stream)
    assert (hosts(items), faults(items)) == (names, [])
    assert all(item.content == RULES for item in captures(items))
    content = b"".join(parts)
    starts = [item.position for item in captures(items)]
    assert all(content[start:].startswith((b"WARC/", b"\x1f\x8b\x08")) for start in starts)


def test_damage_in_concatenated_files_costs_the_records_that_it_touches() -> None:
    body = gzip.compress(RULES)
    plain = [response(f"{name}.example", body, headers=[("Content-Encoding", "gzip")]) for name in "abc"]
    size = f"Content-Length: {len(body)}".encode()
    assert size in plain[1]
    wrong = plain[1].replace(b"Content-Length: ", b"Content-Length: 1", 1)
    members = [compressed([response(f"{name}.example")]) for name in "def"]
    items = read(plain[0] + wrong + plain[2] + b"".join(members))
    assert hosts(items) == [f"{name}.example" for name in "acdef"]
    assert len(faults(items)) == 1
    # The end of the part that is not compressed, and the start of the other one.
    items = read(b"".join(plain)[:-30] + members[0][5:] + members[1] + members[2])
    assert hosts(items) == [f"{name}.example" for name in "abef"]
    assert not any(fault.is_end for fault in faults(items))


@pytest.mark.parametrize(
    "content",
    [
        b"<html>no archive</html>\n" * 1_000,
        compressed([response("a.example")])[1:],
        gzip.compress(b"no archive", mtime=0),
        response("a.example")[1:],
        b"WARC/1.0\r\nContent-Length: x\r\n\r\n",
        compressed(map(response, HOSTS)) + b"foreign bytes",
    ],
)
def test_damage_up_to_the_end_may_hide_records(content: bytes) -> None:
    assert [fault.is_end for fault in faults(read(content))] == [True]


def test_text_in_a_damaged_member_is_not_a_part() -> None:
    # Without compression, records in a member can be seen from outside. Its checksum shows that they may be damaged.
    member = bytearray(gzip.compress(response("b.example") + response("c.example"), 0, mtime=0))
    member[-1] ^= 1
    items = read(compressed([response("a.example")]) + member + compressed([response("d.example")]))
    assert hosts(items) == ["a.example", "d.example"]


@pytest.mark.parametrize("home", ["https://a.example/", "https://a.example", "https://a.example?x"])
def test_a_home_page_is_not_a_robots_txt(home: str) -> None:
    found = captures(read(response("a.example") + record(home, http_response(b"User-agent: *\nDisallow: /\n"))))
    assert [item.url.removesuffix("?x") for item in found] == ["https://a.example/robots.txt", "https://a.example/"]
