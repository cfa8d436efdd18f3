"""`canfetch agents`: the registry of crawlers, listed, shown, and asked whose a User-Agent header is.

`json` is a list of objects, `ndjson` the same one a line: an entry each (`Crawler.to_json`, schema
`canfetch.crawler/1`); of `find`, one for each header:

    {"user_agent": HEADER, "crawler": {ENTRY} or null}

`csv` has the columns below, several values in one separated by a space; of `find`, the header before them.
"""

import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final, NoReturn, get_args

import click

from canfetch.agents import REGISTRY, Crawler, Obeys, Purpose
from canfetch.cli.decisions.verdict_rows import Cells, CsvWriter, JsonWriter, as_given, write_all
from canfetch.cli.shared.agent_arguments import Asker
from canfetch.cli.shared.input_files import close_input, listed_lines, open_input
from canfetch.cli.shared.problems import ALLOWED, DISALLOWED, Problem
from canfetch.cli.shared.terminal import padded, shown
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted

_FORMATS: Final = ("text", "json", "ndjson", "csv")
_COLUMNS: Final = (
    "name",
    "operator",
    "purpose",
    "obeys",
    "tokens",
    "star_applies",
    "token_only",
    "retired",
    "product_names",
    "honours",
    "host_names",
    "address_lists",
    "verification_note",
    "source",
    "checked",
)
_HEADINGS: Final = ("NAME", "OPERATOR", "PURPOSE", "OBEYS", "ASKED AS")
_HABITS: Final = {
    "yes": "it obeys, says its operator",
    "may-not": "it may not obey, says its operator",
    "no": "it does not obey, says its operator",
    "not-documented": "its operator does not say whether it obeys",
}
# Most names are shorter; headers come one by one, so that no width is known.
_NAME_COLUMNS: Final = 20
_FOUND, _NOTHING_FOUND = ALLOWED, DISALLOWED


def _list(purpose: tuple[str, ...], operator: tuple[str, ...], obeys: tuple[str, ...], format: str) -> NoReturn:  # noqa: A002 - the option's name
    operators = {name.lower() for name in operator}
    wanted = [
        crawler
        for crawler in REGISTRY.crawlers
        if (not purpose or crawler.purpose in purpose)
        and (not operators or crawler.operator.lower() in operators)
        and (not obeys or crawler.obeys in obeys)
    ]
    if format == "text":
        sys.stdout.write("".join(_table(wanted)))
    else:
        _write(wanted, format)
    if not wanted:
        click.echo(
            "canfetch: no crawler is like that: ask for less, or see them all with 'canfetch agents list'", err=True
        )
    click.get_current_context().exit(_FOUND if wanted else _NOTHING_FOUND)


def _show(names: tuple[str, ...], format: str) -> NoReturn:  # noqa: A002 - the option's name
    known = {name: REGISTRY.get_crawler(name) for name in names}
    wanted = [crawler for crawler in known.values() if crawler is not None]
    if format == "text":
        sys.stdout.write("\n".join(_described(crawler) for crawler in wanted))
    else:
        _write(wanted, format)
    unknown = [name for name, crawler in known.items() if crawler is None]
    choices = [crawler.name for crawler in REGISTRY.crawlers]
    for name in unknown:
        message = unknown_choice("crawler", as_given(name), choices, listed_by="canfetch agents list")
        click.echo(f"canfetch: {message}", err=True)
    click.get_current_context().exit(_NOTHING_FOUND if unknown else _FOUND)


def _find(headers: tuple[str, ...], headers_file: str | None, format: str) -> NoReturn:  # noqa: A002 - the option's name
    if not headers and headers_file is None:
        raise Problem("no User-Agent header: give one or more, or --headers-file FILE")
    code = _FOUND
    given = _headers(headers, headers_file)
    first = next(given, None)
    if first is None:
        raise Problem(f"--headers-file {quoted(headers_file)} holds no header: write one a line")

    def answers() -> Iterator[tuple[str, Crawler | None]]:
        nonlocal code
        for header in chain([first], given):
            crawler = REGISTRY.find_crawler(header)
            if crawler is None:
                code = _NOTHING_FOUND
            yield header, crawler

    if format == "text":
        for header, crawler in answers():
            sys.stdout.write(f"{padded('-' if crawler is None else crawler.name, _NAME_COLUMNS)}  {shown(header)}\n")
    elif format == "csv":
        rows = ([as_given(header), *_cells(crawler)] for header, crawler in answers())
        write_all(rows, CsvWriter(("user_agent", *_COLUMNS)))
    else:
        objects = (
            {"user_agent": as_given(header), "crawler": None if crawler is None else crawler.to_json()}
            for header, crawler in answers()
        )
        write_all(objects, JsonWriter(lines=format == "ndjson"))
    click.get_current_context().exit(code)


def _headers(headers: tuple[str, ...], headers_file: str | None) -> Iterator[str]:
    yield from headers
    if headers_file is not None:
        stream = open_input(headers_file, "--headers-file")
        try:
            for line in listed_lines(stream, headers_file):
                yield line.text
        finally:
            close_input(stream)


def _write(crawlers: list[Crawler], format: str) -> None:  # noqa: A002 - the option's name
    if format == "csv":
        write_all(map(_cells, crawlers), CsvWriter(_COLUMNS))
    else:
        write_all((crawler.to_json() for crawler in crawlers), JsonWriter(lines=format == "ndjson"))


def _cells(crawler: Crawler | None) -> Cells:
    if crawler is None:
        return [None] * len(_COLUMNS)
    entry: dict[str, Any] = crawler.to_json()
    entry |= entry.pop("verification")
    entry["verification_note"] = entry["note"]
    return [_cell(entry[column]) for column in _COLUMNS]


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _table(crawlers: Iterable[Crawler]) -> Iterator[str]:
    rows = [(crawler.name, crawler.operator, crawler.purpose, crawler.obeys, _chain(crawler)) for crawler in crawlers]
    if not rows:
        return
    widths = [max(map(len, column)) for column in zip(_HEADINGS, *rows, strict=True)]
    for row in (_HEADINGS, *rows):
        cells = (padded(cell, width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip() + "\n"


def _described(crawler: Crawler) -> str:
    header = ", ".join(crawler.product_names) or "none: it never fetches, and is a word in robots.txt alone"
    lines = [
        ("operator", crawler.operator + (", which has given it up" if crawler.retired else "")),
        ("purpose", crawler.purpose),
        ("robots.txt", _HABITS[crawler.obeys]),
        ("asked as", _chain(crawler)),
        ("header", header),
        ("reads", ", ".join(crawler.honours) or "nothing beyond the rules that is documented"),
        ("verify", "nothing: it never fetches" if crawler.token_only else str(crawler.verification)),
        ("source", f"{crawler.source} (checked {crawler.checked})"),
    ]
    return f"{crawler.name}\n" + "".join(f"  {label:<11} {text}\n" for label, text in lines)


def _chain(crawler: Crawler) -> str:
    return Asker(crawler.name, crawler.agent, crawler).chain


def _known_names(_ctx: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
    folded = incomplete.lower()
    return [crawler.name for crawler in REGISTRY.crawlers if crawler.name.lower().startswith(folded)]


_FORMAT: Final = click.Option(["--format"], type=click.Choice(_FORMATS), default="text", show_default=True)

command: Final = click.Group(
    "agents",
    short_help="List, show and find known crawlers.",
    help="List, show and find the crawlers that canfetch knows: who runs them, what for, whether they obey, and how "
    "to verify them.",
    epilog="""\b
Examples:
  canfetch agents list --purpose training
  canfetch agents show Googlebot-Image
  canfetch agents find 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'""",
    commands={
        "list": click.Command(
            "list",
            params=[
                click.Option(
                    ["--purpose"],
                    multiple=True,
                    metavar="PURPOSE",
                    type=click.Choice(get_args(Purpose)),
                    help=f"Only those that fetch for that, first of all: {', '.join(get_args(Purpose))}.",
                ),
                click.Option(["--operator"], multiple=True, metavar="NAME", help="Only those of that operator."),
                click.Option(
                    ["--obeys"],
                    multiple=True,
                    type=click.Choice(get_args(Obeys)),
                    help="Only those of which the operator says that about robots.txt.",
                ),
                _FORMAT,
            ],
            callback=_list,
            short_help="List them, or some.",
            help="List the crawlers that are known, each with the names by which a group is looked for.\n\n"
            "Options of one name widen, those of different names narrow.",
            epilog="""\b
Examples:
  canfetch agents list
  canfetch agents list --purpose training --purpose archive --obeys yes
  canfetch agents list --operator google --format csv

\b
Exit code: 0 some are like that, 1 none is, 2 the question cannot be meant.""",
        ),
        "show": click.Command(
            "show",
            params=[
                click.Argument(["names"], nargs=-1, required=True, metavar="NAME...", shell_complete=_known_names),
                _FORMAT,
            ],
            callback=_show,
            short_help="Show one, with its chain and how to verify it.",
            help="Show crawlers by their product tokens: the chain of names by which a group is looked for, what the "
            "operator says, and how to tell a real one from another who took its name.",
            epilog="""\b
Examples:
  canfetch agents show GPTBot
  canfetch agents show AdsBot-Google bingbot --format json

\b
Exit code: 0 all are known, 1 some is not, 2 the question cannot be meant.""",
        ),
        "find": click.Command(
            "find",
            params=[
                click.Argument(["headers"], nargs=-1, metavar="[HEADER]..."),
                click.Option(
                    ["--headers-file"],
                    metavar="FILE",
                    type=click.Path(),
                    help="A file of User-Agent headers, one a line; - is standard input.",
                ),
                _FORMAT,
            ],
            callback=_find,
            short_help="Find the crawler of a User-Agent header.",
            help="Find the crawler that a whole User-Agent header shows. A header is a claim: 'show' says how to "
            "verify it.",
            epilog="""\b
Examples:
  canfetch agents find 'Googlebot-Image/1.0'
  cut -d'"' -f6 access.log | sort -u | canfetch agents find --headers-file - --format ndjson

\b
Exit code: 0 each shows a known crawler, 1 some does not, 2 the question cannot be meant.""",
        ),
    },
)
