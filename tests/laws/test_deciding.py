"""Laws of deciding: every way to ask gives one answer, and it is the one that rule after rule would give."""

import json
import re
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.readings import answer, each_profile, joined
from tests.laws.strategies import Lines, agents, any_url, files, paths, patterns, urls

import canfetch
from canfetch.core.agent import Agent
from canfetch.core.escapes import canonical, encode_reserved_data
from canfetch.core.patterns import matches, parse_pattern
from canfetch.core.profiles import PROFILES
from canfetch.core.tokens import product_token
from canfetch.core.verdict import Reason

# More than the native engine answers before it builds its index.
MANY = 48


@given(lines=files(), agent=agents(), asked=st.lists(urls(), min_size=1, max_size=8))
def test_law_every_way_to_ask_gives_one_answer(
    engine: str, lines: Lines, agent: str | Agent, asked: list[bytes]
) -> None:
    batches: list[Callable[[list[bytes]], Iterable[bytes]]] = [list, tuple, iter, lambda urls: (url for url in urls)]
    for ask in each_profile(engine):
        robots = ask.parse(joined(lines))
        rules = robots.rules_for(agent)
        answers = [rules.decide(url).allowed for url in asked]
        assert [robots.decide(url, agent=agent).allowed for url in asked] == answers
        assert [rules.allows(url) for url in asked] == answers
        assert [robots.allows(url, agent=agent) for url in asked] == answers
        for batch in batches:
            assert rules.allows_many(batch(asked)) == answers
        # Asked often, an engine may take another way.
        assert rules.allows_many(asked * MANY) == answers * MANY
        assert [rules.allows(url) for url in asked] == answers
        # A file that another agent was asked about first answers alike.
        again = ask.parse(joined(lines))
        again.allows(asked[0], agent="a")
        assert [again.allows(url, agent=agent) for url in asked] == answers


def refusal(rules: canfetch.AgentRules, url: str | bytes) -> type[Exception] | None:
    try:
        rules.allows(url)
    except (canfetch.InvalidURL, canfetch.OriginMismatch) as error:
        return type(error)
    return None


@given(asked=st.lists(any_url(), min_size=1, max_size=6))
def test_law_a_batch_refuses_what_one_question_refuses(engine: str, asked: list[str | bytes]) -> None:
    for ask in each_profile(engine):
        rules = ask.parse(b"User-agent: *\nDisallow: /a", url="https://example.com/robots.txt").rules_for("a")
        first = next((index for index, url in enumerate(asked) if refusal(rules, url)), None)
        if first is None:
            assert len(rules.allows_many(asked)) == len(asked)
        else:
            with pytest.raises((canfetch.InvalidURL, canfetch.OriginMismatch)) as caught:
                rules.allows_many(asked)
            assert isinstance(caught.value, canfetch.InvalidURL | canfetch.OriginMismatch)
            assert caught.type is refusal(rules, asked[first])
            assert caught.value.index == first


@given(lines=files(), agent=agents(), url=urls())
def test_law_the_verdict_is_what_rule_after_rule_gives(
    engine: str, lines: Lines, agent: str | Agent, url: bytes
) -> None:
    for ask in each_profile(engine):
        robots = ask.parse(joined(lines))
        verdict = robots.decide(url, agent=agent)
        profile = PROFILES[ask.profile]
        chosen = [robots.groups[index] for index in robots.rules_for(agent).group_indices]
        forms = {False: verdict.target, True: encode_reserved_data(verdict.target)}
        found = []
        for rule in (rule for group in chosen for rule in group.rules):
            octets = [
                text.specificity
                for text in parse_pattern(rule.pattern, allow=rule.allow, profile=profile)
                if matches(text.text, forms[text.form_b])
            ]
            if octets:
                found.append(rule._replace(specificity=max(octets)))
        if not profile.first_match:
            # Most octets, then allow before disallow, then the first line.
            found.sort(key=lambda rule: (-rule.specificity, not rule.allow, rule.line))
        assert [*filter(None, [verdict.rule]), *verdict.also_matched] == found
        assert (verdict.rule is None) is (not found or verdict.reason is Reason.ROBOTS_TXT)
        if verdict.reason is Reason.ROBOTS_TXT:
            assert (verdict.allowed, verdict.target) == (True, b"/robots.txt")
        else:
            assert verdict.allowed is (not found or found[0].allow or found[0].specificity == 0)
        assert (verdict.reason is Reason.NO_GROUP) is (not chosen and verdict.reason is not Reason.ROBOTS_TXT)


@given(pattern=patterns(), path=paths(), anchored=st.booleans())
def test_law_a_pattern_matches_as_its_regular_expression_does(pattern: bytes, path: bytes, anchored: bool) -> None:  # noqa: FBT001
    # The path itself with a part replaced matches often.
    for text in (pattern, path[:2] + b"*" + path[5:], path[:3] + pattern, b"*" + path[-3:]):
        # Within a text a `$` is the character.
        plain = text.rstrip(b"$")
        expression = b".*".join(map(re.escape, plain.split(b"*"))) + (rb"\Z" if anchored else b"")
        found = re.match(expression, path, re.DOTALL) is not None
        assert matches(plain + b"$" * anchored, path) is found


@given(lines=files(), agent=agents(), url=urls())
def test_law_normalising_twice_is_normalising_once(engine: str, lines: Lines, agent: str | Agent, url: bytes) -> None:
    for ask in each_profile(engine):
        robots = ask.parse(joined(lines))
        verdict = robots.decide(url, agent=agent)
        # With a host, since what is left of a path may begin with two slashes.
        again = robots.decide(b"https://example.com" + verdict.target, agent=agent)
        assert answer(again) == answer(verdict)


@given(octets=st.one_of(patterns(), paths(), st.binary(max_size=12)))
def test_law_canonical_forms_are_fixed_points(octets: bytes) -> None:
    form_a = canonical(octets)
    form_b = encode_reserved_data(form_a)
    assert canonical(form_a) == form_a
    assert encode_reserved_data(form_b) == canonical(form_b) == form_b


@given(lines=files(), agent=agents(), path=paths())
def test_law_where_a_path_is_asked_of_does_not_count(
    engine: str, lines: Lines, agent: str | Agent, path: bytes
) -> None:
    for ask in each_profile(engine):
        robots = ask.parse(joined(lines))
        verdict = answer(robots.decide(path, agent=agent))
        for before in (b"https://example.com", b"HTTP://user:pass@Example.COM:8080", b"//h", b"a+b://[::1]"):
            for behind in (b"", b"#", b"#/a?b#c"):
                assert answer(robots.decide(before + path + behind, agent=agent)) == verdict


@given(lines=files(), agent=agents(), path=paths())
def test_law_a_path_may_be_written_in_escapes(engine: str, lines: Lines, agent: str | Agent, path: bytes) -> None:
    # Google's parser takes the URL as it is, and so does the standard of 1994.
    head, mark, query = path.partition(b"?")
    escaped = b"".join(b"%%%02x" % octet if chr(octet).isalnum() and octet < 0x80 else b"%c" % octet for octet in head)
    # Where a `%` stands already, another meaning might arise.
    if b"%" in path:
        escaped = head
    for ask in each_profile(engine, without="google_target literal_paths"):
        robots = ask.parse(joined(lines))
        assert answer(robots.decide(escaped + mark + query, agent=agent)) == answer(robots.decide(path, agent=agent))


@given(lines=files(), agent=agents(), url=urls())
def test_law_a_verdict_is_plain_printable_json(engine: str, lines: Lines, agent: str | Agent, url: bytes) -> None:
    for ask in each_profile(engine):
        verdict = ask.decide(joined(lines), url, agent)
        told = verdict.to_json()
        text = json.dumps(told, ensure_ascii=False)
        assert json.loads(text) == told
        assert text.isprintable()
        assert str(verdict).isprintable()


@given(
    header=st.one_of(
        st.text(max_size=40),
        st.lists(
            st.sampled_from(["Mozilla/5.0", "(", ")", ";", " ", "compatible", "Bot/1", "+http://a", "\0", "a b", "/"])
        ).map("".join),
    )
)
def test_law_a_token_of_a_header_may_be_asked_for(header: str) -> None:
    try:
        token = product_token(header)
    except canfetch.InvalidProductToken:
        return
    assert Agent(token).tokens == (token,)
    assert token in header
