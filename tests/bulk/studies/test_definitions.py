"""The definitions of studies, by files on which they differ."""

import pytest

from canfetch.bulk.studies import DEFINITIONS, StudiedFile, classify
from canfetch.bulk.studies.rulesets import (
    common_crawl_rulesets,
    consent_rulesets,
    published_consent_rulesets,
)
from canfetch.errors import InvalidOption, InvalidProductToken

STACKED = b"""\
User-agent: *
Disallow: /private/

User-agent: GPTBot
User-agent: CCBot
Disallow: /
"""
# The classes by exact/1, imc-2025/1, consent-in-crisis/1, consent-in-crisis-published/1, common-crawl/1 and
# common-crawl-published/1.
NAMES = (
    "exact",
    "imc-2025",
    "consent-in-crisis",
    "consent-in-crisis-published",
    "common-crawl",
    "common-crawl-published",
)


@pytest.mark.parametrize(
    "content, agent, classes",
    [
        # The published scripts give the rules of a stacked group to its last user agent only.
        (STACKED, "GPTBot", ("disallow-all", "fully-disallowed", "all", "none", "disallow-all", "no-ruleset")),
        (STACKED, "CCBot", ("disallow-all", "fully-disallowed", "all", "all", "disallow-all", "disallow-all")),
        (STACKED, "Other", ("allow-part", "partially-disallowed", "some", "some", "no-ruleset", "no-ruleset")),
        (b"", "GPTBot", ("allow-all", "no-restrictions", "none", "none", "no-ruleset", "no-ruleset")),
        # An allow rule that changes nothing.
        (
            b"User-agent: GPTBot\nDisallow: /\nAllow: /robots.txt$",
            "GPTBot",
            ("disallow-all", "partially-disallowed", "some", "some", "allow-part", "allow-part"),
        ),
        # Everything is disallowed by other patterns.
        (
            b"User-agent: GPTBot\nDisallow: /*",
            "GPTBot",
            ("disallow-all", "fully-disallowed", "some", "some", "allow-part", "allow-part"),
        ),
        # Only the home page is allowed.
        (
            b"User-agent: GPTBot\nAllow: /$\nDisallow: /",
            "GPTBot",
            ("allow-part", "partially-disallowed", "some", "some", "allow-part", "allow-part"),
        ),
        # A rule for queries does not count in Consent in Crisis.
        (
            b"User-agent: GPTBot\nDisallow: /*?x=",
            "GPTBot",
            ("allow-part", "partially-disallowed", "none", "none", "allow-part", "allow-part"),
        ),
        (
            b"User-agent: gptbot\nDisallow:",
            "GPTBot",
            ("allow-all", "no-restrictions", "none", "none", "allow-all", "allow-all"),
        ),
    ],
)
def test_classes(content: bytes, agent: str, classes: tuple[str, ...]) -> None:
    found = tuple(classify(content, agent=agent, definition=f"{name}/1") for name in NAMES)
    assert found == classes
    for name, label in zip(NAMES, found, strict=True):
        assert label in DEFINITIONS[f"{name}/1"].classes


@pytest.mark.parametrize(
    "content, mention, allow",
    [
        (b"User-agent: gptbot\nAllow: /", "mentioned", "explicitly-allowed"),
        (b"User-agent: GPTBot\nDisallow: /a", "mentioned", "other"),
        (b"User-agent: *\nAllow: /", "not-mentioned", "other"),
    ],
)
def test_explicit_mention_and_allow(content: bytes, mention: str, allow: str) -> None:
    assert classify(content, agent="GPTBot", definition="imc-2025-mention/1") == mention
    assert classify(content, agent="GPTBot", definition="imc-2025-explicit-allow/1") == allow


def test_undecided_is_not_a_guess() -> None:
    rules = "".join(f"Allow: /*{n}*a*b*{n}*c\nDisallow: /*{n}*b*a*c*{n}\n" for n in range(300))
    content = f"User-agent: *\nDisallow: /x\n{rules}".encode()
    assert classify(content, agent="GPTBot", definition="exact/1") in {"allow-part", "undecided"}


@pytest.mark.slow
def test_rulesets_of_hostile_files_are_bounded() -> None:
    text = "".join(f"User-agent: a{n}\n" for n in range(20_000)) + "Disallow: /\n" * 20_000
    for rulesets in (
        consent_rulesets(text),
        published_consent_rulesets(text),
        common_crawl_rulesets(text.encode(), published=False),
        common_crawl_rulesets(text.encode(), published=True),
    ):
        assert len(rulesets) == 20_000
        assert sum(len(rules.disallow) for rules in rulesets.values()) <= 1_000_000


@pytest.mark.parametrize(
    "content, published, corrected",
    [
        # An agent without rules has no ruleset, as the script collects rules only.
        (b"User-agent: GPTBot\nCrawl-delay: 3\n", "no-ruleset", "no-ruleset"),
        (b"User-agent: GPTBot\n", "no-ruleset", "no-ruleset"),
        (b"User-agent: GPTBot\nAllow: /blog\n", "allow-part", "allow-part"),
        (b"User-agent: GPTBot\nAllow: /\nDisallow:\n", "allow-part", "allow-part"),
        (b"User-agent: GPTBot\nDisallow: /\nDisallow: /\n", "allow-part", "allow-part"),
        # A user agent that is repeated within a group is one user agent.
        (b"User-agent: GPTBot\nUser-agent: gptbot\nDisallow: /\n", "disallow-all", "disallow-all"),
        *[(b"User-agent: GPTBot\nAllow: " + value, "allow-all", "allow-all") for value in (b"/", b"*", b"/*", b"")],
        (b"User-agent: GPTBot\nAllow: /$", "allow-part", "allow-part"),
        (b"User-agent: GPTBot\nDisallow: # nothing", "allow-all", "allow-all"),
        # Crawl-delay and Sitemap lines do not end a list of user agents.
        (b"User-agent: GPTBot\nCrawl-delay: 1\nUser-agent: x\nDisallow: /\n", "disallow-all", "disallow-all"),
        (STACKED, "no-ruleset", "disallow-all"),
        (b"\xef\xbb\xbfUser-agent : GPTBot\nDisallow : /", "disallow-all", "disallow-all"),
        (b"\xef\xbb\xbf<!doctype html>\nUser-agent: GPTBot\nDisallow: /", "no-ruleset", "no-ruleset"),
        (b"\n<html>\nUser-agent: GPTBot\nDisallow: /", "disallow-all", "disallow-all"),
        # The script reads one line that ends in carriage returns only, and its first record.
        (b"User-agent: GPTBot\rDisallow: /", "no-ruleset", "no-ruleset"),
        (b"User-agent: GPTBot\r\nDisallow:\r /\r\n", "disallow-all", "disallow-all"),
    ],
)
def test_common_crawl(content: bytes, published: str, corrected: str) -> None:
    assert classify(content, agent="GPTBot", definition="common-crawl-published/1") == published
    assert classify(content, agent="GPTBot", definition="common-crawl/1") == corrected


@pytest.mark.parametrize(
    "content, published, corrected",
    [
        # Crawl-delay and Sitemap lines end a list of user agents in the published parser.
        (b"User-agent: GPTBot\nCrawl-delay: 10\n\nUser-agent: x\nDisallow: /\n", "none", "all"),
        (b"Sitemap: https://a.example/s\nUser-agent: GPTBot\nUser-agent: x\nDisallow: /\n", "none", "all"),
        (b"User-agent: GPTBot\nHost: a.example\nUser-agent: x\nDisallow: /\n", "all", "all"),
        # Any byte order mark is part of the first key, whatever encoding it was decoded with.
        (b"\xef\xbb\xbfUser-agent: GPTBot\nDisallow: /\n", "none", "all"),
        (b"User-Agent : GPTBot\nDisallow: /\n", "none", "all"),
        (b"User-Agent:GPTBot\nDisallow : /\n", "none", "all"),
        (b"User-agent GPTBot\nDisallow: /\n", "none", "none"),
        # A user agent that is repeated has the empty rule twice, which is not "no rule".
        (b"User-agent: GPTBot\nUser-agent: GPTBot\nDisallow:\n", "some", "some"),
        (b"User-agent: GPTBot\nAllow: /a\nDisallow: /a\n", "none", "none"),
        # Its own group without rules replaces the one for all user agents.
        (b"User-agent: *\nDisallow: /\n\nUser-agent: GPTBot\n", "none", "none"),
    ],
)
def test_consent_in_crisis(content: bytes, published: str, corrected: str) -> None:
    assert classify(content, agent="GPTBot", definition="consent-in-crisis-published/1") == published
    assert classify(content, agent="GPTBot", definition="consent-in-crisis/1") == corrected


@pytest.mark.parametrize(
    "content, label",
    [
        (b"", "none"),
        (b"User-agent: *\nDisallow: /\n", "all"),
        (b"User-agent: *\nDisallow: /\n\nUser-agent: a\nDisallow: /\n", "all"),
        (b"User-agent: *\nDisallow: /\n\nUser-agent: a\nDisallow:\n", "some"),
        # Nothing is blocked for an agent that the file does not name.
        (b"User-agent: a\nDisallow: /\n", "some"),
        (b"User-agent: *\nDisallow: /x\n", "some"),
    ],
)
def test_consent_in_crisis_for_all_agents(content: bytes, label: str) -> None:
    for name in ("consent-in-crisis/1", "consent-in-crisis-published/1"):
        judge = DEFINITIONS[name].classify_all
        assert judge is not None
        assert judge(StudiedFile(content)) == label
    assert DEFINITIONS["exact/1"].classify_all is None


def test_strictest_class_of_several_agents() -> None:
    definition = DEFINITIONS["exact/1"]
    assert definition.strictest(["allow-all", "allow-part"]) == "allow-part"
    assert definition.strictest(["undecided", "disallow-all"]) == "disallow-all"
    # An agent that is not decided may be blocked.
    assert definition.strictest(["undecided", "allow-part"]) == "undecided"


@pytest.mark.parametrize(
    "line, agent, mention, restriction",
    [
        # Google's parser reads the line up to the digit, so that it finds no group for the agent.
        ("AI2Bot", "AI2Bot", "not-mentioned", "no-restrictions"),
        ("MJ12bot", "MJ12bot", "not-mentioned", "no-restrictions"),
        ("nutch4nlaweb", "Nutch", "mentioned", "fully-disallowed"),
        ("Kangaroo Bot", "Kangaroo", "mentioned", "fully-disallowed"),
        ("GPTBot/1.0", "GPTBot", "mentioned", "fully-disallowed"),
    ],
)
def test_imc_2025_reads_names_as_google(line: str, agent: str, mention: str, restriction: str) -> None:
    content = f"User-agent: {line}\nDisallow: /\n".encode()
    assert classify(content, agent=agent, definition="imc-2025-mention/1") == mention
    assert classify(content, agent=agent, definition="imc-2025/1") == restriction
    assert classify(content, agent=agent, definition="imc-2025-explicit-allow/1") == "other"


@pytest.mark.parametrize(
    "line, agent, mention",
    [
        # The published shares of mentions are not zero for these two, although Google's parser finds no group.
        ("AI2Bot", "AI2Bot", "mentioned"),
        ("Kangaroo Bot", "Kangaroo", "mentioned"),
        ("gptbot/1.0 # no", "GPTBot", "mentioned"),
        ("GPTBotX", "GPTBot", "not-mentioned"),
        ("*", "GPTBot", "not-mentioned"),
    ],
)
def test_imc_2025_mention_2_compares_whole_names(line: str, agent: str, mention: str) -> None:
    allows = f"User-agent: {line}\nAllow: /\n".encode()
    assert classify(allows, agent=agent, definition="imc-2025-mention/2") == mention
    label = "explicitly-allowed" if mention == "mentioned" else "other"
    assert classify(allows, agent=agent, definition="imc-2025-explicit-allow/2") == label
    disallows = f"User-agent: {agent}\nUser-agent: *\nDisallow: /x\n".encode()
    assert classify(disallows, agent=agent, definition="imc-2025-explicit-allow/2") == "other"


@pytest.mark.parametrize(
    "rules, label",
    [
        # The script removes one `$` from the end of a value, so that the URL is one that the rule matches.
        ("Allow: /a$\nDisallow: /", "partially-disallowed"),
        ("Disallow: /a$", "partially-disallowed"),
        ("Disallow: /a$$", "partially-disallowed"),
        # Values with other typing than in the script's `allow:` followed by a space.
        ("Disalow: /x", "partially-disallowed"),
        ("Disallow : /x", "partially-disallowed"),
        ("Disallow:\t/x\r", "partially-disallowed"),
        # Values that do not start with `/` are not tested.
        ("Disallow: */x", "no-restrictions"),
        ("Disallow: /x/*/y", "partially-disallowed"),
    ],
)
def test_imc_2025_paths(rules: str, label: str) -> None:
    assert classify(f"User-agent: *\n{rules}\n".encode(), agent="GPTBot", definition="imc-2025/1") == label


@pytest.mark.slow
@pytest.mark.parametrize("count, label", [(4_999, "partially-disallowed"), (5_000, "no-restrictions")])
def test_imc_2025_tests_5000_values(count: int, label: str) -> None:
    allowed = "".join(f"Allow: /{number}\n" for number in range(count))
    content = f"User-agent: *\n{allowed}Disallow: /x\n".encode()
    assert classify(content, agent="GPTBot", definition="imc-2025/1") == label


@pytest.mark.parametrize(
    "content, before, label",
    [
        # The script notes that a carriage return should end a line, and reads one line.
        (b"User-agent: GPTBot\rDisallow: /\r", "no-ruleset", "disallow-all"),
        (b"User-agent: GPTBot\nDisallow: /a\rDisallow: /b\n", "allow-part", "allow-part"),
        (b"User-agent: GPTBot\nDisallow:\r /\r\n", "disallow-all", "allow-all"),
        (b"User-agent: GPTBot\r\nDisallow: /\r\n", "disallow-all", "disallow-all"),
        (STACKED, "disallow-all", "disallow-all"),
    ],
)
def test_common_crawl_2_ends_lines_at_carriage_returns(content: bytes, before: str, label: str) -> None:
    assert classify(content, agent="GPTBot", definition="common-crawl/1") == before
    assert classify(content, agent="GPTBot", definition="common-crawl/2") == label


@pytest.mark.parametrize(
    "groups, label",
    [
        # What the tests of the paper's own parser expect.
        ({"*": ("Disallow: /",)}, "all"),
        ({"*": ("Disallow:",)}, "none"),
        ({"*": ("Disallow: /private", "Disallow: /tmp", "Disallow: /config")}, "some"),
        ({"*": ("Disallow: /",), "GPTBot": ("Allow: /public", "Disallow: /")}, "some"),
        ({"*": ("Disallow: /private",), "GPTBot": ("Disallow:",)}, "none"),
        ({"*": ("Disallow: /private",), "GPTBot": ("Allow: /private/stats",)}, "none"),
        ({"*": ("Disallow: /*.php", "Disallow: /?id=123")}, "some"),
        ({"GPTBot": ("Disallow: /private", "Allow: /private/stats")}, "some"),
        ({"*": ("Disallow: /private", "Allow: /")}, "some"),
        ({"Other": ("Disallow: /",)}, "none"),
    ],
)
def test_consent_in_crisis_as_the_tests_of_the_paper(groups: dict[str, tuple[str, ...]], label: str) -> None:
    content = "".join(f"User-agent: {agent}\n" + "\n".join(rules) + "\n\n" for agent, rules in groups.items()).encode()
    for name in ("consent-in-crisis/1", "consent-in-crisis-published/1"):
        assert classify(content, agent="GPTBot", definition=name) == label


@pytest.mark.parametrize("agent", ["Kangaroo Bot", "GPTBot/1.0", ""])
@pytest.mark.parametrize("name", list(DEFINITIONS))
def test_agents_are_product_tokens(name: str, agent: str) -> None:
    with pytest.raises(InvalidProductToken):
        classify(b"", agent=agent, definition=name)
    assert classify(b"", agent="*", definition=name) in DEFINITIONS[name].classes


def test_unknown_definition() -> None:
    with pytest.raises(InvalidOption, match="unknown definition 'exakt/1'"):
        classify(b"", agent="*", definition="exakt/1")
