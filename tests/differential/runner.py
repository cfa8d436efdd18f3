"""Runs over many cases, in several processes. A run can continue an earlier one."""

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from tests.differential.against_google import compare_with_google, google_difference
from tests.differential.corpus import case_from_file, list_files
from tests.differential.engine_against_engine import compare_engines, engine_difference
from tests.differential.generator import Case, generate_case
from tests.differential.oracles import compile_with, google
from tests.differential.tally import Difference, Question, Tally

_CASES_OF_A_CHUNK: Final = 32
_FILES_OF_A_CHUNK: Final = 4
# Runs with different seeds have no common case.
_CASES_OF_A_SEED: Final = 2**40

Progress = Callable[[Tally, int], None]


class Job(NamedTuple):
    """The parsers and profiles to compare.

    Attributes:
        against: `google` for Google's parser, `python` for the Python engine.
        engine: the engine to compare with it.
        profiles: the profiles for each case.
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
        """Compare one question; None if both agree."""
        compile_file = compile_with(self.engine)
        if self.against == "google":
            return google_difference(question, compile_file, google())
        return engine_difference(question, compile_with("python"), compile_file)


class Run(NamedTuple):
    """The counts of a run, and the first case of the next one."""

    tally: Tally
    next_case: int


def run(
    job: Job, *, triples: float, seed: int = 0, start: int = 0, workers: int = 1, progress: Progress | None = None
) -> Run:
    """Compare generated cases until the number of triples is reached.

    Args:
        start: the first case. The cases depend only on seed and start, not on the number of workers.
        progress: called with the counts and the next case after each chunk.
    Cost: some tens of microseconds a triple.
    """
    tally = Tally()
    next_case = start
    chunks = (partial(run_chunk, job, seed, first) for first in count(start, _CASES_OF_A_CHUNK))
    for chunk in results_in_order(chunks, workers):
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
        case = generate_case(seed * _CASES_OF_A_SEED + number)
        tally.add(job.compare(case, f"seed {seed}, case {number}"))
    return tally


def run_files(
    job: Job, folder: Path, *, agents: int, urls: int, workers: int = 1, progress: Progress | None = None
) -> Run:
    """Compare real files, without a size limit.

    Args:
        agents: the number of agents from each file, besides a few others.
        urls: the number of URLs made from the rules of each file.
        progress: called with the counts and the number of files after each chunk.
    """
    files = list_files(folder)
    tally = Tally()
    done = 0
    starts = range(0, len(files), _FILES_OF_A_CHUNK)
    chunks = (partial(run_files_chunk, job, files[first : first + _FILES_OF_A_CHUNK], agents, urls) for first in starts)
    for chunk in results_in_order(chunks, workers):
        tally.add(chunk)
        done = min(done + _FILES_OF_A_CHUNK, len(files))
        if progress:
            progress(tally, done)
    return Run(tally, done)


def run_files_chunk(job: Job, files: list[Path], agents: int, urls: int) -> Tally:
    """Compare some real files."""
    tally = Tally()
    for path in files:
        tally.add(job.compare(case_from_file(path, agents=agents, urls=urls), path.name))
    return tally


def results_in_order(tasks: Iterable[Callable[[], Tally]], workers: int) -> Iterator[Tally]:
    """Yield the results of tasks in order. Only a few run at a time, so the tasks may be infinite."""
    if workers == 1:
        for task in tasks:
            yield task()
        return
    remaining = iter(tasks)
    # Spawned, so that workers are the same on every platform and are not traced.
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
