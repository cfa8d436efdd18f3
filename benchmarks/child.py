"""Tasks that run in a subprocess with limited time and memory.

The parent calls `run(task, ...)`. The child is `python -m benchmarks.child TASK ARGUMENTS`, takes its arguments as JSON
and prints JSON.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import hostile, inputs, peers, timing, warm
from benchmarks.contenders import Contender, Parsed, get_contender

ROOT = Path(__file__).resolve().parent.parent
MEMORY_LIMIT = 6 * 10**9
STARTUP_SECONDS = 10.0
SAMPLES_NS = 150_000_000
SERIES = 4
SERIES_SECONDS = 1.0
FEW_QUESTIONS = 2
MANY_QUESTIONS = 100  # beyond any point at which an index is built


@dataclass(frozen=True, slots=True)
class Outcome:
    """The values that the child printed, or the reason for its failure as shown in the table."""

    values: dict[str, float] = field(default_factory=dict)
    reason: str = ""


def environment() -> dict[str, str]:
    """Return the environment variables of children. Compiled modules are cached in a separate folder."""
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**variables, "PYTHONPYCACHEPREFIX": str(peers.BUILD / "bench-pycache"), "PYTHONHASHSEED": "0"}


def run(task: str, arguments: dict[str, object], seconds: float) -> Outcome:
    """Run one task in a subprocess.

    Args:
        task: A key of `TASKS`.
        arguments: Arguments of the task.
        seconds: Time limit of the task, without starting the process.
    """
    command = [sys.executable, "-m", "benchmarks.child", task, json.dumps(arguments)]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=seconds + STARTUP_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(reason=f"> {seconds:g} s")
    if done.returncode:
        if "MemoryError" in done.stderr or "memory allocation" in done.stderr:
            return Outcome(reason=f"> {MEMORY_LIMIT / 1e9:.0f} GB")
        if done.returncode < 0:
            return Outcome(reason=f"> {seconds:g} s" if done.returncode == -14 else f"signal {-done.returncode}")
        return Outcome(reason=(done.stderr.strip().splitlines() or ["failed"])[-1][:40])
    return Outcome(json.loads(done.stdout))


def _limit(seconds: float) -> None:
    """Limit the time and memory of this process (POSIX only)."""
    if sys.platform == "win32":
        return
    import resource
    import signal

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    signal.setitimer(signal.ITIMER_REAL, seconds)  # SIGALRM ends the process even in C code


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split(maxsplit=2)[1])
    except OSError:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # only the peak is available
        return peak if sys.platform == "darwin" else peak * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")


def named_file(name: str) -> inputs.RobotsFile:
    """Return an input by name: a key of `inputs.SIZES`, or `RULES rules`."""
    if name in inputs.SIZES:
        return inputs.generate(inputs.SIZES[name])
    return inputs.star_file(int(name.split(maxsplit=1)[0]))


def parse_within(arguments: dict[str, Any]) -> dict[str, float]:
    """Parse every file of a race once. A contender that does not finish cannot take part in the race."""
    contender: Contender = get_contender(arguments["key"])
    files = (
        inputs.real_files()[0][:: arguments["file_step"]]
        if arguments["input"] == "real"
        else [named_file(arguments["input"])]
    )
    _limit(arguments["seconds"])
    for file in files:
        contender.parse_and_check(
            contender.prepare_file(file), inputs.AGENT, contender.prepare_url(inputs.ORIGIN + "/a/b?c")
        )
    return {"files": len(files)}


def memory(arguments: dict[str, Any]) -> dict[str, float]:
    """Measure the memory of a parsed file, without its content.

    `urls` is the number of URLs that each file is checked for. With enough of them, an engine builds its index.
    """
    contender = get_contender(arguments["key"])
    file = named_file(arguments["input"])
    urls = [contender.prepare_url(url) for url in inputs.urls(file, max(2, arguments["urls"]))][: arguments["urls"]]
    document = contender.prepare_file(file)

    def create() -> object:
        # A new copy for each object, because files of different sites are different objects.
        copy = bytes(bytearray(document)) if isinstance(document, bytes) else document[:-1] + document[-1:]
        parsed: Parsed = contender.parse(copy) if contender.parse else copy
        if not urls:
            return parsed
        if contender.module == "canfetch":
            rules = parsed.rules_for(inputs.AGENT)
            for url in urls:
                rules.allows(url)
            return parsed, rules
        check = contender.bind(parsed, inputs.AGENT)
        for url in urls:
            check(url)
        return parsed

    objects = [create() for _ in range(3)]
    gc.collect()
    before = resident_bytes()
    objects += [create() for _ in range(arguments["count"])]
    gc.collect()
    each = (resident_bytes() - before) / arguments["count"]
    return {"bytes": each - len(document), "rules": file.rules, "objects": len(objects)}


def warm_memory(arguments: dict[str, Any]) -> dict[str, float]:
    """Measure the memory of one origin in a filled cache, with its file.

    `shared` gives all origins equal files, in separate bytes objects.
    """
    fill = warm.get_filler(arguments["key"])
    fill(warm.same_files("warm", 3))
    files = warm.same_files("host", arguments["count"]) if arguments["shared"] else warm.own_files(arguments["count"])
    gc.collect()
    before = resident_bytes()
    # The collector would traverse all cached objects repeatedly.
    gc.disable()
    objects = fill(files)
    gc.enable()
    gc.collect()
    each = (resident_bytes() - before) / len(files)
    del objects
    return {"bytes": each, "origins": len(files)}


def many_agents(arguments: dict[str, Any]) -> dict[str, float]:
    """Measure the memory of a file in which every agent has different groups, after checks for all agents."""
    contender = get_contender(arguments["key"])
    trap = hostile.agents_with_own_rules()
    file = inputs.make_file(trap.name, trap.content)
    _limit(arguments["seconds"])
    gc.collect()
    before = resident_bytes()
    parsed = contender.parse_file(file)
    for number in range(hostile.SHARED_AGENTS):
        check = contender.bind(parsed, f"a{number}")
        for page in range(arguments["urls"]):
            check(contender.prepare_url(f"{inputs.ORIGIN}/page/{page}"))
    gc.collect()
    return {"bytes": resident_bytes() - before}


def hostile_file(arguments: dict[str, Any]) -> dict[str, float]:
    """Measure a hostile file: parsing with one decision and, for our engines, later decisions until an index is used.

    Returns: Nanoseconds. `first` is parsing with the first decision, and `parse` is parsing only. `slowest` is the
    slowest later decision, `settled` the median of the last ones, and `explained` a verdict with its reasons.
    """
    contender = get_contender(arguments["key"])
    trap = hostile.TRAPS[arguments["trap"]]()
    document = contender.prepare_file(inputs.make_file(trap.name, trap.content))
    url = contender.prepare_url(trap.url)
    harmless = inputs.make_file("", b"User-agent: *\nDisallow: /a*b\n")
    contender.parse_and_check(
        contender.prepare_file(harmless), trap.agent, contender.prepare_url(inputs.ORIGIN + "/a/b")
    )
    _limit(arguments["seconds"])
    first: list[int] = []
    parse: list[int] = []
    while not first or (len(first) < 5 and sum(first) < SAMPLES_NS):
        parse.append(timing.measure(lambda: contender.parse(document) if contender.parse else None))
        first.append(timing.measure(lambda: contender.parse_and_check(document, trap.agent, url)))
        gc.collect()
    times: dict[str, float] = {"first": min(first), "parse": min(parse)}
    return times | _time_later_decisions(contender, trap) if contender.module == "canfetch" else times


def _time_later_decisions(contender: Contender, trap: hostile.Trap) -> dict[str, float]:
    """Measure later decisions. Each counts with its minimum over several series, because of other load."""
    series: list[list[int]] = []
    start = time.monotonic()
    while not series or (len(series) < SERIES and time.monotonic() - start < SERIES_SECONDS):
        rules = contender.parse_file(inputs.make_file("", trap.content)).rules_for(trap.agent)
        rules.allows(trap.url)
        series.append(_time_decisions(rules, trap))
    later = [min(series_times) for series_times in zip(*series, strict=False)]
    explained = timing.measure(lambda: rules.decide(trap.url))
    settled = statistics.median(later[len(later) // 2 :])
    return {"slowest": max(later), "settled": settled, "explained": explained, "checked": len(later)}


def _time_decisions(rules: Parsed, trap: hostile.Trap) -> list[int]:
    # A different URL each time, so that results cannot be cached.
    urls = [f"{trap.url[:-8]}{number:08d}" if trap.url_may_vary else trap.url for number in range(MANY_QUESTIONS)]
    elapsed: list[int] = []
    for url in urls:
        if len(elapsed) >= FEW_QUESTIONS and sum(elapsed) > SAMPLES_NS:
            break
        elapsed.append(timing.measure(functools.partial(rules.allows, url)))
    return elapsed


TASKS: dict[str, Callable[[dict[str, Any]], dict[str, float]]] = {
    "parse_within": parse_within,
    "memory": memory,
    "many_agents": many_agents,
    "warm_memory": warm_memory,
    "hostile_file": hostile_file,
}


def main() -> None:
    """Run the task given on the command line."""
    peers.activate()
    task, arguments = sys.argv[1:]
    print(json.dumps(TASKS[task](json.loads(arguments))))


if __name__ == "__main__":
    main()
