"""The class of all options: an option with one value cannot be passed twice, and paths are completed."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from canfetch.core.choices import nearest_choice, unknown_choice
from canfetch.core.quoting import quoted

_DIRECTORY_METAVARS: Final = {"FOLDER", "DIR"}
_PATH_METAVARS: Final = {"FILE", *_DIRECTORY_METAVARS}


class Choice(click.Choice[str]):
    """A click choice whose error suggests the nearest value."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return the message for an unknown value."""
        choices = list(map(str, self.choices))
        if nearest_choice(value, choices) is None:
            return super().get_invalid_choice_message(value, ctx)
        return unknown_choice("value", value, choices)


class ProfileChoice(Choice):
    """The choice of a parsing profile. The error for a profile of an earlier version names its replacement."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return the message for an unknown profile."""
        from canfetch.core.profiles import REMOVED_PROFILES, unknown_profile  # noqa: PLC0415 - not for all commands

        if value in REMOVED_PROFILES:
            return unknown_profile(value)
        return super().get_invalid_choice_message(value, ctx)


def complete_path(_ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[Any]:
    """Let the shell complete the name of a file, or of a directory if the parameter accepts nothing else."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - only during completion

    is_directory = parameter.metavar in _DIRECTORY_METAVARS
    return [CompletionItem(incomplete, type="dir" if is_directory else "file")]


def is_path(parameter: click.Parameter) -> bool:
    """Return whether the values of a parameter are paths, by its type, its placeholder or its completion."""
    return (
        isinstance(parameter.type, click.Path)
        or bool(set(re.findall("[A-Z]+", parameter.metavar or "")) & _PATH_METAVARS)
        or parameter._custom_shell_complete is complete_path  # noqa: SLF001 - click has no other access
    )


class Option(click.Option):
    """A click option that raises UsageError for a second value, unless it is `multiple`. Its help shows its default.

    Click uses the last value and ignores the others, so that a check may read another file than intended.
    """

    def __init__(self, names: Sequence[str], **attributes: Any) -> None:
        super().__init__(names, **{"show_default": "default" in attributes, **attributes})

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Complete values. If the placeholder names a file or a folder, the shell completes its path."""
        if self._custom_shell_complete is None and set(re.findall("[A-Z]+", self.metavar or "")) & _PATH_METAVARS:
            return complete_path(ctx, self, incomplete)
        return super().shell_complete(ctx, incomplete)

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Collect all values of the option."""
        if self.is_flag or self.multiple or self.count:
            super().add_to_parser(parser, ctx)
        else:
            parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append", nargs=self.nargs)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """Return the only value, or the default."""
        values = opts.get(self.name or "")
        if isinstance(values, list) and not self.multiple:
            if len(values) > 1 and not ctx.resilient_parsing:
                *others, last = map(_shown, values)
                got = f"{', '.join(others)} and {last}"
                raise click.UsageError(f"{self.opts[-1]} can be passed only once, but got {got}", ctx)
            opts = {**opts, self.name or "": values[-1]}
        return super().consume_value(ctx, opts)


def _shown(value: object) -> str:
    text = str(value)
    scheme, separator, rest = text.partition("://")
    # The user information or the query of a store's URL may contain a password.
    return quoted(f"{scheme}://..." if separator and ("@" in rest or "?" in rest) else text)
