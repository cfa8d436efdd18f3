"""`canfetch use`: check whether content may be used for a purpose, by all statements of a site."""

import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, closing
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.use import UseAnswer, use_error_json
from canfetch.cli.pages.sources import LocalSources, source_parameters
from canfetch.cli.shared.agent_arguments import print_unknown_agent_notes, resolve_agents
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.evidence_option import close_evidence, evidence_options, open_evidence
from canfetch.cli.shared.history_options import PastHistory, open_past, past_options
from canfetch.cli.shared.input_files import read_input
from canfetch.cli.shared.network_options import (
    NetworkOptions,
    network_parameters,
    pop_network_options,
)
from canfetch.cli.shared.option_parameters import (
    STAR,
    agent_option,
    exact_option,
    format_option,
    no_color_option,
    profile_option,
    quiet_option,
)
from canfetch.cli.shared.row_writers import json_writer
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import Palette, output_palette, print_error, print_message, printable
from canfetch.client.documents import quoted_url, run_steps
from canfetch.consent.decision import may_use
from canfetch.consent.licenses import LICENSE
from canfetch.consent.purposes import find_purpose
from canfetch.consent.rsl import MAX_RSL_BYTES
from canfetch.consent.sources import MissingSource
from canfetch.consent.verdict import ROBOTS, WORDS, SourceState, UseSource, UseVerdict
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.preference import Preference
from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.core.text import abbreviated
from canfetch.core.times import rfc3339
from canfetch.errors import CanfetchError, InvalidURL
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES

if TYPE_CHECKING:
    from canfetch.client.evidence import EvidenceRecorder


class _Options(NamedTuple):
    urls: tuple[str, ...]
    purpose: str
    agents: tuple[str, ...]
    exact: bool
    robots: str | None
    html: str | None
    response_headers: tuple[str, ...]
    tdm_file: str | None
    licenses: tuple[str, ...]
    no_page: bool
    evidence: str | None
    evidence_key: str | None
    at: str | None
    history: str | None
    profile: str
    format: str
    no_color: bool
    quiet: bool

    @property
    def is_local(self) -> bool:
        """Whether nothing is fetched."""
        return bool(self.response_headers or self.licenses) or not (self.robots is self.html is self.tdm_file is None)


_Decide = Callable[[str, RequestedAgent], UseVerdict]


def _run(**values: Any) -> int:
    network = pop_network_options(values)
    return _check_use(_Options(**values), network)


def _check_use(options: _Options, network: NetworkOptions) -> int:
    writer = None if options.quiet else json_writer(options.format)
    palette = output_palette(no_color=options.no_color)
    code, started = EXIT_OK, False
    if options.at is not None:
        # A history has the times of its copies, and no server is asked.
        network = network._replace(started_at=0.0)
    with closing(_answers(options, network)) as answers:
        for url, agent, answer in answers:
            if not isinstance(answer, UseAnswer):
                code = EXIT_ERROR
                print_error(str(answer))
                if writer is not None:
                    writer.write(use_error_json(url, agent, str(answer)))
                continue
            code = max(code, _exit_code(answer.verdict))
            if writer is not None:
                writer.write(answer.to_json())
            elif not options.quiet:
                sys.stdout.write("\n" * started + "".join(f"{line}\n" for line in _lines(answer, palette, network)))
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
    agents = resolve_agents(options.agents or (STAR,), exact=options.exact)
    with ExitStack() as stack:
        warn = None if options.quiet else print_message
        past = open_past(options.at, options.history, _options_without_history(options), warn=warn)
        if past is not None:
            stack.enter_context(past)
        # After the history, because a refused option must not leave a segment.
        evidence = open_evidence(options.evidence, options.evidence_key)
        if evidence is not None:
            stack.callback(close_evidence, evidence, quiet=options.quiet, print_line=_print_after_output)
        decide, files = _open_sources(options, network, past, evidence, stack)
        if not options.quiet:
            print_unknown_agent_notes(agents, files=files)
        _warn_of_origins(options)
        for url, agent in product(options.urls, agents):
            try:
                yield url, agent, UseAnswer(url, agent, decide(url, agent))
            except (CanfetchError, CommandError) as error:
                yield url, agent, error


def _warn_of_origins(options: _Options) -> None:
    """Warn if a file of one site is used for URLs of several origins."""
    origins = list(dict.fromkeys(str(origin) for origin in map(find_origin, options.urls) if origin is not None))
    files = {"--robots": options.robots, "--tdm-file": options.tdm_file}
    names = [f"{option} {quoted(file)}" for option, file in files.items() if file is not None]
    if names and len(origins) > 1:
        listed = abbreviated(list(map(quoted, origins)), 2)
        print_message(f"canfetch: warning: {' and '.join(names)} is used for {len(origins)} origins: {listed}")


def _print_after_output(line: str) -> None:
    sys.stdout.flush()
    print_message(line)


def _open_sources(
    options: _Options,
    network: NetworkOptions,
    past: PastHistory | None,
    evidence: "EvidenceRecorder | None",
    stack: ExitStack,
) -> tuple[_Decide, tuple[RobotsTxt, ...]]:
    """Return the function that decides, and the local robots.txt if there is one."""
    if past is not None:
        return _past_decider(options, past), ()
    if options.is_local:
        if options.no_page:
            raise CommandError("--no-page cannot be used with a file or --response-header: nothing is fetched")
        licenses = _LicenseFiles.from_values(options.licenses)
        files = [("--license", file) for file in (*licenses.names.values(), licenses.only)]
        sources = LocalSources(options, max_bytes=DEFAULT_MAX_PAGE_BYTES, other_files=files)
        decide = _local_decider(options, sources, licenses, evidence)
        return decide, () if sources.robots is None else (sources.robots,)
    if network.offline:
        raise CommandError("--offline requires --robots FILE or another file: pages are not cached")
    return _fetching_decider(options, network, evidence, stack), ()


def _options_without_history(options: _Options) -> Iterator[str]:
    """Yield the options in use that select sources which a history does not have, or that record fetched ones."""
    values = {
        "--robots": options.robots,
        "--tdm-file": options.tdm_file,
        "--license": options.licenses,
        "--no-page": options.no_page,
        "--evidence": options.evidence,
    }
    return (option for option, value in values.items() if value)


def _past_decider(options: _Options, past: PastHistory) -> _Decide:
    response = LocalSources(options, max_bytes=DEFAULT_MAX_PAGE_BYTES).response

    def decide(url: str, agent: RequestedAgent) -> UseVerdict:
        known = past.history.copy_at(url, at=past.at)
        if known.observation is None:
            raise known.unknown()
        return known.may_use(
            url, purpose=options.purpose, agent=agent.agent, response=response, profile=options.profile
        )

    return decide


def _exit_code(verdict: UseVerdict) -> int:
    if verdict.conditions:
        # No source that was not read can lift them.
        return EXIT_NEGATIVE
    if not verdict.is_final:
        return EXIT_ERROR
    return EXIT_NEGATIVE if verdict.is_refused else EXIT_OK


class _LicenseFiles(NamedTuple):
    """The RSL documents of `--license`.

    Attributes:
        names: The file of each URL.
        only: The file of the only license that a site names, or None.
    """

    names: dict[str, str]
    only: str | None

    @classmethod
    def from_values(cls, values: tuple[str, ...]) -> "_LicenseFiles":
        """Return the files of values such as URL=FILE and FILE.

        Raises: CommandError: Two values are about the same license.
        """
        names: dict[str, str] = {}
        for value in values:
            before, _, file = value.rpartition("=")
            url = before if "://" in before else ""
            if url in names:
                which = f"for {quoted(url)}" if url else "without a URL: pass --license URL=FILE"
                raise CommandError(f"more than one --license {which}")
            names[url] = file if url else value
        only = names.pop("", None)
        return cls(names, only)


def _local_decider(
    options: _Options, sources: LocalSources, files: _LicenseFiles, evidence: "EvidenceRecorder | None"
) -> _Decide:
    robots = MissingSource(SourceState.NOT_READ) if sources.robots is None else sources.robots
    tdm = MissingSource(SourceState.NOT_READ) if sources.tdm_file is None else sources.tdm_file
    response = sources.response or MissingSource(SourceState.NOT_READ)
    documents = {url: _read_license(file) for url, file in files.names.items()}
    only = None if files.only is None else _read_license(files.only)
    now = time.time()

    def ask(url: str, agent: RequestedAgent, licenses: Mapping[str, bytes]) -> UseVerdict:
        return may_use(
            url,
            purpose=options.purpose,
            agent=agent.agent,
            robots=robots,
            response=response,
            tdm=tdm,
            license=licenses,
            now=now,
        )

    def all_licenses(verdict: UseVerdict) -> Mapping[str, bytes]:
        if only is None:
            return documents
        named = [one.detail for one in verdict.sources if one.name == LICENSE and one.state is SourceState.NOT_READ]
        if len(named) != 1:
            problem = "more than one license" if named else "no license"
            raise CommandError(f"the sources name {problem} that was not passed: pass --license URL=FILE")
        return {**documents, named[0]: only}

    def decide(url: str, agent: RequestedAgent) -> UseVerdict:
        verdict = ask(url, agent, documents)
        licenses = all_licenses(verdict)
        if evidence is None:
            return verdict if licenses is documents else ask(url, agent, licenses)
        from canfetch.client.use import UseQuestion, UseReading, answer_use  # noqa: PLC0415 - imports the client

        reading = UseReading(url, robots, response, tdm, licenses)
        answered = answer_use(UseQuestion(options.purpose, agent.agent, now), [reading])
        evidence.record_use(answered)
        return answered.verdict

    return decide


def _fetching_decider(
    options: _Options, network: NetworkOptions, evidence: "EvidenceRecorder | None", stack: ExitStack
) -> _Decide:
    # Importing the client takes time that a run with local files does not have to spend.
    from canfetch.cli.pages.fetched_sources import FetchedSources  # noqa: PLC0415
    from canfetch.client.use import UseQuestion, decide_use, fetch_use  # noqa: PLC0415

    sources = FetchedSources(network, options.urls, profile=options.profile)
    stack.callback(sources.close)
    last_url = ""

    def decide(url: str, agent: RequestedAgent) -> UseVerdict:
        nonlocal last_url
        if find_origin(url) is None or "://" not in url:
            raise InvalidURL(f"cannot fetch {quoted_url(url)}: expected an absolute URL, or --robots FILE")
        if url != last_url:
            # Only the pages of one URL are kept, for its agents.
            sources.forget_pages()
            last_url = url
        question = UseQuestion(options.purpose, agent.agent, time.time())
        steps = (
            decide_use(url, question, MissingSource(SourceState.NOT_READ))
            if options.no_page
            else fetch_use(url, question, max_bytes=DEFAULT_MAX_PAGE_BYTES)
        )
        answered = run_steps(steps, partial(sources.perform, agent.agent))
        if evidence is not None:
            evidence.record_use(answered)
        return answered.verdict

    return decide


def _read_license(file: str) -> bytes:
    return read_input(file, "--license", max_bytes=MAX_RSL_BYTES + 1)


def _lines(answer: UseAnswer, palette: Palette, network: NetworkOptions) -> Iterator[str]:
    verdict = answer.verdict
    paint = {True: palette.good, False: palette.bad, None: palette.warning}[verdict.allowed]
    word = paint("conditional" if verdict.conditions else WORDS[verdict.allowed])
    yield f"{word}: {verdict.purpose} with {redacted_url(answer.url)}, for {printable(answer.agent.name)}"
    if verdict.url != answer.url:
        yield f"  content      {redacted_url(verdict.url)}"
    deciding = verdict.decided_by or verdict.conditions
    for statement in verdict.statements:
        mark = ">" if statement in deciding else " "
        fact = "condition" if statement.is_condition else "fact"
        label = fact if statement.preference is Preference.UNKNOWN else str(statement.preference)
        yield f"{mark} {label:<11}  {printable(str(statement))}"
    if verdict.unlisted:
        yield f"  {'unlisted':<11}  {verdict.unlisted} more, over 100 of a kind"
    if deciding:
        yield f"  combination  {verdict.combination}"
    if not verdict.statements:
        yield f"  {verdict.explanation}"
    yield from _source_lines(verdict, network)
    if not verdict.is_final:
        yield f"  {palette.warning('A source that was not read could change the answer.')}"


def _source_lines(verdict: UseVerdict, network: NetworkOptions) -> Iterator[str]:
    for source in verdict.sources:
        if source.name == ROBOTS and source.state is SourceState.READ and source.detail:
            yield f"  robots.txt   {printable(source.words)}"
    absent = [_source_text(source) for source in verdict.sources if source.state is SourceState.ABSENT]
    if absent:
        yield f"  absent       {', '.join(absent)}"
    for source in verdict.unread:
        yield f"  {str(source.state).replace('-', ' '):<11}  {_source_text(source)}"
    for source in verdict.sources:
        name = f"{source.name} from {printable(source.url)}" if source.url else source.name
        fetched_at, requested_at = source.fetched_at, source.requested_at
        if fetched_at is not None:
            note = network.stored_copy_note(fetched_at)
            yield f"  fetched      {name}" + (f": {note}" if note else f" at {rfc3339(int(fetched_at))}")
        if requested_at is not None and (fetched_at is None or requested_at > fetched_at):
            # Without the content, or with an older copy of it.
            result = str(source.state) if fetched_at is None else "unreachable"
            yield f"  requested    {name} at {rfc3339(int(requested_at))}: {result}"


def _source_text(source: UseSource) -> str:
    return f"{source.name} ({printable(source.words)})" if source.words else source.name


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
        agent_option("ExampleBot", is_optional=True),
        exact_option(),
        *source_parameters(with_files=". Nothing is fetched."),
        Option(
            ["--license", "licenses"],
            metavar="[URL=]FILE",
            multiple=True,
            help="RSL document at a URL, or of the only license of the site. Nothing is fetched. Can be repeated.",
        ),
        Option(["--no-page"], is_flag=True, help="Fetch robots.txt and tdmrep.json only."),
        *evidence_options(records="every answer as a line of NDJSON, together with its sources"),
        *past_options(),
        profile_option(),
        format_option(),
        no_color_option(),
        quiet_option(),
        *network_parameters(),
    ],
    callback=_run,
    short_help="Check what content may be used for.",
    help="""Check whether content may be used for a purpose, by all statements of a site.

    The rules, control tokens and preferences of robots.txt, the headers and the HTML of the page, tdmrep.json, and the
    RSL licenses that are passed are read. The most restrictive statement decides. Each source that could not be read
    is named. The page is fetched if robots.txt allows that to the agent. With a file or --response-header, nothing is
    fetched.""",
    epilog="""\b
Examples:
  canfetch use https://example.com/ --purpose training --agent ExampleBot
  canfetch use https://example.com/fish --purpose training --agent GPTBot --robots robots.txt
  canfetch use https://example.com/fish --purpose ai-use --agent Googlebot --response-header 'Content-Usage: ai-use=n'
  canfetch use https://example.com/fish --purpose training --agent ExampleBot --evidence evidence

\b
json is a list of objects, ndjson has one object per line:
  url, agent_name, content_url, and the keys of UseVerdict.to_json
  without an answer: url, agent_name, allowed (null), error

\b
Exit codes: 0 the use is allowed or nothing is stated, 1 it is disallowed or has conditions such as a payment, 2 a
source that was not read could change the answer, or an error occurred. Conditions are 1 in any case.""",
)
