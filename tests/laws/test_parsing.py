"""Laws of parsing: nothing raises, nothing is lost, and both views of a file say the same."""

import pickle

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import EXAMPLES
from tests.laws.readings import each_profile, joined
from tests.laws.strategies import LINE_ENDS, agents, any_octets, any_url, files

import canfetch
from canfetch.core.agent import Agent
from canfetch.core.groups import Group
from canfetch.core.keys import RecordKind
from canfetch.core.records import Note

LIMIT = 500 * 1024


@given(octets=any_octets(), url=any_url(), agent=agents())
def test_law_nothing_raises_but_what_is_promised(
    engine: str, octets: bytes, url: str | bytes, agent: str | Agent
) -> None:
    for ask in each_profile(engine):
        robots = ask.parse(octets, url="https://example.com/robots.txt")
        assert all(group.user_agents for group in robots.groups)
        assert all(map(str.isprintable, robots.sitemaps))
        delay = robots.crawl_delay(agent=agent)
        assert delay is None or delay >= 0
        try:
            verdict = robots.decide(url, agent=agent)
        except (canfetch.InvalidURL, canfetch.OriginMismatch):
            continue
        assert verdict.target.startswith(b"/")


@given(octets=any_octets())
def test_law_mark_records_and_tail_are_the_octets(engine: str, octets: bytes) -> None:
    for ask in each_profile(engine):
        robots = ask.parse(octets)
        assert robots.render() == octets
        if robots.source_encoding == "utf-8":
            assert robots.content + robots.tail == octets
        position = 0
        for number, record in enumerate(robots.records, 1):
            assert record.line == number
            start, end = record.span
            # Each begins where the one before ended; the first, behind the mark.
            assert start == position or (
                number == 1 and robots.content[:start] in (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef")
            )
            assert end > start
            position = end
            assert (record.kind is None) is (record.key is None) is (record.value is None)
            if record.key is not None and record.value is not None:
                assert start <= record.key[0] < record.key[1] < record.value[0] + 1 <= record.value[1] + 1 <= end + 1
        assert robots.content[position:] in (b"", b"\xef\xbb\xbf", b"\xef\xbb", b"\xef")


@given(octets=any_octets())
def test_law_the_records_say_what_the_engine_read(engine: str, octets: bytes) -> None:
    for ask in each_profile(engine):
        robots = ask.parse(octets)
        user_agents: list[list[int]] = [[] for _ in robots.groups]
        rules: list[list[tuple[bool, bytes, int]]] = [[] for _ in robots.groups]
        others = []
        for record in robots.records:
            if record.kind is None or record.key is None or record.value is None:
                continue
            if record.kind < RecordKind.USER_AGENT:
                group = -1 if record.group is None else record.group
                others.append((record.line, int(record.kind), *record.key, *record.value, group))
            elif (
                ask.profile == "strict" and record.kind > RecordKind.USER_AGENT and Note.OUTSIDE_GRAMMAR in record.notes
            ):
                continue
            elif record.group is None:
                assert Note.OUTSIDE_GROUP in record.notes
            elif record.kind is RecordKind.USER_AGENT:
                user_agents[record.group].append(record.line)
            else:
                value = robots.content[slice(*record.value)]
                rules[record.group].append((record.kind is RecordKind.ALLOW, value, record.line))
        assert [[line for _, line in group.user_agents] for group in robots.groups] == user_agents
        assert [[tuple(rule[:3]) for rule in group.rules] for group in robots.groups] == rules
        assert robots._compiled.other_records() == others
        nobody = {record.line for record in robots.records if Note.NO_TOKEN in record.notes}
        assert {line for group in robots.groups for token, line in group.user_agents if not token} == nobody


@given(octets=any_octets(), url=any_url(), agent=agents())
def test_law_pickling_keeps_the_answers(engine: str, octets: bytes, url: str | bytes, agent: str | Agent) -> None:
    for ask in each_profile(engine):
        robots = ask.parse(octets)
        twin = pickle.loads(pickle.dumps(robots))  # noqa: S301
        assert twin.render() == octets
        assert twin.groups == robots.groups
        try:
            verdict = robots.decide(url, agent=agent)
        except canfetch.InvalidURL:
            continue
        assert twin.decide(url, agent=agent) == verdict
        assert pickle.loads(pickle.dumps(verdict)) == verdict  # noqa: S301


@given(lines=files(), text=st.text(max_size=20), agent=agents(), path=any_url())
def test_law_text_and_its_utf8_are_one_file(
    engine: str, lines: list[bytes], text: str, agent: str | Agent, path: str | bytes
) -> None:
    told = joined(lines).decode("utf-8", "replace") + text
    octets = told.encode()
    for ask in each_profile(engine):
        from_text, from_octets = ask.parse(told), ask.parse(octets)
        assert from_text.content == from_octets.content
        assert from_text.groups == from_octets.groups
        if isinstance(path, str):
            try:
                verdict = from_text.decide(path, agent=agent)
            except canfetch.InvalidURL:
                continue
            assert from_octets.decide(path.encode("utf-8", "surrogateescape"), agent=agent) == verdict


@given(lines=files(), past=st.integers(0, 60), end=st.sampled_from(LINE_ENDS))
@settings(max_examples=EXAMPLES or 8)
def test_law_the_limit_changes_nothing_before_it(engine: str, lines: list[bytes], past: int, end: bytes) -> None:
    # The file straddles the limit, by as much as is drawn.
    body = joined(lines, end)
    octets = b"#" * (LIMIT - len(end) - max(0, len(body) - past)) + end + body
    for ask in each_profile(engine):
        robots = ask.parse(octets)
        assert robots.content + robots.tail == octets
        assert len(robots.content) <= LIMIT
        # Whole lines, and as many as there is room for.
        rest = robots.tail.splitlines()
        if robots.tail[:1] not in (b"", b"\r", b"\n"):
            assert robots.content[-1:] in (b"", b"\r", b"\n")
            assert len(robots.content) + len(rest[0]) > LIMIT
        whole = ask.parse(octets, max_bytes=len(octets) + LIMIT)
        last = len(robots.records)
        # A CRLF may be cut in two, which is the last line's end all the same.
        assert robots.records[:-1] == whole.records[: max(0, last - 1)]
        cut = [
            Group(
                tuple(user_agent for user_agent in group.user_agents if user_agent.line <= last),
                tuple(rule for rule in group.rules if rule.line <= last),
            )
            for group in whole.groups
        ]
        assert list(robots.groups) == [group for group in cut if group.user_agents]
