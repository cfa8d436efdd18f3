"""Laws of reading: what may change in a file without a change in any verdict."""

from bisect import bisect_right
from itertools import chain

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.readings import answer, each_profile, joined
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


@given(lines=files(), ends=st.lists(st.sampled_from(LINE_ENDS), min_size=20, max_size=20), agent=agents(), url=urls())
def test_law_line_ends_change_no_verdict(
    engine: str, lines: Lines, ends: Lines, agent: str | Agent, url: bytes
) -> None:
    # In every profile: Google's parser ends lines as the RFC does.
    octets = b""
    for line, end in zip(lines, ends, strict=False):
        # An LF straight behind a CR would end the line before, and none of its own.
        octets += line + (b"\r" if not line and octets.endswith(b"\r") else end)
    for ask in each_profile(engine):
        assert answer(ask.decide(octets, url, agent)) == answer(ask.decide(joined(lines), url, agent))


@given(lines=files(), end=st.sampled_from(LINE_ENDS), agent=agents(), url=urls())
def test_law_a_last_line_needs_no_end(engine: str, lines: Lines, end: bytes, agent: str | Agent, url: bytes) -> None:
    octets = end.join(lines)
    for ask in each_profile(engine):
        assert answer(ask.decide(octets, url, agent)) == answer(ask.decide(octets + end, url, agent))


@given(lines=files(), agent=agents(), url=urls())
def test_law_a_byte_order_mark_changes_no_verdict(engine: str, lines: Lines, agent: str | Agent, url: bytes) -> None:
    octets = joined(lines)
    # A second mark is content; so is the mark's first octet but to Google's parser, which skips a part of one; and
    # behind a mark in UTF-8, a mark in UTF-16 is none.
    assume(octets[:1] not in (b"\xef", b"\xfe", b"\xff"))
    for ask in each_profile(engine):
        assert answer(ask.decide(b"\xef\xbb\xbf" + octets, url, agent)) == answer(ask.decide(octets, url, agent))


@given(lines=files(), encoding=st.sampled_from(["utf-16-le", "utf-16-be"]), agent=agents(), url=urls())
def test_law_utf16_that_says_so_changes_no_verdict(
    engine: str, lines: Lines, encoding: str, agent: str | Agent, url: bytes
) -> None:
    text = joined(lines).decode("utf-8", "replace")
    octets = ("\ufeff" + text).encode(encoding)
    for ask in each_profile(engine):
        # Google's parser reads UTF-8 alone.
        if PROFILES[ask.profile].utf16:
            assert answer(ask.decide(octets, url, agent)) == answer(ask.decide(text.encode(), url, agent))


@given(lines=files(), token=st.sampled_from(["a", "FooBot", "fOObOT", "MJ12bot", "caf\u00e9", "nobody"]), url=urls())
def test_law_letter_case_of_agents_changes_no_verdict(engine: str, lines: Lines, token: str, url: bytes) -> None:
    octets = joined(lines)
    other_case = token.encode().swapcase().decode()
    for ask in each_profile(engine):
        robots = ask.parse(octets)
        swapped = [
            line.swapcase() if record.kind is RecordKind.USER_AGENT else line
            for line, record in zip(lines, robots.records, strict=True)
        ]
        verdict = answer(robots.decide(url, agent=token))
        # Where case counts, it must change on both sides.
        assert answer(ask.decide(joined(swapped), url, other_case)) == verdict
        if ask.profile != "google2019":
            assert answer(robots.decide(url, agent=other_case)) == verdict
            assert answer(ask.decide(joined(swapped), url, token)) == verdict


@given(
    lines=files(),
    comment=st.sampled_from([b"#", b" # Disallow: /", b"\t#a:b", b" # \xe3\x83\x84 #"]),
    agent=agents(),
    url=urls(),
)
def test_law_comments_change_no_verdict(
    engine: str, lines: Lines, comment: bytes, agent: str | Agent, url: bytes
) -> None:
    # In `strict`, too, as long as the comment is one of the grammar's: these are.
    commented = [line + comment for line in lines]
    for ask in each_profile(engine):
        assert answer(ask.decide(joined(commented), url, agent)) == answer(ask.decide(joined(lines), url, agent))


BETWEEN = [
    *(b"", b" \t", b"#", b"# Allow: /", b"no record at all", b": /", b"Crawl-delay: 1", b"Host: example.com"),
    *(b"Sitemap: https://example.com/s.xml", b"x-unknown: Disallow: /", b"\xff\xfe", b"Clean-param: a /b"),
]


@given(
    lines=files(),
    inserted=st.lists(st.tuples(st.integers(0, 20), st.sampled_from(BETWEEN)), min_size=1, max_size=6),
    agent=agents(),
    url=urls(),
)
def test_law_blank_lines_and_unknown_records_change_no_verdict(
    engine: str, lines: Lines, inserted: list[tuple[int, bytes]], agent: str | Agent, url: bytes
) -> None:
    places = sorted(min(place, len(lines)) for place, _ in inserted)
    more: Lines = []
    moved: list[int] = []
    for index in range(len(lines) + 1):
        more += [text for place, text in inserted if min(place, len(lines)) == index]
        moved.append(len(more) + 1)
        more += lines[index : index + 1]
    # The first line of all, if it is one that was put in, may not look like UTF-16, nor hide that the file did.
    assume(joined(more)[:2] not in (b"\xff\xfe", b"\xfe\xff"))
    assume(joined(lines)[:1] not in (b"\xef", b"\xff", b"\xfe") or bisect_right(places, 0) == 0)
    blank = any(not text.strip() for _, text in inserted)
    for ask in each_profile(engine, without="blank_line_ends_group" if blank else ""):
        before = answer(ask.decide(joined(lines), url, agent), lambda line: moved[line - 1])
        assert answer(ask.decide(joined(more), url, agent)) == before


@given(groups=st.lists(plain_groups(), min_size=2, max_size=4), agent=agents(), url=urls(), data=st.data())
def test_law_the_order_of_groups_changes_no_answer(
    engine: str, groups: list[Lines], agent: str | Agent, url: bytes, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(groups))
    for ask in each_profile(engine, without="first_group_only first_match"):
        one = ask.decide(joined(chain(*groups)), url, agent)
        other = ask.decide(joined(chain(*shuffled)), url, agent)
        # Of two equal rules the first line decides: which line that is, and nothing else, may change.
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
def test_law_a_group_in_two_parts_is_one(
    engine: str, before: Lines, group: tuple[Lines, Lines, Lines], agent: str | Agent, url: bytes
) -> None:
    names, rules, more_rules = group
    user_agents = [b"User-agent: " + name for name in names]
    # A rule that each profile reads ends the run of user-agent lines, so that the second names begin a group.
    first = [*before, *user_agents, b"Allow: /zz", *rules]
    last_rule = b"Disallow: /zz"
    one = [*first, last_rule, *more_rules]
    two = [*first, last_rule, *user_agents, *more_rules]
    here = len(first) + 1
    for ask in each_profile(engine, without="first_group_only"):
        whole = answer(ask.decide(joined(one), url, agent), lambda line: line + len(names) if line > here else line)
        parted = answer(ask.decide(joined(two), url, agent))
        # But for the second names' own lines, which are among those that name the agent.
        assert parted[:4] == whole[:4]
        assert parted[5] == whole[5]


@given(lines=files(), pattern=patterns(), agent=agents(), url=urls())
def test_law_a_rule_at_the_end_pulls_only_its_own_way(
    engine: str, lines: Lines, pattern: bytes, agent: str | Agent, url: bytes
) -> None:
    # In every profile: void rules do nothing, an empty rule of Google's never forbids, and the more an `Allow` of
    # index.html means, the more it allows. Where a first rule makes a group count, it may open what `*` closed.
    for ask in each_profile(engine, without="group_without_rules_is_none"):
        allowed = ask.decide(joined(lines), url, agent).allowed
        with_allow = ask.decide(joined([*lines, b"Allow: " + pattern]), url, agent).allowed
        with_disallow = ask.decide(joined([*lines, b"Disallow: " + pattern]), url, agent).allowed
        assert with_disallow <= allowed <= with_allow
