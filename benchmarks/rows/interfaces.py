"""The interfaces of other libraries, beside the originals, and what they add to canfetch's own."""

from __future__ import annotations

import urllib.robotparser
from collections.abc import Callable
from typing import Any

import canfetch
from benchmarks import inputs, timing
from benchmarks.bench import Bench
from benchmarks.inputs import AGENT, RobotsFile
from benchmarks.table import format_duration, format_ratio
from benchmarks.timing import Task
from canfetch.integrations.protego import Protego
from canfetch.integrations.robotparser import RobotFileParser

SECTION = "Interfaces of other libraries, 5 KB"
Run = Callable[[], None]


def interface_rows(bench: Bench) -> None:
    """Measure parsing and checking with each interface, with the default engine."""
    file = inputs.generate(inputs.SIZES["5 KB"])
    urls = inputs.urls(file, 100 if bench.tiny else 1000)
    robots = canfetch.parse(file.content)
    parse = Task("canfetch", lambda: canfetch.parse(file.text), 1)
    check = Task("canfetch", _checks(robots.rules_for(AGENT).allows, urls), len(urls))
    for name, peer, (parse_own, parse_peer), (check_own, check_peer) in (
        ("Protego", "protego", *_protego(file, urls)),
        ("RobotFileParser", "stdlib", *_robotparser(file, urls)),
    ):
        bench.log(f"interfaces: {name}")
        has_peer = peer in bench.peers
        _row(bench, f"{name}, parse", peer if has_peer else "", parse, (parse_own, parse_peer))
        _row(bench, f"{name}, check a URL", peer if has_peer else "", check, (check_own, check_peer))


def _row(bench: Bench, what: str, peer: str, direct: Task, runs: tuple[Run, Run | None]) -> None:
    own, original = runs
    tasks = [direct, Task("own", own, direct.operations)]
    if peer and original is not None:
        tasks.append(Task("original", original, direct.operations))
    race = timing.race(tasks, 3 * bench.scale, min_rounds=bench.min_rounds)
    overhead = timing.difference(race["canfetch"], race["own"])
    cells = {}
    if "original" in race:
        times = timing.ratio(race["own"], race["original"])
        cells[peer] = f"{format_duration(race['original'].median)}, {format_ratio(times)}"
    bench.figure(
        SECTION,
        what,
        canfetch.engine,
        text=f"{format_duration(race['own'].median)}, {format_duration(overhead)} above canfetch's own",
        value=race["own"].median,
        peers=cells,
    )


def _checks(allows: Callable[[str], object], urls: list[str]) -> Run:
    def run() -> None:
        for url in urls:
            allows(url)

    return run


def _calls(check: Callable[[str, str], object], pairs: list[tuple[str, str]]) -> Run:
    def run() -> None:
        for first, second in pairs:
            check(first, second)

    return run


def _protego(file: RobotsFile, urls: list[str]) -> tuple[tuple[Run, Run | None], tuple[Run, Run | None]]:
    pairs = [(url, AGENT) for url in urls]
    own = _calls(Protego.parse(file.text).can_fetch, pairs)
    try:
        from protego import Protego as Original
    except ImportError:
        return (lambda: _discard(Protego.parse(file.text)), None), (own, None)
    return (
        (lambda: _discard(Protego.parse(file.text)), lambda: _discard(Original.parse(file.text))),
        (own, _calls(Original.parse(file.text).can_fetch, pairs)),
    )


def _robotparser(file: RobotsFile, urls: list[str]) -> tuple[tuple[Run, Run], tuple[Run, Run]]:
    pairs = [(AGENT, url) for url in urls]
    lines = file.text.splitlines()

    def parsed(kind: Any) -> Any:
        parser = kind()
        parser.parse(lines)
        return parser

    original = urllib.robotparser.RobotFileParser
    return (
        (lambda: _discard(parsed(RobotFileParser)), lambda: _discard(parsed(original))),
        (_calls(parsed(RobotFileParser).can_fetch, pairs), _calls(parsed(original).can_fetch, pairs)),
    )


def _discard(_value: object) -> None:
    """Do nothing: the tasks of a race return nothing."""
