"""Deciding, once a file is parsed and the agent bound: what a crawler does for each URL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from benchmarks import inputs, timing
from benchmarks.bench import Bench
from benchmarks.contenders import Contender, Parsed
from benchmarks.inputs import AGENT, RobotsFile
from benchmarks.table import duration, times
from benchmarks.timing import Task

SECTION = "Decide, file parsed"
BATCH = 200_000
TINY_BATCH = 2_000


def sweeping(
    file: RobotsFile, urls: list[str], *, parsed_alone: bool = False
) -> Callable[[Contender], Callable[[], None] | None]:
    """Make a contender's work: to ask all URLs of the parsed file, one call each.

    `parsed_alone` leaves out who reads the text again for each question.
    """

    def make(chosen: Contender) -> Callable[[], None] | None:
        if parsed_alone and chosen.parse is None:
            return None
        return chosen.sweep(chosen.parsed(file), AGENT, [chosen.question(url) for url in urls])

    return make


def decide_rows(bench: Bench) -> None:
    """`rules.allows(url)` with about 100 rules, beside everyone."""
    file = inputs.generate(inputs.SIZES["5 KB"])
    urls = inputs.urls(file, 100 if bench.tiny else 1000)
    rules = len(file.star_patterns)
    bench.say(f"rules.allows(url), {rules} rules")
    outcome = bench.race(sweeping(file, urls), operations=len(urls), seconds=16)
    targets = {"native": {"fastrobots": 3.0, "protego": 30.0}, "python": {"protego": 2.0}}
    bench.rows(SECTION, f"rules.allows(url), {rules} rules", outcome, targets)


def named_agent_rows(bench: Bench) -> None:
    """`robots.allows(url, agent=)` less `rules.allows(url)`: what naming the agent in each call costs."""
    file = inputs.generate(inputs.SIZES["5 KB"])
    urls = inputs.urls(file, 100 if bench.tiny else 1000)
    for engine, chosen in bench.engines.items():
        bench.say(f"robots.allows(url, agent=), {engine}")
        robots = chosen.parsed(file)
        tasks = [
            Task("bound", chosen.sweep(robots, AGENT, urls), len(urls)),
            Task("named", _naming(robots, urls), len(urls)),
        ]
        race = timing.race(tasks, 4 * bench.scale, least=bench.least)
        more = timing.difference(race["bound"], race["named"])
        bench.figure(
            SECTION,
            "robots.allows(url, agent=), more than rules.allows",
            engine,
            text=duration(more),
            value=more,
            at_most=(100.0, "100 ns more") if engine == "native" else None,
            detail={"bound": race["bound"].median, "named": race["named"].median},
        )


def _naming(robots: Parsed, urls: list[str]) -> Callable[[], None]:
    allows = robots.allows

    def run() -> None:
        for url in urls:
            allows(url, agent=AGENT)

    return run


def many_rules_rows(bench: Bench) -> None:
    """2,000 rules beside 100: the same number of URLs, half of which each file covers."""
    files = [inputs.star_file(rules) for rules in (100, 200 if bench.tiny else 2000)]
    asked = [inputs.urls(file, 100 if bench.tiny else 1000) for file in files]
    bench.say("2,000 rules instead of 100")
    races = [
        bench.race(sweeping(file, urls, parsed_alone=True), operations=len(urls), seconds=6)
        for file, urls in zip(files, asked, strict=True)
    ]
    bench.rows(SECTION, "rules.allows(url), 2,000 rules", races[1], {})
    # The target is about two sizes of one engine, so these two are raced against each other.
    for engine, chosen in bench.engines.items():
        tasks = [
            Task(file.name, chosen.sweep(chosen.parsed(file), AGENT, urls), len(urls))
            for file, urls in zip(files, asked, strict=True)
        ]
        race = timing.race(tasks, 4 * bench.scale, least=bench.least)
        growth = timing.ratio(race[files[0].name], race[files[1].name])
        peers = {
            key: times(races[1][0][key].median / races[0][0][key].median)
            for key in bench.peers
            if key in races[0][0] and key in races[1][0]
        }
        bench.figure(
            SECTION,
            "2,000 rules instead of 100",
            engine,
            text=times(growth),
            value=growth,
            at_most=(2.0, "under 2x") if engine == "native" else None,
            peers=peers,
            detail={name: track.median for name, track in race.items()},
        )


def batch_rows(bench: Bench) -> None:
    """`allows_many` beside a loop over `allows`, and on two threads beside one."""
    file = inputs.generate(inputs.SIZES["5 KB"])
    urls = inputs.urls(file, 100 if bench.tiny else 1000)
    for engine, chosen in bench.engines.items():
        rules = chosen.parsed(file).rules_for(AGENT)
        bench.say(f"allows_many, {engine}")
        _batch(bench, engine, chosen.sweep(chosen.parsed(file), AGENT, urls), rules, urls)
        if engine == "native":
            _threads(bench, rules, urls)


def _batch(bench: Bench, engine: str, loop: Callable[[], None], rules: Parsed, urls: list[str]) -> None:
    allows_many = rules.allows_many
    tasks = [Task("loop", loop, len(urls)), Task("many", lambda: allows_many(urls), len(urls))]
    race = timing.race(tasks, 4 * bench.scale, least=bench.least)
    faster = timing.ratio(race["many"], race["loop"])
    row = bench.figure(
        SECTION,
        "allows_many(urls), a URL, beside allows in a loop",
        engine,
        text=duration(race["many"].median),
        value=faster,
        at_least=(1.0, "no slower") if engine == "native" else None,
        detail={"loop": race["loop"].median, "many": race["many"].median},
    )
    row.score = times(faster)


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
        race = timing.race(tasks, 6 * bench.scale, least=bench.least, wall=True)
    faster = timing.ratio(race["two"], race["one"])
    row = bench.figure(
        SECTION,
        "allows_many(urls) on two threads, beside one",
        "native",
        text=duration(race["two"].median),
        value=faster,
        at_least=(1.5, "1.5x"),
        detail={"one": race["one"].median, "two": race["two"].median},
    )
    row.score = times(faster)
