"""The text of a rule in a row has at most 256 bytes, however long its pattern is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch import Rule, parse
from canfetch.bulk import Files, decide
from canfetch.bulk.cell_texts import rule_text

LIMIT = 256


def expected_text(rule: Rule) -> str:
    """Return the longest beginning of the text that fits with an ellipsis, found character by character."""
    text = str(rule)
    if len(text.encode()) <= LIMIT:
        return text
    cut = ""
    for character in text:
        if len((cut + character + "…").encode()) > LIMIT:
            break
        cut += character
    return cut + "…"


def deciding_rule(content: bytes, url: str) -> Rule:
    rule = parse(content).decide(url, agent="a").rule
    assert rule is not None
    return rule


PATTERNS = st.tuples(
    st.integers(0, 300),
    st.text(st.sampled_from("aé€😀\u0301\u202e\x1b%*"), max_size=90).map(str.encode),
    st.binary(max_size=20).filter(lambda end: not set(end) & set(b"\r\n#")),
).map(lambda parts: b"/" + b"a" * parts[0] + parts[1] + parts[2].strip())


@given(PATTERNS, st.booleans())
def test_a_text_is_cut_between_characters(pattern: bytes, allow: bool) -> None:  # noqa: FBT001 - drawn
    rule = Rule(allow, pattern, 1, 1)
    assert rule_text(rule) == expected_text(rule)
    assert len(rule_text(rule).encode()) <= LIMIT


@pytest.mark.parametrize("filler", ["a", "é", "€", "😀", "\x1b", "\u202e"])
@pytest.mark.parametrize("kind", ["Allow", "Disallow"])
def test_engines_cut_at_the_same_place(engine: str, kind: str, filler: str) -> None:
    size = len(filler.encode())
    for length in [*range((LIMIT - 20) // size, LIMIT // size + 3), 5000]:
        content = f"user-agent: *\n{kind}: /*{filler * length}\n{kind}: /".encode()
        long = parse(content).groups[0].rules[0]
        url = "/" + "x" + filler * length if filler.isprintable() else f"/{'%1B' * length if size == 1 else ''}"
        (row,) = decide(content, "a", url, engine=engine).to_pylist()
        decided = deciding_rule(content, url)
        assert row["rule"] == expected_text(decided)
        assert row["line"] == decided.line
        assert row["specificity"] == decided.specificity
        if filler.isprintable():
            assert decided == long


def test_a_huge_pattern_is_not_repeated_in_rows(engine: str) -> None:
    """Otherwise, 20,000 rows would have 8 GB of text."""
    content = b"user-agent: *\nallow: /" + b"*" * 400_000 + b"\ndisallow: /"
    rows = 20_000 if engine == "native" else 50
    files = Files({1: content}, engine=engine)
    pytest.importorskip("pyarrow")
    column = files.decide_at([1] * rows, "a", "/x").to_pyarrow()
    assert column.field("rule").unique().to_pylist() == ["Allow: /" + "*" * 245 + "…"]
    assert column.nbytes < rows * 400
