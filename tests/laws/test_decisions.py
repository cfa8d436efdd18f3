"""Laws of decisions: all methods return the same answer, which is that of comparing rule by rule."""

import json
import re
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.comparison import comparable, each_profile, join_lines
from tests.laws.strategies import Lines, agents, any_url, files, paths, patterns, urls

import canfetch
from canfetch.core.agent import Agent
from canfetch.core.escapes import canonical, encode_reserved_data
from canfetch.core.patterns import matches, parse_pattern
from canfetch.core.profiles import PROFILES
from canfetch.core.tokens import product_token
from canfetch.core.verdict import Reason

# More decisions than the native engine makes before it builds its index.
MANY = 48


@pytest.mark.slow
@given(lines=files(), agent=agents(), requested=st.lists(urls(), min_size=1, max_size=8))
def test_law_all_methods_return_the_same_answer(
    engine: str, lines: Lines, agent: str | Agent, requested: list[bytes]
) -> None:
    batches: list[Callable[[list[bytes]], Iterable[bytes]]] = [list, tuple, iter, lambda urls: (url for url in urls)]
    for reader in each_profile(engine):
        robots = reader.parse(join_lines(lines))
        rules = robots.rules_for(agent)
        answers = [rules.decide(url).allowed for url in requested]
        assert [robots.decide(url, agent=agent).allowed for url in requested] == answers
        assert [rules.allows(url) for url in requested] == answers
        assert [robots.allows(url, agent=agent) for url in requested] == answers
        for batch in batches:
            assert rules.allows_many(batch(requested)) == answers
        # After many decisions, an engine may use an index.
        assert rules.allows_many(requested * MANY) == answers * MANY
        assert [rules.allows(url) for url in requested] == answers
        # A decision for another agent before has no influence.
        again = reader.parse(join_lines(lines))
        again.allows(requested[0], agent="a")
        assert [again.allows(url, agent=agent) for url in requested] == answers


def refusal(rules: canfetch.AgentRules, url: str | bytes) -> type[Exception] | None:
    try:
        rules.allows(url)
    except (canfetch.InvalidURL, canfetch.OriginMismatch) as error:
        return type(error)
    return None


@pytest.mark.slow
@given(requested=st.lists(any_url(), min_size=1, max_size=6))
def test_law_a_batch_raises_what_a_single_url_raises(engine: str, requested: list[str | bytes]) -> None:
    for reader in each_profile(engine):
        rules = reader.parse(b"User-agent: *\nDisallow: /a", url="https://example.com/robots.txt").rules_for("a")
        first = next((index for index, url in enumerate(requested) if refusal(rules, url)), None)
        if first is None:
            assert len(rules.allows_many(requested)) == len(requested)
        else:
            with pytest.raises((canfetch.InvalidURL, canfetch.OriginMismatch)) as caught:
                rules.allows_many(requested)
            assert isinstance(caught.value, canfetch.InvalidURL | canfetch.OriginMismatch)
            assert caught.type is refusal(rules, requested[first])
            assert caught.value.index == first


@pytest.mark.slow
@given(lines=files(), agent=agents(), url=urls())
def test_law_verdicts_agree_with_comparing_rule_by_rule(
    engine: str, lines: Lines, agent: str | Agent, url: bytes
) -> None:
    for reader in each_profile(engine):
        robots = reader.parse(join_lines(lines))
        verdict = robots.decide(url, agent=agent)
        profile = PROFILES[reader.profile]
        chosen = [robots.groups[index] for index in robots.rules_for(agent).group_indices]
        forms = {False: verdict.target, True: encode_reserved_data(verdict.target)}
        found = []
        for rule in (rule for group in chosen for rule in group.rules):
            lengths = [
                text.specificity
                for text in parse_pattern(rule.pattern, allow=rule.allow, profile=profile)
                if matches(text.text, forms[text.form_b])
            ]
            if lengths:
                found.append(rule._replace(specificity=max(lengths)))
        if not profile.first_match:
            # The highest specificity, then allow before disallow, then the first line.
            found.sort(key=lambda rule: (-rule.specificity, not rule.allow, rule.line))
        assert [*filter(None, [verdict.rule]), *verdict.also_matched] == found
        assert (verdict.rule is None) is (not found or verdict.reason is Reason.ROBOTS_TXT)
        if verdict.reason is Reason.ROBOTS_TXT:
            assert (verdict.allowed, verdict.target) == (True, b"/robots.txt")
        else:
            assert verdict.allowed is (not found or found[0].allow or found[0].specificity == 0)
        assert (verdict.reason is Reason.NO_GROUP) is (not chosen and verdict.reason is not Reason.ROBOTS_TXT)


@given(pattern=patterns(), path=paths(), anchored=st.booleans())
def test_law_a_pattern_matches_like_its_regular_expression(pattern: bytes, path: bytes, anchored: bool) -> None:  # noqa: FBT001
    # Patterns that are derived from the path match often.
    for text in (pattern, path[:2] + b"*" + path[5:], path[:3] + pattern, b"*" + path[-3:]):
        # A `$` before the end is literal.
        plain = text.rstrip(b"$")
        expression = b".*".join(map(re.escape, plain.split(b"*"))) + (rb"\Z" if anchored else b"")
        found = re.match(expression, path, re.DOTALL) is not None
        assert matches(plain + b"$" * anchored, path) is found


@pytest.mark.slow
@given(lines=files(), agent=agents(), url=urls())
def test_law_targets_are_canonical(engine: str, lines: Lines, agent: str | Agent, url: bytes) -> None:
    for reader in each_profile(engine):
        robots = reader.parse(join_lines(lines))
        verdict = robots.decide(url, agent=agent)
        # With a host, because the path may start with two slashes.
        again = robots.decide(b"https://example.com" + verdict.target, agent=agent)
        assert comparable(again) == comparable(verdict)


@given(content=st.one_of(patterns(), paths(), st.binary(max_size=12)))
def test_law_canonical_forms_are_fixed_points(content: bytes) -> None:
    form_a = canonical(content)
    form_b = encode_reserved_data(form_a)
    assert canonical(form_a) == form_a
    assert encode_reserved_data(form_b) == canonical(form_b) == form_b


@pytest.mark.slow
@given(lines=files(), agent=agents(), path=paths())
def test_law_origin_and_fragment_change_no_verdict(engine: str, lines: Lines, agent: str | Agent, path: bytes) -> None:
    for reader in each_profile(engine):
        robots = reader.parse(join_lines(lines))
        verdict = comparable(robots.decide(path, agent=agent))
        for before in (b"https://example.com", b"HTTP://user:pass@Example.COM:8080", b"//h", b"a+b://[::1]"):
            for after in (b"", b"#", b"#/a?b#c"):
                assert comparable(robots.decide(before + path + after, agent=agent)) == verdict


@pytest.mark.slow
@given(lines=files(), agent=agents(), path=paths())
def test_law_escaping_a_path_changes_no_verdict(engine: str, lines: Lines, agent: str | Agent, path: bytes) -> None:
    # Google's parser and the standard of 1994 do not decode the URL.
    head, mark, query = path.partition(b"?")
    escaped = b"".join(b"%%%02x" % byte if chr(byte).isalnum() and byte < 0x80 else b"%c" % byte for byte in head)
    # With a `%` in the path, new escapes might result.
    if b"%" in path:
        escaped = head
    for reader in each_profile(engine, without="google_target literal_paths"):
        robots = reader.parse(join_lines(lines))
        assert comparable(robots.decide(escaped + mark + query, agent=agent)) == comparable(
            robots.decide(path, agent=agent)
        )


@pytest.mark.slow
@given(lines=files(), agent=agents(), url=urls())
def test_law_verdicts_are_printable_json(engine: str, lines: Lines, agent: str | Agent, url: bytes) -> None:
    for reader in each_profile(engine):
        verdict = reader.decide(join_lines(lines), url, agent)
        plain = verdict.to_json()
        text = json.dumps(plain, ensure_ascii=False)
        assert json.loads(text) == plain
        assert text.isprintable()
        assert str(verdict).isprintable()


@pytest.mark.slow
@given(
    header=st.one_of(
        st.text(max_size=40),
        st.lists(
            st.sampled_from(["Mozilla/5.0", "(", ")", ";", " ", "compatible", "Bot/1", "+http://a", "\0", "a b", "/"])
        ).map("".join),
    )
)
def test_law_the_token_of_a_header_is_a_valid_agent(header: str) -> None:
    try:
        token = product_token(header)
    except canfetch.InvalidProductToken:
        return
    assert Agent(token).tokens == (token,)
    assert token in header
