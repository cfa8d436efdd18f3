"""Compare canfetch with Google's parser, and its engines with each other, on generated or real files.

    python tools/differential.py --triples 1e8 --workers 2            generated files against Google's parser
    python tools/differential.py --against python                     the native engine against the Python engine
    python tools/differential.py --corpus FOLDER                      real files, against both

A triple is a file, an agent and a URL, counted once for each profile. Runs with the same seed compare the same cases;
`--start` continues an earlier run. The last line is the summary. Exit codes: 0 no differences, 1 differences.
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

from tests.differential.oracles import PROFILES, missing_google
from tests.differential.reporting import report
from tests.differential.runner import Job, Run, run, run_files
from tests.differential.tally import Tally

from canfetch.core.engines import native_module

SECONDS_BETWEEN_REPORTS = 10


class Clock:
    """Prints progress to standard error every few seconds."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self.position = 0
        self._begun = self._reported = time.monotonic()

    @property
    def seconds(self) -> float:
        """The seconds since the start of the run."""
        return time.monotonic() - self._begun

    def __call__(self, tally: Tally, position: int) -> None:
        """Record the progress of a run."""
        self.position = position
        if time.monotonic() - self._reported >= SECONDS_BETWEEN_REPORTS:
            self._reported = time.monotonic()
            rate = tally.triples / self.seconds
            print(f"{tally.summary()} per_second={rate:,.0f} {self._unit}={position}", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = parse(arguments)
    failed = False
    for job in select_jobs(options):
        clock = Clock("files" if options.corpus else "next_case")
        try:
            done = compare(options, job, clock)
        except KeyboardInterrupt:
            print(f"interrupted; continue with --seed {options.seed} --start {clock.position}", file=sys.stderr)
            return 130
        position = (
            f"folder={options.corpus}"
            if options.corpus
            else f"seed={options.seed} cases={options.start}..{done.next_case}"
        )
        print(
            f"differential: engine={job.engine} against={job.against} profiles={','.join(job.profiles)} "
            f"{done.tally.summary()} seconds={clock.seconds:.0f} {position}",
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


def select_jobs(options: argparse.Namespace) -> list[Job]:
    """Return the jobs for the options: for real files, both comparisons."""
    google = Job("google", options.engine, options.profiles or ("google",))
    python = Job("python", "native", options.profiles or PROFILES)
    if options.against:
        return [google if options.against == "google" else python]
    return [google, python] if options.corpus and options.engine == "native" else [google]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Parse the command line, and reject options that are not supported here."""
    built = native_module() is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--against",
        choices=("google", "python"),
        help="reference [default: google; for a corpus, both]",
    )
    parser.add_argument("--engine", choices=("native", "python"), default="native" if built else "python")
    parser.add_argument("--profiles", type=profiles, help="comma-separated [default: google; against python, all]")
    parser.add_argument("--triples", type=float, default=1e6, help="stop after this many triples [default: 1e6]")
    parser.add_argument("--workers", type=int, default=1, help="number of processes [default: 1]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the generated cases [default: 0]")
    parser.add_argument("--start", type=int, default=0, help="first case [default: 0]")
    parser.add_argument("--corpus", metavar="FOLDER", nargs="?", const="", help="real files [default: CANFETCH_CORPUS]")
    parser.add_argument("--agents", type=int, default=12, help="agents per real file, plus four others [default: 12]")
    parser.add_argument("--urls", type=int, default=60, help="URLs per real file, made from its rules [default: 60]")
    options = parser.parse_args(arguments)
    if options.corpus is not None:
        folder = options.corpus or os.environ.get("CANFETCH_CORPUS", "")
        if not folder:
            parser.error("missing folder for --corpus: pass one or set CANFETCH_CORPUS")
        if not any(path.is_file() for path in Path(folder).rglob("*")):
            parser.error(f"invalid --corpus {folder}: expected a folder of robots.txt files")
        options.corpus = Path(folder)
    if options.workers < 1:
        parser.error("invalid --workers: expected 1 or more")
    if not built and (options.engine == "native" or options.against == "python"):
        parser.error("the native engine is not installed: use --engine python --against google")
    if options.against != "python":
        if missing_google():
            parser.error(f"{missing_google()}; pip install jwm.robotstxt")
        if set(options.profiles or ()) - {"google", "googlebot"}:
            parser.error("Google's parser supports only google and googlebot: use --against python for others")
    return options


def profiles(text: str) -> tuple[str, ...]:
    """Parse a list of profiles."""
    names = tuple(text.split(","))
    unknown = [name for name in names if name not in PROFILES]
    if unknown:
        raise argparse.ArgumentTypeError(unknown_choice("profile", unknown[0], PROFILES))
    return names


if __name__ == "__main__":
    sys.exit(main())
