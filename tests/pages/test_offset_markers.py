"""Offsets of elements are correct, and marking start tags changes nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch.pages.html import parse_elements
from canfetch.pages.offset_markers import OFFSET_ATTRIBUTE, LineIndex, mark_start_tags, remove_markers

pytest.importorskip("lxml", reason="lxml is not installed")


@pytest.mark.parametrize(
    "html, expected",
    [
        (b"", b""),
        (b"<meta", b"<meta"),
        (b"<meta>", b"<meta data-canfetch-offset=0 >"),
        (b"x<META\nname=a>", b"x<META data-canfetch-offset=1 \nname=a>"),
        (
            b"<meta/><metal><meta-x><meta<meta>",
            b"<meta data-canfetch-offset=0 /><metal><meta-x><meta<meta data-canfetch-offset=27 >",
        ),
        (b"</meta><a>", b"</meta><a data-canfetch-offset=7 >"),
    ],
)
def test_start_tags_are_marked(html: bytes, expected: bytes) -> None:
    marked = mark_start_tags(html, [b"meta", b"a"])
    assert marked == expected
    assert remove_markers(marked.decode()).encode() == html


@pytest.mark.parametrize(
    "html, expected",
    [
        (b"", {0: 1}),
        (b"ab\ncd\r\nef\rgh", {0: 1, 2: 1, 3: 2, 5: 2, 6: 2, 7: 3, 9: 3, 10: 4, 11: 4}),
        (b"a\n", {0: 1, 1: 1, 2: 2}),
        (b"a\x0b\x0c\x85\xe2\x80\xa8b", {7: 1}),
    ],
)
def test_line_numbers_of_offsets(html: bytes, expected: dict[int, int]) -> None:
    lines = LineIndex(html)
    assert {offset: lines.line_at(offset) for offset in expected} == expected


PIECES = st.sampled_from(
    [b"<meta name=robots content=a>", b"<META\nNAME='x'/>", b"<p title='", b"'", b'"', b"<!--", b"-->", b"<script>"]
    + [b"</script>", b"<title>", b"</title>", b"<a rel=nofollow href=", b">", b"<", b"<meta", b" ", b"\n", b"\r", b"=x"]
    + [
        b"<div data-nosnippet>",
        b"<textarea>",
        b"<body",
        b"&lt;",
        b"\0",
        b"\xe9",
        f"<meta {OFFSET_ATTRIBUTE}=7 name=y>".encode(),
    ]
    + [b"<template>", b"</template>", b"<span x=<meta ", b"</p <meta >", b"<![CDATA[", b"<?", b"<!doctype "]
)


@given(pieces=st.lists(PIECES, max_size=12))
def test_law_offset_and_line_of_elements_are_correct(pieces: list[bytes]) -> None:
    page = b"".join(pieces)
    elements = parse_elements(page, None)
    for element in (*elements.metas, *elements.links):
        assert element.offset is not None
        tag = b"<" + element.name.encode()
        assert page[element.offset :].lower().startswith(tag)
        before = page[: element.offset].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        assert element.line == 1 + before.count(b"\n")
        assert OFFSET_ATTRIBUTE not in element.attributes


@pytest.mark.slow
@given(pieces=st.lists(PIECES, max_size=12))
def test_law_marking_changes_no_parsed_element(pieces: list[bytes]) -> None:
    from lxml import etree

    class Tags:
        def __init__(self) -> None:
            self.seen: list[tuple[str, dict[str, str]]] = []

        def start(self, tag: str, attributes: dict[str, str]) -> None:
            if tag == "meta":
                self.seen.append((tag, {k: v for k, v in attributes.items() if k != OFFSET_ATTRIBUTE}))

        def close(self) -> list[tuple[str, dict[str, str]]]:
            return self.seen

    def metas(html: bytes) -> list[tuple[str, dict[str, str]]]:
        parser = etree.HTMLParser(target=Tags(), encoding="utf-8", huge_tree=True)
        parser.feed(b" " + html)
        seen: list[tuple[str, dict[str, str]]] = parser.close()
        return seen

    page = b"".join(pieces).decode("cp1252").encode()
    assert metas(mark_start_tags(page, [b"meta"])) == metas(page)
