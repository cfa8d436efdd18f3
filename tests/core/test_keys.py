"""Keys: RFC 9309 section 2.2, and the spellings and prefixes of Google's parser."""

import pytest

from canfetch.core.keys import RecordKind, record_kind
from canfetch.core.profiles import PROFILES

OTHER, SITEMAP = RecordKind.OTHER, RecordKind.SITEMAP
USER_AGENT, ALLOW, DISALLOW = RecordKind.USER_AGENT, RecordKind.ALLOW, RecordKind.DISALLOW


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "key, kind",
    [
        (b"user-agent", USER_AGENT),
        (b"USER-AGENT", USER_AGENT),
        (b"Allow", ALLOW),
        (b"disallow", DISALLOW),
        (b"DisAllow", DISALLOW),
        (b"Sitemap", SITEMAP),
        (b"Crawl-delay", OTHER),
        (b"isallow", OTHER),
        (b"dis allow", OTHER),
        # Only the case of ASCII letters is ignored. In Unicode, the long s is a form of `s`.
        ("di\u017fallow".encode(), OTHER),
        (b"", OTHER),
    ],
)
def test_rfc9309_2_2_keys_are_case_insensitive(profile: str, key: bytes, kind: RecordKind) -> None:
    if kind is ALLOW and profile == "original1994":
        kind = OTHER
    assert record_kind(key, PROFILES[profile]) is kind


TYPOS = [
    (b"useragent", USER_AGENT),
    (b"User Agent", USER_AGENT),
    (b"dissallow", DISALLOW),
    (b"dissalow", DISALLOW),
    (b"Disalow", DISALLOW),
    (b"diasllow", DISALLOW),
    (b"DISALLAW", DISALLOW),
    (b"Site-map", SITEMAP),
]


@pytest.mark.parametrize("key, kind", TYPOS)
def test_google_accepts_these_misspellings(key: bytes, kind: RecordKind) -> None:
    assert [record_kind(key, PROFILES[name]) for name in ("google", "googlebot", "rfc9309")] == [kind] * 3
    # These keys are not in the grammar, and the specification of 2019 does not support them.
    assert [record_kind(key, PROFILES[name]) for name in ("strict", "google2019")] == [OTHER] * 2


@pytest.mark.parametrize(
    "key, kind",
    [
        (b"Disallowed", DISALLOW),
        (b"DisallowAITraining", DISALLOW),
        (b"disalow-all", DISALLOW),
        (b"Allowed", ALLOW),
        (b"User-agents", USER_AGENT),
        (b"User-agent-purpose", USER_AGENT),
        (b"sitemaps", SITEMAP),
        (b"Disallow\xef\xbc\x9a", DISALLOW),
    ],
)
def test_google_keys_match_by_prefix(key: bytes, kind: RecordKind) -> None:
    assert [record_kind(key, PROFILES[name]) for name in ("google", "googlebot")] == [kind] * 2
    assert [record_kind(key, PROFILES[name]) for name in ("rfc9309", "strict", "google2019")] == [OTHER] * 3
