"""`canfetch sitemaps`: the sitemaps that a robots.txt names."""

import sys
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any, Final, NamedTuple, NoReturn

import click

from canfetch.cli.decisions.urls import MOST_CHARACTERS
from canfetch.cli.decisions.verdict_rows import JsonWriter, as_given
from canfetch.cli.shared.input_files import close_input, open_input
from canfetch.cli.shared.network_options import NetworkOptions, network_parameters, taken_from
from canfetch.cli.shared.origin_arguments import url_of_origin
from canfetch.cli.shared.problems import ALLOWED, DISALLOWED, UNCOMPUTED, Problem, cropped
from canfetch.cli.shared.terminal import shown
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.sitemap import parse_sitemap
from canfetch.core.keys import RecordKind
from canfetch.core.quoting import quoted

# UTF-16 takes two octets where UTF-8 takes one, and the cut needs the octet behind the limit.
_ROBOTS_OCTETS: Final = 2 * 512_000 + 4


class _Named(NamedTuple):
    """A robots.txt, what people call it, and where it is from; or why there is none."""

    name: str
    robots_url: str | None
    robots: RobotsTxt | None
    problem: str


def _run(**given: Any) -> NoReturn:
    options = taken_from(given)
    click.get_current_context().exit(_sitemaps(given["origins"], given["robots"], options, given["format"]))


def _sitemaps(origins: tuple[str, ...], robots: str | None, options: NetworkOptions, format_: str) -> int:
    if (robots is None) == (not origins):
        raise Problem("give origins, such as https://example.com, or --robots FILE, and not both")
    files = _fetched(origins, options) if robots is None else _given(robots)
    writer = None if format_ == "text" else JsonWriter(lines=format_ == "ndjson")
    code = ALLOWED
    with closing(files):
        for file in files:
            if file.robots is None:
                code = UNCOMPUTED
                sys.stdout.flush()
                click.echo(f"canfetch: {cropped(shown(file.problem))}", err=True)
                if writer is not None:
                    writer.write({"origin": as_given(file.name), "sitemap": None, "error": file.problem})
                continue
            found = list(_found(file.robots))
            if not found and code == ALLOWED:
                code = DISALLOWED
            if not found and writer is None:
                sys.stdout.flush()
                click.echo(f"canfetch: {cropped(shown(file.robots_url or file.name))} names no sitemap", err=True)
            for line, sitemap in found:
                if writer is None:
                    sys.stdout.write(f"{shown(sitemap)}\n")
                else:
                    writer.write(
                        {
                            "origin": as_given(file.name),
                            "robots_url": file.robots_url,
                            "sitemap": sitemap,
                            "line": line,
                        }
                    )
    if writer is not None:
        writer.end()
    return code


def _found(robots: RobotsTxt) -> Iterator[tuple[int, str]]:
    for record in robots.records:
        if record.kind is RecordKind.SITEMAP and record.value is not None:
            sitemap = parse_sitemap(robots.content[slice(*record.value)])
            if sitemap is not None:
                yield record.line, sitemap


def _given(name: str) -> Generator[_Named]:
    stream = open_input(name, "--robots")
    try:
        octets = stream.read(_ROBOTS_OCTETS)
    except OSError as error:
        raise Problem(f"--robots {quoted(name)} cannot be read: {error.strerror}: give another file") from None
    finally:
        close_input(stream)
    yield _Named(name, None, parse(octets), "")


def _fetched(names: tuple[str, ...], options: NetworkOptions) -> Generator[_Named]:
    from canfetch.cli.shared.origin_lookup import Origins  # noqa: PLC0415 - a file needs none of it
    from canfetch.cli.shared.progress import Progress  # noqa: PLC0415 - the same
    from canfetch.client.origin_state import OriginState  # noqa: PLC0415 - the same

    with closing(Origins(options, say=Progress().say)) as origins:
        rows = origins.ahead(iter(names), url_of=url_of_origin, weight_of=len, most_weight=MOST_CHARACTERS)
        with closing(rows):
            for name, known in rows:
                if not isinstance(known, OriginState):
                    yield _Named(name, None, None, str(known))
                    continue
                standing = known.effective_access(time.time())
                url = known.origin.robots_url
                if standing.copy is not None:
                    yield _Named(name, url, known.parse_copy(standing.copy), "")
                elif standing.effect == "full-allow":
                    # There is no file, and so it names none.
                    yield _Named(name, url, parse(b""), "")
                else:
                    yield _Named(
                        name, url, None, f"{url} is {standing.access}: {standing.explanation}: try again later"
                    )


command: Final = click.Command(
    "sitemaps",
    params=[
        click.Argument(["origins"], nargs=-1, metavar="[ORIGIN]..."),
        click.Option(
            ["--robots"],
            metavar="FILE",
            type=click.Path(allow_dash=True),
            help="A robots.txt instead of those of origins, - is standard input.",
        ),
        *network_parameters(),
        click.Option(
            ["--format"],
            type=click.Choice(("text", "json", "ndjson")),
            default="text",
            show_default=True,
            help="How the answer is written.",
        ),
    ],
    callback=_run,
    short_help="List the sitemaps that robots.txt names.",
    help="""List the sitemaps that the robots.txt of each origin names, as written, one a line.

    An origin is a URL, of which the path does not count, or a host, which means https. Sitemaps belong to no group,
    and may be of another origin.""",
    epilog="""\b
Examples:
  canfetch sitemaps https://example.com
  canfetch sitemaps example.com example.org --format ndjson
  canfetch sitemaps --robots robots.txt

\b
json is a list of objects, ndjson one object a line: origin, robots_url, sitemap, line; or origin, sitemap (null),
error.

\b
Exit code: 0 each names one, 1 some file names none, or is not there, 2 some file could not be had.""",
)
