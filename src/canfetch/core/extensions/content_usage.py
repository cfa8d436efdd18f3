"""Content-Usage: preferences on the use of content, optionally for a path.

Of the records whose path matches, the most specific one counts, as with rules. Among equally specific records, the
most restrictive one counts. A record without a path applies to `/`.

DEVIATION(aipref): the draft makes these lines rules of a group, so that they would end a run of user-agent lines.
Here they never do, because an RFC 9309 parser that ignores them must find the same groups.
DEVIATION(aipref): labels of earlier drafts are read if no current label covers the same purpose. The draft ignores
unknown labels, but a site that published `train-genai=n` in 2025 stated a preference.

Source: draft-ietf-aipref-attach-05; draft-ietf-aipref-vocab-08; RFC 9651 section 3.2.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.core.extensions.preference import (
    Preference,
    UsagePreference,
    UsagePurpose,
    most_restrictive,
    split_path,
)
from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.extensions.structured_dictionary import contradicted_keys, parse_structured_dictionary

_ALL_PURPOSES: Final = tuple(UsagePurpose)
_TRAINING: Final = (UsagePurpose.TRAINING,)
_AI_USE: Final = (UsagePurpose.AI_USE,)
_PREFERENCES: Final = {b"y": Preference.ALLOW, b"n": Preference.DISALLOW}


class UsageLabel(NamedTuple):
    """A label of the vocabulary.

    Attributes:
        purposes: The purposes that the label covers.
        rank: 0 for a current label, 1 for a former label, 2 for a former label of all purposes. Lower ranks win.
        draft: The last draft that defined the label, or None for a current label.
    """

    purposes: tuple[UsagePurpose, ...]
    rank: int = 0
    draft: str | None = None


USAGE_LABELS: Final[dict[str, UsageLabel]] = {
    "train-ai": UsageLabel(_TRAINING),
    "search": UsageLabel((UsagePurpose.SEARCH,)),
    "ai-use": UsageLabel(_AI_USE),
    # The labels of 2025. A broad label included the narrow ones, which overrode it.
    "tdm": UsageLabel(_ALL_PURPOSES, 2, "draft-ietf-aipref-vocab-01"),
    "ai": UsageLabel(_TRAINING, 1, "draft-ietf-aipref-vocab-01"),
    "genai": UsageLabel(_TRAINING, 1, "draft-ietf-aipref-vocab-01"),
    "inference": UsageLabel(_AI_USE, 1, "draft-ietf-aipref-vocab-01"),
    "all": UsageLabel(_ALL_PURPOSES, 2, "draft-ietf-aipref-vocab-02"),
    "train-genai": UsageLabel(_TRAINING, 1, "draft-ietf-aipref-vocab-03"),
    "bots": UsageLabel(_ALL_PURPOSES, 2, "draft-ietf-aipref-vocab-04"),
    "ai-output": UsageLabel(_AI_USE, 1, "draft-ietf-aipref-vocab-04"),
}


class ContentUsage(NamedTuple):
    """A path, or None for all paths, and the preferences of the known labels."""

    path: bytes | None
    preferences: tuple[tuple[str, Preference], ...]

    @property
    def usage_preferences(self) -> Iterator[UsagePreference]:
        """The preferences that the line states. Current labels override former ones."""
        for purpose in UsagePurpose:
            ranked = [
                (label.rank, UsagePreference(purpose, preference, name, label.draft))
                for name, preference in self.preferences
                if purpose in (label := USAGE_LABELS[name]).purposes
            ]
            first = min((rank for rank, _ in ranked), default=0)
            stated = [preference for rank, preference in ranked if rank == first]
            strictest = most_restrictive(usage.preference for usage in stated)
            yield from (usage for usage in stated if usage.preference is strictest)


def contradicted_labels(value: bytes) -> frozenset[str]:
    """Return the labels that a value states several times, and differently. Their last values count.

    Cost: O(bytes).
    Source: RFC 9651 section 4.2.2.
    """
    return frozenset(key.decode("ascii") for key in contradicted_keys(split_path(value)[1]))


def parse_content_usage(value: bytes) -> tuple[ContentUsage, ExtensionNote]:
    """Parse a value such as `train-ai=n` or `/blog/ train-ai=y, search=y`.

    If the dictionary is malformed, for example because of an upper-case label, all preferences are unknown.

    Cost: O(bytes).
    """
    path, labels = split_path(value)
    dictionary = parse_structured_dictionary(labels)
    if not dictionary:
        # The record states nothing, but it may still be the most specific one for a path.
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
