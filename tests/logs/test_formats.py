"""Log formats: the same requests are read from each, and hostile lines are bad lines."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.logs.log_lines import DAY, FIREFOX, FORMATS, GOOGLEBOT, GPTBOT, NOON, Request, combined, write_log

from canfetch import parse
from canfetch.errors import InvalidOption
from canfetch.logs import LogReport, RobotsHistory, analyze
from canfetch.logs.analysis import LogTimes
from canfetch.logs.formats import create_format, detect_format
from canfetch.logs.json_format import JSONFormat
from canfetch.logs.log_blocks import BLOCK_BYTES, MAX_LINE_BYTES
from canfetch.logs.text_format import CombinedFormat, W3CFormat

ROBOTS = parse(b"User-agent: *\nDisallow: /private\nUser-agent: GPTBot\nDisallow: /shop?q=\nCrawl-delay: 10\n")
DETECTED = {"combined": "combined", "vhost": "vhost", "cloudfront": "w3c", "iis": "w3c"}


def read(log: bytes, **options: Any) -> LogReport:
    return analyze([io.BytesIO(log)], RobotsHistory.from_file(ROBOTS), **options)


@pytest.mark.parametrize("form", FORMATS)
def test_format_is_detected(form: str) -> None:
    assert detect_format(write_log([Request()] * 3, form)) == DETECTED.get(form, "json")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "before, bad",
    [
        (b"caddy started\n", 1),
        (b"\n# a note\n[warn] x\n", 2),
        (b'-- "rotated" --\n' * 20_000, 20_000),
        (b"\xef\xbb\xbf", 0),
        (b"\0" * 300, 0),
        (b"\0" * (BLOCK_BYTES + MAX_LINE_BYTES), 0),
        (b"x" * (BLOCK_BYTES + MAX_LINE_BYTES) + b"\n", 1),
    ],
    ids=["message", "notes", "many", "bom", "nul", "many-nul", "long"],
)
def test_lines_without_a_format_do_not_decide(form: str, before: bytes, bad: int) -> None:
    report = read(before + write_log([Request()] * 3, form))
    assert report.lines - report.bad_lines == 3
    # In the format of W3C, a line with a number sign is a comment.
    assert report.bad_lines == bad - (b"#" in before and DETECTED.get(form) == "w3c")


def test_most_of_the_first_lines_decide() -> None:
    one, text = write_log([Request()], "cloudflare"), write_log([Request()], "combined")
    assert read(one + 3 * text).bad_lines == 1
    assert read(text + 3 * one).bad_lines == 1
    assert read(one + text).first_bad_lines[0].line == 2
    assert read(60 * text + 100 * one).bad_lines == 100
    assert detect_format(b"") is None
    assert detect_format(b"hello\n#Software: x\n") is None
    assert (read(b"hello\n").lines, read(b"hello\n").bad_lines) == (1, 1)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_read_alike(form: str) -> None:
    requests = [
        Request("/robots.txt"),
        Request("/shop?q=fish", at=NOON + 4),
        Request("/shop", at=NOON + 20, status=429),
        Request("/private", GOOGLEBOT, NOON + 2 * DAY, "192.0.2.7"),
        Request("/", FIREFOX),
        Request("//shop", GOOGLEBOT),
    ]
    report = read(write_log(requests, form))
    assert (report.lines, report.other_requests, report.bad_lines, report.unusable_requests) == (6, 1, 0, 0)
    gptbot, googlebot = report.crawlers
    assert (gptbot.name, gptbot.requests, gptbot.robots_txt_requests, gptbot.disallowed_requests) == ("GPTBot", 3, 1, 1)
    assert gptbot.examples == (("/shop?q=fish", 4),)
    assert (gptbot.refused_requests, gptbot.refused_examples) == (1, (("/shop", 429),))
    assert (gptbot.delays, gptbot.delays_kept) == (1, 1)
    assert (googlebot.requests, googlebot.disallowed_requests, googlebot.addresses) == (2, 1, 2)
    assert (googlebot.unchecked_requests, int(googlebot.last - googlebot.first)) == (1, 2 * DAY)


PRINTABLE = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters='"\\'), min_size=1)
REQUESTS = st.builds(
    Request,
    target=PRINTABLE.map(lambda text: "/" + text.replace("#", "")),
    user_agent=st.sampled_from([GPTBOT, GOOGLEBOT, "ExampleBot/1.0"]),
    at=st.integers(1_000_000_000, 4_000_000_000).map(float),
    client=st.ip_addresses().map(str),
    host=st.sampled_from(["www.example.com", "[2001:db8::1]"]),
    method=st.sampled_from(["GET", "HEAD", "POST"]),
    status=st.sampled_from([200, 403, 429]),
)


@pytest.mark.slow
@given(st.lists(REQUESTS, max_size=5))
def test_law_formats_agree(requests: list[Request]) -> None:
    reports = [
        read(write_log(requests, form), format=DETECTED.get(form, "json")) for form in ("combined", "cloudflare")
    ]
    assert reports[0] == reports[1]
    assert sum(crawler.requests for crawler in reports[0].crawlers) == len(requests)


@given(st.binary(max_size=300), st.sampled_from(["combined", "vhost", "json", "w3c"]))
def test_law_any_bytes_are_read(content: bytes, name: str) -> None:
    rows = create_format(name).rows(content)
    assert len(rows) == content.count(b"\n") + 1
    for row, line in zip(rows, content.split(b"\n"), strict=True):
        assert row[6] == b"" or row[6].endswith((line, line.rstrip(b"\r")))
        assert not (row[6] and any(row[:6]))
    assert read(content).lines <= content.count(b"\n") + 1


# Lines that end where a field should, or have too many or too few quotation marks, or escapes.
PARTS = [b"1.2.3.4 - - [T] ", b'"GET /a HTTP/1.1" 200 1', b' "-"', b' "x"', b"-", b" ", b'"', b"[", b"]", b"\\", b"\n"]
WHOLE_LINES = [combined(Request()).encode(), b'1.2.3.4 - - [T] "GET /a HTTP/1.1" 200 1 "-', b'1 - - [T] "GET /\\"']
BLOCKS = st.lists(st.sampled_from(PARTS), max_size=40).map(b"".join)


@given(BLOCKS | st.lists(st.sampled_from(WHOLE_LINES)).map(b"\n".join), st.sampled_from(["combined", "vhost"]))
def test_law_lines_are_read_alike_alone_and_in_a_block(block: bytes, name: str) -> None:
    text_format = create_format(name)
    assert text_format.rows(block) == [row for line in block.split(b"\n") for row in text_format.rows(line)]


@pytest.mark.parametrize(
    "line, target, user_agent",
    [
        (rb'1.2.3.4 - - [T] "GET /a\"b HTTP/1.1" 200 1 "-" "x"', b'/a"b', b"x"),
        (rb'1.2.3.4 - - [T] "GET /\x22a HTTP/1.1" 200 1 "-" "say \"hi\""', b'/"a', b'say "hi"'),
        (rb'1.2.3.4 - - [T] "GET /" 200 1 "-" "x"', b"/", b"x"),
        (rb'1.2.3.4 - joe doe [T] "GET / HTTP/2" 200 - "-" "x" "more" 12', b"/", b"x"),
        (rb'1.2.3.4 - - [T] "GET / HTTP/1.1" 200 1', b"/", b""),
        (rb'1.2.3.4 - - [T] "GET /\x22 HTTP/1.1" - 1 "-" "x"', b'/"', b"x"),
        (rb'1.2.3.4 - - [T] "-" 408 - "-" "-"', b"", b"-"),
        (rb'1.2.3.4 - - [T] "\x16\x03\x01" 400 1 "-" "-"', b"", b"-"),
        (rb'1.2.3.4 - - [T] "GET /a b HTTP/1.1" 400 1 "-" "x"', b"/a b", b"x"),
    ],
)
def test_unusual_lines(line: bytes, target: bytes, user_agent: bytes) -> None:
    [row] = CombinedFormat().rows(line)
    assert row[:4] == (b"", b"1.2.3.4", b"T", target)
    assert row[5:7] == (user_agent, b"")
    assert b" " + row[4] + b" " in line
    assert row[4] == b"-" or row[4].isdigit()
    [with_host] = CombinedFormat(with_host=True).rows(b"example.com:80 " + line)
    assert with_host == (b"example.com", *row[1:])


def test_lines_are_numbered_across_blocks() -> None:
    good = write_log([Request()])
    count = 2 * BLOCK_BYTES // len(good)
    log = good * count + b"x" * (2 * MAX_LINE_BYTES) + b"\nbad\n" + good + b"bad\n"
    report = read(log)
    assert [bad.line for bad in report.first_bad_lines] == [count + 1, count + 2, count + 4]
    assert (report.lines, report.bad_lines) == (count + 4, 3)


def test_bad_lines_are_named() -> None:
    log = write_log([Request()]) + b"what is this\n\n" + combined(Request()).replace("[22/", "[44/").encode() + b"\n"
    report = analyze([io.BytesIO(log)], RobotsHistory())
    assert (report.lines, report.bad_lines) == (3, 2)
    assert [(bad.line, bad.text[:14]) for bad in report.first_bad_lines] == [(2, "what is this"), (4, "invalid time: ")]


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"7",
        b"{}",
        b'{"time": 7}',
        b'{"time": "x", "uri": []}',
        b'{"uri": "/"}',
        b"{" * 5_000,
        b"[" * 100_000,
        b'{"time": 1e999, "uri": {"a": 1}}',
        b'{"ts": "\xff"}',
    ],
)
def test_bad_json_is_a_bad_line(line: bytes) -> None:
    report = read(line + b"\n", format="json")
    assert (report.lines, report.bad_lines, report.crawlers) == (1, 1, ())


def test_names_of_json_fields() -> None:
    entry = {"when": NOON, "http": {"ua": GPTBOT, "path": "/shop?q=x", "from": "192.0.2.9"}}
    fields = {"time": "when", "user_agent": "http.ua", "target": "http.path", "client": "http.from"}
    [crawler] = read(json.dumps(entry).encode(), fields=fields).crawlers
    assert (crawler.name, crawler.disallowed_requests, crawler.addresses) == ("GPTBot", 1, 1)


def test_columns_may_change() -> None:
    w3c = W3CFormat()
    assert w3c.rows(b"2026-11-22 12:00:00 192.0.2.1 /")[0][6]
    [_, first] = w3c.rows(b"#Fields: date time c-ip cs-uri-stem\n2026-11-22 12:00:00 192.0.2.1 /a")
    [_, second] = w3c.rows(b"#Fields: cs-uri-stem c-ip time date\r\n/b 192.0.2.1 12:00:00 2026-11-22\r")
    assert (first[3], second[3]) == (b"/a", b"/b")
    assert first[2] == second[2] == b"2026-11-22T12:00:00Z"
    assert w3c.rows(b"too few")[0][6] == b"too few"


@pytest.mark.parametrize(
    "text, seconds",
    [
        (b"22/Nov/2026:12:00:00 +0000", NOON),
        (b"22/Nov/2026:14:00:00 +0200", NOON),
        (b"22/Nov/2026:06:30:00 -0530", NOON),
        (b"31/Dec/2016:23:59:60 +0000", 1_483_228_799.0),
        (b"2026-11-22T12:00:00Z", NOON),
        (b"2026-11-22T13:00:00.5+01:00", NOON + 0.5),
        (b"2026-11-22 12:00:00", NOON),
        (b"2026-11-22T12:00:00.123456789Z", NOON + 0.123456),
        (b"1795348800", NOON),
        (b"1795348800.25", NOON + 0.25),
        (b"1795348800000", NOON),
        (b"1795348800000000", NOON),
        (b"1795348800000000000", NOON),
        (b"", None),
        (b"-", None),
        (b"nan", None),
        (b"1e400", None),
        (b"-5", None),
        (b"99/Nov/2026:12:00:00 +0000", None),
        (b"22/Foo/2026:12:00:00 +0000", None),
        (b"22/Nov/2026:12:00:00", None),
        (b"2026-99-22T12:00:00Z", None),
        (b"\xff\xff\xff\xff-", None),
    ],
)
def test_times(text: bytes, seconds: float | None) -> None:
    times = LogTimes()
    assert times.read(text) == pytest.approx(seconds) if seconds is not None else times.read(text) is None
    assert times.read(text) == times.read(text)


@pytest.mark.slow
def test_invalid_options() -> None:
    with pytest.raises(InvalidOption, match="unknown log format 'combine': did you mean 'combined'"):
        create_format("combine")
    with pytest.raises(InvalidOption, match="only for logs in JSON"):
        create_format("combined", {"time": "t"})
    with pytest.raises(InvalidOption, match="unknown log field 'when': expected one of time, client"):
        JSONFormat({"when": "t"})


@pytest.mark.parametrize(
    "line, reason",
    [
        (b"{", b"not valid JSON: {"),
        (b"[]", b"not a JSON object: []"),
        (b'{"uri": "/"}', b'no field for the time: {"uri": "/"}'),
        (b'{"ts": 1}', b'no field for the target: {"ts": 1}'),
    ],
)
def test_lines_of_json_that_cannot_be_read_have_a_reason(line: bytes, reason: bytes) -> None:
    assert create_format("json").rows(line)[0][6] == reason


def test_bytes_of_json_that_are_not_utf_8_are_kept() -> None:
    [row] = create_format("json").rows(b'{"ts": 1, "uri": "/caf\xe9", "user_agent": "GPTBot \xff"}')
    assert (row[3], row[5], row[6]) == (b"/caf\xe9", b"GPTBot \xff", b"")
