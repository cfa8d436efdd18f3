"""URLs in, answers out, one at a time: what the three commands write is made here."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from canfetch.cli.decisions.options import Question
from canfetch.cli.decisions.robots_files import Paired, RobotsFile, files_of
from canfetch.cli.decisions.urls import MOST_CHARACTERS, AskedURL, asked_urls
from canfetch.cli.shared.agent_arguments import Asker, askers_of
from canfetch.cli.shared.input_files import check_limit, check_standard_input, close_input, open_input
from canfetch.cli.shared.problems import ALLOWED, DISALLOWED, UNCOMPUTED, Problem, cropped
from canfetch.cli.shared.progress import Progress, progress_over
from canfetch.cli.shared.terminal import is_terminal
from canfetch.core.profiles import PROFILES
from canfetch.core.quoting import quoted
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError

if TYPE_CHECKING:
    from canfetch.client.evidence import EvidenceRecorder

# URLs that are asked at once where nothing but the exit code is wanted.
_BATCH_URLS: Final = 4096


class Answer(NamedTuple):
    """What is said of one URL: a verdict for each asker, in order, and their file; or what kept them from it."""

    url: str
    verdicts: tuple[Verdict, ...]
    file: RobotsFile | None
    error: str


class Session:
    """One run: the file, who asks, and what came of it so far.

    Raises: Problem: something that is given does not fit; nothing is written then.
    """

    def __init__(self, question: Question) -> None:
        if not question.urls and question.urls_file is None:
            raise Problem("no URL: give one or more, or --urls-file FILE")
        if question.all_profiles and question.evidence is not None:
            raise Problem("--evidence records one profile's decisions: leave --all-profiles out")
        check_standard_input(question)
        check_limit(question)
        self.question = question
        self.askers: list[Asker] = askers_of(question)
        self._progress = Progress()
        self._files = files_of(question, [asker.agent for asker in self.askers], say=self._say)
        try:
            self._evidence = _recorder_of(question)
            self._listed = None if question.urls_file is None else open_input(question.urls_file, "--urls-file")
        except BaseException:
            self._files.close()
            raise
        self._progress = progress_over(self._listed, wanted=question.quiet or not is_terminal(sys.stdout))
        self._paired: Paired | None = None
        # The file that was asked last, and how every profile reads it.
        self._read: tuple[RobotsFile, list[RobotsFile]] | None = None
        self.exit_code = ALLOWED
        self._urls = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._paired is not None:
            self._paired.close()
        elif self._listed is not None:
            close_input(self._listed)
        self._progress.close()
        self._files.close()
        if self._evidence is not None:
            self._evidence.close()

    def answers(self) -> Iterator[Answer]:
        """Yield an answer for each URL, and say of a bad one on standard error what is wrong with it.

        Raises: Problem: there is not one URL.
        Cost: O(octets of the URLs); of a given file's URLs, one is in memory at a time.
        """
        for asked, file in self._pairs():
            for reading in self._readings(file):
                answer = self._answer(asked, reading)
                yield answer
                if not answer.verdicts:
                    # What is wrong with a URL is so in every reading.
                    break
        self._end()

    def _readings(self, file: RobotsFile | CanfetchError | Problem) -> Iterator[RobotsFile | CanfetchError | Problem]:
        if not self.question.all_profiles or isinstance(file, CanfetchError | Problem):
            yield file
            return
        if self._read is None or self._read[0] is not file:
            self._read = file, [file.with_profile(profile) for profile in PROFILES]
        yield from self._read[1]

    def settle(self) -> None:
        """Ask for every URL, for the exit code alone: quicker, and nothing is kept.

        Raises: Problem: there is not one URL.
        """
        if self.question.all_profiles:
            for _ in self.answers():
                pass
            return
        batch: list[AskedURL] = []
        batch_file: RobotsFile | None = None
        characters = 0
        for asked, file in self._pairs():
            if file is not batch_file or len(batch) == _BATCH_URLS or characters > MOST_CHARACTERS:
                self._settle_batch(batch, batch_file)
                batch, batch_file, characters = [], None, 0
            if isinstance(file, CanfetchError | Problem) or self._evidence is not None:
                self._answer(asked, file)
                continue
            batch_file = file
            batch.append(asked)
            characters += len(asked.url)
        self._settle_batch(batch, batch_file)
        self._end()

    def _settle_batch(self, batch: list[AskedURL], file: RobotsFile | None) -> None:
        if file is None:
            return
        try:
            for asked in batch:
                _raise(asked.problem)
            allowed = file.allows_all([asked.url for asked in batch])
        except (CanfetchError, Problem):
            # One by one, so that each bad one is said and the others count.
            for asked in batch:
                self._answer(asked, file)
            return
        if self.exit_code == ALLOWED and not allowed:
            self.exit_code = DISALLOWED

    def _answer(self, asked: AskedURL, file: RobotsFile | CanfetchError | Problem) -> Answer:
        try:
            _raise(asked.problem)
            if isinstance(file, CanfetchError | Problem):
                raise file
            verdicts = file.decide(asked.url)
            if self._evidence is not None:
                for verdict in verdicts:
                    file.record(self._evidence, asked.url, verdict)
        except (CanfetchError, Problem) as error:
            self.exit_code = UNCOMPUTED
            text = cropped(str(error))
            self._say(f"canfetch: {asked.place}{text}")
            return Answer(asked.url, (), None, text)
        if self.exit_code == ALLOWED and not all(verdict.allowed for verdict in verdicts):
            self.exit_code = DISALLOWED
        return Answer(asked.url, verdicts, file, "")

    def _pairs(self) -> Paired:
        self._paired = self._files.of(asked_urls(self.question, self._listed))
        for asked, file in self._paired:
            self._urls += 1
            yield asked, file
            self._progress.advance(asked.octets)

    def _say(self, line: str) -> None:
        self._progress.say(line)

    def _end(self) -> None:
        if not self._urls:
            raise Problem(f"--urls-file {quoted(self.question.urls_file)} holds no URL: write one a line")


def _recorder_of(question: Question) -> "EvidenceRecorder | None":
    if question.evidence is None:
        return None
    if not question.evidence:
        raise Problem("--evidence '' names no folder: give one, such as evidence, or . for this one")
    from canfetch.client.evidence import EvidenceRecorder  # noqa: PLC0415 - few want it, and it imports a client

    try:
        return EvidenceRecorder(question.evidence, store_content=True)
    except CanfetchError as error:
        raise Problem(f"--evidence {error}: give a folder that can be written") from None


def _raise(problem: str) -> None:
    if problem:
        raise Problem(problem)
