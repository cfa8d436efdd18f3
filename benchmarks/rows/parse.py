"""Parsing, and parsing with one decision."""

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


def load_files(bench: Bench) -> tuple[list[RobotsFile], str]:
    """Return the real files, or generated ones, and their description."""
    files, description = inputs.real_files()
    line = f"Input: {description}."
    if line not in bench.report.header:
        bench.report.header.append(line)
    kind = "real" if "real files of" in description else "generated"
    files = files[:: bench.file_step]
    return files, f"{len(files):,} {kind} files, per file"


def make_parse(files: list[RobotsFile]) -> Callable[[Contender], Work | None]:
    """Return the work of a contender: parsing all files."""

    def make(contender: Contender) -> Work | None:
        parse = contender.parse
        if parse is None:
            return None
        documents = [contender.prepare_file(file) for file in files]

        def run() -> None:
            for document in documents:
                parse(document)

        return run

    return make


def make_parse_and_check(files: list[RobotsFile], urls: list[str]) -> Callable[[Contender], Work]:
    """Return the work of a contender: parsing each file and checking one URL."""

    def make(contender: Contender) -> Work:
        parse_and_check = contender.parse_and_check
        pairs = [
            (contender.prepare_file(file), contender.prepare_url(url))
            for file, url in zip(itertools.cycle(files), urls, strict=False)
        ]

        def run() -> None:
            for document, url in pairs:
                parse_and_check(document, AGENT, url)

        return run

    return make


def parse_rows(bench: Bench) -> None:
    """Measure parsing of the real files and of generated files."""
    files, name = load_files(bench)
    bench.log(f"parse: {name}")
    outcome = bench.race(make_parse(files), operations=len(files), seconds=16, source="real")
    targets = {"native": {"protego": 100.0}, "python": {"protego": 1.0}}
    bench.rows(SECTION_PARSE, name, outcome, targets)
    for size, size_bytes in inputs.SIZES.items():
        if bench.tiny and size_bytes > 5_000:
            continue
        bench.log(f"parse: {size}")
        file = inputs.generate(size_bytes)
        copies = max(1, min(100, 50_000 // size_bytes))
        source = size if size_bytes > 50_000 else ""
        outcome = bench.race(make_parse([file] * copies), operations=copies, seconds=6, source=source)
        targets = {"native": {"fastrobots": 2.0}} if size_bytes >= 5_000 else {}
        bench.rows(SECTION_PARSE, f"generated, {size}", outcome, targets)


def one_shot_rows(bench: Bench) -> None:
    """Measure parsing with one decision, for the real files and for generated files."""
    files, name = load_files(bench)
    bench.log(f"parse and one decision: {name}")
    urls = [inputs.sample_url(file) for file in files]
    outcome = bench.race(make_parse_and_check(files, urls), operations=len(files), seconds=16, source="real")
    bench.rows(SECTION_ONE_SHOT, name, outcome, {"native": {"jwm": 15.0}})
    for size, size_bytes in inputs.SIZES.items():
        if bench.tiny and size_bytes > 5_000:
            continue
        bench.log(f"parse and one decision: {size}")
        file = inputs.generate(size_bytes)
        urls = inputs.urls(file, max(2, min(50, 100_000 // size_bytes)))
        source = size if size_bytes > 50_000 else ""
        outcome = bench.race(make_parse_and_check([file], urls), operations=len(urls), seconds=6, source=source)
        targets = {"native": {"fast-robotstxt": 2.5}} if size_bytes >= 5_000 else {}
        bench.rows(SECTION_ONE_SHOT, f"generated, {size}", outcome, targets)
