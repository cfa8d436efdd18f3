"""`canfetch use`: check whether content may be used for a purpose, by all statements of a site."""

import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing
from functools import partial
from itertools import product
from typing import Any, Final, NamedTuple, NoReturn

import click

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.pages import parse_header
from canfetch.answers.use import UseAnswer, use_error_json
from canfetch.cli.shared.agent_arguments import print_unknown_agent_notes, resolve_agent
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError, shorten_message
from canfetch.cli.shared.input_files import check_standard_input, read_input, read_robots, warn_about_content
from canfetch.cli.shared.network_options import (
    NetworkOptions,
    network_parameters,
    pop_network_options,
    reject_network_options,
)
from canfetch.cli.shared.option_parameters import (
    agent_option,
    exact_option,
    format_option,
    no_color_option,
    profile_option,
    quiet_option,
)
from canfetch.cli.shared.progress import Progress
from canfetch.cli.shared.row_writers import JsonWriter
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import Palette, print_message, printable, use_color
from canfetch.consent.decision import MissingSource, PageResponse, may_use
from canfetch.consent.purposes import find_purpose
from canfetch.consent.verdict import SourceState, UseVerdict
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.preference import Preference
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.errors import CanfetchError
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.pages.tdm import MAX_TDM_BYTES


class _Options(NamedTuple):
    urls: tuple[str, ...]
    purpose: str
    agents: tuple[str, ...]
    exact: bool
    robots: str | None
    html: str | None
    response_headers: tuple[str, ...]
    tdm_file: str | None
    no_page: bool
    profile: str
    format: str
    no_color: bool
    quiet: bool

    @property
    def is_local(self) -> bool:
        """Whether nothing is fetched."""
        return bool(self.response_headers) or not (self.robots is self.html is self.tdm_file is None)


_Decide = Callable[[str, RequestedAgent], UseAnswer]


def _run(**values: Any) -> NoReturn:
    network = pop_network_options(values)
    click.get_current_context().exit(_check_use(_Options(**values), network))


def _check_use(options: _Options, network: NetworkOptions) -> int:
    writer = None if options.format == "text" or options.quiet else JsonWriter(lines=options.format == "ndjson")
    palette = Palette(enabled=use_color(no_color=options.no_color))
    code, started = EXIT_OK, False
    with closing(_answers(options, network)) as answers:
        for url, agent, answer in answers:
            if not isinstance(answer, UseAnswer):
                code = EXIT_ERROR
                sys.stdout.flush()
                print_message(f"canfetch: {shorten_message(str(answer))}")
                if writer is not None:
                    writer.write(use_error_json(url, agent, str(answer)))
                continue
            code = max(code, _exit_code(answer.verdict))
            if writer is not None:
                writer.write(answer.to_json())
            elif not options.quiet:
                sys.stdout.write("\n" * started + "".join(f"{line}\n" for line in _lines(answer, palette)))
                started = True
    if writer is not None:
        writer.end()
    return code


def _answers(
    options: _Options, network: NetworkOptions
) -> Generator[tuple[str, RequestedAgent, UseAnswer | CanfetchError | CommandError]]:
    """Yield the answer for each URL and agent, or the error.

    Raises: CommandError: An option is invalid, or a file cannot be read.
    """
    if not options.urls:
        raise CommandError("no URL: pass that of the content, such as https://example.com/fish")
    find_purpose(options.purpose)
    agents = [resolve_agent(name, exact=options.exact) for name in dict.fromkeys(options.agents)]
    if not agents:
        raise CommandError("no agent: pass --agent TOKEN, such as --agent ExampleBot")
    with ExitStack() as stack:
        decide, files = _open_sources(options, network, stack)
        if not options.quiet:
            print_unknown_agent_notes(agents, files=files)
        for url, agent in product(options.urls, agents):
            try:
                yield url, agent, decide(url, agent)
            except (CanfetchError, CommandError) as error:
                yield url, agent, error


def _open_sources(
    options: _Options, network: NetworkOptions, stack: ExitStack
) -> tuple[_Decide, tuple[RobotsTxt, ...]]:
    """Return the function that decides, and the local robots.txt if there is one."""
    if options.is_local:
        if options.no_page:
            raise CommandError("--no-page cannot be used with a file or --response-header: nothing is fetched")
        reject_network_options("a file or --response-header")
        local = _LocalSources(options)
        return local.decide, local.files
    if network.offline:
        raise CommandError("--offline requires --robots FILE or another file: pages are not cached")
    # Importing the client takes time that a run with local files does not have to spend.
    from canfetch.cli.pages.fetched_use import FetchedUse  # noqa: PLC0415

    fetched = FetchedUse(network, options.urls, profile=options.profile, with_page=not options.no_page)
    stack.callback(fetched.close)
    return partial(fetched.decide, purpose=options.purpose), ()


def _exit_code(verdict: UseVerdict) -> int:
    if not verdict.is_final:
        return EXIT_ERROR
    return EXIT_NEGATIVE if verdict.allowed is False else EXIT_OK


class _LocalSources:
    """The sources that options contain, for every URL."""

    def __init__(self, options: _Options) -> None:
        names = [("--robots", options.robots), ("--html", options.html), ("--tdm-file", options.tdm_file)]
        check_standard_input(names)
        self._purpose = options.purpose
        self._robots: RobotsTxt | MissingSource = MissingSource(SourceState.NOT_READ)
        if options.robots is not None:
            self._robots = parse(read_robots(options.robots), profile=options.profile)
            warn_about_content(self._robots.render(), options.robots, warn=Progress().print_error)
        self._response: PageResponse | MissingSource = MissingSource(SourceState.NOT_READ)
        if options.html is not None or options.response_headers:
            html = None
            if options.html is not None:
                html = read_input(options.html, "--html", max_bytes=DEFAULT_MAX_PAGE_BYTES + 1)
            headers = [parse_header(line, f"--response-header {quoted(line)}") for line in options.response_headers]
            self._response = PageResponse(200, headers or None, html)
        self._tdm: bytes | MissingSource = MissingSource(SourceState.NOT_READ)
        if options.tdm_file is not None:
            self._tdm = read_input(options.tdm_file, "--tdm-file", max_bytes=MAX_TDM_BYTES + 1)

    @property
    def files(self) -> tuple[RobotsTxt, ...]:
        """The robots.txt, if there is one."""
        return (self._robots,) if isinstance(self._robots, RobotsTxt) else ()

    def decide(self, url: str, agent: RequestedAgent) -> UseAnswer:
        """Return the answer for a URL."""
        verdict = may_use(
            url,
            purpose=self._purpose,
            agent=agent.agent,
            robots=self._robots,
            response=self._response,
            tdm=self._tdm,
            now=time.time(),
        )
        return UseAnswer(url, agent, verdict)


_WORDS: Final = {True: "allowed", False: "disallowed", None: "not stated"}


def _lines(answer: UseAnswer, palette: Palette) -> Iterator[str]:
    verdict = answer.verdict
    paint = {True: palette.good, False: palette.bad, None: palette.warning}[verdict.allowed]
    word = paint(_WORDS[verdict.allowed])
    yield f"{word}: {verdict.purpose} with {redacted_url(answer.url)}, for {printable(answer.agent.name)}"
    if verdict.url != answer.url:
        yield f"  content      {redacted_url(verdict.url)}"
    for statement in verdict.statements:
        label = "fact" if statement.preference is Preference.UNKNOWN else str(statement.preference)
        yield f"  {label:<11}  {printable(str(statement))}"
    if not verdict.statements:
        yield f"  {verdict.explanation}"
    for source in verdict.sources:
        if source.is_unread:
            detail = f" ({printable(source.detail)})" if source.detail else ""
            yield f"  {str(source.state).replace('-', ' '):<11}  {source.name}{detail}"
    if not verdict.is_final:
        yield f"  {palette.warning('A source that was not read could change the answer.')}"


command: Final = click.Command(
    "use",
    params=[
        click.Argument(["urls"], nargs=-1, metavar="URL..."),
        Option(
            ["--purpose"],
            metavar="NAME",
            required=True,
            help="What the content is used for: training, search, ai-use.",
        ),
        agent_option("ExampleBot"),
        exact_option(),
        Option(
            ["--robots"],
            metavar="FILE",
            type=click.Path(allow_dash=True),
            help="robots.txt of the site. Nothing is fetched.",
        ),
        Option(
            ["--html"],
            metavar="FILE",
            type=click.Path(allow_dash=True),
            help="HTML of the page; - reads standard input. Nothing is fetched.",
        ),
        Option(
            ["--response-header", "response_headers"],
            metavar="'NAME: VALUE'",
            multiple=True,
            help="Header of the response. Nothing is fetched. Can be repeated.",
        ),
        Option(
            ["--tdm-file"],
            metavar="FILE",
            type=click.Path(allow_dash=True),
            help="tdmrep.json of the site. Nothing is fetched.",
        ),
        Option(["--no-page"], is_flag=True, help="Fetch robots.txt and tdmrep.json only."),
        profile_option(),
        format_option(),
        no_color_option(),
        quiet_option(),
        *network_parameters(),
    ],
    callback=_run,
    short_help="Check what content may be used for.",
    help="""Check whether content may be used for a purpose, by all statements of a site.

    The rules, control tokens and preferences of robots.txt, the headers and the HTML of the page, and tdmrep.json are
    read. The most restrictive statement decides. Each source that could not be read is named. The page is fetched if
    robots.txt allows that to the agent. With a file or --response-header, nothing is fetched.""",
    epilog="""\b
Examples:
  canfetch use https://example.com/ --purpose training --agent ExampleBot
  canfetch use https://example.com/fish --purpose training --agent GPTBot --robots robots.txt
  canfetch use https://example.com/fish --purpose ai-use --agent Googlebot --response-header 'Content-Usage: ai-use=n'

\b
json is a list of objects, ndjson has one object per line:
  url, agent_name, content_url, and the keys of UseVerdict.to_json
  without an answer: url, agent_name, allowed (null), error

\b
Exit codes: 0 the use is allowed or nothing is stated, 1 it is disallowed, 2 a source that was not read could change
the answer, or an error occurred.""",
)
