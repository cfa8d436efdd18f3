"""Runs of generated cases over several processes, which can go on where an earlier one stopped."""

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Final, NamedTuple

from tests.differential.against_google import compare_with_google, google_difference
from tests.differential.engine_against_engine import compare_engines, engine_difference
from tests.differential.generator import Case, case_of
from tests.differential.oracles import compile_with, google
from tests.differential.shrinker import conformance_case, shrunk
from tests.differential.tally import Difference, Disagreement, Question, Tally

_CASES_OF_A_CHUNK: Final = 128
# Runs of different seeds share no case.
_CASES_OF_A_SEED: Final = 2**40

Progress = Callable[["Tally", int], None]


class Job(NamedTuple):
    """What is compared with what.

    Attributes:
        against: `google` asks Google's parser, `python` the Python engine.
        engine: ours that stands against it.
        profiles: each case is asked in all of them.
    """

    against: str
    engine: str
    profiles: tuple[str, ...]

    def compare(self, case: Case, origin: str) -> Tally:
        """Compare one case in all profiles."""
        tally = Tally()
        compile_file = compile_with(self.engine)
        if self.against == "google":
            ask = google()
            for profile in self.profiles:
                tally.add(compare_with_google(case, origin, profile, compile_file, ask))
        else:
            reference = compile_with("python")
            for profile in self.profiles:
                tally.add(compare_engines(case, origin, profile, reference, compile_file))
        return tally

    def difference(self, question: Question) -> Difference | None:
        """Ask one question of both; None where they agree."""
        compile_file = compile_with(self.engine)
        if self.against == "google":
            return google_difference(question, compile_file, google())
        return engine_difference(question, compile_with("python"), compile_file)


class Run(NamedTuple):
    """The figures of a run, and the case at which the next one begins."""

    tally: Tally
    next_case: int


def run(job: Job, *, triples: int, seed: int = 0, start: int = 0, workers: int = 1, progress: Progress | None = None) -> Run:
    """Compare generated cases until there are that many triples.

    Args:
        start: the case to begin with; the same seed and start give the same cases, whatever the workers.
        progress: called with the figures and the next case, after each chunk.
    Cost: some tens of microseconds a triple.
    """
    tally = Tally()
    next_case = start
    with _executor(workers) as executor:
        waiting: deque[Future[Tally]] = deque()
        submitted = start
        while tally.triples < triples:
            while len(waiting) < workers * 2:
                waiting.append(executor.submit(run_chunk, job, seed, submitted))
                submitted += _CASES_OF_A_CHUNK
            tally.add(waiting.popleft().result())
            next_case += _CASES_OF_A_CHUNK
            if progress:
                progress(tally, next_case)
        for future in waiting:
            future.cancel()
    return Run(tally, next_case)


def run_chunk(job: Job, seed: int, start: int) -> Tally:
    """Compare the cases of one chunk."""
    tally = Tally()
    for number in range(start, start + _CASES_OF_A_CHUNK):
        case = case_of(seed * _CASES_OF_A_SEED + number)
        tally.add(job.compare(case, f"seed {seed}, case {number}"))
    return tally


class _InThisProcess(Executor):
    """Does the work when it is submitted: a run with one worker needs no other process."""

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def,override]  # noqa: ANN001, ANN002, ANN003, ANN202
        future: Future[Tally] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextmanager
def _executor(workers: int) -> Iterator[Executor]:
    if workers == 1:
        yield _InThisProcess()
        return
    # Spawned, so that a worker is the same on every platform, and no test's tracing follows into it.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as executor:
        yield executor


def report(job: Job, disagreements: list[Disagreement], *, most: int = 5) -> str:
    """Describe disagreements, the first ones shrunk and written as conformance cases."""
    parts = []
    for disagreement in disagreements[:most]:
        question = disagreement.question
        if disagreement.whole:
            parts.append(f"{disagreement}\nonly with the whole case: {question!r}")
            continue
        small = shrunk(question, lambda candidate: job.difference(candidate) is not None)
        found = job.difference(small) or disagreement.difference
        lines = [str(disagreement), f"shrunk: {found.field}: ours {found.ours!r}, theirs {found.theirs!r}"]
        parts.append("\n".join([*lines, right_case(job, small)]))
    rest = len(disagreements) - most
    return "\n\n".join(parts) + (f"\n\nand {rest} more" if rest > 0 else "")


def right_case(job: Job, question: Question) -> str:
    """Write the question with the answer of the one who is right: Google's parser, or the Python engine."""
    octets, profile, tokens, star_applies, url = question
    if job.against == "google":
        found = job.difference(question)
        theirs = found.theirs if found else (True, 0)
        assert isinstance(theirs, tuple)
        return conformance_case(question, theirs[0], theirs[1], "google/robotstxt, robots.cc")
    try:
        answer = compile_with("python")(octets, profile).bind(tokens, star_applies, None, None).decide(url)
    except ValueError as error:
        return f"# the Python engine raises {error!r}\n{conformance_case(question, True, 0, '')}"
    allowed, _, rule, _ = answer
    return conformance_case(question, allowed, rule[2] if rule else 0, "RFC 9309")
