"""Decisions with a parsed file and a bound agent."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from benchmarks import inputs, timing
from benchmarks.bench import Bench
from benchmarks.contenders import Contender, Parsed
from benchmarks.inputs import AGENT, RobotsFile
from benchmarks.table import format_duration, format_ratio
from benchmarks.timing import Task

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
    targets = {"native": {"fastrobots": 3.0, "protego": 30.0}, "python": {"protego": 2.0}}
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
            _threads(bench, rules, urls)


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


def _threads(bench: Bench, rules: Parsed, urls: list[str]) -> None:
    batch = urls * ((TINY_BATCH if bench.tiny else BATCH) // len(urls))
    allows_many = rules.allows_many
    with ThreadPoolExecutor(2) as pool:

        def one_thread() -> None:
            allows_many(batch)
            allows_many(batch)

        def two_threads() -> None:
            list(pool.map(allows_many, (batch, batch)))

        tasks = [Task("one", one_thread, 2 * len(batch)), Task("two", two_threads, 2 * len(batch))]
        race = timing.race(tasks, 6 * bench.scale, min_rounds=bench.min_rounds, wall=True)
    speedup = timing.ratio(race["two"], race["one"])
    row = bench.figure(
        SECTION,
        "allows_many(urls) on two threads, against one",
        "native",
        text=format_duration(race["two"].median),
        value=speedup,
        at_least=(1.5, "1.5x"),
        detail={"one": race["one"].median, "two": race["two"].median},
    )
    row.score = format_ratio(speedup)
