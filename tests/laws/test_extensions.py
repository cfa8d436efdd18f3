"""Laws of records beyond the RFC: nothing raises, no record is lost, and both engines agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from tests.laws.comparison import each_profile
from tests.laws.strategies import LINE_ENDS, PATTERN_PIECES, agents, any_content, any_url, join_pieces, paths

import canfetch
from canfetch.core.agent import Agent
from canfetch.core.extensions.known_records import KNOWN_RECORDS
from canfetch.core.extensions.preference import UsagePurpose, most_restrictive
from canfetch.core.extensions.structured_dictionary import parse_structured_dictionary
from canfetch.core.keys import RecordKind

LABELS = [b"train-ai", b"search", b"ai-use", b"all", b"bots", b"train-genai", b"use", b"ai-train", b"AI", b"x"]
VALUE_PIECES = [
    *LABELS,
    *(b"=y", b"=n", b"=yes", b"=no", b"=", b",", b", ", b";", b'"', b"(", b")", b"%", b"\\", b"?1", b":", b"1", b"."),
    *(b" ", b"\t", b"/", b"*", b"$", b"&", b"a", b"-", b"\xff", b"\0", b"https://example.com/", b"0600-0845", b"1/5"),
]
KEYS = [
    *KNOWN_RECORDS,
    b"ACAP-allow-crawl",
    b"acap-",
    b"Schemamap",
    b"User-agent",
    b"User-agent",
    b"Disallow",
    b"Allow",
]


def values() -> SearchStrategy[bytes]:
    """Draw a value that may be valid for some record."""
    return st.one_of(join_pieces(VALUE_PIECES, 8), join_pieces(PATTERN_PIECES, 3), st.binary(max_size=8))


def extended_files() -> SearchStrategy[bytes]:
    """Draw a file with many records beyond the RFC."""
    line = st.tuples(st.sampled_from(KEYS), st.sampled_from([b": ", b":", b" "]), values()).map(b"".join)
    lines = st.lists(line, max_size=12).map(lambda drawn: [b"User-agent: a", *drawn])
    return st.tuples(lines, st.sampled_from(LINE_ENDS)).map(lambda drawn: drawn[1].join(drawn[0]))


@pytest.mark.slow
@given(content=st.one_of(extended_files(), extended_files(), any_content()), url=any_url(), agent=agents())
def test_law_only_documented_exceptions_are_raised(
    engine: str, content: bytes, url: str | bytes, agent: str | Agent
) -> None:
    for reader in each_profile(engine):
        robots = reader.parse(content, url="https://example.com/robots.txt")
        for record in robots.extensions:
            assert str(record).isprintable()
            assert record.to_json()["line"] == record.line
        robots.licenses(agent=agent)
        try:
            robots.canonical(url)
            robots.page_rules(url, agent=agent)
            usages = [robots.usage(url, agent=agent, purpose=purpose) for purpose in UsagePurpose]
        except (canfetch.InvalidURL, canfetch.OriginMismatch):
            continue
        for usage in usages:
            assert usage.preference is most_restrictive(
                statement.usage_preference.preference for statement in usage.statements
            )
            assert str(usage).isprintable()


@pytest.mark.slow
@given(content=st.one_of(extended_files(), any_content()))
def test_law_extensions_contain_every_other_record(engine: str, content: bytes) -> None:
    robots = canfetch.parse(content, engine=engine)
    others = [record for record in robots.records if record.kind in {RecordKind.OTHER, RecordKind.SITEMAP}]
    assert [(found.line, found.group) for found in robots.extensions] == [(one.line, one.group) for one in others]
    for found, one in zip(robots.extensions, others, strict=True):
        assert one.value is not None
        assert found.value == robots.content[slice(*one.value)]


@given(content=extended_files(), path=paths())
def test_law_extensions_do_not_depend_on_the_engine(both_engines: str, content: bytes, path: bytes) -> None:
    robots, python = canfetch.parse(content, engine=both_engines), canfetch.parse(content, engine="python")
    assert robots.extensions == python.extensions
    for purpose in UsagePurpose:
        assert robots.usage(path, agent="a", purpose=purpose) == python.usage(path, agent="a", purpose=purpose)


@given(content=extended_files(), path=paths())
def test_law_canonical_urls_are_fixed_points(content: bytes, path: bytes) -> None:
    robots = canfetch.parse(content)
    once = robots.canonical(path)
    assert robots.canonical(once) == once
    assert robots.canonical(path + b"#x") == once


@pytest.mark.slow
@given(content=values())
def test_law_a_dictionary_survives_serialisation(content: bytes) -> None:
    members = parse_structured_dictionary(content)
    if members:
        again = b", ".join(key if token is None else key + b"=" + token for key, token in members.items())
        assert parse_structured_dictionary(again) == members
