"""Edits turn one text into another, and touch only what differs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lsp.editor import apply

from canfetch.lsp.features import format_document
from canfetch.lsp.open_document import OpenDocument, Snapshot
from canfetch.lsp.protocol_types import to_text_edits
from canfetch.lsp.text_edits import NewText, line_edits, replace_bytes

ENDS = st.sampled_from(["\n", "\r\n", "\r", ""])
TEXTS = st.tuples(st.lists(st.tuples(st.sampled_from(["a", " a", "bé", "😀", "", " "]), ENDS), max_size=8)).map(
    lambda pairs: "".join(line + end for line, end in pairs[0])
)


def snapshot(text: str) -> Snapshot:
    return OpenDocument("file:///robots.txt", "robots", 1, text).snapshot("utf-16")


def edited(text: str, edits: list[NewText]) -> str:
    return apply(text, to_text_edits(edits))


@pytest.mark.slow
@given(TEXTS, TEXTS)
def test_edits_result_in_the_new_text(old: str, new: str) -> None:
    edits = line_edits(snapshot(old), new)
    assert edits is not None
    assert edited(old, edits) == new


@given(TEXTS)
def test_the_same_text_needs_no_edits(text: str) -> None:
    assert line_edits(snapshot(text), text) == []


def test_many_different_lines_are_replaced_as_one_block() -> None:
    old = "".join(f"{number}\n" for number in range(1500))
    new = "".join(f"{number + 1}\n" for number in range(1501))
    edits = line_edits(snapshot(old), new)
    assert edits is not None
    assert (len(edits), edited(old, edits)) == (1, new)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_formatting_keeps_the_line_end(end: str) -> None:
    text = end.join(["user-agent:*", "Disallow: /é", "", "", "DISALLOW :/b  ", "# c", ""])
    formatting = format_document(snapshot(text))
    assert formatting.refusal is None
    assert edited(text, formatting.edits) == end.join(["User-agent: *", "Disallow: /é", "", "Disallow: /b", "# c", ""])
    # The line that is already formatted is not touched.
    assert all(edit.span.start.line != 1 for edit in formatting.edits)


def test_formatting_of_mixed_line_ends_writes_lf() -> None:
    text = "User-agent: *\r\nDisallow: /a\nDisallow: /b"
    assert edited(text, format_document(snapshot(text)).edits) == "User-agent: *\nDisallow: /a\nDisallow: /b\n"


def test_formatting_leaves_invalid_bytes_alone() -> None:
    text = "User-agent: *\nDISALLOW:/\udce9\n"
    formatting = format_document(snapshot(text))
    assert edited(text, formatting.edits) == "User-agent: *\nDisallow: /\udce9\n"
    assert all(edit.text.isascii() for edit in formatting.edits)


def test_a_refusal_has_a_reason() -> None:
    assert format_document(snapshot("<!doctype html><p>x</p>\n")).refusal


def test_an_edit_between_cr_and_lf_is_extended() -> None:
    text = "a\r\nb"
    cut = replace_bytes(snapshot(text), 1, 2, b"")
    assert cut is not None
    assert edited(text, [cut]) == "a\nb"
    end = replace_bytes(snapshot(text), 2, 3, b"\n\n")
    assert end is not None
    assert edited(text, [end]) == "a\r\n\nb"


@pytest.mark.slow
def test_a_replacement_that_is_not_utf8_is_no_edit() -> None:
    assert replace_bytes(snapshot("a"), 0, 1, b"\xe9") is None
    assert line_edits(snapshot("a\n"), "\udce9\n") is None
