"""`canfetch page --resources`: check who may fetch what a page loads."""

import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final

from canfetch.answers.resources import ResourceTable, ResourceVerdicts, decide_resources, fetch_resources
from canfetch.cli.pages.options import PageOptions, requested_agents_of
from canfetch.cli.shared.agent_arguments import print_unknown_agent_notes
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.document_fetcher import DocumentFetcher
from canfetch.cli.shared.row_writers import JsonWriter
from canfetch.cli.shared.terminal import Palette, output_palette, pad, printable
from canfetch.client.documents import DecideStep, Step, run_steps
from canfetch.core.agent import Agent
from canfetch.core.origin import find_origin
from canfetch.core.text import counted
from canfetch.core.tokens import product_token
from canfetch.errors import CanfetchError
from canfetch.pages.resources import ResourceKind

_KIND_WIDTH: Final = max(len(kind) for kind in ResourceKind)


def check_resources(options: PageOptions) -> int:
    """Print the resources of a page with their verdicts. Return the exit code.

    Raises: CommandError: The page cannot be fetched, or the options contradict each other.
    """
    agents = requested_agents_of(options)
    url = _page_url(options)
    origin = find_origin(url)
    fetcher = DocumentFetcher(
        options.network,
        profile=options.profile,
        accept="text/html, */*;q=0.5",
        named_origins=() if origin is None else (origin,),
    )
    own_agent = Agent(product_token(options.network.user_agent))

    def perform(step: Step) -> Any:
        return fetcher.decide(step.url, own_agent) if isinstance(step, DecideStep) else fetcher.send(step)

    with closing(fetcher):
        try:
            found = run_steps(fetch_resources(url, max_bytes=options.max_bytes), perform)
        except CanfetchError as error:
            raise CommandError(str(error)) from error
        table = decide_resources(found, agents, fetcher.decide)
    if not options.quiet:
        print_unknown_agent_notes(agents)
        _print(table, options)
    return _exit_code(table)


def _page_url(options: PageOptions) -> str:
    """Return the URL of the page.

    Raises: CommandError: It is missing, or an option has no meaning with `--resources`.
    """
    unused = {
        "--html": options.html,
        "--response-header": options.response_headers,
        "--robots": options.robots,
        "--tdm-file": options.tdm_file,
        "--dialect": options.dialect,
        "--now": options.now,
        "--offline": options.network.offline,
    }
    for option, value in unused.items():
        if value:
            raise CommandError(f"{option} cannot be combined with --resources, which fetches the page")
    if options.url is None:
        raise CommandError("no page: pass its URL")
    return options.url


def _print(table: ResourceTable, options: PageOptions) -> None:
    if options.format != "text":
        writer = JsonWriter(lines=options.format == "ndjson")
        writer.write(table.to_json())
        writer.end()
        return
    palette = output_palette(no_color=options.no_color)
    sys.stdout.write("".join(f"{line}\n" for line in _lines(table, palette, options)))


def _lines(table: ResourceTable, palette: Palette, options: PageOptions) -> Iterator[str]:
    """Yield a line for each resource, and the reason of each that is blocked."""
    blocked = sum(not _is_allowed(row) for row in table.rows)
    yield f"{printable(table.url)}: {counted(len(table.rows), 'resource')}, {blocked} not for all agents"
    for row in table.rows:
        word = palette.good("yes") if _is_allowed(row) else palette.bad("no ")
        yield f"  {word}  {pad(str(row.resource.kind), _KIND_WIDTH)}  {printable(row.resource.url)}"
        for reason, names in _reasons(table, row).items():
            yield f"         {', '.join(names)}: {printable(reason)}" if names else f"         {printable(reason)}"
    for access in table.accesses.values():
        if copy_note := options.network.stored_copy_note(access.fetched_at):
            yield f"  note  {printable(access.robots_url)}: {copy_note}"
    for note in table.note_names:
        yield f"  note  {note}"


def _reasons(table: ResourceTable, row: ResourceVerdicts) -> dict[str, list[str]]:
    """Return why agents may not fetch a resource, with the names of the agents."""
    if not row.verdicts:
        return {row.error: []}
    reasons: dict[str, list[str]] = {}
    for agent, verdict in zip(table.agents, row.verdicts, strict=True):
        if not verdict.allowed:
            reasons.setdefault(verdict.explanation, []).append(printable(agent.name))
    return reasons


def _is_allowed(row: ResourceVerdicts) -> bool:
    return bool(row.verdicts) and all(verdict.allowed for verdict in row.verdicts)


def _exit_code(table: ResourceTable) -> int:
    if any(not row.verdicts for row in table.rows):
        return EXIT_ERROR
    return EXIT_OK if all(map(_is_allowed, table.rows)) else EXIT_NEGATIVE
