"""Laws of files: which changes to a file change no verdict."""

from bisect import bisect_right
from itertools import chain

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.comparison import comparable, each_profile, join_lines
from tests.laws.strategies import (
    LINE_ENDS,
    Lines,
    agents,
    files,
    patterns,
    plain_groups,
    rule_lines,
    urls,
)

from canfetch.core.agent import Agent
from canfetch.core.keys import RecordKind
from canfetch.core.profiles import PROFILES


@pytest.mark.slow
@given(lines=files(), ends=st.lists(st.sampled_from(LINE_ENDS), min_size=20, max_size=20), agent=agents(), url=urls())
def test_law_line_ends_change_no_verdict(
    engine: str, lines: Lines, ends: Lines, agent: str | Agent, url: bytes
) -> None:
    # In every profile, because lines end in the same way in Google's parser.
    content = b""
    for line, end in zip(lines, ends, strict=False):
        # An LF right after a CR would be part of the line break before it.
        content += line + (b"\r" if not line and content.endswith(b"\r") else end)
    for reader in each_profile(engine):
        assert reader.answer(content, url, agent) == reader.answer(join_lines(lines), url, agent)


@pytest.mark.slow
@given(lines=files(), end=st.sampled_from(LINE_ENDS), agent=agents(), url=urls())
def test_law_the_last_line_needs_no_line_break(
    engine: str, lines: Lines, end: bytes, agent: str | Agent, url: bytes
) -> None:
    content = end.join(lines)
    for reader in each_profile(engine):
        assert reader.answer(content, url, agent) == reader.answer(content + end, url, agent)


@given(lines=files(), agent=agents(), url=urls())
def test_law_a_byte_order_mark_changes_no_verdict(engine: str, lines: Lines, agent: str | Agent, url: bytes) -> None:
    content = join_lines(lines)
    # A second mark is content. So is the first byte of a mark, but Google's parser skips a partial one. After a
    # UTF-8 mark, a UTF-16 mark is content.
    assume(content[:1] not in (b"\xef", b"\xfe", b"\xff"))
    for reader in each_profile(engine):
        assert reader.answer(b"\xef\xbb\xbf" + content, url, agent) == reader.answer(content, url, agent)


@pytest.mark.slow
@given(lines=files(), encoding=st.sampled_from(["utf-16-le", "utf-16-be"]), agent=agents(), url=urls())
def test_law_utf16_with_a_byte_order_mark_changes_no_verdict(
    engine: str, lines: Lines, encoding: str, agent: str | Agent, url: bytes
) -> None:
    text = join_lines(lines).decode("utf-8", "replace")
    content = ("\ufeff" + text).encode(encoding)
    for reader in each_profile(engine):
        # Google's parser reads only UTF-8.
        if PROFILES[reader.profile].utf16:
            assert reader.answer(content, url, agent) == reader.answer(text.encode(), url, agent)


@pytest.mark.slow
@given(lines=files(), token=st.sampled_from(["a", "FooBot", "fOObOT", "MJ12bot", "caf\u00e9", "unnamed"]), url=urls())
def test_law_letter_case_of_agents_changes_no_verdict(engine: str, lines: Lines, token: str, url: bytes) -> None:
    content = join_lines(lines)
    other_case = token.encode().swapcase().decode()
    for reader in each_profile(engine):
        robots = reader.parse(content)
        swapped = [
            line.swapcase() if record.kind is RecordKind.USER_AGENT else line
            for line, record in zip(lines, robots.records, strict=True)
        ]
        verdict = comparable(robots.decide(url, agent=token))
        assert reader.answer(join_lines(swapped), url, other_case) == verdict
        assert comparable(robots.decide(url, agent=other_case)) == verdict
        assert reader.answer(join_lines(swapped), url, token) == verdict


@pytest.mark.slow
@given(
    lines=files(),
    comment=st.sampled_from([b"#", b" # Disallow: /", b"\t#a:b", b" # \xe3\x83\x84 #"]),
    agent=agents(),
    url=urls(),
)
def test_law_comments_change_no_verdict(
    engine: str, lines: Lines, comment: bytes, agent: str | Agent, url: bytes
) -> None:
    # In `strict`, too, because these comments conform to the grammar. A blank line with a comment is not blank.
    commented = [line + comment if line.strip() else line for line in lines]
    for reader in each_profile(engine):
        assert reader.answer(join_lines(commented), url, agent) == reader.answer(join_lines(lines), url, agent)


BETWEEN = [
    *(b"", b" \t", b"#", b"# Allow: /", b"no record at all", b": /", b"Crawl-delay: 1", b"Host: example.com"),
    *(b"Sitemap: https://example.com/s.xml", b"x-unknown: Disallow: /", b"\xff\xfe", b"Clean-param: a /b"),
]


@pytest.mark.slow
@given(
    lines=files(),
    inserted=st.lists(st.tuples(st.integers(0, 20), st.sampled_from(BETWEEN)), min_size=1, max_size=6),
    agent=agents(),
    url=urls(),
)
def test_law_blank_lines_and_unknown_records_change_no_verdict(
    engine: str, lines: Lines, inserted: list[tuple[int, bytes]], agent: str | Agent, url: bytes
) -> None:
    positions = sorted(min(position, len(lines)) for position, _ in inserted)
    more: Lines = []
    moved: list[int] = []
    for index in range(len(lines) + 1):
        more += [text for position, text in inserted if min(position, len(lines)) == index]
        moved.append(len(more) + 1)
        more += lines[index : index + 1]
    # An inserted first line must not look like a UTF-16 mark, or hide the mark of the file.
    assume(join_lines(more)[:2] not in (b"\xff\xfe", b"\xfe\xff"))
    assume(join_lines(lines)[:1] not in (b"\xef", b"\xff", b"\xfe") or bisect_right(positions, 0) == 0)
    blank = any(not text.strip() for _, text in inserted)
    for reader in each_profile(engine, without="blank_line_ends_group" if blank else ""):
        before = comparable(reader.decide(join_lines(lines), url, agent), lambda line: moved[line - 1])
        assert reader.answer(join_lines(more), url, agent) == before


@pytest.mark.slow
@given(groups=st.lists(plain_groups(), min_size=2, max_size=4), agent=agents(), url=urls(), data=st.data())
def test_law_the_order_of_groups_changes_no_verdict(
    engine: str, groups: list[Lines], agent: str | Agent, url: bytes, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(groups))
    for reader in each_profile(engine, without="first_group_only first_match"):
        one = reader.decide(join_lines(chain(*groups)), url, agent)
        other = reader.decide(join_lines(chain(*shuffled)), url, agent)
        # Of equal rules the first line decides, so only that line may change.
        assert (one.allowed, one.reason, one.group.choice) == (other.allowed, other.reason, other.group.choice)
        assert (one.rule and one.rule.specificity) == (other.rule and other.rule.specificity)
        matched = [
            sorted(
                (rule.allow, rule.pattern, rule.specificity)
                for rule in (*verdict.also_matched, *filter(None, [verdict.rule]))
            )
            for verdict in (one, other)
        ]
        assert matched[0] == matched[1]


@pytest.mark.slow
@given(
    before=st.lists(plain_groups(), max_size=2).map(lambda groups: list(chain(*groups))),
    group=st.tuples(
        st.lists(st.sampled_from([b"a", b"b", b"FooBot", b"*"]), min_size=1, max_size=3),
        st.lists(rule_lines(), max_size=4),
        st.lists(rule_lines(), max_size=4),
    ),
    agent=agents(),
    url=urls(),
)
def test_law_splitting_a_group_changes_no_verdict(
    engine: str, before: Lines, group: tuple[Lines, Lines, Lines], agent: str | Agent, url: bytes
) -> None:
    names, rules, more_rules = group
    user_agents = [b"User-agent: " + name for name in names]
    # A rule that is valid in each profile ends the run of user-agent lines, so that the second names start a group.
    first = [*before, *user_agents, b"Allow: /zz", *rules]
    last_rule = b"Disallow: /zz"
    one = [*first, last_rule, *more_rules]
    two = [*first, last_rule, *user_agents, *more_rules]
    here = len(first) + 1
    for reader in each_profile(engine, without="first_group_only"):
        whole = comparable(
            reader.decide(join_lines(one), url, agent), lambda line: line + len(names) if line > here else line
        )
        parted = reader.answer(join_lines(two), url, agent)
        # Except for the lines of the second names, which also name the agent.
        assert parted[:4] == whole[:4]
        assert parted[5] == whole[5]


@pytest.mark.slow
@given(lines=files(), pattern=patterns(), agent=agents(), url=urls())
def test_law_a_rule_at_the_end_only_adds_its_own_kind_of_verdicts(
    engine: str, lines: Lines, pattern: bytes, agent: str | Agent, url: bytes
) -> None:
    # In every profile: void rules do nothing, an empty rule of Google's never disallows, and an `Allow` of index.html
    # only allows more. If a group needs a rule to apply, its first rule may allow what `*` disallows.
    for reader in each_profile(engine, without="ignore_empty_groups"):
        allowed = reader.decide(join_lines(lines), url, agent).allowed
        with_allow = reader.decide(join_lines([*lines, b"Allow: " + pattern]), url, agent).allowed
        with_disallow = reader.decide(join_lines([*lines, b"Disallow: " + pattern]), url, agent).allowed
        assert with_disallow <= allowed <= with_allow
