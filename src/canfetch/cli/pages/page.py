"""`canfetch page`: check what page-level rules let an agent do with a page."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any, Final

import click

from canfetch.answers.crawlers import token_only_text
from canfetch.answers.pages import PageAnswer, PageView, check_status, decide_page, fetch_page, page_error_json
from canfetch.cli.pages.options import PageOptions, requested_agents_of
from canfetch.cli.pages.resources import check_resources
from canfetch.cli.pages.sources import LocalSources, source_parameters
from canfetch.cli.shared.agent_arguments import print_unknown_agent_notes
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.network_options import network_parameters, pop_network_options
from canfetch.cli.shared.option_parameters import (
    agent_option,
    exact_option,
    format_option,
    no_color_option,
    profile_option,
    quiet_option,
)
from canfetch.cli.shared.row_writers import json_writer
from canfetch.cli.shared.single_value_option import Choice, Option
from canfetch.cli.shared.terminal import Palette, output_palette, pad, print_message, printable, shorten_message
from canfetch.cli.shared.url_advice import argument_advice
from canfetch.client.documents import quoted_url, run_steps
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.quoting import quoted
from canfetch.core.times import rfc3339
from canfetch.errors import CanfetchError, InvalidURL
from canfetch.pages.dates import parse_date
from canfetch.pages.dialects import PAGE_DIALECTS
from canfetch.pages.directives import Directive, note_names
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.pages.page_rules import parse_page
from canfetch.pages.verdict import PageDecision


def _run(**values: Any) -> int:
    network = pop_network_options(values)
    options = PageOptions(**values, network=network)
    return check_resources(options) if options.resources else _check_page(options)


def _check_page(options: PageOptions) -> int:
    agents = requested_agents_of(options)
    now = _parse_now(options.now)
    writer = None if options.quiet else json_writer(options.format)
    palette = output_palette(no_color=options.no_color)
    code, started = EXIT_OK, False
    with ExitStack() as stack:
        view_of, robots = _open_sources(options, stack)
        if not options.quiet:
            print_unknown_agent_notes(agents, files=() if robots is None else (robots,))
        for agent in agents:
            try:
                answer = decide_page(options.url, agent, view_of(agent.agent), now=now, dialect=options.dialect)
            except (CanfetchError, CommandError) as error:
                code = EXIT_ERROR
                sys.stdout.flush()
                print_message(f"canfetch: {shorten_message(str(error))}{_advice(error, options)}")
                if writer is not None:
                    writer.write(page_error_json(options.url, agent, str(error)))
                continue
            if code == EXIT_OK and not answer.verdict.may_index.allowed:
                code = EXIT_NEGATIVE
            if writer is not None:
                writer.write(answer.to_json())
            elif not options.quiet:
                lines = _page_lines(answer, palette, options)
                sys.stdout.write("\n" * started + "".join(f"{line}\n" for line in lines))
                started = True
    if writer is not None:
        writer.end()
    return code


def _open_sources(options: PageOptions, stack: ExitStack) -> tuple[Callable[[Agent], PageView], RobotsTxt | None]:
    """Return the function that returns the page as an agent sees it, and the local robots.txt if there is one.

    Raises: CommandError: A file cannot be read, or the options contradict each other.
    """
    is_local = options.html is not None or bool(options.response_headers)
    for option, value in (("--robots", options.robots), ("--tdm-file", options.tdm_file)):
        if value is not None and not is_local:
            raise CommandError(f"{option} requires --html FILE or --response-header: otherwise, the file is fetched")
        if value is not None and options.url is None:
            raise CommandError(f"{option} requires the URL of the page")
    if is_local:
        return _local_view(options)
    url = options.url
    if url is None:
        raise CommandError("no page: pass its URL, --html FILE, or --response-header 'X-Robots-Tag: ...'")
    if options.network.offline:
        raise CommandError("--offline requires --html FILE or --response-header: pages are not cached")
    # Importing the client takes time that a run with local files does not have to spend.
    from canfetch.cli.pages.fetched_sources import FetchedSources  # noqa: PLC0415

    sources = FetchedSources(options.network, [url], profile=options.profile)
    stack.callback(sources.close)

    def view(agent: Agent) -> PageView:
        if url.startswith("/"):
            raise InvalidURL(f"cannot fetch {quoted_url(url)}: expected an absolute URL, or --html FILE")
        return run_steps(fetch_page(url, max_bytes=options.max_bytes), partial(sources.perform, agent))

    return view, None


def _local_view(options: PageOptions) -> tuple[Callable[[Agent], PageView], RobotsTxt | None]:
    sources = LocalSources(options, max_bytes=options.max_bytes)
    if sources.response is not None:
        check_status(sources.response.status)
    url, robots = options.url, sources.robots
    rules = parse_page(
        sources.html, headers=sources.headers, url=url, tdm_file=sources.tdm_file, max_bytes=options.max_bytes
    )

    def view(agent: Agent) -> PageView:
        verdict = None if robots is None or url is None else robots.decide(url, agent=agent)
        return PageView(rules, verdict, None)

    return view, robots


def _advice(error: Exception, options: PageOptions) -> str:
    if options.url is None or not isinstance(error, InvalidURL):
        return ""
    return argument_advice(options.url, *(() if options.html is not None else ("--html",)))


def _parse_now(text: str | None) -> float:
    if text is None:
        return time.time()
    seconds = parse_date(text)
    if seconds is None:
        raise CommandError(f"invalid --now {quoted(text)}: expected a date such as 2026-01-31T12:00:00Z")
    return seconds


_LABELS: Final = {
    "may_list": "list the URL",
    "may_index_embedded": "index if embedded",
    "may_index_images": "index images",
    "may_follow": "follow links",
    "may_snippet": "show a snippet",
    "may_preview_images": "preview images",
    "may_preview_video": "preview video",
    "may_archive": "show a cached copy",
    "may_translate": "translate the page",
    "may_answer": "use for AI answers",
    "may_train": "train on the text",
    "may_train_images": "train on images",
}
_UNITS: Final = {"may_snippet": "characters", "may_answer": "characters", "may_preview_video": "seconds"}
_LABEL_WIDTH: Final = max(map(len, _LABELS.values()))
_MAX_PROBLEM_LINES: Final = 20


def _page_lines(answer: PageAnswer, palette: Palette, options: PageOptions) -> Iterator[str]:
    """Yield the lines that show what the agent may do with the page, and why."""
    url, agent, _, verdict = answer
    index = verdict.may_index
    paint = palette.good if index.allowed else palette.bad
    page = "this page" if url is None else printable(url)
    word, may = ("yes", "may") if index.allowed else ("no", "may not")
    yield f"{paint(word)}: {printable(agent.name)} {may} index {page}"
    yield f"  {index.explanation}"
    yield ""
    answers = {name: _answer(name, getattr(verdict, name)) for name in _LABELS}
    width = max(map(len, answers.values()))
    for name, label in _LABELS.items():
        decision: PageDecision = getattr(verdict, name)
        color = palette.good if decision.unlimited else palette.warning if decision.allowed else palette.bad
        line = f"  {pad(label, _LABEL_WIDTH)}  {color(answers[name])}"
        if not decision.unlimited or decision.directive is not None:
            line += f"{' ' * (width - len(answers[name]))}  {palette.faint(decision.explanation)}"
        yield line
    moment = verdict.unavailable_after
    if moment is not None:
        yield f"  {pad('unavailable after', _LABEL_WIDTH)}  {rfc3339(moment)}"
    yield ""
    yield from _facts(answer, options)


def _facts(answer: PageAnswer, options: PageOptions) -> Iterator[str]:
    _, agent, view, verdict = answer
    yield from _request_facts(view)
    if verdict.robots is not None:
        yield f"  robots.txt  {printable(str(verdict.robots))}"
        access = verdict.robots.access
        if access is not None and (note := options.network.stored_copy_note(access.fetched_at)):
            yield f"  copy        {note}"
    tokens = [printable(token) for token in verdict.agent.tokens] + ["all agents"] * verdict.agent.star_applies
    yield f"  tokens      {', '.join(tokens)}"
    yield f"  dialect     {verdict.dialect}"
    if agent.crawler is not None and agent.crawler.token_only:
        yield f"  note        {agent.crawler.name} {token_only_text(agent.crawler)}"
    links = Counter(qualifier for link in view.rules.links for qualifier in link.qualifiers)
    if links:
        yield f"  links       {', '.join(f'{count} {name}' for name, count in sorted(links.items()))}"
    excluded = sum(element.valid for element in view.rules.no_snippets)
    if excluded:
        yield f"  no snippet  {excluded} with data-nosnippet"
    if view.rules.notes:
        yield f"  notes       {', '.join(note_names(view.rules.notes))}"
    for note in verdict.notes:
        yield f"  note        {note}"
    problems = [directive for directive in view.rules.directives if directive.notes]
    for directive in problems[:_MAX_PROBLEM_LINES]:
        yield f"  problem     {_problem(directive)}"
    if len(problems) > _MAX_PROBLEM_LINES:
        yield f"  problem     {len(problems) - _MAX_PROBLEM_LINES} more"


def _request_facts(view: PageView) -> Iterator[str]:
    if view.fetched is not None:
        for hop in view.fetched.hops:
            yield f"  redirected  {hop.status}  {printable(hop.url)}"
        if view.fetched.status is not None:
            yield f"  fetched     {printable(view.fetched.url)}, {view.fetched.bytes} bytes"
    file = view.rules.tdm_file
    if file is not None and file.problem is not None:
        yield f"  TDM file    {printable(file.problem)}"


def _problem(directive: Directive) -> str:
    suggestion = "" if directive.suggestion is None else f" (did you mean {directive.suggestion}?)"
    return f"{directive}, {directive.position}: {', '.join(note_names(directive.notes))}{suggestion}"


def _answer(name: str, decision: PageDecision) -> str:
    if not decision.allowed:
        return "no"
    if decision.limit is None:
        return "yes"
    if isinstance(decision.limit, str):
        limit = "title and snippet" if decision.limit == "snippet" else decision.limit
        return f"yes, at most {limit}"
    return f"yes, at most {decision.limit} {_UNITS[name]}"


command: Final = click.Command(
    "page",
    params=[
        click.Argument(["url"], required=False, metavar="[URL]"),
        agent_option("Googlebot"),
        exact_option(),
        *source_parameters(with_files=", with --html or --response-header."),
        Option(
            ["--dialect"],
            type=Choice(tuple(PAGE_DIALECTS)),
            help="Dialect of page-level rules.  [default: that of the agent's operator]",
        ),
        Option(
            ["--resources"],
            is_flag=True,
            help="Check the scripts, styles, images and frames of the page instead of its rules.",
        ),
        profile_option(),
        Option(
            ["--now"], metavar="DATE", help="Time of the decision, for unavailable_after.  [default: the current time]"
        ),
        Option(
            ["--max-bytes"],
            metavar="N",
            type=click.IntRange(1, 1 << 30),
            default=DEFAULT_MAX_PAGE_BYTES,
            help="Number of bytes of the page to parse.",
        ),
        format_option(),
        no_color_option(),
        quiet_option(),
        *network_parameters(),
    ],
    callback=_run,
    short_help="Check what agents may do with a page.",
    help="""Check what each agent may do with a page: index it, follow its links, show snippets, use it for training.

    The page is fetched if robots.txt allows it; each redirect is checked as well. With --html or --response-header,
    nothing is fetched. X-Robots-Tag, Robots-Tag, robots meta elements and TDMRep are interpreted as the operator of the
    agent documents them, or as --dialect selects.

    With --resources, the page is fetched for canfetch itself, and the command lists what a browser loads with the HTML.
    The robots.txt of each host decides who may fetch its files. What style sheets and scripts load is not listed.""",
    epilog="""\b
Examples:
  canfetch page https://example.com/fish --agent Googlebot
  canfetch page --response-header 'X-Robots-Tag: noindex, max-snippet: 50' --agent bingbot
  canfetch page https://example.com/fish --html fish.html --robots robots.txt --agent GPTBot --format json
  canfetch page https://example.com/fish --resources --agent Googlebot --agent bingbot
  curl -sS https://example.com/fish | canfetch page --html - --agent YandexBot --quiet && echo indexable

\b
json is a list of objects, ndjson has one object per line:
  url, agent_name, the keys of PageVerdict.to_json, fetched {url, status, bytes, hops} or null, page
  without a verdict: url, agent_name, may_index (null), error
With --resources, json and ndjson are one object:
  schema, url, fetched, base, notes, agent_notes, and
  resources [{url, kind, element, line, references, origin, verdicts {agent: {allowed, reason, line}}, error}],
  origins [{origin, access}]

\b
Exit codes: 0 all agents may index the page, or fetch all resources, 1 some may not, 2 an error occurred.""",
)
