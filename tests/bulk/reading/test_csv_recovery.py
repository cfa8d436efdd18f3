"""Rows of CSV after a broken row: lines of its quoted cells are not read as rows."""

import csv
import io
import sys
import tracemalloc
from random import Random

import pytest

from canfetch.bulk.reading import row_files
from canfetch.bulk.reading.row_files import CUT_ROW, TOO_LONG, BadRows, read_csv

QUOTE = "invalid CSV: ',' expected after '\"'"
ASIDE = " are set aside"
WORDS = ["User-agent: *", "Disallow: /a,b", "evil.example,x", 'Allow: /"x"', "", "Sitemap: https://a/b,c", '"', '"a,b"']


def read(text: str) -> list[tuple[int, str | tuple[str, ...]]]:
    rows = read_csv(io.BytesIO(text.encode()), "x.csv", lambda _: None, lambda _: None)
    return [
        (position, row.reason if isinstance(row, row_files.BadRows) else tuple(row.values())) for position, row in rows
    ]


@pytest.mark.parametrize(
    "text, rows",
    [
        # A quote in a quoted cell, whose other lines look like rows.
        (
            'a,"User\nDisal"low: /\nevil.example,x\n"\nb,"u"\nc,x\n',
            [(2, f"{QUOTE}: lines 2 to 5{ASIDE}"), (6, ("b", "u")), (7, ("c", "x"))],
        ),
        ('a,"1\n2"3\n4,5\n6"\nb,"c\nd"\n', [(2, f"{QUOTE}: lines 2 to 5{ASIDE}"), (6, ("b", "c\nd"))]),
        # A quote at the start of a cell. The next row is also lost, because it may be part of the cell.
        ('a,"open\nb,"x"\nc,y\nd,"z"\n', [(2, f"{QUOTE}: lines 2 to 3{ASIDE}"), (4, ("c", "y")), (5, ("d", "z"))]),
        # One line whose quotes are in pairs.
        ('a,"x"y\nb,c\nd,e\n', [(2, QUOTE), (3, ("b", "c")), (4, ("d", "e"))]),
        # Too many cells on several lines.
        ('a,"x\ny",z\nb,c\n', [(2, f"the row has 3 cells: expected 2: lines 2 to 3{ASIDE}"), (4, ("b", "c"))]),
        # The file ends before a quote shows where rows start.
        ('a,"1\n2"3\n4,5\n', [(2, QUOTE), (2, f"{CUT_ROW}: lines 2 to 4{ASIDE}")]),
        ('a,"open\nb,c\nd,e\n', [(2, f"{CUT_ROW}: lines 2 to 4{ASIDE}")]),
    ],
)
def test_rows_after_a_broken_row(text: str, rows: list[tuple[int, str | tuple[str, ...]]]) -> None:
    assert read("host,content\n" + text) == rows


@pytest.mark.slow
def test_a_quote_in_a_quoted_cell_invents_no_rows() -> None:
    random = Random(9309)  # noqa: S311 - damage of a test
    read_after = 0
    for _ in range(1_000):
        rows = [(f"h{n}.example", "\n".join(random.choices(WORDS, k=random.randrange(1, 6))) + "\n") for n in range(8)]
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows([("host", "content"), *rows])
        text = stream.getvalue()
        places = [
            index
            for index in range(text.index('"') + 1, len(text))
            if text[index - 1].islower() and text[index].islower()
        ]
        # Not in the host of a row, which is outside quotes.
        places = [index for index in places if text[:index].count('"') % 2]
        if not places:
            continue
        place = random.choice(places)
        found = read(f'{text[:place]}"{text[place:]}')
        valid = [row for _, row in found if isinstance(row, tuple)]
        assert set(valid) <= set(rows), text
        assert len(valid) < 8
        read_after += rows[-1] in valid
    assert read_after > 500


def test_a_cell_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_files, "MAX_LINE_BYTES", 100)
    text = 'host,content\na,"' + "x,y\n" * 100 + '"\nb,"c"\nd,e\n'
    found = read(text)
    assert found[0] == (2, f"invalid CSV: field larger than field limit (100): lines 2 to 102{ASIDE}")
    assert found[1:] == [(103, ("b", "c")), (104, ("d", "e"))]


@pytest.mark.slow
@pytest.mark.parametrize("line", ["\n", "a\n", "x,y\n", '""\n', "\r\n"])
def test_lines_of_a_cell_are_read_many_at_once(line: str) -> None:
    count = 9_000_000 // len(line.replace('""', '"'))
    text = f'host,content\na,"{line * count}"\nb,"c\nd"\ne,f\n'
    calls = 0

    def add_call(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(add_call)
    try:
        found = read(text)
    finally:
        sys.setprofile(None)
    assert [row for _, row in found[1:]] == [("b", "c\nd"), ("e", "f")]
    assert found[0] == (
        2,
        f"invalid CSV: field larger than field limit ({row_files.MAX_LINE_BYTES}): lines 2 to {count + 2}{ASIDE}",
    )
    assert calls < count / 10


@pytest.mark.parametrize("line", ["x,y\n", '"",""\n', "\r\n", "\n"])
def test_a_long_cell_keeps_its_lines(line: str) -> None:
    cell = line * 50_000
    assert read(f'host,content\na,"{cell}"\nb,c\n') == [
        (2, ("a", cell.replace('""', '"'))),
        (50_003, ("b", "c")),
    ]


def test_a_cell_without_an_end_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_files, "MAX_LINE_BYTES", 10_000)
    text = 'host,content\na,"' + "Disallow: /x\n" * 300_000 + '"\nb,"c"\n'
    stream = io.BytesIO(text.encode())
    tracemalloc.start()
    try:
        rows = [row for _, row in read_csv(stream, "x.csv", lambda _: None, lambda _: None)]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert rows[1:] == [{"host": "b", "content": "c"}]
    assert peak < 1_000_000


def test_rows_with_a_line_that_is_too_long_are_set_aside_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_files, "MAX_LINE_BYTES", 20)
    random = Random(4180)  # noqa: S311 - content of a test
    parts = ["x", "ab,", '"', "\n", "é", "\nc,d,e\n", ""]
    set_aside = 0
    for case in range(1_000):
        rows = [
            tuple("".join(random.choices(parts, k=random.randrange(1, 13)))[:20] for _ in range(3)) for _ in range(8)
        ]
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n", quoting=(csv.QUOTE_MINIMAL, csv.QUOTE_ALL)[case % 2])
        writer.writerow(("a", "b", "c"))
        expected, numbers = [], []
        for row in rows:
            start = stream.tell()
            writer.writerow(row)
            text = stream.getvalue()
            if all(len(line.encode()) <= 20 for line in text[start:].split("\n")):
                expected.append(row)
            else:
                numbers.append(text.count("\n", 0, start) + 1)
        found = list(read_csv(io.BytesIO(stream.getvalue().encode()), "x.csv", lambda _: None, lambda _: None))
        assert [tuple(row.values()) for _, row in found if isinstance(row, dict)] == expected, stream.getvalue()
        bad = [(place, row.is_end, row.lost) for place, row in found if isinstance(row, row_files.BadRows)]
        assert bad == [(number, False, 1) for number in numbers], stream.getvalue()
        set_aside += len(bad)
    assert 500 < set_aside < 7_500


@pytest.mark.parametrize(
    "text, rows",
    [
        # The quotes of a single line are in pairs, although they are not valid.
        ('a,"x"' + "y" * 30_000 + '""\nb,c\n', [(2, TOO_LONG), (3, ("b", "c"))]),
        ('a,"x"y' + 'z,"z"' * 9_000 + "\nb,c\n", [(2, TOO_LONG), (3, ("b", "c"))]),
        ('a,"x"' + "y" * 30_000 + '"\nb,c\n', [(2, TOO_LONG), (2, f"{CUT_ROW}: lines 2 to 3{ASIDE}")]),
        (
            'a,"x\n"' + "y" * 30_000 + '"\nb,"c"\nd,e\n',
            [(2, f"{TOO_LONG}: lines 2 to 3{ASIDE}"), (4, ("b", "c")), (5, ("d", "e"))],
        ),
        # The cell after an invalid quote has a long line.
        ('a,"x\n1"2\n' + "x" * 30_000 + '\ne,x\n"\nb,c\n', [(2, f"{QUOTE}: lines 2 to 6{ASIDE}"), (7, ("b", "c"))]),
        ('a,"x"y\n' + "x" * 30_000 + ",z\nb,c\n", [(2, QUOTE), (3, TOO_LONG), (4, ("b", "c"))]),
        # The wrong number of cells.
        ("a,b," + "x" * 30_000 + "\nb,c\n", [(2, TOO_LONG), (3, ("b", "c"))]),
        # The end of the file.
        ("a," + "x" * 30_000, [(2, f"{TOO_LONG}; it has no line end, so that it may be cut")]),
        ('a,"' + "x" * 30_000 + "\nb,c\nd,e\n", [(2, f"{CUT_ROW}: lines 2 to 4{ASIDE}")]),
        ('a,"' + "x" * 30_000 + '"y' + "z" * 30_000, [(2, TOO_LONG)]),
    ],
)
def test_lines_that_are_too_long(
    monkeypatch: pytest.MonkeyPatch, text: str, rows: list[tuple[int, str | tuple[str, ...]]]
) -> None:
    monkeypatch.setattr(row_files, "MAX_LINE_BYTES", 10_000)
    assert read("host,content\n" + text) == rows


def test_a_line_that_is_too_long_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_files, "MAX_LINE_BYTES", 10_000)
    stream = io.BytesIO(b'host,content\na,"' + b'x,"",y' * 600_000 + b'"\nb,"c"\n')
    tracemalloc.start()
    try:
        rows = [row for _, row in read_csv(stream, "x.csv", lambda _: None, lambda _: None)]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert rows == [BadRows(TOO_LONG), {"host": "b", "content": "c"}]
    assert peak < 1_000_000
