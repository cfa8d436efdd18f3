"""Text that strangers chose, read by a Markdown parser."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from canfetch.cli.shared.markdown import markdown_code, markdown_text
from canfetch.cli.shared.terminal import printable

pytest.importorskip("markdown_it")
TEXTS = st.text(st.sampled_from("`|\\ a<>!-[]()&;*_~#@.:/\n\x1b"), min_size=1, max_size=12)


def cell(markdown: str) -> list[Any]:
    """Return the inline elements of a table cell."""
    from markdown_it import MarkdownIt

    table = f"| a | b |\n| --- | --- |\n| {markdown} | end |\n"
    inlines = [token for token in MarkdownIt("commonmark").enable("table").parse(table) if token.type == "inline"]
    assert [inline.content for inline in (*inlines[:2], *inlines[3:])] == ["a", "b", "end"]
    return list(inlines[2].children or ())


@given(TEXTS)
@example("``<img src=x>")
@example("`a`")
@example("\\|")
@example("<!--")
def test_code_stays_code(text: str) -> None:
    (code,) = cell(markdown_code(text))
    assert code.type == "code_inline"
    assert code.content.strip() == printable(text).strip()


@given(TEXTS)
@example("<plaintext>")
@example("![x](y)")
@example("&lt;")
def test_text_stays_text(text: str) -> None:
    elements = cell(markdown_text(text.strip() or "a"))
    assert {element.type for element in elements} == {"text"}
    assert "".join(element.content for element in elements) == printable(text.strip() or "a")


def test_empty_text_is_no_code() -> None:
    assert markdown_code("") == ""
