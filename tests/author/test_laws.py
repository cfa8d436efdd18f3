"""For any policy, the robots.txt on all current profiles and the server rules match the policy."""

import re
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import canfetch
from canfetch.author.policy_file import parse_policy
from canfetch.author.proof import CURRENT_PROFILES, sample_targets
from canfetch.author.servers.rules import DOT_SEGMENTS, build_server_rules
from canfetch.core.profiles import PROFILES

PIECES = ["a", "b", "/", "/", "-", ".", "?", "=", "&", ":", "~", "*", "%2F", "%20", "%C3%A9", "(", "'"]
PATTERNS = st.builds(
    lambda first, rest, end: f"/{first}{''.join(rest)}{end}",
    st.sampled_from("ab~"),
    st.lists(st.sampled_from(PIECES), max_size=5),
    st.sampled_from(["", "", "$"]),
).filter(lambda pattern: re.search(r"\*\*|/\.\.?(?:[/?$]|$)", pattern) is None)
RULES = st.dictionaries(PATTERNS, st.booleans(), max_size=4)
# Chains, a name that ignores `*`, one outside the grammar, and an unknown one.
NAMES = [
    "Googlebot",
    "Googlebot-Image",
    "Applebot",
    "msnbot",
    "AdsBot-Google",
    "MJ12bot",
    "YandexMetrika",
    "ExampleBot",
]
AUDIENCES = st.sampled_from(
    ["everyone", "purpose.training", "purpose.search-index", "purpose.ads", *(f"crawler.{name}" for name in NAMES)]
)


def table(audience: str, rules: dict[str, bool], *, fetch: bool) -> str:
    """Return a table of a policy. If all rules repeat `fetch`, it is inverted, because they would be redundant."""
    if rules and set(rules.values()) == {fetch}:
        fetch = not fetch
    lines = [f"[{audience}]", f'fetch = "{"all" if fetch else "none"}"']
    for word, kind in (("allow", True), ("disallow", False)):
        patterns = ", ".join(f'"{pattern}"' for pattern, allow in rules.items() if allow is kind)
        lines.append(f"{word} = [{patterns}]")
    return "\n".join(lines)


POLICIES = st.dictionaries(AUDIENCES, st.tuples(RULES, st.booleans()), max_size=4).map(
    lambda tables: "\n".join(table(audience, rules, fetch=fetch) for audience, (rules, fetch) in tables.items())
)


@pytest.mark.slow
@given(toml=POLICIES, include_star_ignorers=st.booleans())
def test_every_policy_is_met_on_all_current_profiles(toml: str, include_star_ignorers: bool) -> None:  # noqa: FBT001 - drawn by Hypothesis
    policy = parse_policy(toml)._replace(include_star_ignorers=include_star_ignorers)
    # `holds` ignores the other profiles, which take half of the time.
    with patch("canfetch.author.proof.PROFILES", {name: PROFILES[name] for name in CURRENT_PROFILES}):
        proof = canfetch.author.prove(policy)
    assert proof.holds, [str(shortfall) for shortfall in proof.shortfalls if shortfall.is_fault][:3]


@pytest.mark.slow
@given(toml=POLICIES)
def test_server_rules_agree_with_robots_txt(toml: str) -> None:
    policy = parse_policy(toml)
    robots = canfetch.parse(canfetch.author.render_policy(policy))
    intents = build_server_rules(policy).intents
    for crawler in canfetch.REGISTRY.crawlers:
        if crawler.token_only or crawler.retired:
            continue
        header = f"Mozilla/5.0 (compatible; {crawler.product_names[0]}/1.0; +https://example.com/bot)"
        matching = [intent for intent in intents if re.search(intent.user_agent_regex, header, re.IGNORECASE)]
        for target in sample_targets(policy):
            assert not re.match(DOT_SEGMENTS, target)
            rules = matching[0].rules if matching else ()
            deciding = next((rule for rule in rules if re.match(rule.regex, target)), None)
            passes = deciding is None or deciding.allow
            assert passes is robots.allows(target, agent=crawler.agent), (crawler.name, target)
