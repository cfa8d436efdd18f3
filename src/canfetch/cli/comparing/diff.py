"""`canfetch diff`: what changes between two files, for all URLs."""

import sys
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import click

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.crawlers import UNNAMED, all_agents
from canfetch.cli.comparing.conditions import ANY, find_failure, parse_condition
from canfetch.cli.comparing.diff_reports import Report, Row, html_lines, markdown_lines, text_lines, to_json
from canfetch.cli.comparing.inputs import find_agent, read_file, read_sitemap
from canfetch.cli.shared.agent_arguments import print_unknown_agent_notes, resolve_agents
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.edition_option import edition_option
from canfetch.cli.shared.input_files import STANDARD_INPUT, check_standard_input, open_input
from canfetch.cli.shared.option_parameters import (
    agent_option,
    exact_option,
    format_option,
    input_file_option,
    no_color_option,
    profile_option,
    registry_option,
)
from canfetch.cli.shared.registry_files import load_registry
from canfetch.cli.shared.requested_urls import read_urls
from canfetch.cli.shared.row_writers import JsonWriter
from canfetch.cli.shared.single_value_option import Option, complete_path
from canfetch.cli.shared.terminal import output_palette, print_message, shorten_message
from canfetch.cli.shared.url_advice import host_advice
from canfetch.compare import Change, diff
from canfetch.core.agent_rules import AgentRules
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidURL, Undecided


class _Options(NamedTuple):
    """The values of the options."""

    old: str
    new: str
    agents: tuple[str, ...]
    agents_registry: str | None
    exact: bool
    profile: str
    urls_file: str | None
    sitemap: tuple[str, ...]
    fail_on: tuple[str, ...]
    format: str
    no_color: bool


def _run(**values: Any) -> int:
    options = _Options(**values)
    sitemaps = [("--sitemap", name) for name in options.sitemap]
    check_standard_input([("", options.old), ("", options.new), ("--urls-file", options.urls_file), *sitemaps])
    conditions = [parse_condition(text) for text in options.fail_on]
    registry = load_registry(options.agents_registry)
    old, new = (read_file(name, profile=options.profile) for name in (options.old, options.new))
    requested = resolve_agents(options.agents, exact=options.exact, registry=registry)
    agents = requested or all_agents((old, new), registry)
    if not options.exact:
        named = [find_agent(one.agent, agents, registry) for one in conditions if one.agent != ANY]
        print_unknown_agent_notes([*requested, *named], registry, (old, new))
    listed = _ListedURLs(options, old.rules_for(agents[0].agent))
    try:
        changes = diff(old, new, agents=[agent.agent for agent in agents])
        failures = [find_failure(condition, (old, new), agents, registry) for condition in conditions]
    except Undecided as error:
        problem = str(error).replace(f"for {UNNAMED.agent.tokens[0]}", f"for {UNNAMED.name}")
        raise CommandError(
            f"cannot compare {quoted(options.old)} with {quoted(options.new)}: {problem}; compare other agents with "
            "--agent, or pass a larger limit to canfetch.compare.diff(steps=...)"
        ) from None
    rows = [_row(change, agents, listed.valid) for change in changes]
    held = [failure for failure in failures if failure is not None]
    checked = len(listed.valid) if options.urls_file is not None or options.sitemap else None
    _write(Report(options.old, options.new, rows, len(agents), held, checked), options)
    if listed.has_invalid:
        return EXIT_ERROR
    failed = held if conditions else rows
    return EXIT_NEGATIVE if failed else EXIT_OK


def _row(change: Change, agents: Iterable[RequestedAgent], urls: Iterable[str]) -> Row:
    same = set(change.agents)
    names = tuple(agent.name for agent in agents if agent.agent in same)
    sets = change.newly_allowed, change.newly_disallowed
    gained, lost = ([url for url in urls if one.contains(url)] for one in sets)
    return Row(names, *sets, (gained, lost))


class _ListedURLs:
    """The URLs of `--urls-file` and of `--sitemap`. Invalid ones are reported on standard error and left out.

    Args:
        options: The options.
        rules: Rules that accept the same URLs as those that are compared.

    Attributes:
        valid: The valid URLs.
        has_invalid: Whether another one is invalid.
    """

    def __init__(self, options: _Options, rules: AgentRules) -> None:
        self.valid: list[str] = []
        self.has_invalid = False
        if options.urls_file is not None:
            for url in read_urls((), open_input(options.urls_file, "--urls-file"), options.urls_file):
                self._add(url.url, url.location, url.error or _problem(url.url, rules))
            if not self.valid and not self.has_invalid:
                raise CommandError(f"--urls-file {quoted(options.urls_file)} is empty: expected one URL per line")
        for name in options.sitemap:
            place = "standard input" if name == STANDARD_INPUT else name
            for location in read_sitemap(name):
                self._add(location, f"{place}: ", _problem(location, rules))

    def _add(self, url: str, place: str, problem: str) -> None:
        if problem:
            self.has_invalid = True
            print_message(f"canfetch: {place}{shorten_message(problem)}")
        else:
            self.valid.append(url)


def _problem(url: str, rules: AgentRules) -> str:
    try:
        rules.allows(url)
    except InvalidURL as error:
        return f"{error}{host_advice(url)}"
    return ""


def _write(report: Report, options: _Options) -> None:
    if options.format == "json":
        writer = JsonWriter(lines=True)
        writer.write(to_json(report))
        writer.end()
        return
    if options.format == "markdown":
        lines = markdown_lines(report)
    elif options.format == "html":
        lines = html_lines(report)
    else:
        lines = text_lines(report, output_palette(no_color=options.no_color))
    sys.stdout.writelines(f"{line}\n" for line in lines)


command: Final = click.Command(
    "diff",
    params=[
        click.Argument(["old"], metavar="OLD", shell_complete=complete_path),
        click.Argument(["new"], metavar="NEW", shell_complete=complete_path),
        agent_option("GPTBot"),
        registry_option(),
        exact_option(),
        profile_option(),
        edition_option(),
        input_file_option("--urls-file", help="Also count the affected URLs of a list, one per line."),
        input_file_option(
            "--sitemap",
            multiple=True,
            help="Also count the affected URLs of a sitemap: XML or text, plain or gzip. Can be repeated.",
        ),
        Option(
            ["--fail-on"],
            metavar="CONDITION",
            multiple=True,
            help="Exit with 1 only if this holds: AGENT loses|gains|changes [PATTERN], where AGENT may be any. "
            "Can be repeated.",
        ),
        format_option(("text", "json", "markdown", "html")),
        no_color_option(),
    ],
    callback=_run,
    short_help="Show which URLs agents gain and lose between two files.",
    help="""Compare two robots.txt files, and show which URLs agents gain and lose.

    One of the files may be -, which is standard input. The files are compared exactly, for all URLs. Without --agent,
    all known crawlers, all agents that a file names, and any other agent are compared. Agents with the same change are
    listed together. Patterns are written as in a robots.txt. A pattern is listed "in part" if not all of its URLs
    change.""",
    epilog="""\b
Examples:
  canfetch diff robots.txt new-robots.txt
  canfetch diff old.txt new.txt --agent Googlebot --agent GPTBot --format markdown
  canfetch diff old.txt new.txt --sitemap sitemap.xml
  git show origin/main:robots.txt | canfetch diff - robots.txt
  canfetch diff old.txt new.txt --fail-on "Googlebot loses /" --fail-on "any gains /private/"

\b
json is one object: schema, old, new, agents (their number),
  changes [{agents, newly_allowed, newly_disallowed}], failures [{condition, agent, url}]
  newly_allowed and newly_disallowed: {patterns, partial_patterns, examples, listed}

\b
Exit codes: 0 nothing changes (or no --fail-on condition holds), 1 something changes (or a condition holds),
2 an error occurred, a URL of a list or a sitemap is invalid, or the files are too large to compare.""",
)
