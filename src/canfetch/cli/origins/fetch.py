"""`canfetch fetch`: fetch robots.txt, and show the response and what it means."""

import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import Any, Final, NoReturn

import click

from canfetch.access.outcomes import OutcomeKind
from canfetch.access.redacted_entries import redact_entry
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError, shorten_message
from canfetch.cli.shared.command_transport import CommandTransport
from canfetch.cli.shared.network_options import NetworkOptions, network_parameters, pop_network_options
from canfetch.cli.shared.option_parameters import format_option, no_color_option
from canfetch.cli.shared.origin_lookup import OriginLookup
from canfetch.cli.shared.progress import item_progress
from canfetch.cli.shared.row_writers import JsonWriter
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import Palette, is_terminal, printable, use_color
from canfetch.client.missing_pages import MissingPages, MissingPagesProbe, probe_missing_pages
from canfetch.client.origin_report import origin_json
from canfetch.client.origin_state import OriginState
from canfetch.core.redaction import redact_credentials_in
from canfetch.core.text import printable_text
from canfetch.core.times import rfc3339
from canfetch.core.verdict import Access, Effect

# Only the status counts.
_MAX_PROBE_BYTES: Final = 65_536


def _run(  # click calls it
    origins: tuple[str, ...],
    format: str,  # noqa: A002
    no_color: bool,  # noqa: FBT001
    probe_missing: bool,  # noqa: FBT001
    **values: Any,
) -> NoReturn:
    palette = Palette(enabled=use_color(no_color=no_color))
    code = _fetch(origins, pop_network_options(values), format, palette, probes=probe_missing)
    click.get_current_context().exit(code)


def _fetch(origins: tuple[str, ...], options: NetworkOptions, format_: str, palette: Palette, *, probes: bool) -> int:
    if not origins:
        raise CommandError("no origin: pass one or more, such as https://example.com")
    if probes and options.offline:
        raise CommandError("--probe-missing and --offline cannot be used together")
    code, started = EXIT_OK, False
    writer = None if format_ == "text" else JsonWriter(lines=format_ == "ndjson")
    progress = item_progress(len(origins), enabled=not is_terminal(sys.stdout))
    transport = CommandTransport(options)
    with (
        closing(progress),
        closing(OriginLookup(options, warn=progress.print_error, transport=transport)) as lookup,
        closing(lookup.argument_states(iter(origins))) as rows,
    ):
        for argument, state in rows:
            if not isinstance(state, OriginState):
                code = EXIT_ERROR
                progress.print_error(f"canfetch: {shorten_message(str(state))}")
                if writer is not None:
                    writer.write({"origin": printable_text(argument), "error": str(state)})
                continue
            now = time.time()
            if state.effective_access(now).access is Access.UNREACHABLE and code == EXIT_OK:
                code = EXIT_NEGATIVE
            probe = None
            if probes and state.entry.outcome.kind is OutcomeKind.SERVER_ERROR:
                probe = probe_missing_pages(
                    state.origin, partial(transport.get, accept="*/*", max_bytes=_MAX_PROBE_BYTES)
                )
            if writer is not None:
                row = origin_json(state, now)
                writer.write(row if probe is None else {**row, "missing_pages": probe._asdict()})
            else:
                lines = [*_origin_lines(state, now, palette), *_probe_lines(state, probe)]
                sys.stdout.write("\n" * started + "".join(f"{line}\n" for line in lines))
                started = True
            progress.advance(1)
    if writer is not None:
        writer.end()
    return code


def _origin_lines(state: OriginState, now: float, palette: Palette) -> Iterator[str]:
    entry, effective = redact_entry(state.entry), state.effective_access(now)
    paint = {Effect.FULL_ALLOW: palette.good, Effect.FULL_DISALLOW: palette.bad}.get(effective.effect, palette.strong)
    yield f"{palette.strong(state.origin.robots_url)}: {paint(str(effective.effect))}"
    for hop in entry.hops:
        yield f"  {hop.status}  {printable(hop.url)} -> {printable(hop.location)}"
    status = "---" if entry.status is None else str(entry.status)
    yield f"  {status}  {printable(entry.url)}"
    for name, value in entry.headers:
        yield palette.faint(f"       {name}: {printable(value)}")
    yield f"  access   {effective.access}: {printable(redact_credentials_in(effective.explanation))}"
    yield f"  policy   {entry.policy}, {entry.outcome.kind}"
    if effective.copy is not None:
        size = f"{len(effective.copy.content)} bytes"
        if effective.copy.truncated_at is not None:
            size = f"{size} read, truncated at {effective.copy.truncated_at}"
        yield f"  file     {size}, sha256 {effective.copy.sha256[:16]}..."
    if entry.last_attempt_at is None:
        yield "  fetched  never"
        return
    seconds = entry.next_fetch_at - now
    expiry = _next_fetch(seconds) if effective.access is Access.UNREACHABLE else _freshness(seconds)
    yield f"  fetched  {rfc3339(int(entry.fetched_at))}, {expiry}"


def _probe_lines(state: OriginState, probe: MissingPagesProbe | None) -> Iterator[str]:
    if probe is None:
        return
    home = "no response" if probe.home_status is None else f"status {probe.home_status}"
    missing = "not requested" if probe.missing_status is None else f"status {probe.missing_status}"
    yield f"  probe    home page: {home}; a page that cannot exist: {missing}"
    if probe.missing_pages is MissingPages.SERVER_ERROR:
        yield (
            "           The site responds with 5xx for missing pages. To read this as 404, pass --policy google2019 "
            f"--misconfigured-origin {state.origin}"
        )


def _next_fetch(seconds: float) -> str:
    return "next attempt now" if seconds <= 0 else f"next attempt in {_duration(seconds)}"


def _freshness(seconds: float) -> str:
    return "expired" if seconds <= 0 else f"fresh for {_duration(seconds)}"


def _duration(seconds: float) -> str:
    return f"{round(seconds / 3600, 1):g} h" if seconds >= 3600 else f"{seconds / 60:.0f} min"


command: Final = click.Command(
    "fetch",
    params=[
        click.Argument(["origins"], nargs=-1, metavar="[ORIGIN]..."),
        *network_parameters(),
        Option(
            ["--probe-missing"],
            is_flag=True,
            help="If robots.txt results in 5xx, request the home page and a page that cannot exist, and show whether "
            "the site responds with 5xx for missing pages. Use it for your own sites: robots.txt cannot allow it.",
        ),
        format_option(),
        no_color_option(),
    ],
    callback=_run,
    short_help="Fetch robots.txt, and show what the response means.",
    help="""Fetch the robots.txt of each origin, and show redirects, status, effect, and how long the copy is fresh.

    An origin is a URL, whose path is ignored, or a host name, which means https. A cached copy that is still fresh is
    shown without a request; pass --refresh to fetch it again.""",
    epilog="""\b
Examples:
  canfetch fetch https://example.com
  canfetch fetch example.com example.org --policy google --refresh
  canfetch fetch https://example.com --offline --format json
  canfetch fetch https://example.com --policy rfc9309+unauthorized=full-disallow

\b
Exit codes: 0 all origins responded, 1 some origin is unreachable, 2 an error occurred.""",
)
