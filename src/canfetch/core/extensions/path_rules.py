"""Records that are not about fetching, but whose value is a pattern as in a rule.

Noindex, Nofollow and Noarchive are page-level rules for paths. Google read them until 1 September 2019 without
documenting them. Current crawlers ignore them. All matching records apply, because each of them only restricts; no
source defines that case.

DisallowAITraining and AllowAITraining apply to AI training only. Google's parser matches keys by prefix, so the Google
profiles treat these records as Disallow and Allow rules, and not as extensions.

Source: Google's announcement of July 2019; draft-canel-robots-ai-control-00 of October 2024, expired; its next edition
adopted the AIPREF vocabulary.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeVar

from canfetch.core.extensions.preference import Preference, UsagePreference, UsagePurpose
from canfetch.core.extensions.record import ExtensionNote

StatementT = TypeVar("StatementT")
RuleT = TypeVar("RuleT")

PAGE_RULES: Final = ("noindex", "nofollow", "noarchive")
_DRAFT = "draft-canel-robots-ai-control-00"


class PathPageRule(NamedTuple):
    """A page-level rule for the paths that match `path`."""

    rule: str
    path: bytes


class AITrainingRule(NamedTuple):
    """Whether training is welcome on the paths that match `path`."""

    preference: Preference
    path: bytes

    @property
    def usage_preferences(self) -> Iterator[UsagePreference]:
        """The preference on training that the rule states."""
        yield UsagePreference(UsagePurpose.TRAINING, self.preference, f"{self.preference}aitraining", _DRAFT)


def parse_path_rule(
    kind: Callable[[StatementT, bytes], RuleT], statement: StatementT, value: bytes
) -> tuple[RuleT | None, ExtensionNote]:
    """Parse a value: a pattern, as in a rule.

    Args:
        kind: `PathPageRule` or `AITrainingRule`.
        statement: The page-level rule or the preference that the key states.
    """
    if value[:1] not in (b"/", b"*"):
        return None, ExtensionNote.OBSOLETE | ExtensionNote.UNREADABLE
    return kind(statement, value), ExtensionNote.OBSOLETE
