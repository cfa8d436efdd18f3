"""Properties of page-level rules: no input raises, joining headers changes nothing, restrictions only add up."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch import Agent, parse
from canfetch.pages import PAGE_DIALECTS, PageRules, parse_page
from canfetch.pages.tdm import MAX_TDM_BYTES, parse_tdm_file
from canfetch.pages.verdict import DECISION_NAMES
from canfetch.pages.vocabulary import KNOWN, VALUED

pytest.importorskip("lxml", reason="lxml is not installed")

AGENTS = st.sampled_from(["Googlebot", "bingbot", "YandexBot", "ExampleBot", "otherbot"])
DIALECTS = st.sampled_from([None, *PAGE_DIALECTS])
DATES = st.sampled_from(
    ["25 Jun 2010 15:00:00 PST", "Friday, 25-Jun-10 15:00:00 GMT", "Fri, 25 Jun 2010 15:00:00 GMT", "2030-01-01"]
    + ["June 25, 2010", "2010-06-25T15:00:00-08:00"]
)
WORDS = st.sampled_from(sorted(KNOWN - VALUED))
DIRECTIVES = st.one_of(
    WORDS,
    st.builds("max-snippet: {}".format, st.integers(-1, 300)),
    st.builds("max-video-preview:{}".format, st.integers(-1, 300)),
    st.builds("max-image-preview : {}".format, st.sampled_from(["none", "standard", "large"])),
    st.builds("unavailable_after: {}".format, DATES),
)
PIECES = st.sampled_from(
    [b"<meta name=", b"robots", b"googlebot", b" content=", b'"', b"'", b">", b"<", b"/", b",", b":", b";", b" ", b"\0"]
    + [
        b"noindex",
        b"max-snippet",
        b"unavailable_after:",
        b"Friday, ",
        b"2010",
        b"15:00",
        b"-1",
        b"99999999999999999999",
    ]
    + [b"<a rel=nofollow>", b"<span data-nosnippet>", b"tdm-reservation", b"charset=utf-16", b"<template>", b"\xff\xfe"]
    + [b"*", b"=?0", b"[", b"]", b"{", b"}", b'"location":', b"1", b"\\", b"\xed\xa0\x80", b"\xe9", b"\r\n", b"&#0;"]
)
CONTENT = st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=30).map(b"".join))
# A str may contain characters that no server sends.
TEXTS = st.one_of(CONTENT.map(lambda content: content.decode("utf-8", "surrogateescape")), st.text(max_size=60))
NAMES = st.sampled_from(
    ["X-Robots-Tag", "robots-tag", "tdm-reservation", "TDM-Policy", "Content-Type", b"x-robots-tag", "Other", ""]
)


def directives_of(page: PageRules) -> list[tuple[str | None, str, str | None]]:
    return [(one.agent, one.name, one.value) for one in page.directives]


@given(
    html=st.one_of(st.none(), CONTENT, TEXTS),
    headers=st.lists(st.tuples(NAMES, st.one_of(CONTENT, TEXTS)), max_size=5),
    tdm_file=st.one_of(st.none(), CONTENT, TEXTS),
    agent=AGENTS,
    dialect=DIALECTS,
    now=st.floats(allow_nan=False, allow_infinity=False),
)
def test_law_no_content_of_a_site_raises(  # noqa: PLR0917 - drawn by Hypothesis
    html: Any, headers: Any, tdm_file: Any, agent: str, dialect: str | None, now: float
) -> None:
    page = parse_page(html, headers=headers, url="https://example.com/a?b", tdm_file=tdm_file)
    verdict = page.decide(agent=agent, now=now, dialect=dialect)
    # JSON-compatible values, and valid Unicode.
    text = json.dumps([page.to_json(), verdict.to_json()], ensure_ascii=False)
    assert "\x1b" not in str(verdict)
    assert text.encode()


@given(agents=st.lists(st.sampled_from([None, "googlebot", "otherbot"]), max_size=4), data=st.data())
def test_law_joined_headers_have_the_same_directives(agents: list[str | None], data: Any) -> None:
    # Directives for all agents come first, because a prefix ends only at the next prefix.
    agents = sorted(agents, key=lambda agent: agent is not None)
    headers = []
    for agent in agents:
        directives = data.draw(st.lists(DIRECTIVES, min_size=1, max_size=4))
        headers.append(("" if agent is None else f"{agent}: ") + ", ".join(directives))

    apart = parse_page(headers=[("X-Robots-Tag", header) for header in headers])
    joined = parse_page(headers={"x-robots-tag": ", ".join(headers)})
    tight = parse_page(headers={"x-robots-tag": ",".join(headers)})

    assert directives_of(apart) == directives_of(joined) == directives_of(tight)


@given(directives=st.lists(DIRECTIVES, min_size=1, max_size=6), agent=AGENTS, dialect=DIALECTS)
def test_law_headers_and_elements_are_equivalent(directives: list[str], agent: str, dialect: str | None) -> None:
    text = ", ".join(directives)
    of_header = parse_page(headers={"X-Robots-Tag": text})
    of_element = parse_page(f'<meta name="robots" content="{text}">')
    assert directives_of(of_header) == directives_of(of_element)
    if dialect != "yandex" and not (dialect is None and agent == "YandexBot"):
        # For Yandex, permissive directives have an effect in elements only.
        one, other = (page.decide(agent=agent, now=0, dialect=dialect) for page in (of_header, of_element))
        for name in DECISION_NAMES:
            assert getattr(one, name)[:3] == getattr(other, name)[:3]


@given(
    directives=st.lists(DIRECTIVES, max_size=5),
    more=DIRECTIVES,
    dialect=st.sampled_from(["restrictive", "google", "apple", "amazon", "repext"]),
)
def test_law_a_further_directive_permits_nothing_more(directives: list[str], more: str, dialect: str) -> None:
    def verdict(headers: list[str]) -> Any:
        page = parse_page(headers=[("X-Robots-Tag", one) for one in headers])
        return page.decide(agent="ExampleBot", now=1e9, dialect=dialect)

    before, after = verdict(directives), verdict([*directives, more])
    for name in set(DECISION_NAMES) - {"may_index_embedded"}:
        assert getattr(before, name).allowed >= getattr(after, name).allowed
    old, new = before.may_snippet.limit, after.may_snippet.limit
    assert (math.inf if new is None else new) <= (math.inf if old is None else old)


@given(directives=st.lists(DIRECTIVES, max_size=5), agent=AGENTS)
def test_law_letter_case_and_order_change_no_decision(directives: list[str], agent: str) -> None:
    one = parse_page(headers=[("X-Robots-Tag", text) for text in directives])
    other = parse_page(headers=[("X-ROBOTS-TAG", text.upper()) for text in reversed(directives)])
    first, second = (page.decide(agent=agent, now=1e9) for page in (one, other))
    for name in DECISION_NAMES:
        assert getattr(first, name)[:3] == getattr(second, name)[:3]


@given(html=CONTENT, agent=AGENTS, dialect=DIALECTS)
def test_law_a_disallowed_page_may_only_be_listed(html: bytes, agent: str, dialect: str | None) -> None:
    robots = parse("User-agent: *\nDisallow: /").decide("https://example.com/a", agent=agent)
    verdict = parse_page(html).decide(agent=agent, now=0, robots=robots, dialect=dialect)
    assert not verdict.fetch_allowed
    assert {name for name in DECISION_NAMES if getattr(verdict, name).allowed} == {"may_list"}


@given(content=CONTENT)
def test_law_tdm_files_never_raise(content: bytes) -> None:
    file = parse_tdm_file(content)
    assert (file.problem is None) or not file.entries
    for entry in file.entries:
        entry.matches(b"/a?b")
        assert entry.position.number >= 1


@given(tokens=st.lists(AGENTS, min_size=1, max_size=3), star_applies=st.booleans())
def test_law_every_agent_has_a_dialect(tokens: list[str], star_applies: bool) -> None:  # noqa: FBT001 - drawn by Hypothesis
    verdict = parse_page().decide(agent=Agent(tokens, star_applies=star_applies), now=0)
    assert verdict.dialect in PAGE_DIALECTS
    assert all(getattr(verdict, name).unlimited for name in DECISION_NAMES)


def test_limits_of_tdm_files() -> None:
    assert parse_tdm_file(b"[" * 10_000).problem == "nested deeper than 64 levels"
    assert parse_tdm_file(b'["' + b"[" * 10_000 + b'\\"]"]').problem is None
    assert parse_tdm_file(b" " * (MAX_TDM_BYTES + 1)).problem == "longer than 512000 bytes"
    assert parse_tdm_file(b"[" + b"1" * 10_000 + b"]").problem == "invalid JSON"
    assert parse_tdm_file(b"\xff\xff").problem == "invalid JSON"
    assert parse_tdm_file(b"{}").problem == "not a JSON array"
    assert len(parse_tdm_file(b"[" + b"{}," * 1000 + b"{}]").entries) == 1000
