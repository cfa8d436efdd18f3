"""A run over all URLs and agents: it opens the inputs, yields the answers, and computes the exit code."""

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, Self

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.verdicts import URLVerdicts
from canfetch.cli.decisions.options import DecisionOptions
from canfetch.cli.decisions.robots_files import RobotsFile, RobotsFiles, URLsWithFiles
from canfetch.cli.shared.agent_arguments import print_unknown_agent_notes
from canfetch.cli.shared.agent_list import requested_agents
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.evidence_option import close_evidence, open_evidence
from canfetch.cli.shared.history_options import open_past
from canfetch.cli.shared.input_files import check_standard_input, close_input, open_input
from canfetch.cli.shared.network_options import reject_network_options
from canfetch.cli.shared.origin_arguments import MAX_WAITING_CHARACTERS
from canfetch.cli.shared.progress import Progress, stream_progress
from canfetch.cli.shared.requested_urls import RequestedURL, read_urls
from canfetch.cli.shared.terminal import is_terminal, printable, shorten_message
from canfetch.core.agent import Agent
from canfetch.core.limits import DEFAULT_MAX_BYTES, MAX_BYTES_LIMIT
from canfetch.core.profiles import PROFILES
from canfetch.core.quoting import quoted
from canfetch.core.verdict import Reason, Verdict
from canfetch.errors import CanfetchError, InvalidURL

if TYPE_CHECKING:
    from canfetch.cli.shared.log_output import LogOutput

# URLs checked in one call if only the exit code is wanted.
_BATCH_URLS: Final = 4096


class Answer(NamedTuple):
    """The verdicts on one URL, and the file that they come from, or None without verdicts."""

    result: URLVerdicts
    file: RobotsFile | None

    @property
    def url(self) -> str:
        """The URL as typed."""
        return self.result.url

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts, one for each agent in order, or none."""
        return self.result.verdicts


class DecisionRun:
    """A run of `check`, `explain` or `matrix`. Use it as a context manager.

    Raises: CommandError: An option is invalid or an input cannot be opened. Nothing has been written then.
    """

    def __init__(self, options: DecisionOptions) -> None:
        _check_options(options)
        self.options = options
        self.agents: list[RequestedAgent]
        self.agents, registry = requested_agents(options)
        self._progress = Progress()
        self._files = open_robots_files(options, [agent.agent for agent in self.agents], warn=self._print_error)
        self._listed: BinaryIO | None = None
        self._log: LogOutput | None = None
        try:
            self._listed = None if options.urls_file is None else open_input(options.urls_file, "--urls-file")
            self._log = None if options.evidence is None else _open_log(options, self._print_error)
            # Last, because the segment has to be closed once it exists.
            self._evidence = open_evidence(options.evidence, options.evidence_key)
        except BaseException:
            self._close_inputs()
            raise
        if not options.quiet:
            only_file = self._files.only_file
            print_unknown_agent_notes(self.agents, registry, () if only_file is None else (only_file,))
        self._progress = stream_progress(self._listed, enabled=options.quiet or not is_terminal(sys.stdout))
        self._pairs: URLsWithFiles | None = None
        # The last file, parsed with every profile.
        self._parsed: tuple[RobotsFile, list[RobotsFile]] | None = None
        self.exit_code = EXIT_OK
        self._url_count = 0

    @property
    def has_one_file(self) -> bool:
        """Whether all URLs have the same file, as far as that is known before any is fetched."""
        return (
            self._files.only_file is not None
            or self.options.robots is not None
            or (self.options.urls_file is None and len(self.options.urls) == 1)
        )

    def stored_copy_note(self, verdict: Verdict) -> str:
        """Return a note on a file that was not fetched by this run, with its time, or nothing."""
        access = verdict.access
        if self.options.at is not None:
            # The explanation of a verdict without a file contains that of the access.
            is_shown = verdict.reason in (Reason.UNAVAILABLE, Reason.UNREACHABLE)
            return "" if access is None or is_shown else printable(access.explanation)
        return "" if access is None else self.options.network.stored_copy_note(access.fetched_at)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pairs is not None:
            self._pairs.close()
            self._listed = None
        try:
            if self._evidence is not None:
                close_evidence(self._evidence, quiet=self.options.quiet, print_line=self._print_error)
        finally:
            self._close_inputs()
            self._progress.close()

    def answers(self) -> Iterator[Answer]:
        """Yield an answer for each URL, and report invalid URLs on standard error.

        With `--all-profiles`, a URL has one answer for each profile.

        Raises: CommandError: There is no URL.
        Cost: O(bytes of the URLs); with a local file, one URL is in memory at a time.
        """
        for url, file in self._urls_with_files():
            if not self.options.all_profiles:
                yield self._answer(url, file)
                continue
            for parsed in self._parsed_files(file):
                answer = self._answer(url, parsed)
                yield answer
                if not answer.verdicts:
                    # An invalid URL is invalid in every profile.
                    break
        self._check_url_count()

    def check_all(self) -> None:
        """Compute only the exit code, which is faster than `answers`.

        Raises: CommandError: There is no URL.
        """
        if self.options.all_profiles:
            for _ in self.answers():
                pass
            return
        batch: list[RequestedURL] = []
        batch_file: RobotsFile | None = None
        characters = 0
        for url, file in self._urls_with_files():
            if file is not batch_file or len(batch) == _BATCH_URLS or characters > MAX_WAITING_CHARACTERS:
                self._check_batch(batch, batch_file)
                batch, batch_file, characters = [], None, 0
            if isinstance(file, CanfetchError | CommandError) or self._evidence is not None:
                self._answer(url, file)
                continue
            batch_file = file
            batch.append(url)
            characters += len(url.url)
        self._check_batch(batch, batch_file)
        self._check_url_count()

    def _check_batch(self, batch: list[RequestedURL], file: RobotsFile | None) -> None:
        if file is None:
            return
        try:
            for url in batch:
                _raise_error(url)
            allowed = file.allows_all([url.url for url in batch])
        except (CanfetchError, CommandError):
            # Check one URL at a time, to report each invalid one and still check the others.
            for url in batch:
                self._answer(url, file)
            return
        if self.exit_code == EXIT_OK and not allowed:
            self.exit_code = EXIT_NEGATIVE

    def _answer(self, url: RequestedURL, file: RobotsFile | CanfetchError | CommandError) -> Answer:
        try:
            _raise_error(url)
            if isinstance(file, Exception):
                raise file
            verdicts = file.decide(url.url)
            if self._evidence is not None:
                for verdict in verdicts:
                    file.record(self._evidence, url.url, verdict)
        except (CanfetchError, CommandError) as error:
            self.exit_code = EXIT_ERROR
            text = shorten_message(str(error))
            advice = self._advice(url) if isinstance(error, InvalidURL) else ""
            self._print_error(f"canfetch: {url.location}{text}{advice}")
            return Answer(URLVerdicts(url.url, self.agents, (), text), None)
        if self.exit_code == EXIT_OK and not all(verdict.allowed for verdict in verdicts):
            self.exit_code = EXIT_NEGATIVE
        return Answer(URLVerdicts(url.url, self.agents, verdicts), file)

    def _advice(self, url: RequestedURL) -> str:
        from canfetch.cli.shared.url_advice import argument_advice, host_advice  # noqa: PLC0415 - for errors only

        if url.line is not None:
            return host_advice(url.url)
        has_file = self.options.robots is not None or self.options.robots_dir is not None or self.options.robots_map
        return argument_advice(url.url, *(() if has_file else ("--robots",)), "--urls-file")

    def _parsed_files(
        self, file: RobotsFile | CanfetchError | CommandError
    ) -> Iterator[RobotsFile | CanfetchError | CommandError]:
        if isinstance(file, CanfetchError | CommandError):
            yield file
            return
        if self._parsed is None or self._parsed[0] is not file:
            self._parsed = file, [file.with_profile(profile) for profile in PROFILES]
        yield from self._parsed[1]

    def _urls_with_files(self) -> URLsWithFiles:
        self._pairs = self._files.assign(read_urls(self.options.urls, self._listed, self.options.urls_file))
        for url, file in self._pairs:
            self._url_count += 1
            yield url, file
            self._progress.advance(url.size)

    def _print_error(self, line: str) -> None:
        self._progress.print_error(line)

    def _close_inputs(self) -> None:
        if self._listed is not None:
            close_input(self._listed)
        self._files.close()
        if self._log is not None:
            self._log.close()

    def _check_url_count(self) -> None:
        if not self._url_count:
            raise CommandError(f"--urls-file {quoted(self.options.urls_file)} is empty: expected one URL per line")


def _check_options(options: DecisionOptions) -> None:
    if not options.urls and options.urls_file is None:
        raise CommandError("no URL: pass one or more, or --urls-file FILE")
    if options.all_profiles and options.evidence is not None:
        raise CommandError("--evidence and --all-profiles cannot be used together")
    check_standard_input(
        [
            ("--robots", options.robots),
            ("--robots-map", options.robots_map),
            ("--urls-file", options.urls_file),
            ("--agents-file", options.agents_file),
            ("--agents-registry", options.agents_registry),
        ]
    )
    max_bytes = options.max_bytes
    if max_bytes < DEFAULT_MAX_BYTES:
        expected = f"at least {DEFAULT_MAX_BYTES} (RFC 9309 section 2.5)"
        raise CommandError(f"invalid --max-bytes {max_bytes}: expected {expected}")
    if max_bytes > MAX_BYTES_LIMIT:
        raise CommandError(f"invalid --max-bytes {max_bytes}: expected at most {MAX_BYTES_LIMIT} (512 MiB)")


def _open_log(options: DecisionOptions, print_line: Callable[[str], None]) -> "LogOutput":
    from canfetch.cli.shared.log_output import open_log_output  # noqa: PLC0415 - imports the client

    return open_log_output(print_line, options.network)


def _raise_error(url: RequestedURL) -> None:
    if url.error:
        raise CommandError(url.error)


def open_robots_files(options: DecisionOptions, agents: list[Agent], *, warn: Callable[[str], None]) -> RobotsFiles:
    """Return the files that the options select.

    Args:
        agents: The agents to decide for.
        warn: Writes a line to standard error.
    Raises: CommandError: A file cannot be read, or the options are invalid or contradict each other.
    """
    # Each kind of file is imported when it is used: the client takes time that a run with a local file need not spend.
    selected = [
        (option, value)
        for option, value in (
            ("--robots", options.robots),
            ("--robots-dir", options.robots_dir),
            ("--robots-map", options.robots_map),
        )
        if value is not None
    ]
    if len(selected) > 1:
        raise CommandError(f"{selected[0][0]} and {selected[1][0]} cannot be used together")
    others = {
        **dict(selected),
        "--robots-url": options.robots_url,
        "--engine": options.engine,
        "--max-bytes": options.max_bytes != DEFAULT_MAX_BYTES,
    }
    in_use = (option for option, value in others.items() if value)
    past = open_past(options.at, options.history, in_use, warn=None if options.quiet else warn)
    if past is not None:
        from canfetch.cli.decisions.past_files import PastFiles  # noqa: PLC0415

        return PastFiles(past, agents, profile=options.profile)
    is_file = options.robots is not None and "://" not in options.robots
    if options.robots_url is not None and not is_file:
        raise CommandError("--robots-url requires --robots FILE")
    if options.robots is not None and is_file:
        from canfetch.cli.decisions.local_file import read_local_file  # noqa: PLC0415

        reject_network_options("--robots FILE")
        return read_local_file(options.robots, "--robots", options, agents, url=options.robots_url, warn=warn)
    if selected and options.robots is None:
        from canfetch.cli.decisions.collected_files import CollectedFiles, list_directory, read_map  # noqa: PLC0415

        [(option, name)] = selected
        reject_network_options(option)
        files = list_directory(name) if option == "--robots-dir" else read_map(name)
        return CollectedFiles(f"{option} {name}", files, options, agents, warn=warn)
    from canfetch.cli.decisions.fetched_files import FetchedFiles  # noqa: PLC0415

    return FetchedFiles(options, options.robots, agents, warn=warn)
