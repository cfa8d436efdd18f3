"""The error message for a name that is not one of a known set."""

from collections.abc import Iterable
from typing import Final

from canfetch.core.quoting import quoted

# difflib compares every pair of characters, and no known name is longer.
_SUGGESTION_CHARACTERS: Final = 60
# The cutoff of difflib. At its default of 0.6, suggestions are too often unrelated.
_SIMILARITY: Final = 0.7
# Fewer characters are the start of a name by chance.
_START_CHARACTERS: Final = 3


def unknown_choice(
    kind: str, value: object, choices: Iterable[str], *, of: str = "", listed_by: str | None = None
) -> str:
    """Return the message for a value that is not one of `choices`, with the nearest of them as a suggestion.

    Args:
        kind: What the value names, such as `profile`.
        value: The unknown value.
        choices: The known names, in the order in which they are listed.
        of: What the value is for, such as the name of a setting.
        listed_by: A command that lists the names, quoted in the message in place of the names.
    Cost: O(choices), each compared with the value if that is short enough to be a misspelling.

    >>> unknown_choice("engine", "rust", ["python", "native"])
    "unknown engine 'rust': choose from 'python', 'native'"
    >>> unknown_choice("engine", "pyton", ["python", "native"])
    "unknown engine 'pyton': did you mean 'python'? (choose from 'python', 'native')"
    """
    names = [str(name) for name in choices]
    advice = f"choose from {', '.join(map(repr, names))}" if listed_by is None else f"run '{listed_by}' to list them"
    message = f"unknown {kind} {quoted(value)}{f' of {of}' if of else ''}: "
    suggestion = nearest_choice(value, names)
    return message + (advice if suggestion is None else f"did you mean {suggestion!r}? ({advice})")


def nearest_choice(value: object, names: Iterable[str]) -> str | None:
    """Return the name that `value` is probably a misspelling or the start of, or None.

    Cost: O(names), each compared with the value if that is short enough to be a misspelling.
    """
    if not isinstance(value, str) or len(value) > _SUGGESTION_CHARACTERS:
        return None
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import, and only errors need it

    spellings = {name.lower(): name for name in reversed(list(names))}
    longer = [name for name in spellings if len(value) >= _START_CHARACTERS and name.startswith(value.lower())]
    if len(longer) == 1:
        return spellings[longer[0]]
    nearest = get_close_matches(value.lower(), spellings, 1, _SIMILARITY)
    return spellings[nearest[0]] if nearest else None
