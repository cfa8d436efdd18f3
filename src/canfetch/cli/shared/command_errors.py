"""Errors that commands report in one line, and the exit codes."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

import click

from canfetch.core.choices import nearest_choice
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import MissingExtra

EXIT_OK: Final = 0
# The answer is negative: a URL is disallowed, a finding is reported, a file would change.
EXIT_NEGATIVE: Final = 1
EXIT_ERROR: Final = 2
EXIT_INTERRUPTED: Final = 130
EXIT_BROKEN_PIPE: Final = 141
# Click names its types in messages about numbers. The patterns are compiled when an error is reported.
_NUMBERS: Final = (
    (" is not a valid integer(?: range)?$", " is not a whole number"),
    (" is not a valid float(?: range)?$", " is not a number"),
    (r" is not in the range ([\d.]+)<=x<=([\d.]+)$", r" is not between \1 and \2"),
)
_EXTRA_ARGUMENT: Final = r"got unexpected extra argument \((\S+)\)"


class CommandError(click.ClickException):
    """An error that the user can fix. The message names the invalid value and what is expected."""


@contextmanager
def required_extra(libraries: Collection[str], message: str) -> Iterator[None]:
    """Report a library that is not installed.

    Args:
        libraries: The top-level modules of the extra.
        message: What requires them, and how to install them.
    Raises: MissingExtra.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in libraries:
            raise
        raise MissingExtra(message) from None


def format_error(error: Exception) -> str:
    """Return the line that standard error shows for `error`.

    Cost: O(characters).
    """
    text = _message(error)
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
        for pattern, replacement in _NUMBERS:
            text = re.sub(pattern, replacement, text)
        text += _option_advice(text, error.ctx)
        path = "canfetch" if error.ctx is None else error.ctx.command_path
        text = f"{text} (see '{path} --help')"
    # The message may quote arguments, and texts of files and stores.
    return f"canfetch: {printable_text(text)}"


def _message(error: Exception) -> str:
    if isinstance(error, click.NoSuchOption):
        # Click compares names with their hyphens, which make all of them similar.
        parameters = [] if error.ctx is None else error.ctx.command.get_params(error.ctx)
        names = {name.lstrip("-"): name for parameter in parameters for name in parameter.opts if name[:2] == "--"}
        nearest = nearest_choice(error.option_name.lstrip("-"), names)
        advice = "" if nearest is None else f": did you mean {names[nearest]!r}?"
        return f"no such option {quoted(error.option_name)}{advice}"
    return error.format_message() if isinstance(error, click.ClickException) else str(error)


def _option_advice(text: str, context: click.Context | None) -> str:
    """Return the end of a message about an argument too many, if that is a value of an option."""
    match = re.fullmatch(_EXTRA_ARGUMENT, text)
    if match is None or context is None:
        return ""
    for parameter in context.command.get_params(context):
        if isinstance(parameter.type, click.Choice) and match[1] in parameter.type.choices and parameter.opts:
            return f": did you mean '{parameter.opts[-1]} {match[1]}'?"
    return ""
