"""`canfetch fetch`: fetch robots.txt, and show the response and what it means."""

import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import Any, Final, NamedTuple

import click

from canfetch.access.outcomes import OutcomeKind
from canfetch.access.redacted_entries import redact_entry
from canfetch.agents.requested import RequestedAgent
from canfetch.answers.pace import StatedPace, stated_paces
from canfetch.answers.pace_text import pace_sentence
from canfetch.cli.shared.agent_arguments import print_unknown_agent_notes, resolve_agents
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.command_transport import CommandTransport
from canfetch.cli.shared.network_options import NetworkOptions, network_parameters, pop_network_options
from canfetch.cli.shared.option_parameters import STAR, agent_option, exact_option, format_option, no_color_option
from canfetch.cli.shared.origin_lookup import OriginLookup
from canfetch.cli.shared.progress import item_progress
from canfetch.cli.shared.row_writers import json_writer
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import Palette, is_terminal, output_palette, printable, shorten_message
from canfetch.client.missing_pages import MissingPages, MissingPagesProbe, probe_missing_pages
from canfetch.client.origin_report import origin_json
from canfetch.client.origin_state import OriginState
from canfetch.core.redaction import redact_credentials_in
from canfetch.core.text import counted, printable_text
from canfetch.core.times import rfc3339
from canfetch.core.verdict import Access, Effect

# Only the status counts.
_MAX_PROBE_BYTES: Final = 65_536


class _Options(NamedTuple):
    origins: tuple[str, ...]
    agents: tuple[str, ...]
    exact: bool
    probe_missing: bool
    format: str
    no_color: bool


def _run(**values: Any) -> int:
    network = pop_network_options(values)
    return _fetch(_Options(**values), network)


def _fetch(options: _Options, network: NetworkOptions) -> int:
    if not options.origins:
        raise CommandError("no origin: pass one or more, such as https://example.com")
    if options.probe_missing and network.offline:
        raise CommandError("--probe-missing and --offline cannot be used together")
    agents = resolve_agents(options.agents or (STAR,), exact=options.exact)
    print_unknown_agent_notes(agents)
    palette = output_palette(no_color=options.no_color)
    code, started = EXIT_OK, False
    writer = json_writer(options.format)
    progress = item_progress(len(options.origins), enabled=not is_terminal(sys.stdout))
    transport = CommandTransport(network)
    with (
        closing(progress),
        closing(OriginLookup(network, warn=progress.print_error, transport=transport)) as lookup,
        closing(lookup.argument_states(iter(options.origins))) as rows,
    ):
        for argument, state in rows:
            if not isinstance(state, OriginState):
                code = EXIT_ERROR
                progress.print_error(f"canfetch: {shorten_message(str(state))}")
                if writer is not None:
                    writer.write({"origin": printable_text(argument), "error": str(state)})
                continue
            probe = _probe(state, transport) if options.probe_missing else None
            found = _Fetched(state, time.time(), agents, probe)
            if state.effective_access(found.now).access is Access.UNREACHABLE and code == EXIT_OK:
                code = EXIT_NEGATIVE
            if writer is not None:
                writer.write(found.to_json())
            else:
                note = network.stored_copy_note(state.entry.last_attempt_at)
                copy_lines = [f"  copy     {note}"] if note else []
                lines = [*_origin_lines(state, found.now, palette), *copy_lines, *_pace_lines(found)]
                lines += _probe_lines(state, probe)
                sys.stdout.write("\n" * started + "".join(f"{line}\n" for line in lines))
                started = True
            progress.advance(1)
    if writer is not None:
        writer.end()
    return code


class _Fetched(NamedTuple):
    """The state of an origin at a time, the agents whose pace is shown, and the result of a probe."""

    state: OriginState
    now: float
    agents: list[RequestedAgent]
    probe: MissingPagesProbe | None

    @property
    def paces(self) -> dict[str, StatedPace]:
        """The paces that the file states, by the names of the agents."""
        copy = self.state.effective_access(self.now).copy
        return {} if copy is None else stated_paces(self.state.parse_copy(copy), self.agents, self.now)

    def to_json(self) -> dict[str, Any]:
        """Return the origin as JSON."""
        paces = {printable_text(name): pace.to_json(self.now) for name, pace in self.paces.items()}
        return {
            **origin_json(self.state, self.now),
            **({"pace": paces} if paces else {}),
            **({} if self.probe is None else {"missing_pages": self.probe._asdict()}),
        }


def _probe(state: OriginState, transport: CommandTransport) -> MissingPagesProbe | None:
    if state.entry.outcome.kind is not OutcomeKind.SERVER_ERROR:
        return None
    return probe_missing_pages(
        state.origin, partial(transport.get, accept="*/*", max_bytes=_MAX_PROBE_BYTES, cross_origin=False)
    )


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
        size = counted(len(effective.copy.content), "byte")
        if effective.copy.truncated_at is not None:
            size = f"{size} read, truncated at {effective.copy.truncated_at:,}"
        yield f"  file     {size}, sha256 {effective.copy.sha256[:16]}..."
    if entry.last_attempt_at is None:
        yield "  fetched  never"
        return
    seconds = entry.next_fetch_at - now
    expiry = _next_fetch(seconds) if effective.access is Access.UNREACHABLE else _freshness(seconds)
    yield f"  fetched  {rfc3339(int(entry.fetched_at))}, {expiry}"


def _pace_lines(found: _Fetched) -> Iterator[str]:
    for name, pace in found.paces.items():
        yield f"  pace     {printable(name)}: {pace_sentence(name, pace, found.now)}"


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
        agent_option("GPTBot", is_optional=True),
        exact_option(),
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
    shown without a request; pass --refresh to fetch it again.

    If the file states a Crawl-delay, Request-rate or Visit-time for an agent, it is shown as the pace. Without
    --agent, it is the pace of crawlers that the file does not name.""",
    epilog="""\b
Examples:
  canfetch fetch https://example.com
  canfetch fetch https://example.com --agent bingbot
  canfetch fetch example.com example.org --policy google --refresh
  canfetch fetch https://example.com --offline --format json
  canfetch fetch https://example.com --policy rfc9309+unauthorized=full-disallow

\b
json is a list of objects, ndjson has one object per line:
  schema, origin, robots_url, access, effect, explanation, policy, outcome, status, url, hops, headers, fetched_at,
  next_fetch_at, failures, copy {sha256, bytes, url, fetched_at} or null,
  pace {agent} if the file states one, missing_pages with --probe-missing; or origin, error

\b
Exit codes: 0 all origins responded, 1 some origin is unreachable, 2 an error occurred.""",
)
