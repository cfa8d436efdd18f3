"""What went wrong, in one line that names the thing and the mend; and the exit codes."""

from typing import Final

import click

ALLOWED: Final = 0
DISALLOWED: Final = 1
UNCOMPUTED: Final = 2
INTERRUPTED: Final = 130
NOBODY_READS: Final = 141
_MESSAGE_CHARACTERS: Final = 600
_MESSAGE_HALF: Final = 290


class Problem(click.ClickException):
    """Something that the user can mend; its text names the thing and the mend."""


def cropped(text: str) -> str:
    """Keep both ends of a message that names a very long URL."""
    return text if len(text) <= _MESSAGE_CHARACTERS else f"{text[:_MESSAGE_HALF]} ... {text[-_MESSAGE_HALF:]}"


def problem_line(error: Exception) -> str:
    """Give the one line that is said about an error.

    Cost: O(characters).
    """
    text = error.format_message() if isinstance(error, click.ClickException) else str(error)
    # What click says ends like a sentence, and may take several lines.
    text = " ".join(text.split())
    if isinstance(error, click.UsageError):
        text = (text[:1].lower() + text[1:]).replace(". (", " (").removesuffix(".")
        path = "canfetch" if error.ctx is None else error.ctx.command_path
        text = f"{text}: see '{path} --help'"
    return f"canfetch: {text}"
