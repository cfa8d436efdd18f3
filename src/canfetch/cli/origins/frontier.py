"""`canfetch frontier`: what a crawl does and waits for, read from the file or database of its frontier."""

import sys
import time
from collections.abc import Iterator
from typing import Any, Final

import click

from canfetch.cli.origins.frontier_transfer import EXPORT, IMPORT, check_crawl, crawl_argument, crawl_option, open_crawl
from canfetch.cli.shared.command_errors import EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.option_parameters import format_option, no_color_option
from canfetch.cli.shared.single_value_option import Choice, Option
from canfetch.cli.shared.terminal import Palette, output_palette, printable
from canfetch.client.frontier.postgres_connection import name_server
from canfetch.client.frontier.postgres_report import list_postgres_urls, read_postgres_report
from canfetch.client.frontier.queue_values import URLState
from canfetch.client.frontier.report import DelayedURL, FrontierReport, ListedURL, list_urls, read_report
from canfetch.client.frontier.requeue import queue_failed_urls
from canfetch.core.origin import Origin
from canfetch.core.text import counted
from canfetch.core.times import optional_rfc3339, rfc3339
from canfetch.errors import InvalidOption, InvalidURL, MissingExtra, StoreError

_COUNT_NAMES: Final = ("queued", "in_flight", "done", "failed", "skipped", "refused")
_STATES: Final = tuple(state.name.lower() for state in URLState)
_UNITS: Final = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def _show(
    *,
    file: str,
    crawl: str | None,
    urls: bool,
    state: str | None,
    origin: str | None,
    limit: int,
    format: str,  # noqa: A002
    no_color: bool,
) -> int:
    check_crawl(file, crawl)
    if not urls and (state is not None or origin is not None):
        raise CommandError("--state and --origin select the URLs of --urls: pass --urls as well")
    if urls:
        is_limited = click.get_current_context().get_parameter_source("limit") is not click.core.ParameterSource.DEFAULT
        limit = limit if is_limited else -1
        return _list_urls(file, crawl, state=state, origin=_parse_origin(origin), limit=limit, format=format)
    try:
        report = read_report(file, limit=limit) if crawl is None else read_postgres_report(file, crawl, limit=limit)
        # Without the password that it can contain.
        name = file if crawl is None else f"{name_server(file)} crawl {crawl}"
    except (StoreError, InvalidOption, MissingExtra) as error:
        raise CommandError(str(error)) from None
    if format == "json":
        import json  # noqa: PLC0415 - not needed for text

        sys.stdout.write(json.dumps(_to_json(report), indent=2) + "\n")
    else:
        _write_text(name, report, time.time(), output_palette(no_color=no_color))
    return EXIT_OK


def _list_urls(
    file: str,
    crawl: str | None,
    *,
    state: str | None,
    origin: str | None,
    limit: int,
    format: str,  # noqa: A002 - as above
) -> int:
    chosen = None if state is None else URLState[state.upper()]
    try:
        if crawl is None:
            found = list_urls(file, state=chosen, origin=origin, limit=limit)
        else:
            found = list_postgres_urls(file, crawl, state=chosen, origin=origin, limit=limit)
        if format == "json":
            _write_urls(found)
        else:
            for url in found:
                sys.stdout.write(printable(url.url) + "\n")
    except (StoreError, InvalidOption, MissingExtra) as error:
        raise CommandError(str(error)) from None
    return EXIT_OK


def _write_urls(urls: Iterator[ListedURL]) -> None:
    """Write URLs as one JSON array, without holding all of them."""
    import json  # noqa: PLC0415 - not needed for text

    separator = "[\n"
    for url in urls:
        row = {**url._asdict(), "state": url.state.name.lower(), "at": optional_rfc3339(url.at)}
        sys.stdout.write(f"{separator}  {json.dumps(row)}")
        separator = ",\n"
    sys.stdout.write("[]\n" if separator == "[\n" else "\n]\n")


def _retry(file: str, urls: tuple[str, ...], crawl: str | None, origin: str | None) -> int:
    if urls and origin is not None:
        raise CommandError("--origin and URLs cannot be used together")
    try:
        number, unknown, waiting = queue_failed_urls(
            open_crawl(file, crawl), origin=_parse_origin(origin), urls=list(dict.fromkeys(urls))
        )
    except StoreError as error:
        raise CommandError(str(error)) from None
    sys.stdout.write(f"queued {counted(number, 'failed URL')} again\n")
    for url in unknown:
        sys.stdout.write(f"not a failed URL: {printable(url)}\n")
    for url in waiting:
        sys.stdout.write(f"failed, and waits for its next visit: {printable(url)}\n")
    return EXIT_OK if number else EXIT_NEGATIVE


def _parse_origin(text: str | None) -> str | None:
    """Return an origin as crawls store it.

    Raises: CommandError: It is not a URL.
    """
    try:
        return None if text is None else str(Origin.from_url(text))
    except InvalidURL as error:
        raise CommandError(f"invalid --origin: {error}") from None


def _to_json(report: FrontierReport) -> dict[str, Any]:
    return {
        "is_in_use": report.is_in_use,
        "counts": report.counts._asdict(),
        "group_by": report.group_by,
        "origins": report.origins,
        "delayed_urls": report.delayed_urls,
        "next_origins": [
            {
                **origin._asdict(),
                "next_at": optional_rfc3339(origin.next_at),
                "last_request_at": optional_rfc3339(origin.last_request_at),
            }
            for origin in report.next_origins
        ],
        "next_delayed": list(map(_delayed_to_json, report.next_delayed)),
        "last_failed": [{**url._asdict(), "failed_at": rfc3339(url.failed_at)} for url in report.last_failed],
        "waiting_visits": report.waiting_visits,
        "next_visits": list(map(_delayed_to_json, report.next_visits)),
        "failed_visits": report.failed_visits,
    }


def _delayed_to_json(url: DelayedURL) -> dict[str, Any]:
    return {**url._asdict(), "next_at": rfc3339(url.next_at)}


def _write_text(name: str, report: FrontierReport, now: float, palette: Palette) -> None:
    write = sys.stdout.write
    state = "a crawl uses it" if report.is_in_use else "no crawl uses it"
    counts = "  ".join(f"{name.replace('_', ' ')} {getattr(report.counts, name)}" for name in _COUNT_NAMES)
    write(f"{palette.strong(printable(name))}: {state}\n{counts}\n")
    if report.next_origins:
        what = "origins" if report.group_by == "origin" else f"groups by {report.group_by}"
        write(f"\n{palette.strong(_heading(f'{what} with URLs', len(report.next_origins), report.origins))}\n")
        for origin in report.next_origins:
            failures = f", {origin.failures} turns failed in a row" if origin.failures > 1 else ""
            visits = f", {origin.visits} to be visited again" if origin.visits else ""
            urls = counted(origin.queued, "URL") + visits
            write(
                f"{_wait(origin.next_at, now):>9}  {printable(origin.origin)}  {urls}: "
                f"{printable(origin.reason)}{failures}\n"
            )
    failed_visits = f", {report.failed_visits} of them failed" if report.failed_visits else ""
    for what, delayed, total, note in (
        ("URLs to be tried again", report.next_delayed, report.delayed_urls, ""),
        ("URLs to be visited again", report.next_visits, report.waiting_visits, failed_visits),
    ):
        if delayed:
            write(f"\n{palette.strong(_heading(what, len(delayed), total) + note)}\n")
        for url in delayed:
            write(f"{_wait(url.next_at, now):>9}  {printable(url.url)}  attempt {url.attempt}{_reason(url.error)}\n")
    if report.last_failed:
        # Without those that wait for their next visit.
        total = report.counts.failed - report.failed_visits
        write(f"\n{palette.strong(_heading('failed URLs', len(report.last_failed), total))}\n")
        for failed in report.last_failed:
            attempts = counted(failed.attempts, "attempt")
            write(f"{rfc3339(int(failed.failed_at))}  {printable(failed.url)}  {attempts}{_reason(failed.error)}\n")


def _heading(what: str, listed: int, total: int) -> str:
    return f"{what}: {total}" if listed == total else f"{what}: {total}, {listed} of them shown"


def _reason(error: str | None) -> str:
    return "" if error is None else f": {printable(error)}"


def _wait(at: float | None, now: float) -> str:
    """Return a time as the time until then, such as `in 12 s`."""
    if at is None or at <= now:
        return "now"
    for seconds, unit in _UNITS:
        if at - now >= seconds or unit == "s":
            return f"in {max(1, round((at - now) / seconds))} {unit}"
    raise AssertionError


command: Final = click.Group(
    "frontier",
    short_help="Show what a crawl does and waits for, and move it.",
    help="Show what the file or the database of a frontier contains, and move crawls between them.",
    epilog="""\b
Examples:
  canfetch frontier show crawl.sqlite3
  canfetch frontier show crawl.sqlite3 --format json
  canfetch frontier export crawl.sqlite3 --output moved.jsonl""",
    commands={
        "export": EXPORT,
        "import": IMPORT,
        "retry": click.Command(
            "retry",
            params=[
                crawl_argument(),
                click.Argument(["urls"], metavar="[URL]...", nargs=-1),
                crawl_option(),
                Option(["--origin"], metavar="URL", help="Queue only the failed URLs of this origin."),
            ],
            callback=_retry,
            short_help="Queue failed URLs again.",
            help="""Queue failed URLs again, as if they had never been tried: all, those of an origin, or given ones,
            written as `show --urls` lists them. Given URLs that have not failed are named.

            No crawl may use a file meanwhile. Workers may use a database.""",
            epilog="""\b
Examples:
  canfetch frontier retry crawl.sqlite3
  canfetch frontier retry crawl.sqlite3 --origin https://example.com
  canfetch frontier retry postgresql://crawler@db/crawls https://example.com/fish --crawl news

\b
Exit codes: 0 URLs were queued, 1 there is no such failed URL, 2 the crawl cannot be written or is in use.""",
        ),
        "show": click.Command(
            "show",
            params=[
                crawl_argument(),
                crawl_option(),
                Option(
                    ["--urls"],
                    is_flag=True,
                    help="List the URLs that wait, have a turn or failed.",
                ),
                Option(["--state"], type=Choice(_STATES), help="List only URLs in this state, with --urls."),
                Option(["--origin"], metavar="URL", help="List only URLs of this origin, with --urls."),
                Option(
                    ["--limit"],
                    metavar="N",
                    type=click.IntRange(0, 1_000_000),
                    default=20,
                    help="Number of origins, of waiting URLs and of failed URLs to list. With --urls, all by default.",
                ),
                format_option(("text", "json")),
                no_color_option(),
            ],
            callback=_show,
            short_help="Show counts, next origins, and failed and waiting URLs.",
            help="""Show the URLs of a crawl by what has happened to them, the origins with the time and reason of their
            next turns, and the URLs that failed or wait for their next attempt or visit.

            The crawl can go on meanwhile: the file or database is only read. Times are those of the crawl, which differ
            from the clock if that was set after the crawl began.""",
            epilog="""\b
Examples:
  canfetch frontier show crawl.sqlite3
  canfetch frontier show crawl.sqlite3 --limit 1000 --format json
  canfetch frontier show crawl.sqlite3 --urls --state failed --origin https://example.com
  canfetch frontier show postgresql://crawler@db/crawls --crawl news

\b
Exit codes: 0 success, 2 the file or database cannot be read, or is not a frontier.""",
        ),
    },
)
