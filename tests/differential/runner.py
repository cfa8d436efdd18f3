"""Runs over many cases in several processes, which can go on where an earlier one stopped."""

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from tests.differential.against_google import compare_with_google, google_difference
from tests.differential.corpus import case_of_file, files_in
from tests.differential.engine_against_engine import compare_engines, engine_difference
from tests.differential.generator import Case, case_of
from tests.differential.oracles import compile_with, google
from tests.differential.tally import Difference, Question, Tally

_CASES_OF_A_CHUNK: Final = 32
_FILES_OF_A_CHUNK: Final = 4
# Runs of different seeds share no case.
_CASES_OF_A_SEED: Final = 2**40

Progress = Callable[[Tally, int], None]


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
        for profile in self.profiles:
            if self.against == "google":
                tally.add(compare_with_google(case, origin, profile, compile_file, google()))
            else:
                tally.add(compare_engines(case, origin, profile, compile_with("python"), compile_file))
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


def run(
    job: Job, *, triples: float, seed: int = 0, start: int = 0, workers: int = 1, progress: Progress | None = None
) -> Run:
    """Compare generated cases until there are that many triples.

    Args:
        start: the case to begin with; the same seed and start give the same cases, whatever the workers.
        progress: called with the figures and the next case, after each chunk.
    Cost: some tens of microseconds a triple.
    """
    tally = Tally()
    next_case = start
    chunks = (partial(run_chunk, job, seed, first) for first in count(start, _CASES_OF_A_CHUNK))
    for chunk in done_in_order(chunks, workers):
        tally.add(chunk)
        next_case += _CASES_OF_A_CHUNK
        if progress:
            progress(tally, next_case)
        if tally.triples >= triples:
            break
    return Run(tally, next_case)


def run_chunk(job: Job, seed: int, start: int) -> Tally:
    """Compare the cases of one chunk."""
    tally = Tally()
    for number in range(start, start + _CASES_OF_A_CHUNK):
        case = case_of(seed * _CASES_OF_A_SEED + number)
        tally.add(job.compare(case, f"seed {seed}, case {number}"))
    return tally


def run_files(
    job: Job, folder: Path, *, agents: int, urls: int, workers: int = 1, progress: Progress | None = None
) -> Run:
    """Compare real files, whole.

    Args:
        agents: how many that a file names are asked for, besides some others.
        urls: how many URLs are made from a file's rules.
        progress: called with the figures and the number of files done, after each chunk.
    """
    files = files_in(folder)
    tally = Tally()
    done = 0
    starts = range(0, len(files), _FILES_OF_A_CHUNK)
    chunks = (partial(run_files_chunk, job, files[first : first + _FILES_OF_A_CHUNK], agents, urls) for first in starts)
    for chunk in done_in_order(chunks, workers):
        tally.add(chunk)
        done = min(done + _FILES_OF_A_CHUNK, len(files))
        if progress:
            progress(tally, done)
    return Run(tally, done)


def run_files_chunk(job: Job, files: list[Path], agents: int, urls: int) -> Tally:
    """Compare some real files."""
    tally = Tally()
    for path in files:
        tally.add(job.compare(case_of_file(path, agents=agents, urls=urls), path.name))
    return tally


def done_in_order(tasks: Iterable[Callable[[], Tally]], workers: int) -> Iterator[Tally]:
    """Yield what tasks give, in their order; only a few are under way at a time, so they may be without end."""
    if workers == 1:
        for task in tasks:
            yield task()
        return
    remaining = iter(tasks)
    # Spawned, so that a worker is the same on every platform, and no test's tracing follows into it.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as executor:
        waiting: deque[Future[Tally]] = deque()
        try:
            for task in remaining:
                waiting.append(executor.submit(task))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
