"""Errors that commands report in one line, and the exit codes."""

from typing import Final

import click

EXIT_OK: Final = 0
# The answer is negative: a URL is disallowed, a finding is reported, a file would change.
EXIT_NEGATIVE: Final = 1
EXIT_ERROR: Final = 2
EXIT_INTERRUPTED: Final = 130
EXIT_BROKEN_PIPE: Final = 141
_MAX_MESSAGE_CHARACTERS: Final = 600
_MESSAGE_END_CHARACTERS: Final = 290


class CommandError(click.ClickException):
    """An error that the user can fix. The message names the invalid value and what is expected."""


def shorten_message(text: str) -> str:
    """Cut the middle out of a message that quotes a very long URL."""
    if len(text) <= _MAX_MESSAGE_CHARACTERS:
        return text
    return f"{text[:_MESSAGE_END_CHARACTERS]} ... {text[-_MESSAGE_END_CHARACTERS:]}"


def format_error(error: Exception) -> str:
    """Return the line that standard error shows for `error`.

    Cost: O(characters).
    """
    text = error.format_message() if isinstance(error, click.ClickException) else str(error)
    # Messages of click are sentences, and some take several lines.
    text = " ".join(text.split())
    if isinstance(error, click.UsageError):
        text = (text[:1].lower() + text[1:]).replace(". (", " (").removesuffix(".")
        text = (
            text.replace(". Choose from:", ": choose from")
            .replace(" (Did you mean one of: ", ": did you mean one of ")
            .replace("?)", "?")
            .replace(". Did you mean", ": did you mean")
        )
        path = "canfetch" if error.ctx is None else error.ctx.command_path
        text = f"{text} (see '{path} --help')"
    return f"canfetch: {text}"
