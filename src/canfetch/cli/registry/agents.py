"""`canfetch agents`: list and show known crawlers, and identify User-Agent headers.

`json` is a list of objects and `ndjson` has one object per line: an entry of the registry (`Crawler.to_json`, schema
`canfetch.crawler/1`). For `find`, there is an object for each header:

    {"user_agent": HEADER, "crawler": {ENTRY} or null}

`csv` has the columns below; several values in one cell are separated by a space. For `find`, the header comes first.
"""

import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Final, get_args

import click

from canfetch.agents import REGISTRY, Crawler, Obeys, Purpose
from canfetch.agents.requested import RequestedAgent
from canfetch.agents.validation import oldest_current_day
from canfetch.answers.crawlers import UserAgentMatch, compliance_text, find_crawlers, match_user_agent
from canfetch.cli.registry.addresses import addresses_command, refresh_command, verify_command
from canfetch.cli.registry.cards import export_command, import_command
from canfetch.cli.registry.releases import diff_command, report_command, update_command
from canfetch.cli.shared.agent_arguments import unknown_crawler
from canfetch.cli.shared.command_errors import EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.input_files import read_list
from canfetch.cli.shared.option_parameters import complete_crawler, format_option
from canfetch.cli.shared.row_writers import Cells, CsvWriter, JsonWriter, write_rows
from canfetch.cli.shared.single_value_option import Choice, Option
from canfetch.cli.shared.terminal import pad, print_message, printable
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text

_FORMATS: Final = ("text", "json", "ndjson", "csv")
_COLUMNS: Final = (
    "name",
    "operator",
    "purposes",
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
    "key_directories",
    "source",
    "source_kind",
    "checked",
)
_HEADINGS: Final = ("NAME", "OPERATOR", "PURPOSES", "OBEYS", "TOKENS")
# Headers are read one at a time, so the width of the longest name is unknown.
_NAME_WIDTH: Final = 20


def _list(purpose: tuple[str, ...], operator: tuple[str, ...], obeys: tuple[str, ...], format: str) -> int:  # noqa: A002 - the option's name
    crawlers = find_crawlers(purpose, operator, obeys)
    if format == "text":
        sys.stdout.write("".join(_table(crawlers)))
    else:
        _write(crawlers, format)
    if not crawlers:
        print_message("canfetch: no crawler matches these filters")
    return EXIT_OK if crawlers else EXIT_NEGATIVE


def _show(names: tuple[str, ...], format: str) -> int:  # noqa: A002 - the option's name
    found = {name: REGISTRY.get_crawler(name) for name in names}
    crawlers = [crawler for crawler in found.values() if crawler is not None]
    if format == "text":
        sys.stdout.write("\n".join(_description(crawler) for crawler in crawlers))
    else:
        _write(crawlers, format)
    unknown = [name for name, crawler in found.items() if crawler is None]
    for name in unknown:
        print_message(f"canfetch: {unknown_crawler(name, printable_text(name))}")
    return EXIT_NEGATIVE if unknown else EXIT_OK


def _find(headers: tuple[str, ...], headers_file: str | None, format: str) -> int:  # noqa: A002 - the option's name
    if not headers and headers_file is None:
        raise CommandError("no User-Agent header: pass one or more, or --headers-file FILE")
    code = EXIT_OK
    stream = _read_headers(headers, headers_file)
    first = next(stream, None)
    if first is None:
        raise CommandError(f"--headers-file {quoted(headers_file)} is empty: expected one header per line")

    def matches() -> Iterator[UserAgentMatch]:
        nonlocal code
        for header in chain([first], stream):
            match = match_user_agent(header)
            if match.crawler is None:
                code = EXIT_NEGATIVE
            yield match

    if format == "text":
        for header, crawler in matches():
            sys.stdout.write(f"{pad('-' if crawler is None else crawler.name, _NAME_WIDTH)}  {printable(header)}\n")
    elif format == "csv":
        rows = ([printable_text(header), *_cells(crawler)] for header, crawler in matches())
        write_rows(rows, CsvWriter(("user_agent", *_COLUMNS)))
    else:
        write_rows((match.to_json() for match in matches()), JsonWriter(lines=format == "ndjson"))
    return code


def _read_headers(headers: tuple[str, ...], headers_file: str | None) -> Iterator[str]:
    yield from headers
    if headers_file is not None:
        for line in read_list(headers_file, "--headers-file", comments=False):
            yield line.text


def _write(crawlers: list[Crawler], format: str) -> None:  # noqa: A002 - the option's name
    if format == "csv":
        write_rows(map(_cells, crawlers), CsvWriter(_COLUMNS))
    else:
        write_rows((crawler.to_json() for crawler in crawlers), JsonWriter(lines=format == "ndjson"))


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
    rows = [
        (crawler.name, crawler.operator, ", ".join(crawler.purposes), crawler.obeys, _chain(crawler))
        for crawler in crawlers
    ]
    if not rows:
        return
    widths = [max(map(len, column)) for column in zip(_HEADINGS, *rows, strict=True)]
    for row in (_HEADINGS, *rows):
        cells = (pad(cell, width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip() + "\n"


def _description(crawler: Crawler) -> str:
    header = ", ".join(crawler.product_names) or "none: the token is only used in robots.txt, and fetches nothing"
    facts = [
        ("operator", crawler.operator + (" (retired)" if crawler.retired else "")),
        ("purposes", ", ".join(crawler.purposes)),
        ("compliance", compliance_text(crawler)),
        ("tokens", _chain(crawler)),
        ("header", header),
        *(("sends", published.value) for published in crawler.headers[:1]),
        ("honours", ", ".join(crawler.honours) or "no extension that is documented"),
        ("verify", "not applicable: it fetches nothing" if crawler.token_only else str(crawler.verification)),
        ("source", f"{crawler.source} ({_origin(crawler)}{_checked(crawler.checked)})"),
        *(("source", f"{one.source} (of {one.field}, {_checked(one.checked)})") for one in crawler.field_sources),
    ]
    return f"{crawler.name}\n" + "".join(f"  {label:<11} {text}\n" for label, text in facts)


def _checked(day: str) -> str:
    return f"checked {day}{', more than a year ago' if day < oldest_current_day(datetime.now(UTC).date()) else ''}"


def _origin(crawler: Crawler) -> str:
    return "third party, " if crawler.source_kind == "third-party" else ""


def _chain(crawler: Crawler) -> str:
    return RequestedAgent(crawler.name, crawler.agent, crawler).chain


command: Final = click.Group(
    "agents",
    short_help="List, show, identify, verify and import crawlers.",
    help="List, show and identify the crawlers in the registry: operator, purpose, compliance with robots.txt, and how "
    "to verify them. Verify whether an address is a crawler's.",
    epilog="""\b
Examples:
  canfetch agents list --purpose training
  canfetch agents show Googlebot-Image
  canfetch agents find 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'
  canfetch agents verify Googlebot 66.249.66.1""",
    commands={
        "list": click.Command(
            "list",
            params=[
                Option(
                    ["--purpose"],
                    multiple=True,
                    metavar="PURPOSE",
                    type=Choice(get_args(Purpose)),
                    help=f"Purpose: {', '.join(get_args(Purpose))}. Can be repeated.",
                ),
                Option(["--operator"], multiple=True, metavar="NAME", help="Operator. Can be repeated."),
                Option(
                    ["--obeys"],
                    multiple=True,
                    type=Choice(get_args(Obeys)),
                    help="Compliance with robots.txt, as the source of the entry documents it. Can be repeated.",
                ),
                format_option(_FORMATS),
            ],
            callback=_list,
            short_help="List crawlers.",
            help="List crawlers, each with the tokens that select its group.\n\n"
            "If an option is repeated, crawlers that match any of its values are listed. Crawlers must match every "
            "option.",
            epilog="""\b
Examples:
  canfetch agents list
  canfetch agents list --purpose training --purpose archive --obeys yes
  canfetch agents list --operator google --format csv

\b
Exit codes: 0 some crawlers match, 1 no crawler matches, 2 an option is invalid.""",
        ),
        "show": click.Command(
            "show",
            params=[
                click.Argument(["names"], nargs=-1, required=True, metavar="NAME...", shell_complete=complete_crawler),
                format_option(_FORMATS),
            ],
            callback=_show,
            short_help="Show crawlers in detail.",
            help="Show crawlers by their product tokens: the tokens that select their group, what the source "
            "documents, and how to verify that a request comes from the crawler.",
            epilog="""\b
Examples:
  canfetch agents show GPTBot
  canfetch agents show AdsBot-Google bingbot --format json

\b
Exit codes: 0 all crawlers are known, 1 some crawler is unknown, 2 an option is invalid.""",
        ),
        "find": click.Command(
            "find",
            params=[
                click.Argument(["headers"], nargs=-1, metavar="[HEADER]..."),
                Option(
                    ["--headers-file"],
                    metavar="FILE",
                    type=click.Path(),
                    help="File of User-Agent headers, one per line; - reads standard input.",
                ),
                format_option(_FORMATS),
            ],
            callback=_find,
            short_help="Identify User-Agent headers.",
            help="Identify the crawler that a User-Agent header names. Anyone can send any header: 'canfetch agents "
            "verify' checks the address.",
            epilog="""\b
Examples:
  canfetch agents find 'Googlebot-Image/1.0'
  cut -d'"' -f6 access.log | sort -u | canfetch agents find --headers-file - --format ndjson

\b
Exit codes: 0 every header names a known crawler, 1 some header does not, 2 an option is invalid.""",
        ),
        "verify": verify_command,
        "refresh": refresh_command,
        "addresses": addresses_command,
        "update": update_command,
        "diff": diff_command,
        "report": report_command,
        "import": import_command,
        "export": export_command,
    },
)
