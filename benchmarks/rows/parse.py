"""Parsing alone, and parsing with one decision: what a crawler does once for each site."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from benchmarks import inputs
from benchmarks.bench import Bench
from benchmarks.contenders import Contender
from benchmarks.inputs import AGENT, RobotsFile

SECTION_PARSE = "Parse"
SECTION_ONE_SHOT = "Parse and one decision"

Work = Callable[[], object]


def real(bench: Bench) -> tuple[list[RobotsFile], str]:
    """Give the real files, or what stands in for them, and a short name of either."""
    files, said = inputs.real_files()
    line = f"Files of the usual sizes: {said}."
    if line not in bench.report.header:
        bench.report.header.append(line)
    kind = "real" if "real files of" in said else "generated"
    files = files[:: bench.every]
    return files, f"{len(files):,} {kind} files, a file"


def parsing(files: list[RobotsFile]) -> Callable[[Contender], Work | None]:
    """Make a contender's work: to parse all the files."""

    def make(chosen: Contender) -> Work | None:
        parse = chosen.parse
        if parse is None:
            return None
        documents = [chosen.document(file) for file in files]

        def run() -> None:
            for document in documents:
                parse(document)

        return run

    return make


def asking_once(files: list[RobotsFile], urls: list[str]) -> Callable[[Contender], Work]:
    """Make a contender's work: to parse each file and ask one URL of it."""

    def make(chosen: Contender) -> Work:
        one_shot = chosen.one_shot
        pairs = [
            (chosen.document(file), chosen.question(url))
            for file, url in zip(itertools.cycle(files), urls, strict=False)
        ]

        def run() -> None:
            for document, question in pairs:
                one_shot(document, AGENT, question)

        return run

    return make


def parse_rows(bench: Bench) -> None:
    """Parse the real files, and generated ones of four sizes."""
    files, name = real(bench)
    bench.say(f"parse: {name}")
    outcome = bench.race(parsing(files), operations=len(files), seconds=16, source="real")
    targets = {"native": {"protego": 100.0}, "python": {"protego": 2.0}}
    bench.rows(SECTION_PARSE, name, outcome, targets)
    for size, size_octets in inputs.SIZES.items():
        if bench.tiny and size_octets > 5_000:
            continue
        bench.say(f"parse: {size}")
        file = inputs.generate(size_octets)
        copies = max(1, min(100, 50_000 // size_octets))
        source = size if size_octets > 50_000 else ""
        outcome = bench.race(parsing([file] * copies), operations=copies, seconds=6, source=source)
        wanted = {"native": {"fastrobots": 2.0}} if size_octets >= 5_000 else {}
        bench.rows(SECTION_PARSE, f"generated, {size}", outcome, wanted)


def one_shot_rows(bench: Bench) -> None:
    """Parse and ask one URL: of the real files, and of generated ones."""
    files, name = real(bench)
    bench.say(f"parse and one decision: {name}")
    urls = [inputs.question(file) for file in files]
    outcome = bench.race(asking_once(files, urls), operations=len(files), seconds=16, source="real")
    bench.rows(SECTION_ONE_SHOT, name, outcome, {"native": {"jwm": 15.0}})
    for size, size_octets in inputs.SIZES.items():
        if bench.tiny and size_octets > 5_000:
            continue
        bench.say(f"parse and one decision: {size}")
        file = inputs.generate(size_octets)
        asked = inputs.urls(file, max(2, min(50, 100_000 // size_octets)))
        source = size if size_octets > 50_000 else ""
        outcome = bench.race(asking_once([file], asked), operations=len(asked), seconds=6, source=source)
        wanted = {"native": {"fast-robotstxt": 2.5}} if size_octets >= 5_000 else {}
        bench.rows(SECTION_ONE_SHOT, f"generated, {size}", outcome, wanted)
