"""What `check`, `explain` and `matrix` are asked: the options that they share."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, NoReturn

import click

from canfetch.cli.shared.network_options import NetworkOptions, network_parameters, taken_from
from canfetch.core.engines import ENGINES
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.profiles import PROFILES

FORMATS: Final = ("text", "json", "ndjson", "csv")
STANDARD_INPUT: Final = "-"


class Question(NamedTuple):
    """The options, as given."""

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
    network: NetworkOptions
    all_profiles: bool = False


def question_command(
    name: str, *, short: str, text: str, epilog: str, more: Sequence[click.Parameter] = ()
) -> Callable[[Callable[[Question], int]], click.Command]:
    """Make a command of a function that answers a Question and gives the exit code.

    Args:
        name: what is typed.
        short: what the list of commands says of it.
        text: what its help says first.
        epilog: what its help says last: the examples.
        more: options of this command alone.
    """

    def decorate(answer: Callable[[Question], int]) -> click.Command:
        def run(**given: Any) -> NoReturn:
            network = taken_from(given)
            click.get_current_context().exit(answer(Question(**given, network=network)))

        return click.Command(
            name, params=[*_parameters(), *more], callback=run, short_help=short, help=text, epilog=epilog
        )

    return decorate


def _parameters() -> list[click.Parameter]:
    return [
        click.Argument(["urls"], nargs=-1, metavar="[URL]..."),
        click.Option(
            ["--robots"],
            metavar="FILE|URL",
            type=click.Path(allow_dash=True),
            help="The robots.txt, - is standard input; without it each URL's own is fetched.",
        ),
        click.Option(
            ["--agent", "agents"],
            metavar="TOKEN",
            multiple=True,
            shell_complete=_known_agents,
            help="Who asks: a product token, such as GPTBot. May be repeated.",
        ),
        click.Option(
            ["--agents-file"],
            metavar="FILE",
            type=click.Path(allow_dash=True),
            help="Who asks, one product token a line; # begins a comment.",
        ),
        click.Option(
            ["--agents-registry"],
            metavar="FILE",
            type=click.Path(allow_dash=True),
            help="Crawlers of your own beside those that canfetch knows: TOML, a [[crawler]] each.",
        ),
        click.Option(
            ["--exact"],
            is_flag=True,
            help="Ask for the token itself, without what the registry knows of that crawler.",
        ),
        click.Option(
            ["--urls-file"],
            metavar="FILE",
            type=click.Path(allow_dash=True),
            help="More URLs, one a line, however many; - is standard input.",
        ),
        click.Option(
            ["--robots-url"],
            metavar="URL",
            help="Where the file is from; a URL of another origin is then an error.",
        ),
        click.Option(
            ["--profile"],
            type=click.Choice(tuple(PROFILES)),
            default="rfc9309",
            show_default=True,
            help="Whose reading of the file.",
        ),
        click.Option(
            ["--engine"],
            type=click.Choice(ENGINES),
            help="Which engine answers; both compares them. By default CANFETCH_ENGINE, or native where it is built.",
        ),
        click.Option(
            ["--max-bytes"],
            metavar="N",
            type=int,
            default=DEFAULT_MAX_BYTES,
            show_default=True,
            help="How much of the file is read.",
        ),
        click.Option(
            ["--format"],
            type=click.Choice(FORMATS),
            default="text",
            show_default=True,
            help="How the answer is written.",
        ),
        click.Option(
            ["--no-color"],
            is_flag=True,
            help="No colour, even on a terminal; NO_COLOR in the environment does the same, FORCE_COLOR the contrary.",
        ),
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            help="Write no answer: the exit code is it. Errors are still said.",
        ),
        click.Option(
            ["--evidence"],
            metavar="FOLDER",
            type=click.Path(),
            help="Put every decision on the record there, one NDJSON line each, with the file that counted.",
        ),
        *network_parameters(),
    ]


def _known_agents(_ctx: click.Context, _option: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - only while a line is completed

    from canfetch.agents import CRAWLERS  # noqa: PLC0415 - the same

    folded = incomplete.lower()
    return [
        CompletionItem(crawler.name, help=f"{crawler.operator}, {crawler.purpose}")
        for crawler in CRAWLERS
        if crawler.name.lower().startswith(folded)
    ]
