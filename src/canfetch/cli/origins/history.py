"""`canfetch history`: the versions that `canfetch watch` has recorded."""

import sys
from typing import Any, Final

import click

from canfetch.cli.origins.change_text import change_lines
from canfetch.cli.shared.command_errors import EXIT_OK, CommandError
from canfetch.cli.shared.history_options import history_option, open_history
from canfetch.cli.shared.option_parameters import format_option, no_color_option
from canfetch.cli.shared.origin_arguments import to_origin
from canfetch.cli.shared.output_files import write_standard_output
from canfetch.cli.shared.row_writers import json_writer
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import Palette, output_palette, printable
from canfetch.client.watch.history import Version, WatchHistory
from canfetch.core.times import rfc3339
from canfetch.errors import StoreError

_SHOWN_DIGITS: Final = 12
# With microseconds.
_TIME_WIDTH: Final = len("2026-11-22T15:19:48.123456Z")


def _run(
    origins: tuple[str, ...],
    history: str,
    content: int | None,
    format: str,  # noqa: A002 - click calls it
    no_color: bool,  # noqa: FBT001
) -> int:
    try:
        with open_history(history) as opened:
            if content is not None:
                _write_content(opened, content)
            else:
                _write_versions(opened, origins, format, output_palette(no_color=no_color))
    except StoreError as error:
        raise CommandError(f"--history {error}") from None
    return EXIT_OK


def _write_content(history: WatchHistory, number: int) -> None:
    version = history.version(number)
    if version is None:
        raise CommandError(f"no version {number}: list them with 'canfetch history'")
    if version.observation.content is None:
        raise CommandError(f"version {number} has no file: {version.observation.explanation}")
    write_standard_output(version.observation.content)


def _write_versions(history: WatchHistory, origins: tuple[str, ...], format_: str, palette: Palette) -> None:
    names = [str(to_origin(origin)) for origin in origins] or history.origins()
    writer = json_writer(format_)
    for name in names:
        versions = history.versions(name)
        first = next(versions, None)
        if first is None:
            raise CommandError(f"no version of {name}: 'canfetch watch' records them")
        for version in (first, *versions):
            if writer is not None:
                writer.write(_version_json(version))
            else:
                _write_text(version, palette)
    if writer is not None:
        writer.end()


def _write_text(version: Version, palette: Palette) -> None:
    observation = version.observation
    digest = "no file" if observation.sha256 is None else f"sha256 {observation.sha256[:_SHOWN_DIGITS]}"
    sys.stdout.write(
        f"{version.id:>6}  {rfc3339(observation.at):<{_TIME_WIDTH}}  {palette.strong(printable(observation.origin))}  "
        f"{observation.effect}, {digest}\n"
    )
    if version.change is not None:
        _, *lines = change_lines(version.change, palette)
        sys.stdout.writelines(f"      {line}\n" for line in lines)


def _version_json(version: Version) -> dict[str, Any]:
    observation = version.observation
    return {
        "schema": "canfetch.version/1",
        "id": version.id,
        "origin": observation.origin,
        "at": rfc3339(observation.at),
        "effect": str(observation.effect),
        "status": observation.status,
        "explanation": observation.explanation,
        "sha256": observation.sha256,
        "bytes": None if observation.content is None else len(observation.content),
        "change": version.change,
    }


command: Final = click.Command(
    "history",
    params=[
        click.Argument(["origins"], nargs=-1, metavar="[ORIGIN]..."),
        history_option(),
        Option(["--content"], type=int, metavar="NUMBER", help="Write the robots.txt of a version to standard output."),
        format_option(),
        no_color_option(),
    ],
    callback=_run,
    short_help="Show the versions that 'canfetch watch' has recorded.",
    help="""Show the versions of each origin that 'canfetch watch' has recorded, and what changed for which agents.""",
    epilog="""\b
Examples:
  canfetch history
  canfetch history https://example.com --format ndjson
  canfetch history --content 1

\b
Exit codes: 0 success, 2 an error occurred.""",
)
