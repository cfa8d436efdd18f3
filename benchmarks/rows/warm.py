"""Decisions from a cache of many origins, and the memory of one origin."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

from benchmarks import child, inputs, peers, timing, warm
from benchmarks.bench import CANFETCH_PREFIX, Bench
from benchmarks.table import format_bytes, format_number
from benchmarks.timing import Task

SECTION = "Decide from a warm cache"
MEMORY_SECTION = "Memory of a warm cache, per origin"
HOSTS = 100
URLS_OF_EACH = 20
MIN_RULES = 3
RACE_SECONDS = 12.0
MEMORY_SECONDS = 120.0
ORIGINS = 100_000
TARGET_RATIO = 5.0

GetLoop = Callable[[warm.WarmCache], Callable[[Sequence[str]], warm.Loop] | None]


def warm_rows(bench: Bench) -> None:
    """Measure decisions of the clients, of the caches of crawlers, and of other libraries in a dict by host."""
    keys = _keys(bench)
    interfaces: dict[str, GetLoop] = {"Client.allows(url)": lambda cache: cache.loop}
    interfaces["await AsyncClient.allows(url)"] = lambda cache: cache.async_loop
    for size in ("300 B",) if bench.tiny else ("300 B", "5 KB"):
        files, urls = make_inputs(size, *((3, 5) if bench.tiny else (HOSTS, URLS_OF_EACH)))
        bench.log(f"warm caches: filling {len(keys)} with {len(files)} files of {size}")
        caches = {key: warm.get_filler(key)(files) for key in keys}
        for what, get_loop in interfaces.items():
            bench.log(f"warm caches: {what}, {size}")
            _race(bench, f"{what}, {size}", caches, get_loop, urls, with_peers=True)
        _race(bench, f"Client.decide(url), {size}", caches, lambda cache: cache.decide_loop, urls, with_peers=False)


def _race(
    bench: Bench, what: str, caches: dict[str, warm.WarmCache], get_loop: GetLoop, urls: list[str], *, with_peers: bool
) -> None:
    tasks = []
    absent = {}
    for key, cache in caches.items():
        loop = get_loop(cache)
        if loop is None:
            absent[key] = "-"
        else:
            tasks.append(Task(key, loop(urls), len(urls)))
    race = timing.race(tasks, RACE_SECONDS * bench.scale * (1 if with_peers else 0.3), min_rounds=bench.min_rounds)
    rivals = {key: TARGET_RATIO for key in race if not key.startswith(CANFETCH_PREFIX)}
    before = len(bench.report.rows)
    bench.rows(SECTION, what, (race, absent if with_peers else {}), {"native": rivals})
    for index, row in enumerate(bench.report.rows[before:], before):
        nanoseconds = race[CANFETCH_PREFIX + row.engine].median if CANFETCH_PREFIX + row.engine in race else 0.0
        if nanoseconds:
            bench.report.rows[index] = replace(
                row, figure=f"{row.figure}, {format_number(1e9 / nanoseconds / 1e3)}k per second"
            )


def warm_memory_rows(bench: Bench) -> None:
    """Measure the memory per origin with its file, for different small files and for equal ones."""
    for shared, what in ((False, "300 B, all files different"), (True, "300 B, all files equal")):
        bench.log(f"warm caches: memory, {what}")
        found = {key: _measure_memory(bench, key, shared=shared) for key in _keys(bench)}
        cells = {
            key: outcome.reason or format_bytes(outcome.values["bytes"])
            for key, outcome in found.items()
            if not key.startswith(CANFETCH_PREFIX)
        }
        for engine in bench.engines:
            outcome = found[CANFETCH_PREFIX + engine]
            value = outcome.values.get("bytes", float("inf"))
            text = outcome.reason or format_bytes(value)
            bench.figure(MEMORY_SECTION, what, engine, text=text, value=value, peers=cells)
            cells = {}


def _measure_memory(bench: Bench, key: str, *, shared: bool) -> child.Outcome:
    count = 20 if bench.tiny else ORIGINS // (10 if bench.quick else 1)
    return child.run("warm_memory", {"key": key, "count": count, "shared": shared}, MEMORY_SECONDS)


def _keys(bench: Bench) -> list[str]:
    """Return the keys of all available caches. Missing crawlers are listed in the report."""
    keys = [CANFETCH_PREFIX + engine for engine in bench.engines]
    if not bench.peers:
        return keys
    keys += [key for key in ("protego", "stdlib") if key in bench.peers]
    outcomes = peers.prepare()
    titles = bench.report.titles
    for key, distribution in warm.CRAWLERS.items():
        try:
            warm.get_filler(key)({})
        except Exception as error:  # noqa: BLE001 - a peer that fails is listed in the report
            if key not in titles:
                titles[key] = f"{key} (absent)"
                reason = outcomes[distribution].reason or f"{type(error).__name__}: {error}".splitlines()[0]
                bench.report.header.append(f"Not measured: {distribution}: {reason}")
        else:
            titles[key] = warm.get_title(key)
            keys.append(key)
    return keys


def make_inputs(size: str, hosts: int, each: int) -> tuple[dict[str, bytes], list[str]]:
    """Return a file for each host, and URLs of all hosts in turn, as in a broad crawl."""
    files: dict[str, bytes] = {}
    by_host = []
    seeds = itertools.count()
    while len(files) < hosts:
        file = inputs.generate(inputs.SIZES[size], seed=next(seeds))
        if len(file.star_patterns) < MIN_RULES:
            # The file has no rules for `*`, or very few.
            continue
        origin = f"https://www{len(files)}.example.com"
        files[origin] = file.content
        host_urls = inputs.urls(file, each, seed=len(files))
        by_host.append([origin + url.removeprefix(inputs.ORIGIN) for url in host_urls])
    return files, [url for turn in zip(*by_host, strict=True) for url in turn]
