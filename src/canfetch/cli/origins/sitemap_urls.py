"""`canfetch sitemaps --urls`: the URLs that sitemaps list, with the verdicts of agents."""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, Final, NamedTuple

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.verdicts import matrix_cells
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.document_fetcher import DocumentFetcher
from canfetch.cli.shared.input_files import read_input
from canfetch.cli.shared.network_options import NetworkOptions
from canfetch.cli.shared.origin_arguments import to_origin_url
from canfetch.cli.shared.row_writers import JsonWriter
from canfetch.cli.shared.terminal import Palette, print_error, print_notes, printable
from canfetch.client.documents import DecideStep, FetchStep
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.origin import Origin, find_origin
from canfetch.core.text import counted, printable_text
from canfetch.core.tokens import product_token
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError
from canfetch.sitemaps.content import MAX_SITEMAP_BYTES
from canfetch.sitemaps.fetching import read_events
from canfetch.sitemaps.reading import (
    DEFAULT_PARALLEL,
    NamesStep,
    ReadingStep,
    SitemapEntry,
    SitemapEvent,
    SitemapFile,
    SitemapSource,
    sitemap_events,
)

_ACCEPT: Final = "application/xml, text/xml, text/plain, */*;q=0.5"
# The origins whose states are kept.
_MAX_STATES: Final = 100


class ListingOptions(NamedTuple):
    """What to list.

    Attributes:
        origins: The sites whose robots.txt names the sitemaps.
        sitemaps: The sitemaps to read in place of those, as URLs and files.
        robots: A robots.txt that is used in place of the live ones, or None.
        agents: The agents to decide for.
        blocked: Whether to list only URLs that some agent may not fetch.
        max_sitemaps: The number of files to read.
        profile: The parsing profile.
    """

    origins: tuple[str, ...]
    sitemaps: tuple[str, ...]
    robots: RobotsTxt | None
    agents: Sequence[RequestedAgent]
    blocked: bool
    max_sitemaps: int
    profile: str


def list_urls(options: ListingOptions, network: NetworkOptions, writer: JsonWriter | None, palette: Palette) -> int:
    """Write the URLs as they are read, and return the exit code.

    Raises: CommandError: A file cannot be read, or an option is invalid.
    """
    output = _Output(options, writer, palette)
    with closing(_Site(options, network, with_notes=writer is None)) as site:
        sources = list(site.sources(output))
        if not sources and output.code == EXIT_OK:
            output.fail("no sitemaps", EXIT_NEGATIVE)
        events = sitemap_events(
            sources,
            max_sitemaps=options.max_sitemaps,
            parallel=min(network.parallel, DEFAULT_PARALLEL),
            with_verdicts=bool(options.agents),
        )
        for event in read_events(events, site.perform):
            output.write(event)
    output.end()
    return output.code


class _Site:
    """Finds sitemaps, and performs the steps of reading them."""

    def __init__(self, options: ListingOptions, network: NetworkOptions, *, with_notes: bool) -> None:
        self._options = options
        self._network = network
        self._with_notes = with_notes
        urls = (*map(_origin_url, options.origins), *(name for name in options.sitemaps if "://" in name))
        origins = [origin for origin in map(find_origin, urls) if origin is not None]
        self._fetcher = DocumentFetcher(network, profile=options.profile, accept=_ACCEPT, named_origins=origins)
        self._own_agent = Agent(product_token(network.user_agent))
        self._agents = [agent.agent for agent in options.agents]
        self._states: dict[str, OriginState] = {}

    def sources(self, output: "_Output") -> Iterator[SitemapSource]:
        """Yield the sitemaps to read."""
        options = self._options
        for name in options.sitemaps:
            if "://" not in name:
                yield SitemapSource(name, content=read_input(name, "--sitemap", max_bytes=MAX_SITEMAP_BYTES + 1))
            else:
                yield SitemapSource(name)
        if options.sitemaps:
            return
        if options.robots is not None:
            # The file is that of the site of its sitemaps.
            yield from (SitemapSource(name, find_origin(name)) for name in dict.fromkeys(options.robots.sitemaps))
        for argument in options.origins:
            try:
                url = to_origin_url(argument)
                origin, names = Origin.from_url(url), self._state(url).sitemaps(time.time())
            except (CanfetchError, CommandError) as error:
                output.fail(str(error), EXIT_ERROR)
                continue
            yield from (SitemapSource(name, origin) for name in dict.fromkeys(names))

    def perform(self, step: ReadingStep) -> Any:
        """Perform a step.

        Raises: CanfetchError.
        """
        if isinstance(step, FetchStep):
            return self._fetcher.send(step)
        robots = self._options.robots
        if isinstance(step, DecideStep):
            return self._fetcher.decide(step.url, self._own_agent)
        if isinstance(step, NamesStep):
            return self._state(step.url).sitemaps(time.time()) if robots is None else robots.sitemaps
        return [self._verdict(step.url, agent) for agent in self._agents]

    def close(self) -> None:
        """Close the client and the transport."""
        self._fetcher.close()

    def _verdict(self, url: str, agent: Agent) -> Verdict:
        robots = self._options.robots
        return self._state(url).decide(url, agent, time.time()) if robots is None else robots.decide(url, agent=agent)

    def _state(self, url: str) -> OriginState:
        scheme, separator, rest = url.partition("://")
        name = f"{scheme}{separator}{rest.partition('/')[0]}"
        state = self._states.get(name)
        if state is None:
            if len(self._states) >= _MAX_STATES:
                self._states.clear()
            state = self._states[name] = self._fetcher.state(url)
            note = self._network.stored_copy_note(state.access_info(time.time()).fetched_at)
            if note and self._with_notes:
                print_notes([f"{state.origin.robots_url}: {note}"])
        return state


class _Output:
    """Writes what was read, and counts it."""

    def __init__(self, options: ListingOptions, writer: JsonWriter | None, palette: Palette) -> None:
        self.code = EXIT_OK
        self._options = options
        self._writer = writer
        self._palette = palette
        self._entries = self._files = 0
        self._blocked: Counter[str] = Counter()

    def fail(self, message: str, code: int) -> None:
        """Report an error."""
        self.code = max(self.code, code)
        print_error(message)
        if self._writer is not None:
            self._writer.write({"type": "error", "error": printable_text(message)})

    def write(self, event: SitemapEvent) -> None:
        """Write a URL or a sitemap."""
        if isinstance(event, SitemapEntry):
            self._write_entry(event)
        else:
            self._write_file(event)

    def end(self) -> None:
        """Write the counts."""
        names = [agent.name for agent in self._options.agents]
        if self._writer is not None:
            blocked = {printable_text(name): self._blocked[name] for name in names}
            row = {"type": "summary", "sitemaps": self._files, "urls": self._entries, "blocked": blocked}
            self._writer.write(row)
            self._writer.end()
            return
        counts = "".join(f"; {self._blocked[name]:,} disallowed for {name}" for name in names)
        # A URL of two sitemaps is two entries: the set of all URLs can be too large for memory.
        entries = "1 entry" if self._entries == 1 else f"{self._entries:,} entries"
        print_error(f"{counted(self._files, 'sitemap')}, {entries}{counts}")

    def _write_entry(self, entry: SitemapEntry) -> None:
        self._entries += 1
        for agent, verdict in zip(self._options.agents, entry.verdicts, strict=False):
            self._blocked[agent.name] += not verdict.allowed
        if entry.is_blocked:
            self.code = max(self.code, EXIT_NEGATIVE)
        if self._options.blocked and not entry.is_blocked:
            return
        if self._writer is not None:
            row = {
                "type": "url",
                "url": entry.url,
                "lastmod": entry.lastmod,
                "sitemap": printable_text(entry.sitemap),
                "accepted": entry.is_accepted,
                "verdicts": matrix_cells(zip(self._options.agents, entry.verdicts, strict=False)),
            }
            self._writer.write({**row, "error": printable_text(entry.error)} if entry.error else row)
        elif entry.error:
            # It is a problem of the sitemap.
            return
        elif self._options.agents:
            sys.stdout.writelines(self._verdict_lines(entry))
        else:
            sys.stdout.write(f"{printable(entry.url)}\n")

    def _verdict_lines(self, entry: SitemapEntry) -> Iterator[str]:
        for agent, verdict in zip(self._options.agents, entry.verdicts, strict=True):
            if self._options.blocked and verdict.allowed:
                continue
            word = self._palette.good("allowed   ") if verdict.allowed else self._palette.bad("disallowed")
            yield f"{word}  {printable(entry.url)}  {printable(agent.name)}  {printable(verdict.explanation)}\n"

    def _write_file(self, file: SitemapFile) -> None:
        # A line that is not a URL, and a file that was not fetched, are problems and not sitemaps.
        self._files += file.kind is not None
        if file.is_unreadable:
            self.code = EXIT_ERROR
        if self._writer is not None:
            self._writer.write({"type": "sitemap", **file.to_json()})
        for problem in file.problems:
            severity = "" if problem.is_unreadable else "warning: "
            print_error(f"{severity}{file.url}: {problem}")


def _origin_url(argument: str) -> str:
    try:
        return to_origin_url(argument)
    except CommandError:
        # It is reported when the origin is looked up.
        return ""
