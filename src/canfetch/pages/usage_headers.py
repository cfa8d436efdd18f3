"""Content-Usage and Content-Signal as response headers: preferences on the use of one response.

The headers of one name are joined, as RFC 9110 section 5.3 permits, and apply to their own response only, so that a
path in them is not read. If the dictionary of Content-Usage is invalid, all its preferences are unknown.

Source: draft-ietf-aipref-attach-05 section 4; RFC 9651 section 3.2. No source defines Content-Signal as a header, which
sites send: its values are read as in robots.txt.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from canfetch.core.extensions.content_signal import parse_content_signal
from canfetch.core.extensions.content_usage import parse_content_usage
from canfetch.core.extensions.preference import UsagePreference
from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import encode_text
from canfetch.pages.directives import note_names, printable
from canfetch.pages.headers import Fields

_NAMES: Final = ("content-usage", "content-signal")


class UsageHeader(NamedTuple):
    """The Content-Usage or Content-Signal headers of a response.

    Attributes:
        name: The name of the header in lower case.
        value: The value as sent. Repeated headers are joined with commas.
        usage_preferences: The preferences that it states.
        notes: Notes about the form.
    """

    name: str
    value: str
    usage_preferences: tuple[UsagePreference, ...]
    notes: ExtensionNote = ExtensionNote.NONE

    @property
    def is_unreadable(self) -> bool:
        """Whether the value is invalid, so that the preferences are unknown."""
        return ExtensionNote.UNREADABLE in self.notes

    def to_json(self) -> dict[str, Any]:
        """Return the header as JSON-compatible values."""
        return {
            "name": self.name,
            "value": printable(self.value),
            "preferences": {str(usage.purpose): str(usage.preference) for usage in self.usage_preferences},
            "notes": note_names(self.notes),
        }


def parse_usage_headers(fields: Fields) -> Iterator[UsageHeader]:
    """Yield the headers that state preferences, one for each name.

    Cost: O(characters).
    """
    for name in _NAMES:
        values = fields.values.get(name)
        if not values:
            continue
        value = ", ".join(values).strip(" \t")
        content = encode_text(value)
        parsed, notes = parse_content_usage(content) if name == "content-usage" else parse_content_signal(content)
        if parsed is None or parsed.path is not None:
            yield UsageHeader(name, value, (), notes | ExtensionNote.UNREADABLE)
        else:
            yield UsageHeader(name, value, tuple(parsed.usage_preferences), notes)
