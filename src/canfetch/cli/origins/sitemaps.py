"""`canfetch sitemaps`: list the sitemaps of a robots.txt, or the URLs in them."""

import sys
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any, Final, NamedTuple

import click

from canfetch.cli.shared.agent_arguments import print_unknown_agent_notes, resolve_agents
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.input_files import check_standard_input, read_robots, warn_about_content
from canfetch.cli.shared.network_options import (
    NetworkOptions,
    network_parameters,
    pop_network_options,
    reject_network_options,
)
from canfetch.cli.shared.option_parameters import (
    agent_option,
    exact_option,
    format_option,
    input_file_option,
    no_color_option,
    profile_option,
)
from canfetch.cli.shared.origin_arguments import is_file_argument
from canfetch.cli.shared.progress import Progress
from canfetch.cli.shared.row_writers import JsonWriter, json_writer
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import output_palette, print_error, print_notes, printable
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.document_urls import parse_sitemap
from canfetch.core.keys import RecordKind
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text


class _Source(NamedTuple):
    """A robots.txt with its name and URL. If `robots` is None, `error` is the reason."""

    name: str
    robots_url: str | None
    robots: RobotsTxt | None
    error: str = ""


class _Options(NamedTuple):
    origins: tuple[str, ...]
    robots: str | None
    sitemaps: tuple[str, ...]
    urls: bool
    agents: tuple[str, ...]
    exact: bool
    blocked: bool
    max_sitemaps: int
    profile: str
    format: str
    no_color: bool


def _run(**values: Any) -> int:
    network = pop_network_options(values)
    options = _Options(**values)
    return _list_urls(options, network) if options.urls or options.sitemaps else _list_names(options, network)


def _list_urls(options: _Options, network: NetworkOptions) -> int:
    from canfetch.cli.origins.sitemap_urls import ListingOptions, list_urls  # noqa: PLC0415 - not for the names alone

    if not options.sitemaps and (options.robots is None) == (not options.origins):
        raise CommandError("expected either origins, such as https://example.com, or --robots FILE, or --sitemap URL")
    if options.sitemaps and options.origins:
        raise CommandError("--sitemap and origins cannot be used together: --sitemap selects the sitemaps to read")
    if options.blocked and not options.agents:
        raise CommandError("--blocked requires --agent TOKEN")
    _reject_files(options.origins)
    check_standard_input([("--robots", options.robots), *(("--sitemap", name) for name in options.sitemaps)])
    agents = resolve_agents(options.agents, exact=options.exact)
    robots = None if options.robots is None else _read_robots(options.robots, options.profile)
    print_unknown_agent_notes(agents, files=() if robots is None else (robots,))
    listing = ListingOptions(
        options.origins, options.sitemaps, robots, agents, options.blocked, options.max_sitemaps, options.profile
    )
    writer = json_writer(options.format)
    return list_urls(listing, network, writer, output_palette(no_color=options.no_color))


def _list_names(options: _Options, network: NetworkOptions) -> int:
    origins, robots = options.origins, options.robots
    for name, value in (("--agent", options.agents), ("--blocked", options.blocked)):
        if value:
            raise CommandError(f"{name} requires --urls")
    if (robots is None) == (not origins):
        raise CommandError("expected either origins, such as https://example.com, or --robots FILE")
    _reject_files(origins)
    if robots is not None:
        reject_network_options("--robots FILE")
    sources = _fetched_sources(origins, options, network) if robots is None else _local_source(robots, options.profile)
    writer = json_writer(options.format)
    with closing(sources):
        return _list_sitemaps(sources, writer)


def _reject_files(origins: tuple[str, ...]) -> None:
    for origin in filter(is_file_argument, origins):
        raise CommandError(f"{quoted(origin)} is a file: pass --robots {origin}")


def _list_sitemaps(sources: Iterator[_Source], writer: JsonWriter | None) -> int:
    code = EXIT_OK
    for source in sources:
        name = printable_text(source.name)
        if source.robots is None:
            code = EXIT_ERROR
            print_error(source.error)
            if writer is not None:
                writer.write({"origin": name, "sitemap": None, "error": source.error})
            continue
        sitemaps = list(_sitemaps(source.robots))
        if not sitemaps and code == EXIT_OK:
            code = EXIT_NEGATIVE
        if not sitemaps and writer is None:
            print_error(f"no sitemap in {source.robots_url or source.name}")
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


def _sitemaps(robots: RobotsTxt) -> Iterator[tuple[int, str]]:
    for record in robots.records:
        if record.kind is RecordKind.SITEMAP and record.value is not None:
            sitemap = parse_sitemap(robots.content[slice(*record.value)])
            if sitemap is not None:
                yield record.line, sitemap


def _read_robots(name: str, profile: str) -> RobotsTxt:
    robots = parse(read_robots(name), profile=profile)
    warn_about_content(robots.render(), name, warn=Progress().print_error)
    return robots


def _local_source(name: str, profile: str) -> Generator[_Source]:
    yield _Source(name, None, _read_robots(name, profile))


def _fetched_sources(origins: tuple[str, ...], options: _Options, network: NetworkOptions) -> Generator[_Source]:
    from canfetch.cli.shared.origin_lookup import OriginLookup  # noqa: PLC0415 - not needed for a file
    from canfetch.client.origin_state import OriginState  # noqa: PLC0415 - not needed for a file

    with (
        closing(OriginLookup(network, warn=Progress().print_error, profile=options.profile)) as lookup,
        closing(lookup.argument_states(iter(origins))) as rows,
    ):
        for name, state in rows:
            if not isinstance(state, OriginState):
                yield _Source(name, None, None, str(state))
                continue
            access = state.effective_access(time.time())
            url = state.origin.robots_url
            note = network.stored_copy_note(state.access_info(time.time()).fetched_at)
            if note and options.format == "text":
                print_notes([f"{url}: {note}"])
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
        input_file_option("--robots", help="Read this robots.txt instead of fetching one; - reads standard input."),
        Option(["--urls"], is_flag=True, help="Read the sitemaps and their indexes, and list the URLs in them."),
        input_file_option(
            "--sitemap",
            "sitemaps",
            metavar="URL|FILE",
            multiple=True,
            help="Read this sitemap instead of those that robots.txt names, and list its URLs. Can be repeated.",
        ),
        agent_option("Googlebot"),
        exact_option(),
        Option(["--blocked"], is_flag=True, help="List only the URLs that some agent may not fetch."),
        Option(
            ["--max-sitemaps"],
            metavar="N",
            type=click.IntRange(1, 1_000_000),
            default=1_000,
            help="Number of sitemaps to read.",
        ),
        profile_option(),
        *network_parameters(),
        format_option(),
        no_color_option(),
    ],
    callback=_run,
    short_help="List the sitemaps of robots.txt, and the URLs in them.",
    help="""List the sitemaps in the robots.txt of each origin, one per line, as they are written there.

    An origin is a URL, whose path is ignored, or a host name, which means https. A sitemap applies to all agents and
    may be on another origin.

    With --urls or --sitemap, the sitemaps are fetched, if robots.txt allows it, and their URLs are listed; with
    --agent, whether each agent may fetch each URL, and which line decides. Up to 4 sitemaps of an index are fetched at
    the same time, but not more than --parallel. Faults of sitemaps are reported on standard error.""",
    epilog="""\b
Examples:
  canfetch sitemaps https://example.com
  canfetch sitemaps example.com example.org --format ndjson
  canfetch sitemaps --robots robots.txt
  canfetch sitemaps https://example.com --urls --agent Googlebot --agent GPTBot --blocked
  canfetch sitemaps --sitemap sitemap.xml --robots robots.txt --agent Googlebot

\b
json is a list of objects, ndjson has one object per line:
  origin, robots_url, sitemap, line; or origin, sitemap (null), error
with --urls or --sitemap, the key type selects the others:
  url: url, lastmod, sitemap, accepted, verdicts {agent: {allowed, reason, line}}, and error if there are none
  sitemap: url, index, kind, urls, bytes, problems [{kind, detail, count}]
  summary: sitemaps, urls, blocked {agent: count}, which count a URL once for each sitemap that lists it; error: error

\b
Exit codes: 0 every robots.txt has a sitemap, and every agent may fetch every URL; 1 some robots.txt has none or does
  not exist, or some URL is disallowed; 2 an error occurred, or a sitemap cannot be read.""",
)
