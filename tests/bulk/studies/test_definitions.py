"""The definitions of studies, by files on which they differ."""

import pytest

from canfetch.bulk.studies import DEFINITIONS, classify, get_definition
from canfetch.bulk.studies.rulesets import Ruleset, collect_rulesets
from canfetch.errors import InvalidOption

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
        (STACKED, "GPTBot", ("disallow-all", "fully-disallowed", "all", "none", "disallow-all", "allow-all")),
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


def test_rulesets_of_hostile_files_are_bounded() -> None:
    text = "User-agent: a\n" * 20_000 + "Disallow: /\n" * 20_000
    rulesets = collect_rulesets(text, published=False)
    assert len(rulesets["a"].disallow) <= 1_000_000
    assert collect_rulesets("Disallow: /\nuser-agent : A # x\nallow:/b", published=True) == {"a": Ruleset(("/b",), ())}


def test_unknown_definition() -> None:
    with pytest.raises(InvalidOption, match="unknown definition 'exakt/1'"):
        get_definition("exakt/1")
