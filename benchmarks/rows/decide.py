"""Decisions with a parsed file and a bound agent."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Self

from benchmarks import inputs, timing
from benchmarks.bench import Bench
from benchmarks.contenders import Contender, Parsed, get_contender
from benchmarks.inputs import AGENT, RobotsFile
from benchmarks.table import format_duration, format_ratio
from benchmarks.timing import Race, Task

SECTION = "Decide, with the file parsed"
BATCH = 200_000
TINY_BATCH = 2_000


def make_checks(
    file: RobotsFile, urls: list[str], *, parsed_only: bool = False
) -> Callable[[Contender], Callable[[], None] | None]:
    """Return the work of a contender: checking all URLs against the parsed file.

    `parsed_only` omits libraries that read the text again for every URL.
    """

    def make(contender: Contender) -> Callable[[], None] | None:
        if parsed_only and contender.parse is None:
            return None
        return contender.loop(contender.parse_file(file), AGENT, [contender.prepare_url(url) for url in urls])

    return make


def decide_rows(bench: Bench) -> None:
    """Measure `rules.allows(url)` with about 100 rules, for all contenders."""
    file = inputs.generate(inputs.SIZES["5 KB"])
    urls = inputs.urls(file, 100 if bench.tiny else 1000)
    rules = len(file.star_patterns)
    bench.log(f"rules.allows(url), {rules} rules")
    outcome = bench.race(make_checks(file, urls), operations=len(urls), seconds=16)
    targets = {"native": {"fastrobots": 3.0, "protego": 30.0}, "python": {"protego": 0.5}}
    bench.rows(SECTION, f"rules.allows(url), {rules} rules", outcome, targets)


def named_agent_rows(bench: Bench) -> None:
    """Measure `robots.allows(url, agent=)` minus `rules.allows(url)`: the cost of the `agent` argument."""
    file = inputs.generate(inputs.SIZES["5 KB"])
    urls = inputs.urls(file, 100 if bench.tiny else 1000)
    for engine, contender in bench.engines.items():
        bench.log(f"robots.allows(url, agent=), {engine}")
        robots = contender.parse_file(file)
        tasks = [
            Task("bound", contender.loop(robots, AGENT, urls), len(urls)),
            Task("named", _checks_with_agent(robots, urls), len(urls)),
        ]
        race = timing.race(tasks, 4 * bench.scale, min_rounds=bench.min_rounds)
        overhead = timing.difference(race["bound"], race["named"])
        bench.figure(
            SECTION,
            "robots.allows(url, agent=), above rules.allows",
            engine,
            text=format_duration(overhead),
            value=overhead,
            at_most=(100.0, "100 ns") if engine == "native" else None,
            detail={"bound": race["bound"].median, "named": race["named"].median},
        )


def verdict_rows(bench: Bench) -> None:
    """Measure `rules.decide(url)`, with all matching rules, against `rules.allows(url)`."""
    file = inputs.generate(inputs.SIZES["5 KB"])
    urls = inputs.urls(file, 100 if bench.tiny else 1000)
    rules = len(file.star_patterns)
    for engine, contender in bench.engines.items():
        bench.log(f"rules.decide(url), {engine}")
        robots = contender.parse_file(file)
        tasks = [
            Task("allows", contender.loop(robots, AGENT, urls), len(urls)),
            Task("decide", _verdicts(robots.rules_for(AGENT), urls), len(urls)),
        ]
        race = timing.race(tasks, 4 * bench.scale, min_rounds=bench.min_rounds)
        cost = timing.ratio(race["allows"], race["decide"])
        row = bench.figure(
            SECTION,
            f"rules.decide(url), {rules} rules, against rules.allows",
            engine,
            text=format_duration(race["decide"].median),
            value=cost,
            at_most=(8.0, "under 8x") if engine == "native" else None,
            detail={"allows": race["allows"].median, "decide": race["decide"].median},
        )
        row.score = format_ratio(cost)


def _verdicts(rules: Parsed, urls: list[str]) -> Callable[[], None]:
    decide = rules.decide

    def run() -> None:
        for url in urls:
            decide(url)

    return run


def _checks_with_agent(robots: Parsed, urls: list[str]) -> Callable[[], None]:
    allows = robots.allows

    def run() -> None:
        for url in urls:
            allows(url, agent=AGENT)

    return run


def many_rules_rows(bench: Bench) -> None:
    """Measure 2,000 rules against 100, with the same number of URLs, half of which match a rule."""
    files = [inputs.star_file(rules) for rules in (100, 200 if bench.tiny else 2000)]
    url_sets = [inputs.urls(file, 100 if bench.tiny else 1000) for file in files]
    bench.log("2,000 rules instead of 100")
    races = [
        bench.race(make_checks(file, urls, parsed_only=True), operations=len(urls), seconds=6)
        for file, urls in zip(files, url_sets, strict=True)
    ]
    bench.rows(SECTION, "rules.allows(url), 2,000 rules", races[1], {})
    # The target compares two sizes with one engine, so these two are measured in one race.
    for engine, contender in bench.engines.items():
        tasks = [
            Task(file.name, contender.loop(contender.parse_file(file), AGENT, urls), len(urls))
            for file, urls in zip(files, url_sets, strict=True)
        ]
        race = timing.race(tasks, 4 * bench.scale, min_rounds=bench.min_rounds)
        growth = timing.ratio(race[files[0].name], race[files[1].name])
        peers = {
            key: format_ratio(races[1][0][key].median / races[0][0][key].median)
            for key in bench.peers
            if key in races[0][0] and key in races[1][0]
        }
        bench.figure(
            SECTION,
            "2,000 rules, against 100",
            engine,
            text=format_ratio(growth),
            value=growth,
            at_most=(2.0, "under 2x") if engine == "native" else None,
            peers=peers,
            detail={name: track.median for name, track in race.items()},
        )


def batch_rows(bench: Bench) -> None:
    """Measure `allows_many` against a loop over `allows`, and with two threads against one."""
    file = inputs.generate(inputs.SIZES["5 KB"])
    urls = inputs.urls(file, 100 if bench.tiny else 1000)
    for engine, contender in bench.engines.items():
        rules = contender.parse_file(file).rules_for(AGENT)
        bench.log(f"allows_many, {engine}")
        _batch(bench, engine, contender.loop(contender.parse_file(file), AGENT, urls), rules, urls)
        if engine == "native":
            _parallel(bench, contender, file, urls)


def _batch(bench: Bench, engine: str, loop: Callable[[], None], rules: Parsed, urls: list[str]) -> None:
    allows_many = rules.allows_many
    tasks = [Task("loop", loop, len(urls)), Task("many", lambda: allows_many(urls), len(urls))]
    race = timing.race(tasks, 4 * bench.scale, min_rounds=bench.min_rounds)
    speedup = timing.ratio(race["many"], race["loop"])
    row = bench.figure(
        SECTION,
        "allows_many(urls) per URL, against a loop over allows",
        engine,
        text=format_duration(race["many"].median),
        value=speedup,
        at_least=(1.0, "no slower") if engine == "native" else None,
        detail={"loop": race["loop"].median, "many": race["many"].median},
    )
    row.score = format_ratio(speedup)


class Parallel:
    """`allows_many` on one and two threads, and in one and two processes: a context manager.

    Processes show what the machine can do: two virtual processors may share one core.
    """

    def __init__(self, contender: Contender, file: RobotsFile, urls: list[str], *, tiny: bool) -> None:
        self._allows_many = contender.parse_file(file).rules_for(AGENT).allows_many
        self._batch = urls * ((TINY_BATCH if tiny else BATCH) // len(urls))
        self._threads = ThreadPoolExecutor(2)
        arguments = contender.key, file, self._batch
        self._processes = ProcessPoolExecutor(2, get_context("spawn"), _load_batch, arguments)

    def __enter__(self) -> Self:
        # Starts both processes.
        list(self._processes.map(_answer_batch, range(8)))
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown()
        self._processes.shutdown()

    def race(self, seconds: float, *, min_rounds: int) -> Race:
        """Measure the same work in all four ways."""
        one_batch = self._processes.submit
        works: dict[str, Callable[[], object]] = {
            "one thread": lambda: [self._threads.submit(self._allows_many, self._batch).result() for _ in range(2)],
            "two threads": lambda: list(self._threads.map(self._allows_many, (self._batch, self._batch))),
            "one process": lambda: [one_batch(_answer_batch, 0).result() for _ in range(2)],
            "two processes": lambda: list(self._processes.map(_answer_batch, range(2))),
        }
        tasks = [Task(name, work, 2 * len(self._batch)) for name, work in works.items()]
        return timing.race(tasks, seconds, min_rounds=min_rounds, wall=True)


_batch_of_process: tuple[Callable[[list[str]], list[bool]], list[str]]


def _load_batch(key: str, file: RobotsFile, batch: list[str]) -> None:
    global _batch_of_process
    _batch_of_process = get_contender(key).parse_file(file).rules_for(AGENT).allows_many, batch


def _answer_batch(_: int) -> None:
    allows_many, batch = _batch_of_process
    allows_many(batch)


def _parallel(bench: Bench, contender: Contender, file: RobotsFile, urls: list[str]) -> None:
    with Parallel(contender, file, urls, tiny=bench.tiny) as parallel:
        race = parallel.race(12 * bench.scale, min_rounds=bench.min_rounds)
    for kind, plural in (("thread", "threads"), ("process", "processes")):
        one, two = race[f"one {kind}"], race[f"two {plural}"]
        speedup = timing.ratio(two, one)
        row = bench.figure(
            SECTION,
            f"allows_many(urls) {'on' if kind == 'thread' else 'in'} two {plural}, against one",
            "native",
            text=format_duration(two.median),
            value=speedup,
            at_least=(1.5, "1.5x") if kind == "thread" else None,
            detail={"one": one.median, "two": two.median},
        )
        row.score = format_ratio(speedup)
