"""`canfetch sitemaps`: list the sitemaps of a robots.txt."""

import sys
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any, Final, NamedTuple, NoReturn

import click

from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError, shorten_message
from canfetch.cli.shared.input_files import read_robots, warn_about_content
from canfetch.cli.shared.network_options import (
    NetworkOptions,
    network_parameters,
    pop_network_options,
    reject_network_options,
)
from canfetch.cli.shared.option_parameters import format_option
from canfetch.cli.shared.origin_arguments import is_file_argument
from canfetch.cli.shared.progress import Progress
from canfetch.cli.shared.row_writers import JsonWriter
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import print_message, printable
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.sitemap import parse_sitemap
from canfetch.core.keys import RecordKind
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text


class _Source(NamedTuple):
    """A robots.txt with its name and URL. If `robots` is None, `error` is the reason."""

    name: str
    robots_url: str | None
    robots: RobotsTxt | None
    error: str = ""


def _run(origins: tuple[str, ...], robots: str | None, format: str, **values: Any) -> NoReturn:  # noqa: A002 - click calls it
    options = pop_network_options(values)
    if (robots is None) == (not origins):
        raise CommandError("expected either origins, such as https://example.com, or --robots FILE")
    for origin in filter(is_file_argument, origins):
        raise CommandError(f"{quoted(origin)} is a file: pass --robots {origin}")
    if robots is not None:
        reject_network_options("--robots FILE")
    sources = _fetched_sources(origins, options) if robots is None else _local_source(robots)
    writer = None if format == "text" else JsonWriter(lines=format == "ndjson")
    with closing(sources):
        code = _list_sitemaps(sources, writer)
    click.get_current_context().exit(code)


def _list_sitemaps(sources: Iterator[_Source], writer: JsonWriter | None) -> int:
    code = EXIT_OK
    for source in sources:
        name = printable_text(source.name)
        if source.robots is None:
            code = EXIT_ERROR
            _print_error(source.error)
            if writer is not None:
                writer.write({"origin": name, "sitemap": None, "error": source.error})
            continue
        sitemaps = list(_sitemaps(source.robots))
        if not sitemaps and code == EXIT_OK:
            code = EXIT_NEGATIVE
        if not sitemaps and writer is None:
            _print_error(f"no sitemap in {source.robots_url or source.name}")
        elif not sitemaps and writer is not None:
            writer.write({"origin": name, "robots_url": source.robots_url, "sitemap": None, "line": None})
        for line, sitemap in sitemaps:
            if writer is None:
                sys.stdout.write(f"{printable(sitemap)}\n")
            else:
                row = {"origin": name, "robots_url": source.robots_url, "sitemap": sitemap, "line": line}
                writer.write(row)
    if writer is not None:
        writer.end()
    return code


def _print_error(text: str) -> None:
    sys.stdout.flush()
    print_message(f"canfetch: {shorten_message(text)}")


def _sitemaps(robots: RobotsTxt) -> Iterator[tuple[int, str]]:
    for record in robots.records:
        if record.kind is RecordKind.SITEMAP and record.value is not None:
            sitemap = parse_sitemap(robots.content[slice(*record.value)])
            if sitemap is not None:
                yield record.line, sitemap


def _local_source(name: str) -> Generator[_Source]:
    robots = parse(read_robots(name))
    warn_about_content(robots.render(), name, warn=Progress().print_error)
    yield _Source(name, None, robots)


def _fetched_sources(origins: tuple[str, ...], options: NetworkOptions) -> Generator[_Source]:
    from canfetch.cli.shared.origin_lookup import OriginLookup  # noqa: PLC0415 - not needed for a file
    from canfetch.client.origin_state import OriginState  # noqa: PLC0415 - not needed for a file

    with (
        closing(OriginLookup(options, warn=Progress().print_error)) as lookup,
        closing(lookup.argument_states(iter(origins))) as rows,
    ):
        for name, state in rows:
            if not isinstance(state, OriginState):
                yield _Source(name, None, None, str(state))
                continue
            access = state.effective_access(time.time())
            url = state.origin.robots_url
            if access.copy is not None:
                yield _Source(name, url, state.parse_copy(access.copy))
            elif access.effect == "full-allow":
                # There is no file, so there are no sitemaps.
                yield _Source(name, url, parse(b""))
            else:
                yield _Source(name, url, None, f"{url} is {access.access}: {access.explanation}")


command: Final = click.Command(
    "sitemaps",
    params=[
        click.Argument(["origins"], nargs=-1, metavar="[ORIGIN]..."),
        Option(
            ["--robots"],
            metavar="FILE",
            type=click.Path(allow_dash=True),
            help="Read this robots.txt instead of fetching one; - reads standard input.",
        ),
        *network_parameters(),
        format_option(),
    ],
    callback=_run,
    short_help="List the sitemaps of robots.txt.",
    help="""List the sitemaps in the robots.txt of each origin, one per line, as they are written there.

    An origin is a URL, whose path is ignored, or a host name, which means https. A sitemap applies to all agents and
    may be on another origin.""",
    epilog="""\b
Examples:
  canfetch sitemaps https://example.com
  canfetch sitemaps example.com example.org --format ndjson
  canfetch sitemaps --robots robots.txt

\b
json is a list of objects, ndjson has one object per line:
  origin, robots_url, sitemap, line; or origin, sitemap (null), error

\b
Exit codes: 0 every robots.txt has a sitemap, 1 some robots.txt has none or does not exist, 2 an error occurred.""",
)
