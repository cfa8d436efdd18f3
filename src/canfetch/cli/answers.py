"""URLs in, answers out, one at a time: what the three commands write is made here."""

import sys
from collections.abc import Iterator
from typing import Final, NamedTuple, Self

from canfetch.cli.asking import Asker, named_agents
from canfetch.cli.files import RobotsFiles, files_of
from canfetch.cli.inputs import check_standard_input, close_input, listed_lines, open_input
from canfetch.cli.problems import ALLOWED, DISALLOWED, UNCOMPUTED, Problem
from canfetch.cli.progress import Progress, progress_over
from canfetch.cli.question import Question
from canfetch.cli.terminal import is_terminal
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError

# URLs that are asked at once where nothing but the exit code is wanted.
_BATCH_URLS: Final = 4096
# Whatever waits in memory is done when it is this long, be the URLs few and large.
BATCH_CHARACTERS: Final = 1 << 20
_MESSAGE_CHARACTERS: Final = 600
_MESSAGE_HALF: Final = 290


class AskedURL(NamedTuple):
    """A URL as given, where it stands, and what is wrong with it already."""

    url: str
    place: str
    problem: str


class Answer(NamedTuple):
    """What is said of one URL: a verdict for each asker, in order, or the error that kept them from it."""

    url: str
    verdicts: tuple[Verdict, ...]
    error: str


class Session:
    """One run: the file, who asks, and what came of it so far.

    Raises: Problem: something that is given does not fit; nothing is written then.
    """

    def __init__(self, question: Question) -> None:
        if not question.urls and question.urls_file is None:
            raise Problem("no URL: give one or more, or --urls-file FILE")
        check_standard_input(question)
        named = named_agents(question)
        self.question = question
        self.files: RobotsFiles = files_of(question)
        self.askers: list[Asker] = [Asker(one, self.files.judge(one.agent)) for one in named]
        self._listed = None if question.urls_file is None else open_input(question.urls_file, "--urls-file")
        self._progress: Progress = progress_over(self._listed, wanted=question.quiet or not is_terminal(sys.stdout))
        self.exit_code = ALLOWED
        self._urls = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.close()
        trouble = self.files.close()
        if trouble is not None:
            self._progress.say(f"canfetch: {trouble}")
        if self._listed is not None:
            close_input(self._listed)

    def answers(self) -> Iterator[Answer]:
        """Yield an answer for each URL, and say of a bad one on standard error what is wrong with it.

        Raises: Problem: there is not one URL.
        Cost: O(octets of the URLs); one is in memory at a time.
        """
        for asked in self._asked():
            yield self._answer(asked)
        self._end()

    def settle(self) -> None:
        """Ask for every URL, for the exit code alone: quicker, and nothing is kept.

        Raises: Problem: there is not one URL.
        """
        batch: list[AskedURL] = []
        characters = 0
        for asked in self._asked():
            batch.append(asked)
            characters += len(asked.url)
            if len(batch) == _BATCH_URLS or characters > BATCH_CHARACTERS:
                self._settle_batch(batch)
                batch, characters = [], 0
        self._settle_batch(batch)
        self._end()

    def _settle_batch(self, batch: list[AskedURL]) -> None:
        urls = [asked.url for asked in batch]
        try:
            for asked in batch:
                _raise(asked.problem)
            allowed = all(all(asker.judge.allows_many(urls)) for asker in self.askers)
        except (CanfetchError, Problem):
            # One by one, so that each bad one is said and the others count.
            for asked in batch:
                self._answer(asked)
            return
        if self.exit_code == ALLOWED and not allowed:
            self.exit_code = DISALLOWED

    def _answer(self, asked: AskedURL) -> Answer:
        try:
            _raise(asked.problem)
            verdicts = tuple(asker.judge.decide(asked.url) for asker in self.askers)
        except (CanfetchError, Problem) as error:
            self.exit_code = UNCOMPUTED
            text = _cropped(str(error))
            self._progress.say(f"canfetch: {asked.place}{text}")
            return Answer(asked.url, (), text)
        if self.exit_code == ALLOWED and not all(verdict.allowed for verdict in verdicts):
            self.exit_code = DISALLOWED
        return Answer(asked.url, verdicts, "")

    def _asked(self) -> Iterator[AskedURL]:
        for url in self.question.urls:
            self._urls += 1
            yield AskedURL(url, "", "")
        if self._listed is None or self.question.urls_file is None:
            return
        for line in listed_lines(self._listed, self.question.urls_file):
            self._urls += 1
            problem = f"{line.text[:40]!r}... is longer than 1 MiB: give a shorter URL" if line.too_long else ""
            yield AskedURL(line.text, line.place, problem)
            self._progress.advance(line.octets)

    def _end(self) -> None:
        if not self._urls:
            raise Problem(f"--urls-file {self.question.urls_file!r} holds no URL: write one a line")


def _raise(problem: str) -> None:
    if problem:
        raise Problem(problem)


def _cropped(text: str) -> str:
    """Keep both ends of a message that quotes a very long URL."""
    return text if len(text) <= _MESSAGE_CHARACTERS else f"{text[:_MESSAGE_HALF]} ... {text[-_MESSAGE_HALF:]}"
