"""Compare canfetch with Google's parser, and its engines with each other, for as long as you like.

    python tools/differential.py --triples 1e8 --workers 2            generated files against Google's parser
    python tools/differential.py --against python                     the native engine against the Python engine
    python tools/differential.py --corpus FOLDER                      real files, against both

A triple is a file, an agent and a URL, counted once for each profile. Every run of one seed asks the same, case by
case; `--start` goes on where an earlier run stopped. The last line is the summary; exit 1: they disagree.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from canfetch.core.choices import unknown_choice

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.differential.oracles import PROFILES, why_no_google
from tests.differential.reporting import report
from tests.differential.runner import Job, Run, run, run_files
from tests.differential.tally import Tally

from canfetch.core.engines import native_module

SECONDS_BETWEEN_REPORTS = 10


class Clock:
    """Reports progress on standard error, now and then."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self.place = 0
        self._begun = self._reported = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self._begun

    def __call__(self, tally: Tally, place: int) -> None:
        """Note how far a run has come."""
        self.place = place
        if time.monotonic() - self._reported >= SECONDS_BETWEEN_REPORTS:
            self._reported = time.monotonic()
            rate = tally.triples / self.seconds
            print(f"{tally.summary()} per_second={rate:,.0f} {self._unit}={place}", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    options = parse(arguments)
    failed = False
    for job in jobs_of(options):
        clock = Clock("files" if options.corpus else "next_case")
        try:
            done = compare(options, job, clock)
        except KeyboardInterrupt:
            print(f"stopped; to go on: --seed {options.seed} --start {clock.place}", file=sys.stderr)
            return 130
        place = (
            f"folder={options.corpus}"
            if options.corpus
            else f"seed={options.seed} cases={options.start}..{done.next_case}"
        )
        print(
            f"differential: engine={job.engine} against={job.against} profiles={','.join(job.profiles)} "
            f"{done.tally.summary()} seconds={clock.seconds:.0f} {place}",
            flush=True,
        )
        if done.tally.disagreed:
            failed = True
            print(report(job, done.tally.disagreements))
    return int(failed)


def compare(options: argparse.Namespace, job: Job, progress: Callable[[Tally, int], None]) -> Run:
    """Run one job, over real files or generated ones."""
    if options.corpus:
        folder, agents, urls = options.corpus, options.agents, options.urls
        return run_files(job, folder, agents=agents, urls=urls, workers=options.workers, progress=progress)
    return run(
        job,
        triples=options.triples,
        seed=options.seed,
        start=options.start,
        workers=options.workers,
        progress=progress,
    )


def jobs_of(options: argparse.Namespace) -> list[Job]:
    """Give the comparisons asked for; over real files, both."""
    google = Job("google", options.engine, options.profiles or ("google",))
    python = Job("python", "native", options.profiles or PROFILES)
    if options.against:
        return [google if options.against == "google" else python]
    return [google, python] if options.corpus and options.engine == "native" else [google]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line, and refuse what cannot be done here."""
    built = native_module() is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--against", choices=("google", "python"), help="whom to compare with (google; both for a corpus)"
    )
    parser.add_argument("--engine", choices=("native", "python"), default="native" if built else "python")
    parser.add_argument("--profiles", type=profiles, help="separated by commas (google; all against python)")
    parser.add_argument("--triples", type=float, default=1e6, help="stop after so many (1e6)")
    parser.add_argument("--workers", type=int, default=1, help="processes (1)")
    parser.add_argument("--seed", type=int, default=0, help="which series of cases (0)")
    parser.add_argument("--start", type=int, default=0, help="first case of the series (0)")
    parser.add_argument("--corpus", metavar="FOLDER", nargs="?", const="", help="real files instead (CANFETCH_CORPUS)")
    parser.add_argument("--agents", type=int, default=12, help="agents of a real file, besides four others (12)")
    parser.add_argument("--urls", type=int, default=60, help="URLs made from a real file's rules (60)")
    options = parser.parse_args(arguments)
    if options.corpus is not None:
        folder = options.corpus or os.environ.get("CANFETCH_CORPUS", "")
        if not folder:
            parser.error("--corpus names no folder, and CANFETCH_CORPUS is not set")
        if not any(path.is_file() for path in Path(folder).rglob("*")):
            parser.error(f"{folder} is no folder with files; give one of robots.txt files")
        options.corpus = Path(folder)
    if options.workers < 1:
        parser.error("--workers must be 1 or more")
    if not built and (options.engine == "native" or options.against == "python"):
        parser.error("the native engine is not built; use --engine python, against google")
    if options.against != "python":
        if why_no_google():
            parser.error(f"{why_no_google()}; pip install jwm.robotstxt")
        if set(options.profiles or ()) - {"google", "googlebot"}:
            parser.error("Google's parser is the measure of google and googlebot alone; for others: --against python")
    return options


def profiles(text: str) -> tuple[str, ...]:
    """Read a list of profiles."""
    names = tuple(text.split(","))
    unknown = [name for name in names if name not in PROFILES]
    if unknown:
        raise argparse.ArgumentTypeError(unknown_choice("profile", unknown[0], PROFILES))
    return names


if __name__ == "__main__":
    sys.exit(main())
