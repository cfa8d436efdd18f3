"""The options that `check`, `explain` and `matrix` share."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import click

from canfetch.cli.shared.evidence_option import evidence_options
from canfetch.cli.shared.history_options import past_options
from canfetch.cli.shared.network_options import NetworkOptions, network_parameters, pop_network_options
from canfetch.cli.shared.option_parameters import (
    agent_option,
    agents_file_option,
    exact_option,
    format_option,
    input_file_option,
    no_color_option,
    profile_option,
    quiet_option,
    registry_option,
)
from canfetch.cli.shared.single_value_option import Choice, Option
from canfetch.core.engines import ENGINES
from canfetch.core.limits import DEFAULT_MAX_BYTES

_FORMATS: Final = ("text", "json", "ndjson", "csv")


class DecisionOptions(NamedTuple):
    """The values of the options."""

    urls: tuple[str, ...]
    urls_file: str | None
    robots: str | None
    robots_url: str | None
    agents: tuple[str, ...]
    agents_file: str | None
    agents_registry: str | None
    exact: bool
    profile: str
    engine: str | None
    max_bytes: int
    format: str
    no_color: bool
    quiet: bool
    evidence: str | None
    evidence_key: str | None
    network: NetworkOptions
    robots_dir: str | None = None
    robots_map: str | None = None
    all_profiles: bool = False
    at: str | None = None
    history: str | None = None


def decision_command(
    name: str, *, summary: str, description: str, epilog: str, more: Sequence[click.Parameter] = ()
) -> Callable[[Callable[[DecisionOptions], int]], click.Command]:
    """Make a click command from a function that takes the options and returns the exit code.

    Args:
        name: The name of the command.
        summary: The line that the list of commands shows.
        description: The first part of the command's help.
        epilog: The last part of the command's help, with examples.
        more: Parameters that only this command has.
    """

    def decorate(function: Callable[[DecisionOptions], int]) -> click.Command:
        def run(**values: Any) -> int:
            network = pop_network_options(values)
            return function(DecisionOptions(**values, network=network))

        return click.Command(
            name, params=[*_parameters(), *more], callback=run, short_help=summary, help=description, epilog=epilog
        )

    return decorate


def _parameters() -> list[click.Parameter]:
    return [
        click.Argument(["urls"], nargs=-1, metavar="[URL]..."),
        input_file_option(
            "--robots",
            metavar="FILE|URL",
            help="robots.txt to use; - reads standard input.  [default: fetch the file of each URL's origin]",
        ),
        Option(
            ["--robots-dir"],
            metavar="DIR",
            type=click.Path(),
            help="Directory with a robots.txt for each host, such as example.com.txt, or example.com_8443.txt for a "
            "port. A percent-encoded origin works as well: https%3A%2F%2Fexample.com.txt.",
        ),
        input_file_option(
            "--robots-map",
            help="CSV, TSV or JSON Lines with the columns origin and file: the robots.txt of each origin.",
        ),
        agent_option("GPTBot"),
        agents_file_option(),
        registry_option(),
        exact_option(),
        input_file_option("--urls-file", help="File of URLs, one per line; - reads standard input."),
        Option(
            ["--robots-url"],
            metavar="URL",
            help="URL of the file passed with --robots. A URL of another origin is then an error.",
        ),
        profile_option(),
        Option(
            ["--engine"],
            type=Choice(ENGINES),
            help="Engine; both runs the two and compares them.  [default: CANFETCH_ENGINE, or native if available]",
        ),
        Option(
            ["--max-bytes"],
            metavar="N",
            type=int,
            default=DEFAULT_MAX_BYTES,
            help="Number of bytes of robots.txt to parse.",
        ),
        format_option(_FORMATS),
        no_color_option(),
        quiet_option(),
        *evidence_options(records="every decision as a line of NDJSON, together with the robots.txt"),
        *past_options(),
        *network_parameters(),
    ]
