"""Laws of parsing: nothing raises, nothing is lost, and records and groups agree."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import EXAMPLES
from tests.laws.comparison import each_profile, join_lines
from tests.laws.strategies import LINE_ENDS, agents, any_content, any_url, files

import canfetch
from canfetch.core.agent import Agent
from canfetch.core.groups import Group
from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note

LIMIT = 500 * 1024


@pytest.mark.slow
@given(content=any_content(), url=any_url(), agent=agents())
def test_law_only_documented_exceptions_are_raised(
    engine: str, content: bytes, url: str | bytes, agent: str | Agent
) -> None:
    for reader in each_profile(engine):
        robots = reader.parse(content, url="https://example.com/robots.txt")
        assert all(group.user_agents for group in robots.groups)
        assert all(map(str.isprintable, robots.sitemaps))
        delay = robots.crawl_delay(agent=agent)
        assert delay is None or delay >= 0
        try:
            verdict = robots.decide(url, agent=agent)
        except (canfetch.InvalidURL, canfetch.OriginMismatch):
            continue
        assert verdict.target.startswith(b"/")


@pytest.mark.slow
@given(content=any_content())
def test_law_mark_records_and_tail_make_up_the_file(engine: str, content: bytes) -> None:
    for reader in each_profile(engine):
        robots = reader.parse(content)
        assert robots.render() == content
        if robots.source_encoding == "utf-8":
            assert robots.content + robots.tail == content
        position = 0
        for number, record in enumerate(robots.records, 1):
            assert record.line == number
            start, end = record.span
            # Each starts where the previous one ended, the first one after the byte order mark.
            assert start == position or (
                number == 1 and robots.content[:start] in (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef")
            )
            assert end > start
            position = end
            assert (record.kind is None) is (record.key is None) is (record.value is None)
            if record.key is not None and record.value is not None:
                assert start <= record.key[0] < record.key[1] < record.value[0] + 1 <= record.value[1] + 1 <= end + 1
        assert robots.content[position:] in (b"", b"\xef\xbb\xbf", b"\xef\xbb", b"\xef")


@pytest.mark.slow
@given(content=any_content())
def test_law_records_agree_with_the_engine(engine: str, content: bytes) -> None:
    for reader in each_profile(engine):
        robots = reader.parse(content)
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
                reader.profile == "strict"
                and record.kind > RecordKind.USER_AGENT
                and Note.OUTSIDE_GRAMMAR in record.notes
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
        without_token = {record.line for record in robots.records if Note.NO_TOKEN in record.notes}
        assert {line for group in robots.groups for token, line in group.user_agents if not token} == without_token


@pytest.mark.slow
@given(content=any_content(), url=any_url(), agent=agents())
def test_law_pickling_preserves_verdicts(engine: str, content: bytes, url: str | bytes, agent: str | Agent) -> None:
    for reader in each_profile(engine):
        robots = reader.parse(content)
        twin = pickle.loads(pickle.dumps(robots))  # noqa: S301
        assert twin.render() == content
        assert twin.groups == robots.groups
        try:
            verdict = robots.decide(url, agent=agent)
        except canfetch.InvalidURL:
            continue
        assert twin.decide(url, agent=agent) == verdict
        assert pickle.loads(pickle.dumps(verdict)) == verdict  # noqa: S301


# A text that is the name of a host or a file is one of the files.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:content .* is ")
@given(lines=files(), text=st.text(max_size=20), agent=agents(), path=any_url())
def test_law_str_and_its_utf8_are_the_same_file(
    engine: str, lines: list[bytes], text: str, agent: str | Agent, path: str | bytes
) -> None:
    plain = join_lines(lines).decode("utf-8", "replace") + text
    content = plain.encode()
    for reader in each_profile(engine):
        from_text, from_bytes = reader.parse(plain), reader.parse(content)
        assert from_text.content == from_bytes.content
        assert from_text.groups == from_bytes.groups
        if isinstance(path, str):
            try:
                verdict = from_text.decide(path, agent=agent)
            except canfetch.InvalidURL:
                continue
            assert from_bytes.decide(path.encode("utf-8", "surrogateescape"), agent=agent) == verdict


@pytest.mark.slow
@given(lines=files(), past=st.integers(0, 60), end=st.sampled_from(LINE_ENDS))
@settings(max_examples=EXAMPLES or 8)
def test_law_the_size_limit_changes_nothing_before_it(engine: str, lines: list[bytes], past: int, end: bytes) -> None:
    # The file exceeds the limit by the drawn number of bytes.
    body = join_lines(lines, end)
    content = b"#" * (LIMIT - len(end) - max(0, len(body) - past)) + end + body
    for reader in each_profile(engine):
        robots = reader.parse(content)
        assert robots.content + robots.tail == content
        assert len(robots.content) <= LIMIT
        # As many whole lines as fit.
        rest = robots.tail.splitlines()
        if robots.tail[:1] not in (b"", b"\r", b"\n"):
            assert robots.content[-1:] in (b"", b"\r", b"\n")
            assert len(robots.content) + len(rest[0]) > LIMIT
        whole = reader.parse(content, max_bytes=len(content) + LIMIT)
        last = len(robots.records)
        # A CRLF may be cut in two, and its CR still ends the last line.
        assert robots.records[:-1] == whole.records[: max(0, last - 1)]
        cut = [
            Group(
                tuple(user_agent for user_agent in group.user_agents if user_agent.line <= last),
                tuple(rule for rule in group.rules if rule.line <= last),
            )
            for group in whole.groups
        ]
        assert list(robots.groups) == [group for group in cut if group.user_agents]
