"""`canfetch facts`: the whole contract of a site, in words."""

import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Any, Final, NamedTuple

import click

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.crawlers import shown_name
from canfetch.answers.pace_text import DELAY, opening_text, pace_facts, readings_of_delay
from canfetch.answers.site_facts import CrawlerFacts, SiteFacts, host_text, site_facts, site_facts_of
from canfetch.answers.statements import deciding_records
from canfetch.cli.shared.agent_arguments import print_unknown_agent_notes, resolve_agents
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.input_files import check_standard_input, read_robots, warn_about_content
from canfetch.cli.shared.network_options import NetworkOptions, network_parameters, pop_network_options
from canfetch.cli.shared.option_parameters import (
    agent_option,
    exact_option,
    format_option,
    no_color_option,
    profile_option,
)
from canfetch.cli.shared.origin_arguments import is_file_argument
from canfetch.cli.shared.progress import Progress
from canfetch.cli.shared.row_writers import json_writer
from canfetch.cli.shared.terminal import Palette, output_palette, pad, print_error, printable
from canfetch.client.origin_state import OriginState
from canfetch.core.document import parse
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.extensions.record import Extension, ExtensionNote, ExtensionScope
from canfetch.core.text import abbreviated, counted, display_text, printable_text
from canfetch.errors import CanfetchError

_MAX_NAMES: Final = 8
_MAX_EXAMPLES: Final = 4
_MAX_VALUES: Final = 5
_LABEL_WIDTH: Final = len("disallowed")
_USES: Final = {UsagePurpose.TRAINING: "training", UsagePurpose.SEARCH: "search", UsagePurpose.AI_USE: "AI use"}
_PERMITTED: Final = {
    "all": "the controlled uses are permitted",
    "none": "the controlled uses are not permitted",
    "some": "the controlled uses are not permitted for some URLs",
    "undecided": "too many rules to decide what may be used",
}
_WORDS: Final = {Preference.ALLOW: "yes", Preference.DISALLOW: "no"}


class _Options(NamedTuple):
    sources: tuple[str, ...]
    agents: tuple[str, ...]
    exact: bool
    profile: str
    format: str
    no_color: bool


def _run(**values: Any) -> int:
    network = pop_network_options(values)
    return _print_facts(_Options(**values), network)


def _print_facts(options: _Options, network: NetworkOptions) -> int:
    if not options.sources:
        raise CommandError("no source: pass a URL such as https://example.com, a file, or - for standard input")
    check_standard_input([("", source) for source in options.sources])
    agents = resolve_agents(options.agents, exact=options.exact)
    palette = output_palette(no_color=options.no_color)
    writer = json_writer(options.format)
    code, started = EXIT_OK, False
    with closing(_all_facts(options, network, agents)) as rows:
        for source, facts in rows:
            if not isinstance(facts, SiteFacts):
                code = EXIT_ERROR
                print_error(str(facts))
                if writer is not None:
                    writer.write({"source": printable_text(source), "error": printable_text(str(facts))})
                continue
            if code == EXIT_OK and _closes_site(facts):
                code = EXIT_NEGATIVE
            if writer is not None:
                answer = facts.to_json()
                writer.write({"source": printable_text(source), **answer, "crawlers": list(answer["crawlers"])})
            else:
                print_unknown_agent_notes(agents, files=[facts.robots])
                lines = _lines(source, facts, palette, network)
                sys.stdout.write("\n" * started + "".join(f"{line}\n" for line in lines))
                started = True
    if writer is not None:
        writer.end()
    return code


def _closes_site(facts: SiteFacts) -> bool:
    return any(row.may_fetch == "none" for row in facts.crawlers)


def _all_facts(
    options: _Options, network: NetworkOptions, agents: list[RequestedAgent]
) -> Generator[tuple[str, SiteFacts | CanfetchError | CommandError]]:
    """Yield each source with its facts or the error, in order."""
    origins = [source for source in options.sources if not is_file_argument(source)]
    with ExitStack() as stack:
        states: Iterator[tuple[str, OriginState | CanfetchError | CommandError]] = iter(())
        if origins:
            from canfetch.cli.shared.origin_lookup import OriginLookup  # noqa: PLC0415 - not needed for a file

            lookup = OriginLookup(network, warn=Progress().print_error, profile=options.profile)
            stack.enter_context(closing(lookup))
            # Up to `--parallel` origins are fetched at the same time.
            states = stack.enter_context(closing(lookup.argument_states(iter(origins))))
        for source in options.sources:
            if is_file_argument(source):
                yield source, _file_facts(source, options, agents)
                continue
            _, state = next(states)
            if isinstance(state, CanfetchError | CommandError):
                yield source, state
            else:
                yield source, site_facts_of(state, agents, now=time.time())


def _file_facts(name: str, options: _Options, agents: list[RequestedAgent]) -> SiteFacts | CommandError:
    try:
        content = read_robots(name, "")
    except CommandError as error:
        return error
    warn_about_content(content, name, "", warn=Progress().print_error)
    return site_facts(parse(content, profile=options.profile), agents, now=time.time())


def _lines(source: str, facts: SiteFacts, palette: Palette, network: NetworkOptions) -> Iterator[str]:
    yield from _file_lines(source, facts, palette, network)
    for row in facts.crawlers:
        yield ""
        yield from _row_lines(row, facts.now, palette)
    if facts.truncated:
        yield ""
        yield "More crawlers have groups with other rules: pass --agent to show one of them."
    yield ""
    for host in facts.hosts[:_MAX_VALUES]:
        yield _fact("host", f"{printable(host_text(host.parsed))} (line {host.line}); no crawler is known to read it")
    for sitemap in facts.sitemaps[:_MAX_VALUES]:
        yield _fact("sitemap", f"{printable(sitemap.parsed.url)} (line {sitemap.line})")
    more = len(facts.sitemaps) - _MAX_VALUES
    if more > 0:
        yield _fact("", f"{counted(more, 'more sitemap')}: 'canfetch sitemaps' lists all")
    if not facts.sitemaps:
        yield _fact("sitemap", "none")
    for record in facts.other_records[:_MAX_VALUES]:
        yield _fact("other", f"{display_text(record.value)} (line {record.line}, {record.name}){_why_other(record)}")
    more = len(facts.other_records) - _MAX_VALUES
    if more > 0:
        yield _fact("", f"{counted(more, 'more record')}: --format json has the first 100")


def _file_lines(source: str, facts: SiteFacts, palette: Palette, network: NetworkOptions) -> Iterator[str]:
    if facts.access is None:
        yield palette.strong(f"{printable(source)}: {counted(len(facts.robots.content), 'byte')}")
    else:
        access = facts.access
        yield palette.strong(f"{printable(access.robots_url)}: {access.effect}")
        note = network.stored_copy_note(access.fetched_at)
        copy = f" ({note})" if note else ""
        yield palette.faint(f"  {access.access}: {printable(access.explanation)}{copy}")
    if facts.robots.tail:
        read = counted(len(facts.robots.content), "byte")
        yield palette.warning(f"  the file is longer than the size limit: these facts are from its first {read}")


def _why_other(record: Extension[Any]) -> str:
    if ExtensionNote.UNKNOWN_RECORD in record.notes:
        return "; no known document defines it"
    if ExtensionNote.UNREADABLE in record.notes:
        return "; the value cannot be read"
    if record.scope is ExtensionScope.NONE:
        return "; outside of all groups, so that it applies to no crawler"
    return "; no known crawler reads it any more" if ExtensionNote.OBSOLETE in record.notes else ""


def _row_lines(row: CrawlerFacts, now: float, palette: Palette) -> Iterator[str]:
    words = {
        "all": palette.good("everything may be fetched"),
        "none": palette.bad("nothing may be fetched"),
        "some": palette.warning("some URLs may not be fetched"),
        "undecided": palette.warning("too many rules to decide what may be fetched"),
    }
    access = words[row.may_fetch]
    if row.fetches_nothing:
        access = f"{_token_text(row.names)}; {_PERMITTED[row.may_fetch]}"
    yield f"{palette.strong(_heading(row))}: {access}"
    if row.control_tokens and not row.fetches_nothing:
        tokens = row.control_tokens
        yield _fact("tokens", f"{_listed(tokens)}: {_token_text(tokens)}; the rules are about uses")
    if row.known and row.kind != "ignoring-star":
        also = "also" if row.kind == "named" else "such as"
        yield _fact("crawlers", f"{also} {_listed(row.known, _MAX_EXAMPLES)}")
    if row.may_fetch in {"some", "undecided"}:
        yield from _rule_lines(row)
    yield from _pace_lines(row, now)
    for purpose, usage in row.statements.usages.items():
        if usage.preference is not Preference.UNKNOWN:
            record = deciding_records(usage)[0]
            yield _fact(_USES[purpose], f"{_WORDS[usage.preference]} ({record})")
    for record in row.statements.licenses[:_MAX_VALUES]:
        yield _fact("license", f"{printable(record.parsed.url)} (line {record.line})")


def _token_text(tokens: Sequence[str]) -> str:
    return "control token, which fetches nothing" if len(tokens) == 1 else "control tokens, which fetch nothing"


def _heading(row: CrawlerFacts) -> str:
    if row.kind == "others":
        return "All other crawlers (*)" if row.lines else "All other crawlers"
    if row.kind == "ignoring-star":
        return f"{_listed(row.known)}, which ignore the group for *"
    names = _listed(row.names)
    if row.kind == "requested" and row.choice == "star":
        return f"{names} (reads the group for *)"
    if row.kind == "requested" and row.choice == "none":
        return f"{names} (no group applies)"
    return names


def _listed(names: Sequence[str], most: int = _MAX_NAMES) -> str:
    return abbreviated([printable(shown_name(name)) for name in names], most)


def _rule_lines(row: CrawlerFacts) -> Iterator[str]:
    for kind, allow in (("disallowed", False), ("allowed", True)):
        patterns = row.patterns(allow=allow)
        if patterns:
            yield _fact(kind, abbreviated(patterns, _MAX_VALUES, separator=" "))


def _pace_lines(row: CrawlerFacts, now: float) -> Iterator[str]:
    pace = row.statements.pace
    readings = readings_of_delay(row.ignoring_delay, row.window_delay)
    for label, text in pace_facts(pace, _MAX_VALUES):
        yield _fact(label, text + readings if label == DELAY else text)
    if opening := opening_text(pace, now):
        yield _fact("", opening)


def _fact(label: str, text: str) -> str:
    return f"  {pad(label, _LABEL_WIDTH)}  {text}"


command: Final = click.Command(
    "facts",
    params=[
        click.Argument(["sources"], nargs=-1, metavar="[URL|FILE]...", type=click.Path(allow_dash=True)),
        agent_option("GPTBot"),
        exact_option(),
        profile_option(),
        *network_parameters(),
        format_option(),
        no_color_option(),
    ],
    callback=_run,
    short_help="Show everything that a robots.txt states.",
    help="""Show everything that a robots.txt states, in words: who may fetch what, delays, request rates, visit times,
    preferred host, sitemaps, usage preferences, licenses and other records.

    A URL or a host name selects the robots.txt of its origin, which is fetched; - reads standard input. Crawlers for
    which the file states the same are shown together. With --agent, only those crawlers are shown. Usage preferences
    are those for the home page.""",
    epilog="""\b
Examples:
  canfetch facts https://example.com
  canfetch facts robots.txt --agent GPTBot --agent Googlebot
  canfetch facts example.com example.org --format ndjson
  curl -sS https://example.com/robots.txt | canfetch facts -

\b
json is a list of objects, ndjson has one object per line:
  source, profile, access {access, effect, explanation, policy, robots_url, fetched_at, sha256} or null,
  bytes_read, robots_truncated,
  crawlers [{kind, names, lines, group, may_fetch, rules, rule_count, pace, ignoring_crawl_delay,
  crawl_delay_as_window, usage, licenses, known_crawlers, control_tokens,
  fetches_nothing}],
  truncated, sitemaps [{value, line}], hosts [{value, line}], other_records; or source, error

\b
Exit codes: 0 every crawler shown may fetch something, 1 some crawler may fetch nothing, or some control token permits
no use, 2 an error occurred.""",
)
