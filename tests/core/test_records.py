"""The lossless view: every line, its record, and its peculiarities."""

import pytest

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.profiles import PROFILES
from canfetch.core.records import Record, Records


def records(content: bytes, profile: str = "rfc9309") -> list[Record]:
    return list(Records(content, PROFILES[profile]))


def notes(line: bytes, profile: str = "rfc9309") -> Note:
    # After a user-agent line, so that rules are in a group.
    return records(b"User-agent: *\n" + line, profile)[1].notes


def test_record_has_the_spans_of_its_line() -> None:
    content = b"\xef\xbb\xbfUser-agent: FooBot # me\r\n\r\nDisallow : /a\nx"
    first, blank, rule, text = records(content)
    assert first == Record(
        line=1,
        span=(3, 28),
        kind=RecordKind.USER_AGENT,
        key=(3, 13),
        value=(15, 21),
        group=0,
        notes=Note.BYTE_ORDER_MARK,
    )
    assert blank == Record(2, (28, 30), None, None, None, 0, Note.NONE)
    assert rule.kind is RecordKind.DISALLOW
    assert rule.key is not None
    assert rule.value is not None
    assert content[slice(*rule.key)] == b"Disallow"
    assert content[slice(*rule.value)] == b"/a"
    assert (text.kind, text.line, text.notes) == (None, 4, Note.NOT_A_RECORD)


def test_rfc9309_2_1_records_have_the_index_of_their_group() -> None:
    content = b"Allow: /\nSitemap: a\nUser-agent: a\nFoo: b\nUser-agent: b\nDisallow:\nbad\nUser-agent: c\n"
    assert [record.group for record in records(content)] == [None, None, 0, 0, 0, 0, 0, 1]
    assert records(content)[0].notes == Note.OUTSIDE_GROUP


@pytest.mark.parametrize("line", [b"Disallow: *.gif", b"Disallow: /a b", b"Dissallow: /a"])
def test_strict_rule_outside_the_grammar_does_not_end_a_group(line: bytes) -> None:
    content = b"User-agent: a\n" + line + b"\nUser-agent: b\nDisallow: /\nUser-agent: c"
    assert [record.group for record in records(content, "strict")] == [0, 0, 0, 0, 1]
    assert [record.group for record in records(content)] == [0, 0, 1, 1, 2]


@pytest.mark.parametrize(
    "line, expected",
    [
        (b"\n", Note.NONE),
        (b"# comment", Note.NONE),
        (b"Disallow: /a%20b$ # all", Note.NONE),
        (b"Allow:", Note.EMPTY_VALUE | Note.VOID_RULE),
        (b"User-agent: FooBot", Note.NONE),
        (b"Sitemap: https://example.com/s.xml", Note.NONE),
        (b"three words here", Note.NOT_A_RECORD),
        (b"two words", Note.MISSING_COLON | Note.UNKNOWN_KEY),
        (b": /a", Note.NOT_A_RECORD),
        (b"\x00", Note.NOT_A_RECORD | Note.NUL),
        (b"Crawl-delay: 5", Note.UNKNOWN_KEY),
        (b"Crawl-delay:", Note.UNKNOWN_KEY | Note.EMPTY_VALUE),
        (b"Disallow /a", Note.MISSING_COLON | Note.OUTSIDE_GRAMMAR),
        (b"Disalow: /a", Note.MISSPELT_KEY | Note.OUTSIDE_GRAMMAR),
        (b"Site-map: a", Note.MISSPELT_KEY),
        (b"User-agent: FooBot/1.0", Note.TOKEN_CUT | Note.OUTSIDE_GRAMMAR),
        (b"User-agent: MJ12bot", Note.OUTSIDE_GRAMMAR),
        (b"User-agent: * foo", Note.TOKEN_CUT | Note.OUTSIDE_GRAMMAR),
        (b"User-agent:", Note.EMPTY_VALUE | Note.NO_TOKEN | Note.OUTSIDE_GRAMMAR),
        (b"User-agent: *Bot", Note.NO_TOKEN | Note.OUTSIDE_GRAMMAR),
        (b"Disallow: a", Note.VOID_RULE | Note.OUTSIDE_GRAMMAR),
        (b"Disallow: *.gif", Note.OUTSIDE_GRAMMAR),
        (b"Disallow: /a b", Note.WHITE_SPACE_IN_VALUE | Note.OUTSIDE_GRAMMAR),
        (b"Disallow: /a\tb", Note.WHITE_SPACE_IN_VALUE | Note.OUTSIDE_GRAMMAR),
        (b"Disallow: /a\0b", Note.NUL | Note.VOID_RULE | Note.OUTSIDE_GRAMMAR),
        (b"Disallow: /a\x1bb", Note.CONTROL | Note.OUTSIDE_GRAMMAR),
        ("Disallow: /\u30c4".encode(), Note.NOT_ASCII),
        (b"Disallow: /\xff", Note.NOT_ASCII | Note.NOT_UTF8 | Note.OUTSIDE_GRAMMAR),
        (b"Host: \xff", Note.NOT_UTF8 | Note.UNKNOWN_KEY),
        (b"Disallow: /a%zz", Note.BAD_ESCAPE),
        (b"Disallow: /a%4", Note.BAD_ESCAPE),
        (b"Disallow: /%41%4g", Note.BAD_ESCAPE),
        (b"Disallow: /a$b$", Note.DOLLAR_INSIDE),
        (b"Disallow: /$b", Note.DOLLAR_INSIDE),
        # The grammar of a line includes its comment.
        (b"Disallow: /a # \x01", Note.OUTSIDE_GRAMMAR),
        (b"User-agent: a # \xff", Note.OUTSIDE_GRAMMAR),
        # White space that is stripped although it is not in the grammar.
        (b"\vDisallow: /a", Note.OUTSIDE_GRAMMAR),
        (b"User-agent\f: a", Note.OUTSIDE_GRAMMAR),
        (b"Disallow: /a\v", Note.OUTSIDE_GRAMMAR),
    ],
)
def test_notes(line: bytes, expected: Note) -> None:
    assert notes(line) == expected


@pytest.mark.parametrize(
    "line, expected",
    [
        (b"DisallowAITraining: /", Note.KEY_PREFIX | Note.OUTSIDE_GRAMMAR),
        (b"Disalow: /a", Note.MISSPELT_KEY | Note.OUTSIDE_GRAMMAR),
        (b"User-agent: MJ12bot", Note.TOKEN_CUT | Note.OUTSIDE_GRAMMAR),
        (b"User-agent: 360Spider", Note.NO_TOKEN | Note.OUTSIDE_GRAMMAR),
        (b"Disallow: /a\0b", Note.LINE_CUT | Note.NUL),
        (b"Disallow: /" + b"a" * 16_663, Note.LINE_CUT),
        (b"Disallow: a", Note.OUTSIDE_GRAMMAR),
        (b"Disallow:", Note.EMPTY_VALUE),
    ],
)
def test_google_notes(line: bytes, expected: Note) -> None:
    assert notes(line, "google") == expected


@pytest.mark.parametrize(
    "line, expected",
    [
        (b"Disalow: /a", Note.UNKNOWN_KEY),
        (b"User-agent: FooBot/1.0", Note.NO_TOKEN | Note.OUTSIDE_GRAMMAR),
        (b"User-agent: Foo # \x01", Note.NO_TOKEN | Note.OUTSIDE_GRAMMAR),
        (b"User-agent: Foo # bar", Note.NONE),
        (b"Disallow /a", Note.NOT_A_RECORD),
    ],
)
def test_strict_notes(line: bytes, expected: Note) -> None:
    assert notes(line, "strict") == expected


def test_yandex_blank_line_ends_the_group() -> None:
    content = b"User-agent: a\nDisallow: /a\n \t\nDisallow: /b\nUser-agent: b\n# c\nDisallow: /c\n"
    found = records(content, "yandex")
    assert [record.group for record in found] == [0, 0, None, None, 1, 1, 1]
    assert [Note.OUTSIDE_GROUP in record.notes for record in found] == [record.line == 4 for record in found]
    assert [record.group for record in records(content)] == [0, 0, 0, 0, 1, 1, 1]


def test_more_lines_than_are_cached() -> None:
    content = b"".join(b"Disallow: /%d\n" % (number % 5000) for number in range(9000))
    found = records(content)
    assert [record.line for record in found] == list(range(1, 9001))
    assert b"".join(content[slice(*record.value)] for record in found if record.value) == b"".join(
        b"/%d" % (number % 5000) for number in range(9000)
    )


def test_repeated_lines_have_their_own_positions() -> None:
    found = records(b"Disallow: /a\n\nUser-agent: *\nDisallow: /a\n\nDisallow: /a\n")
    assert [(record.line, record.span, record.value, record.group) for record in found if record.value] == [
        (1, (0, 13), (10, 12), None),
        (3, (14, 28), (26, 27), 0),
        (4, (28, 41), (38, 40), 0),
        (6, (42, 55), (52, 54), 0),
    ]
    assert [Note.OUTSIDE_GROUP in record.notes for record in found] == [True, False, False, False, False, False]


@pytest.mark.parametrize("profile", ["rfc9309", "google", "strict"])
@pytest.mark.parametrize(
    "key, rest",
    [
        (key, rest)
        for key in (b"Disallow", b"Disalow", b" Allow ")
        for rest in (b"", b":", b": /b", b":\t/b ", b": b", b": /b$", b": /$b", b": /%", b": /b # c", b" /b", b" /b #:")
        + (b": /b c", b": /b\tc", b": /%4", b": /\xc3\xa9", b": /\xff", b": /\x7f|", b": /\x01", b": /\0", b": \v/b")
    ],
)
def test_a_line_is_read_the_same_after_other_lines_with_its_key(profile: str, key: bytes, rest: bytes) -> None:
    agent, before = b"User-agent: *\n", key + b": /a\n" + key + b": /a/%41\n"
    alone = records(agent + key + rest, profile)[1]
    after = records(agent + before + key + rest, profile)[-1]
    shift = len(before)
    moved = [None if span is None else (span[0] + shift, span[1] + shift) for span in (alone.key, alone.value)]
    assert (after.kind, after.key, after.value, after.notes) == (alone.kind, *moved, alone.notes)


def test_google_long_line_is_cut_after_other_lines_with_its_key() -> None:
    [other] = records(b"foo:" + b"a" * 20_000, "google")
    assert other.notes is Note.LINE_CUT | Note.UNKNOWN_KEY
    line = b"Disallow: /" + b"a" * 20_000
    *_, long = records(b"User-agent: *\nDisallow: /\n" + line, "google")
    assert long.notes is Note.LINE_CUT
    assert long.value == (36, 36 + 2083 * 8 - 1 - 10)


def test_a_byte_order_mark_is_a_note_of_the_first_line_only() -> None:
    for content in (b"text\n", b"text\ntext\n", b"\ntext\n"):
        first, *others = records(b"\xef\xbb\xbf" + content)
        plain_first, *plain_others = records(content)
        assert first.notes == plain_first.notes | Note.BYTE_ORDER_MARK
        assert [one.notes for one in others] == [one.notes for one in plain_others]
    assert records(b"\xef\xbb\xbf") == []


def test_records_are_created_on_access() -> None:
    content = b"User-agent: *\n\n# why\nDisallow: /a\n\n"
    lazy = Records(content, PROFILES["rfc9309"])
    whole = list(Records(content, PROFILES["rfc9309"]))
    assert len(lazy) == len(whole) == 5
    assert [lazy[index] for index in (3, 0, -1, -2)] == [whole[index] for index in (3, 0, -1, -2)]
    assert lazy[1:4] == whole[1:4]
    assert lazy[3] is lazy[3]
    assert lazy[1] is not lazy[1]
    assert lazy.keyed == [0, 3]
    assert lazy.starts == [record.span[0] for record in whole]
    with pytest.raises(IndexError):
        lazy[5]


def test_records_of_long_lines() -> None:
    lazy = Records(b"a\nabc\n\nabcd", PROFILES["rfc9309"])
    assert [record.line for record in lazy.longer_than(3)] == [2, 4]
    assert not list(lazy.longer_than(4))


def test_records_are_looked_up_without_being_created() -> None:
    content = b"# a\nUser-agent: a\n Allow:/b\n\nUser-agent: b\nDisallow:\nSitemap: c\n"
    records = Records(content, PROFILES["rfc9309"])
    assert records.of_kinds(RecordKind.ALLOW, RecordKind.DISALLOW) == [2, 5]
    assert records.has_kind(RecordKind.ALLOW)
    assert not Records(content[:4], PROFILES["rfc9309"]).has_kind(RecordKind.ALLOW)
    assert [records.kind(index) for index in (0, 1, 2)] == [None, RecordKind.USER_AGENT, RecordKind.ALLOW]
    assert [records.group(index) for index in range(len(records))] == [None, 0, 0, 0, 1, 1, 1]
    assert [records.group_range(index) for index in (0, 2, 6)] == [range(1), range(1, 4), range(4, 7)]
    assert [records.is_indented(index) for index in (1, 2)] == [False, True]
    assert [content[slice(*span)] for span in records.spans([0, 6])] == [b"# a\n", b"Sitemap: c\n"]
    assert [content[slice(*span)] for span in records.key_spans([2, 5, 6])] == [b"Allow", b"Disallow", b"Sitemap"]
    spans = records.value_spans([2, 5, 6])
    assert [content[slice(*span)] for span in spans] == [b"/b", b"", b"c"]
    assert [records[index].value for index in (2, 5, 6)] == spans
    assert records.without_key() == [0, 3]
    assert records.with_note(Note.EMPTY_VALUE) == [5]
    assert records.with_note(Note.NUL) == []


def test_a_note_is_looked_up_among_combinations_of_notes() -> None:
    records = Records(b"foo:\nfoo:bar\n\nfoo:\n", PROFILES["rfc9309"])
    assert records.with_note(Note.UNKNOWN_KEY) == [0, 1, 3]
    assert records.with_note(Note.EMPTY_VALUE) == [0, 3]
    assert [records.notes(index) for index in range(len(records))] == [record.notes for record in records]
    assert records.notes(3) == Note.UNKNOWN_KEY | Note.EMPTY_VALUE


@pytest.mark.parametrize("profile", ["rfc9309", "google", "strict"])
@pytest.mark.parametrize("key", [b"foo", b"Foo-bar", b"Sitemap", b"site-map", b"userx", b"foo bar", b"foo1"])
@pytest.mark.parametrize("value", [b"", b" ", b" b", b"\tb ", b"/b#c", b"b c", b"\xff", b"\v"])
def test_other_records(profile: str, key: bytes, value: bytes) -> None:
    [record] = records(key + b":" + value, profile)
    # A comment takes the line off the fast path, and changes nothing else.
    [commented] = records(b" " + key + b":" + value.partition(b"#")[0] + b"#", profile)
    spans = [None if span is None else (span[0] + 1, span[1] + 1) for span in (record.key, record.value)]
    assert (commented.kind, commented.key, commented.value, commented.notes) == (record.kind, *spans, record.notes)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("value", [b"/a\0b", b"/\0", b"a\0"])
def test_nul_bytes_in_rules(profile: str, value: bytes) -> None:
    # A key that has occurred before is on the fast path, and a comment takes the line off it.
    _, plain = records(b"Disallow: /x\nDisallow: " + value, profile)
    _, commented = records(b"Disallow: /x\nDisallow: " + value + b"#", profile)
    assert Note.NUL in plain.notes
    assert (plain.kind, plain.value, plain.notes) == (commented.kind, commented.value, commented.notes)
