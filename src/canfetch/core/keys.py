"""The keys of records, and the kinds of records that they mark.

Source: RFC 9309 section 2.2; google/robotstxt, ParsedRobotsKey.
"""

from enum import IntEnum
from typing import Final

from canfetch.core._tables import (
    ALLOW_SPELLINGS,
    DISALLOW_SPELLINGS,
    SITEMAP_SPELLINGS,
    USER_AGENT_SPELLINGS,
)
from canfetch.core.profiles import PROFILES, Profile


class RecordKind(IntEnum):
    """The kind of a record. Extensions distinguish the keys of other records."""

    OTHER = 0
    SITEMAP = 1
    USER_AGENT = 2
    ALLOW = 3
    DISALLOW = 4


# In the order in which Google's parser tries them.
SPELLINGS: Final[tuple[tuple[RecordKind, tuple[bytes, ...]], ...]] = (
    (RecordKind.USER_AGENT, USER_AGENT_SPELLINGS),
    (RecordKind.ALLOW, ALLOW_SPELLINGS),
    (RecordKind.DISALLOW, DISALLOW_SPELLINGS),
    (RecordKind.SITEMAP, SITEMAP_SPELLINGS),
)
# The first spelling is the record's name.
NAMES: Final[dict[RecordKind, bytes]] = {kind: spellings[0] for kind, spellings in SPELLINGS}


def exact_kinds(profile: Profile) -> dict[bytes, RecordKind]:
    """Return every spelling that the profile accepts, in lower case, with its kind."""
    return {
        spelling: kind
        for kind, spellings in SPELLINGS
        if not (kind is RecordKind.ALLOW and profile.ignore_allow)
        for spelling in (spellings if profile.typos else spellings[:1])
    }


EXACT_KINDS: Final = {name: exact_kinds(profile) for name, profile in PROFILES.items()}


def record_kind(key: bytes, profile: Profile) -> RecordKind:
    """Return the kind of record that `key` marks, ignoring case. `key` must not have surrounding white space."""
    folded = key.lower()
    kind = EXACT_KINDS[profile.name].get(folded)
    if kind is not None:
        return kind
    if profile.key_prefixes:
        for kind, spellings in SPELLINGS:
            if folded.startswith(spellings):
                return kind
    return RecordKind.OTHER
