"""Deciding from a warm cache: many origins whose robots.txt is known, and what one of them takes in memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

from benchmarks import child, inputs, peers, timing, warm
from benchmarks.bench import OURS, Bench
from benchmarks.table import digits, octets
from benchmarks.timing import Task

SECTION = "Decide from a warm cache"
MEMORY_SECTION = "Memory of a warm cache, by origin"
HOSTS = 100
URLS_OF_EACH = 20
LEAST_RULES = 3
RACE_SECONDS = 12.0
MEMORY_SECONDS = 120.0
ORIGINS = 100_000
LEAST = 5.0

Way = Callable[[warm.Warm], Callable[[Sequence[str]], warm.Sweep] | None]


def warm_rows(bench: Bench) -> None:
    """A decision by `Client` and by `AsyncClient`, beside the caches of crawlers and what stands in a dict by host."""
    keys = _keys(bench)
    ways: dict[str, Way] = {"Client.allows(url)": lambda cache: cache.sweep}
    ways["await AsyncClient.allows(url)"] = lambda cache: cache.sweep_async
    for size in ("300 B",) if bench.tiny else ("300 B", "5 KB"):
        files, urls = _asked(size, *((3, 5) if bench.tiny else (HOSTS, URLS_OF_EACH)))
        bench.say(f"warm caches: filling {len(keys)} with {len(files)} files of {size}")
        filled = {key: warm.fill_of(key)(files) for key in keys}
        for what, way in ways.items():
            bench.say(f"warm caches: {what}, {size}")
            _race(bench, f"{what}, {size}", filled, way, urls, beside=True)
        _race(bench, f"Client.decide(url), {size}", filled, lambda cache: cache.explain, urls, beside=False)


def _race(bench: Bench, what: str, filled: dict[str, warm.Warm], way: Way, urls: list[str], *, beside: bool) -> None:
    tasks = []
    refused = {}
    for key, cache in filled.items():
        sweep = way(cache)
        if sweep is None:
            refused[key] = "-"
        else:
            tasks.append(Task(key, sweep(urls), len(urls)))
    race = timing.race(tasks, RACE_SECONDS * bench.scale * (1 if beside else 0.3), least=bench.least)
    rivals = {key: LEAST for key in race if not key.startswith(OURS)}
    before = len(bench.report.rows)
    bench.rows(SECTION, what, (race, refused if beside else {}), {"native": rivals})
    for place, row in enumerate(bench.report.rows[before:], before):
        per_second = race[OURS + row.engine].median if OURS + row.engine in race else 0.0
        if per_second:
            bench.report.rows[place] = replace(row, figure=f"{row.figure}, {digits(1e9 / per_second / 1e3)}k a second")


def warm_memory_rows(bench: Bench) -> None:
    """What an origin takes, its file included: with a small file of its own, and with one that all share."""
    for shared, what in ((False, "300 B each, no two alike"), (True, "300 B, the same for all")):
        bench.say(f"warm caches: memory, {what}")
        found = {key: _weighed(bench, key, shared=shared) for key in _keys(bench)}
        cells = {
            key: outcome.reason or octets(outcome.values["octets"])
            for key, outcome in found.items()
            if not key.startswith(OURS)
        }
        for engine in bench.engines:
            outcome = found[OURS + engine]
            value = outcome.values.get("octets", float("inf"))
            text = outcome.reason or octets(value)
            bench.figure(MEMORY_SECTION, what, engine, text=text, value=value, peers=cells)
            cells = {}


def _weighed(bench: Bench, key: str, *, shared: bool) -> child.Outcome:
    count = 20 if bench.tiny else ORIGINS // (10 if bench.quick else 1)
    return child.run("warm_memory", {"key": key, "count": count, "shared": shared}, MEMORY_SECONDS)


def _keys(bench: Bench) -> list[str]:
    """Name everyone who has a cache here; a crawler that is absent is named in the report."""
    keys = [OURS + engine for engine in bench.engines]
    if not bench.peers:
        return keys
    keys += [key for key in ("protego", "stdlib") if key in bench.peers]
    outcomes = peers.prepare()
    titles = bench.report.titles
    for key, distribution in warm.CRAWLERS.items():
        try:
            warm.fill_of(key)({})
        except Exception as error:  # noqa: BLE001 - a peer that fails in any way is named, never fatal
            if key not in titles:
                titles[key] = f"{key} (absent)"
                reason = outcomes[distribution].reason or f"{type(error).__name__}: {error}".splitlines()[0]
                bench.report.header.append(f"NOT MEASURED: {distribution}: {reason}")
        else:
            titles[key] = warm.title_of(key)
            keys.append(key)
    return keys


def _asked(size: str, hosts: int, each: int) -> tuple[dict[str, bytes], list[str]]:
    """Make a file for each host, and URLs of all of them in turn, as a broad crawl asks."""
    files: dict[str, bytes] = {}
    by_host = []
    seeds = itertools.count()
    while len(files) < hosts:
        file = inputs.generate(inputs.SIZES[size], seed=next(seeds))
        if len(file.star_patterns) < LEAST_RULES:
            # All of it went to named crawlers: nothing there is asked.
            continue
        origin = f"https://www{len(files)}.example.com"
        files[origin] = file.octets
        asked = inputs.urls(file, each, seed=len(files))
        by_host.append([origin + url.removeprefix(inputs.ORIGIN) for url in asked])
    return files, [url for turn in zip(*by_host, strict=True) for url in turn]
