"""Content-Usage: for which paths a site likes which use of its content.

Of the records whose path matches, the one with the most octets counts, as with rules; of those that have
equally many, the most restrictive. A record without a path is one for `/`.

DEVIATION(aipref): the draft makes these lines rules of a group, so that they would end a run of user-agent lines.
Here they never do: parsers of RFC 9309 that do not know them must come to the same groups.
DEVIATION(aipref): labels of earlier drafts are read, where no label of today speaks of the same use. The
draft ignores what it does not know; but whoever wrote `train-genai=n` in 2025 has said something.

Source: draft-ietf-aipref-attach-05; draft-ietf-aipref-vocab-08; RFC 9651 section 3.2.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.core.extensions.preference import Preference, UsagePreference, UsagePurpose, most_restrictive
from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.extensions.structured_dictionary import parse_structured_dictionary

_EVERYTHING: Final = tuple(UsagePurpose)
_TRAINING: Final = (UsagePurpose.TRAINING,)
_AI_USE: Final = (UsagePurpose.AI_USE,)
_PREFERENCES: Final = {b"y": Preference.ALLOW, b"n": Preference.DISALLOW}


class UsageLabel(NamedTuple):
    """A label, which purposes it speaks of, and how soon it counts: 0 is today's, 1 an old one, 2 an old broad one.

    `draft` is the last one that had it, where that is not today's.
    """

    purposes: tuple[UsagePurpose, ...]
    rank: int = 0
    draft: str | None = None


USAGE_LABELS: Final[dict[str, UsageLabel]] = {
    "train-ai": UsageLabel(_TRAINING),
    "search": UsageLabel((UsagePurpose.SEARCH,)),
    "ai-use": UsageLabel(_AI_USE),
    # All of 2025. A broad one had the narrow ones in it, and gave way to them.
    "tdm": UsageLabel(_EVERYTHING, 2, "draft-ietf-aipref-vocab-01"),
    "ai": UsageLabel(_TRAINING, 1, "draft-ietf-aipref-vocab-01"),
    "genai": UsageLabel(_TRAINING, 1, "draft-ietf-aipref-vocab-01"),
    "inference": UsageLabel(_AI_USE, 1, "draft-ietf-aipref-vocab-01"),
    "all": UsageLabel(_EVERYTHING, 2, "draft-ietf-aipref-vocab-02"),
    "train-genai": UsageLabel(_TRAINING, 1, "draft-ietf-aipref-vocab-03"),
    "bots": UsageLabel(_EVERYTHING, 2, "draft-ietf-aipref-vocab-04"),
    "ai-output": UsageLabel(_AI_USE, 1, "draft-ietf-aipref-vocab-04"),
}


class ContentUsage(NamedTuple):
    """A path, or None for all of them, and what is said of each label whose preference is known."""

    path: bytes | None
    preferences: tuple[tuple[str, Preference], ...]

    @property
    def usage_preferences(self) -> Iterator[UsagePreference]:
        """What it says of each purpose, today's labels before old ones."""
        for purpose in UsagePurpose:
            found = [
                (label.rank, UsagePreference(purpose, preference, name, label.draft))
                for name, preference in self.preferences
                if purpose in (label := USAGE_LABELS[name]).purposes
            ]
            first = min((rank for rank, _ in found), default=0)
            given = most_restrictive(said.preference for rank, said in found if rank == first)
            yield from (said for rank, said in found if rank == first and said.preference is given)


def parse_content_usage(value: bytes) -> tuple[ContentUsage, ExtensionNote]:
    """Read a value such as `train-ai=n` or `/blog/ train-ai=y, search=y`.

    Where the dictionary does not parse, as with a label in upper case, all is unknown.

    Cost: O(octets).
    """
    path: bytes | None = None
    if value[:1] == b"/":
        path, _, value = value.replace(b"\t", b" ").partition(b" ")
    dictionary = parse_structured_dictionary(value)
    if not dictionary:
        # It says nothing, and still is the longest path for what is below it.
        return ContentUsage(path, ()), ExtensionNote.UNREADABLE
    notes = ExtensionNote.NONE
    preferences: list[tuple[str, Preference]] = []
    for key, token in dictionary.items():
        label = USAGE_LABELS.get(name := key.decode("ascii"))
        preference = None if token is None else _PREFERENCES.get(token)
        if label is None:
            notes |= ExtensionNote.UNKNOWN_LABEL
        elif preference is None:
            notes |= ExtensionNote.UNKNOWN_VALUE
        else:
            preferences.append((name, preference))
            if label.draft is not None:
                notes |= ExtensionNote.OLD_LABEL
    return ContentUsage(path, tuple(preferences)), notes
