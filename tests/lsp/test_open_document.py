"""Documents follow incremental changes, and convert positions in every encoding."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch.core.document import parse
from canfetch.core.text import encode_text
from canfetch.lsp.open_document import OpenDocument, Place, split_lines

ENCODINGS = ("utf-8", "utf-16", "utf-32")
# Line ends, characters that Python treats as line ends, several widths, a byte that is not UTF-8, NUL and a BOM.
PIECES = ["\n", "\r", "\r\n", "\x0b", "\x85", "\u2028", "a", "é", "€", "😀", "\udcff", "\0", "\ufeff", ":", "#"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def document(text: str) -> OpenDocument:
    return OpenDocument("file:///robots.txt", "robots", 1, text)


def text_of(opened: OpenDocument) -> str:
    return opened.snapshot("utf-16").text


@given(TEXTS)
def test_lines_are_those_of_the_engine(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert not lines[-1].endswith(("\r", "\n"))
    content = encode_text(text)
    starts = [record.span[0] for record in parse(content).records]
    snapshot = document(text).snapshot("utf-8")
    ours = [snapshot.line_start(number) for number in range(len(lines))]
    # The engine has no line after the last line end, and its first line starts after a byte order mark.
    assert ours[1 : len(starts)] == starts[1:]
    assert len(ours) - len(starts) in (0, 1)


@given(TEXTS, st.integers(0, 12), st.integers(0, 12), TEXTS, st.sampled_from(ENCODINGS))
def test_a_change_has_the_effect_of_replacing_characters(
    text: str, one: int, other: int, new: str, encoding: str
) -> None:
    opened = document(text)
    snapshot = opened.snapshot(encoding)
    first, last = sorted((min(one, len(text)), min(other, len(text))))
    offsets = [len(encode_text(text[:first])), len(encode_text(text[:last]))]
    places = [snapshot.place(offset) for offset in offsets]
    # Positions between CR and LF do not exist, and are those before CR.
    first, last = (
        index - bool(re.match(r"\r\n", text[index - 1 : index + 1])) if index else 0 for index in (first, last)
    )
    opened.replace(places[0], places[1], new, encoding)
    assert text_of(opened) == text[:first] + new + text[last:]
    assert opened.snapshot(encoding).lines == tuple(split_lines(text_of(opened)))


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_offsets_and_places_are_inverse(text: str, encoding: str) -> None:
    snapshot = document(text).snapshot(encoding)
    position = 0
    for index, character in enumerate(text):
        if character != "\n" or text[index - 1 : index] != "\r":
            assert snapshot.offset(*snapshot.place(position)) == position
        position += len(encode_text(character))
    assert snapshot.offset(*snapshot.place(position)) == position


@pytest.mark.parametrize(
    "encoding, column", [("utf-8", 4 + 2 + 1 + 1), ("utf-16", 2 + 1 + 1 + 1), ("utf-32", 1 + 1 + 1 + 1)]
)
def test_columns_count_the_units_of_the_encoding(encoding: str, column: int) -> None:
    snapshot = document("😀é\udcff\0x").snapshot(encoding)
    assert snapshot.place(len(snapshot.content) - 1) == Place(0, column)
    assert snapshot.offset(0, column) == len(snapshot.content) - 1


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_positions_outside_the_document_are_the_nearest_ones(encoding: str) -> None:
    for start, end, expected in [
        (Place(0, 99), Place(0, 99), "aX\nb"),
        (Place(1, 99), Place(1, 99), "a\nbX"),
        (Place(9, 0), Place(9, 9), "a\nbX"),
        (Place(-1, -1), Place(0, -5), "Xa\nb"),
        (Place(1, 0), Place(0, 0), "a\nXb"),
    ]:
        opened = document("a\nb")
        opened.replace(start, end, "X", encoding)
        assert text_of(opened) == expected


def test_a_position_inside_a_character_is_its_start() -> None:
    snapshot = document("😀x").snapshot("utf-16")
    assert snapshot.offset(0, 1) == 0
    assert snapshot.place(2) == Place(0, 0)


@pytest.mark.slow
def test_every_change_is_a_new_revision() -> None:
    opened = document("a")
    before = opened.snapshot("utf-16")
    opened.replace_all("b")
    opened.replace(Place(0, 0), Place(0, 0), "", "utf-16")
    assert (before.text, before.revision, opened.revision) == ("a", 0, 2)
