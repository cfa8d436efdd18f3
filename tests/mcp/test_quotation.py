"""Quotations: nothing in them can end them, and nothing is invisible."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch.web.mcp.quotation import estimate_tokens, quote, visible_text

HOSTILE = (
    "\u202e\u2066\u200b\u200d\ufeff\u00ad\u034f\u3164\u115f\uffa0\u2800\ufe0f\U000e0041\U000e0100\u2028\u0085"
    "\x1b\x00`<>\ud800\udcff"
)


@given(text=st.one_of(st.text(), st.text(alphabet=HOSTILE), st.binary()), most=st.integers(0, 60))
def test_a_quotation_is_visible_and_bounded(text: str | bytes, most: int) -> None:
    quoted = quote(text, max_tokens=most)
    inside = quoted[1:-1]
    assert quoted[0] == quoted[-1] == "`"
    assert not set(inside) & set("`<>\n\r\t")
    assert all(c.isascii() or unicodedata.category(c)[0] in "LN" for c in inside)
    assert inside.isprintable()
    assert estimate_tokens(quoted) <= most + len("...") + 2


@pytest.mark.parametrize("character", sorted(set(HOSTILE)), ids=lambda one: f"U+{ord(one):04X}")
def test_hostile_characters_are_encoded(character: str) -> None:
    assert character not in visible_text(f"a{character}b")
    assert visible_text(f"a{character}b").startswith("a%")


def test_paths_stay_readable() -> None:
    assert quote("Disallow: /größe/日本?q=*$", max_tokens=60) == "`Disallow: /größe/日本?q=*$`"
    assert quote(b"/caf\xe9 bar", max_tokens=60) == "`/caf%E9 bar`"


def test_a_long_text_is_cut() -> None:
    assert quote("/" + "a" * 1_000_000, max_tokens=5) == "`/aaaaaaaa...`"


@pytest.mark.parametrize(
    "text, tokens",
    [
        ("", 0),
        ("Ask again in 24 h.", 7),
        ("disallowed", 3),
        ("`Disallow: /`", 9),
        ("  ", 1),
        ("日", 3),
    ],
    ids=range(6),
)
def test_tokens_are_estimated(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@pytest.mark.slow
@given(text=st.text(alphabet=st.characters(max_codepoint=127)))
def test_each_word_is_a_token_at_least(text: str) -> None:
    words = [word for word in text.replace("`", " ").split() if word.isalpha()]
    assert estimate_tokens(text.replace("`", " ")) >= len(words)
