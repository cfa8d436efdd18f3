"""`canfetch logs`: which crawlers came, and whether they obeyed robots.txt.

`json` is an object: the totals, and a list of crawlers (`CrawlerReport.to_json`, schema `canfetch.logs/1`). `ndjson`
has one crawler per line, and `csv` one per row.
"""

import re
import sys
from collections.abc import Callable, Iterable
from functools import partial
from io import BytesIO
from math import inf
from typing import Any, BinaryIO, Final

import click

from canfetch.agents.identity import SignatureReason
from canfetch.cli.logs.log_table import COLUMNS, csv_cells, markdown_lines, percent, report_json, row_name, text_lines
from canfetch.cli.shared.agent_arguments import print_notes_about_names
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_OK, CommandError
from canfetch.cli.shared.edition_option import edition_option
from canfetch.cli.shared.input_files import (
    STANDARD_INPUT,
    check_standard_input,
    close_input,
    open_input,
    read_robots,
)
from canfetch.cli.shared.log_options import (
    MAX_DIRECTORIES,
    history_folder_option,
    identity_options,
    log_form_options,
    open_history_folder,
    open_verification,
    parse_log_fields,
    signature_options,
)
from canfetch.cli.shared.option_parameters import format_option, input_file_option, no_color_option, profile_option
from canfetch.cli.shared.output_files import create_file
from canfetch.cli.shared.output_parameters import OutputFile, check_outputs, plot_format
from canfetch.cli.shared.progress import Progress, stream_progress
from canfetch.cli.shared.row_writers import CsvWriter, JsonWriter, write_rows
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import Palette, is_terminal, output_palette, printable
from canfetch.core.document import parse
from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.core.text import counted
from canfetch.core.times import rfc3339
from canfetch.errors import CorruptEntry, MissingExtra, NewerEntry, StoreError
from canfetch.logs.activity import DEFAULT_GRACE
from canfetch.logs.analysis import LogAnalysis
from canfetch.logs.history import RobotsHistory, RobotsVersion
from canfetch.logs.report import LogReport

_FORMATS: Final = ("text", "json", "ndjson", "csv", "markdown")
_HOUR: Final = 3600.0
_NAMES_SHOWN: Final = 10
_TOKEN: Final = re.compile("[A-Za-z0-9._-]+")
_CRAWLERS_SHOWN: Final = 20
_INCHES_WIDE: Final = 9.0
_INCHES_A_CRAWLER: Final = 0.34
# Colours that are distinct for any colour vision.
_PLOT_PARTS: Final = (("allowed", "#0072b2"), ("disallowed", "#d55e00"), ("no robots.txt known", "#bbbbbb"))


def _run(
    files: tuple[str, ...],
    *,
    grace: float,
    log_format: str | None,
    fields: tuple[str, ...],
    crawlers: tuple[str, ...],
    format: str,  # noqa: A002 - click calls it
    addresses: str | None,
    verify_dns: bool,
    verify_signatures: bool,
    reject_replays: bool,
    hosts: tuple[str, ...],
    plot: str | None,
    force: bool,
    no_color: bool,
    **history_options: Any,
) -> int:
    form = None if plot is None else plot_format(plot)
    check_outputs()
    check_standard_input([("", file) for file in files] + [("--robots", history_options["robots"])])
    history = _open_history(**history_options, warn=Progress().print_error)
    identify, identify_signed = open_verification(
        addresses, dns=verify_dns, signatures=verify_signatures, hosts=hosts, reject_replays=reject_replays
    )
    analysis = LogAnalysis(
        history,
        identify=identify,
        identify_signed=identify_signed,
        grace=grace * _HOUR,
    )
    read = partial(_read_log, analysis, log_format=log_format, fields=parse_log_fields(fields))
    unread = [file for file in files if not read(file)]
    report = analysis.report()
    if verify_signatures:
        _print_signature_notes(report)
    if crawlers:
        names = {name.lower() for name in crawlers}
        report = report._replace(crawlers=tuple(found for found in report.crawlers if found.name.lower() in names))
        _print_crawler_notes(crawlers, report)
    if plot is not None and form is not None:
        create_file(plot, _draw_plot(report, form), force=force, option="--plot")
    _write(report, format, output_palette(no_color=no_color))
    _print_bad_lines(report)
    if report.lines and report.bad_lines == report.lines:
        raise CommandError(f"no line of an access log in {', '.join(map(quoted, files))}: see --log-format")
    return EXIT_ERROR if unread else EXIT_OK


def _print_signature_notes(report: LogReport) -> None:
    progress = Progress()
    if not report.signed_requests:
        progress.print_error("canfetch: note: no line has the field Signature-Input, so no signature was verified")
    groups = (report.other_signatures, *(crawler.signatures for crawler in report.crawlers))
    reason = SignatureReason.DIRECTORY_NOT_REQUESTED
    found = [one for group in groups for one in group if one.reason == reason]
    if found:
        names = sorted({one.claimed_url for one in found if one.claimed_url is not None})
        more = ", ..." if len(names) > _NAMES_SHOWN or any(one.claimed_url is None for one in found) else ""
        progress.print_error(
            f"canfetch: note: {counted(sum(one.requests for one in found), 'signature')} not verified, because at most "
            f"{MAX_DIRECTORIES} directories that the registry lacks are requested: "
            f"{', '.join(map(printable, names[:_NAMES_SHOWN]))}{more}"
        )


def _print_crawler_notes(names: Iterable[str], report: LogReport) -> None:
    found = {crawler.name.lower() for crawler in report.crawlers}
    # Names of crawlers that the registry does not contain may have characters that no token has.
    missing = (name for name in names if name.lower() not in found and _TOKEN.fullmatch(name))
    print_notes_about_names(missing)


def _open_history(
    *, robots: str | None, history: str | None, store: str | None, profile: str, warn: Callable[[str], None]
) -> RobotsHistory:
    given = [
        option
        for option, value in (("--robots", robots), ("--history", history), ("--store", store))
        if value is not None
    ]
    if len(given) > 1:
        raise CommandError(f"{given[0]} and {given[1]} cannot be used together")
    if robots is not None:
        return RobotsHistory.from_file(parse(read_robots(robots), profile=profile))
    if history is not None:
        return open_history_folder(history, profile=profile)
    if store is not None:
        return _read_store(store, profile=profile, warn=warn)
    return RobotsHistory()


def _read_store(option: str, *, profile: str, warn: Callable[[str], None]) -> RobotsHistory:
    """Return the last good copy of each host, as if it had always been served: a store keeps no older ones.

    Args:
        option: The value of `--store`.
        warn: Writes a line to standard error.
    Raises: CommandError: The store cannot be read, or has no copy.
    """
    # Only this option imports the client.
    from canfetch.access.entries import origin_from_key  # noqa: PLC0415
    from canfetch.cli.shared.store_option import open_existing_store  # noqa: PLC0415

    store = open_existing_store(option, warn=warn)
    hosts: dict[str, RobotsVersion] = {}
    try:
        for key in store.keys():  # noqa: SIM118 - a store is not a dictionary
            try:
                entry = store.get(key)
            except (CorruptEntry, NewerEntry) as error:
                warn(f"canfetch: warning: {error}")
                continue
            origin = find_origin(origin_from_key(key))
            if origin is None:
                warn(f"canfetch: warning: {quoted(key)} in the store is not the origin of a URL; it is skipped")
                continue
            host = str(origin).partition("://")[2]
            # A log does not distinguish http from https.
            if entry is not None and entry.copy is not None and (origin.scheme == "https" or host not in hosts):
                hosts[host] = RobotsVersion(-inf, parse(entry.copy.content, profile=profile), str(origin))
    except StoreError as error:
        raise CommandError(f"--store {error}") from None
    finally:
        store.close()
    if not hosts:
        raise CommandError("--store has no copy of a robots.txt")
    return RobotsHistory(hosts={host: [version] for host, version in hosts.items()})


def _read_log(analysis: LogAnalysis, file: str, *, log_format: str | None, fields: dict[str, str]) -> bool:
    """Read a log, and return whether it could be read to its end. Otherwise, print the reason."""
    name = "standard input" if file == STANDARD_INPUT else file
    stream: BinaryIO | None = None
    progress = Progress()
    try:
        stream = open_input(file)
        progress = stream_progress(stream, enabled=not is_terminal(sys.stdout) or stream.seekable())
        analysis.add_log(
            stream, name=name, format=log_format, fields=fields or None, advance=_advance(stream, progress)
        )
    except (OSError, MissingExtra) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        progress.print_error(f"canfetch: cannot read {quoted(name)} to its end: {reason}")
        return False
    except CommandError as error:
        progress.print_error(f"canfetch: {error.format_message()}")
        return False
    finally:
        progress.close()
        if stream is not None:
            close_input(stream)
    return True


def _advance(stream: BinaryIO, progress: Progress) -> Callable[[], None] | None:
    """Return a function that moves the bar to the position of a stream, or None if the stream has no position."""
    if not stream.seekable():
        return None
    position = 0

    def advance() -> None:
        nonlocal position
        now = stream.tell()
        progress.advance(now - position)
        position = now

    return advance


def _write(report: LogReport, format: str, palette: Palette) -> None:  # noqa: A002 - the option's name
    if format == "json":
        import json  # noqa: PLC0415 - not needed for text

        sys.stdout.write(json.dumps(report_json(report), indent=2) + "\n")
    elif format == "ndjson":
        write_rows((crawler.to_json() for crawler in report.crawlers), JsonWriter(lines=True))
    elif format == "csv":
        write_rows(map(csv_cells, report.crawlers), CsvWriter(COLUMNS))
    else:
        lines = markdown_lines(report) if format == "markdown" else text_lines(report, palette)
        sys.stdout.writelines(f"{line}\n" for line in lines)


def _print_bad_lines(report: LogReport) -> None:
    progress = Progress()
    for bad in report.first_bad_lines:
        progress.print_error(f"canfetch: warning: {bad.file}:{bad.line}: not a line of an access log: {bad.text}")
    more = report.bad_lines - len(report.first_bad_lines)
    if more:
        progress.print_error(f"canfetch: warning: {more:,} more lines cannot be read")


def _draw_plot(report: LogReport, file_format: str) -> bytes:
    """Return a bar chart with one bar for each of the crawlers with the most requests.

    Args: file_format: A format of matplotlib, such as `png`, `svg` or `pdf`.
    Raises: MissingExtra: matplotlib is not installed. ValueError: The format is unknown.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingExtra("--plot requires matplotlib: pip install 'canfetch[plot]'") from None
    crawlers = report.crawlers[:_CRAWLERS_SHOWN]
    figure: Any = Figure(figsize=(_INCHES_WIDE, 1.6 + _INCHES_A_CRAWLER * len(crawlers)), layout="constrained")
    axes = figure.subplots()
    counts = (
        [crawler.judged_requests - crawler.disallowed_requests for crawler in crawlers],
        [crawler.disallowed_requests for crawler in crawlers],
        [crawler.requests - crawler.judged_requests for crawler in crawlers],
    )
    left = [0] * len(crawlers)
    for (label, color), values in zip(_PLOT_PARTS, counts, strict=True):
        if any(values):
            axes.barh(range(len(crawlers)), values, left=left, color=color, label=label)
        left = [start + value for start, value in zip(left, values, strict=True)]
    for row, crawler in enumerate(crawlers):
        axes.text(left[row], row, f"  {percent(crawler.disallow_compliance)}", va="center")
    axes.set_yticks(range(len(crawlers)), [row_name(crawler) for crawler in crawlers])
    axes.invert_yaxis()
    axes.set_xlabel("requests")
    axes.set_title(_plot_title(report), loc="left")
    axes.margins(x=0.12)
    axes.spines[["top", "right"]].set_visible(False)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    if crawlers:
        figure.legend(loc="outside upper right", ncols=len(_PLOT_PARTS), frameon=False)
    output = BytesIO()
    figure.savefig(output, format=file_format, dpi=144)
    return output.getvalue()


def _plot_title(report: LogReport) -> str:
    if report.first is None or report.last is None:
        return "Requests of crawlers"
    first, last = rfc3339(report.first)[:10], rfc3339(report.last)[:10]
    period = first if first == last else f"{first} to {last}"
    return f"Requests of crawlers, {period}, and the share that obeyed"


command: Final = click.Command(
    "logs",
    params=[
        click.Argument(["files"], nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True)),
        input_file_option("--robots", help="robots.txt that applies to all requests."),
        history_folder_option(),
        Option(
            ["--store"],
            metavar="FILE|URL",
            type=click.Path(),
            help="Store of fetched files: an SQLite file or a redis:// URL. The last copy of each host is used.",
        ),
        profile_option(),
        edition_option(),
        Option(
            ["--grace"],
            type=click.FloatRange(0, 8784),
            default=DEFAULT_GRACE / _HOUR,
            metavar="HOURS",
            help="How long after a change crawlers may use the previous robots.txt.",
        ),
        *log_form_options(),
        Option(
            ["--crawler", "crawlers"], metavar="TOKEN", multiple=True, help="Show only this crawler. Can be repeated."
        ),
        *identity_options(),
        *signature_options(),
        Option(
            ["--host", "hosts"],
            metavar="HOST",
            multiple=True,
            help="Host of the site, with --verify-signatures. Signatures for other hosts are invalid. Can be repeated.",
        ),
        format_option(_FORMATS),
        Option(["--plot"], metavar="FILE", type=OutputFile(), help="Draw the requests as a .png, .svg or .pdf file."),
        Option(["--force"], is_flag=True, help="Replace the file of --plot if it exists."),
        no_color_option(),
    ],
    callback=_run,
    short_help="Show what crawlers did, from access logs.",
    help="""Show which crawlers came, whether they requested robots.txt, and whether they obeyed it.

    The logs may be in the common or combined format, with or without a virtual host, in JSON (Cloudflare, CloudFront,
    nginx, Caddy, Traefik, Google Cloud), or in the extended format of W3C (CloudFront, IIS), and compressed with gzip
    or zstd; - reads standard input. They are read once, in bounded memory.

    A request counts as disallowed if every robots.txt that the crawler may have used disallows it. DELAYS KEPT is the
    share of consecutive requests of one address that were at least the Crawl-delay apart.""",
    epilog="""\b
Examples:
  canfetch logs access.log --robots robots.txt
  canfetch logs access.log --robots robots.txt --crawler GPTBot --format json
  zcat -f access.log | canfetch logs - --robots robots.txt --format csv

\b
json is an object:
  crawlers, crawler_requests, lines, other_requests, unusable_requests, bad_lines, first_bad_lines, first, last,
  truncated, other_host_requests, nameless_requests, signed_requests, other_signatures,
  addresses_truncated
ndjson has one crawler per line, csv one per row.

\b
Exit codes: 0 all logs were read, 2 a log cannot be read to its end or has no line
  of an access log, or an option is invalid.""",
)
