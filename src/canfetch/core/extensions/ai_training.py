"""DisallowAITraining and AllowAITraining: rules that speak of training alone.

Google's parser knows keys by their beginning and reads them as Disallow and Allow: in its profiles they are rules,
and never come here.

Source: draft-canel-robots-ai-control-00 of October 2024, expired; its next edition took AIPREF's words.
"""

from collections.abc import Iterator
from typing import NamedTuple

from canfetch.core.extensions.preference import Preference, UsagePreference, UsagePurpose
from canfetch.core.extensions.record import ExtensionNote

_DRAFT = "draft-canel-robots-ai-control-00"


class AITrainingRule(NamedTuple):
    """Whether training is welcome on the paths that the pattern matches."""

    preference: Preference
    path: bytes

    @property
    def usage_preferences(self) -> Iterator[UsagePreference]:
        """What it says of training."""
        yield UsagePreference(UsagePurpose.TRAINING, self.preference, f"{self.preference}aitraining", _DRAFT)


def parse_ai_training_rule(preference: Preference, value: bytes) -> tuple[AITrainingRule | None, ExtensionNote]:
    """Read a value: a pattern, as that of a rule."""
    if value[:1] not in (b"/", b"*"):
        return None, ExtensionNote.OBSOLETE | ExtensionNote.UNREADABLE
    return AITrainingRule(preference, value), ExtensionNote.OBSOLETE
