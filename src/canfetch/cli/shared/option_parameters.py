"""Click parameters that several commands have."""

from collections.abc import Sequence
from typing import Any, Final

import click

from canfetch.cli.shared.edition_option import EditionPart
from canfetch.cli.shared.single_value_option import Choice, Option, ProfileChoice

ROW_FORMATS = ("text", "json", "ndjson")
_MAX_PROCESSES = 256


def format_option(formats: Sequence[str] = ROW_FORMATS, *, help: str = "Output format.") -> Option:  # noqa: A002 - click's name
    """Return `--format`."""
    return Option(["--format"], type=Choice(formats), default="text", help=help)


def profile_option() -> Option:
    """Return `--profile`."""
    from canfetch.core.profiles import PROFILES  # noqa: PLC0415 - not for all commands

    return EditionPart(
        ["--profile"],
        type=ProfileChoice(tuple(PROFILES)),
        metavar="NAME",
        default="rfc9309",
        help=f"Parsing profile: {', '.join(PROFILES)}.",
    )


def jobs_option(help: str) -> Option:  # noqa: A002 - as above
    """Return `--jobs`. Without it, there is one process for each core."""
    return Option(["-j", "--jobs"], type=click.IntRange(1, _MAX_PROCESSES), metavar="N", help=help)


def no_color_option() -> Option:
    """Return `--no-color`."""
    return Option(["--no-color"], is_flag=True, help="Disable colours. NO_COLOR and FORCE_COLOR are respected as well.")


def quiet_option() -> Option:
    """Return `--quiet`."""
    return Option(
        ["-q", "--quiet"],
        is_flag=True,
        help="Print only errors, and warnings about files. The exit code is the result.",
    )


STAR: Final = "*"
"""An agent that no file names."""


def agent_option(example: str, *, is_optional: bool = False) -> Option:
    """Return `--agent`, which can be repeated.

    Args: is_optional: Whether it is `STAR` by default, for its help.
    """
    return Option(
        ["--agent", "agents"],
        metavar="TOKEN",
        multiple=True,
        shell_complete=complete_crawler,
        help=f"Product token of the agent, such as {example}. Can be repeated."
        + ("  [default: one that no group names]" if is_optional else ""),
    )


def input_file_option(*names: str, help: str, metavar: str = "FILE", multiple: bool = False) -> Option:  # noqa: A002 - as above
    """Return an option that names a file to read, or several. `-` is standard input."""
    return Option(names, metavar=metavar, type=click.Path(allow_dash=True), multiple=multiple, help=help)


def agents_file_option() -> Option:
    """Return `--agents-file`."""
    return input_file_option("--agents-file", help="File of product tokens, one per line; # starts a comment.")


def registry_option() -> Option:
    """Return `--agents-registry`."""
    return input_file_option("--agents-registry", help="TOML file of additional crawlers, each in a [[crawler]] table.")


def exact_option() -> Option:
    """Return `--exact`."""
    return Option(
        ["--exact"], is_flag=True, help="Use the token alone, without the crawler's fallback tokens from the registry."
    )


def complete_crawler(_ctx: click.Context, _option: click.Parameter, incomplete: str) -> list[Any]:
    """Return the crawlers of the registry whose names start with `incomplete`."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - only during completion

    from canfetch.agents import CRAWLERS  # noqa: PLC0415 - only during completion

    prefix = incomplete.lower()
    return [
        CompletionItem(crawler.name, help=f"{crawler.operator}, {', '.join(crawler.purposes)}")
        for crawler in CRAWLERS
        if crawler.name.lower().startswith(prefix)
    ]
