"""DisallowAITraining and AllowAITraining: rules that apply to AI training only.

Google's parser matches keys by prefix, so the Google profiles treat these records as Disallow and Allow rules, and not
as extensions.

Source: draft-canel-robots-ai-control-00 of October 2024, expired; its next edition adopted the AIPREF vocabulary.
"""

from collections.abc import Iterator
from typing import NamedTuple

from canfetch.core.extensions.preference import Preference, UsagePreference, UsagePurpose
from canfetch.core.extensions.record import ExtensionNote

_DRAFT = "draft-canel-robots-ai-control-00"


class AITrainingRule(NamedTuple):
    """Whether training is welcome on the paths that match `path`."""

    preference: Preference
    path: bytes

    @property
    def usage_preferences(self) -> Iterator[UsagePreference]:
        """The preference on training that the rule states."""
        yield UsagePreference(UsagePurpose.TRAINING, self.preference, f"{self.preference}aitraining", _DRAFT)


def parse_ai_training_rule(preference: Preference, value: bytes) -> tuple[AITrainingRule | None, ExtensionNote]:
    """Parse a value: a pattern, as in a rule."""
    if value[:1] not in (b"/", b"*"):
        return None, ExtensionNote.OBSOLETE | ExtensionNote.UNREADABLE
    return AITrainingRule(preference, value), ExtensionNote.OBSOLETE
