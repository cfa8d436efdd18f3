"""Work done in a process of its own, with a limit on time and memory: what a hostile file does to a peer stays there.

The parent calls `run(task, ...)`; the child is `python -m benchmarks.child TASK ARGUMENTS`, where the arguments are
JSON, and prints JSON.
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
from benchmarks.contenders import Contender, Parsed, contender

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
    """What the child printed, or why there is nothing: `reason` as a table's cell shows it."""

    values: dict[str, float] = field(default_factory=dict)
    reason: str = ""


def environment() -> dict[str, str]:
    """The environment of children: compiled modules are kept, in a folder of the benchmark's own."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(peers.BUILD / "bench-pycache"), "PYTHONHASHSEED": "0"}


def run(task: str, arguments: dict[str, object], seconds: float) -> Outcome:
    """Run one task in a child.

    Args:
        task: a name in `TASKS`.
        arguments: what the task takes.
        seconds: the limit for the task itself; starting the child is given some more.
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
            return Outcome(reason=f"> {seconds:g} s" if done.returncode == -14 else f"died ({-done.returncode})")
        return Outcome(reason=(done.stderr.strip().splitlines() or ["failed"])[-1][:40])
    return Outcome(json.loads(done.stdout))


def _limit(seconds: float) -> None:
    """End this process after so many seconds, and refuse it memory beyond the limit (POSIX alone)."""
    if sys.platform == "win32":
        return
    import resource
    import signal

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    signal.setitimer(signal.ITIMER_REAL, seconds)  # SIGALRM ends a process that does not handle it, in C code too


def resident_octets() -> int:
    """What this process holds in memory."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split(maxsplit=2)[1])
    except OSError:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # no current figure there: the peak serves
        return peak if sys.platform == "darwin" else peak * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")


def named_file(name: str) -> inputs.RobotsFile:
    """Make one of the inputs anew: a size of `inputs.SIZES`, or `RULES rules`."""
    if name in inputs.SIZES:
        return inputs.generate(inputs.SIZES[name])
    return inputs.star_file(int(name.split(maxsplit=1)[0]))


def parse_within(arguments: dict[str, Any]) -> dict[str, float]:
    """Parse once what a race would parse many times: who does not come back may not enter the race."""
    chosen: Contender = contender(arguments["key"])
    files = (
        inputs.real_files()[0][:: arguments["every"]]
        if arguments["input"] == "real"
        else [named_file(arguments["input"])]
    )
    _limit(arguments["seconds"])
    for file in files:
        chosen.one_shot(chosen.document(file), inputs.AGENT, chosen.question(inputs.ORIGIN + "/a/b?c"))
    return {"files": len(files)}


def memory(arguments: dict[str, Any]) -> dict[str, float]:
    """Keep many parsed files; say what one of them costs beside its octets, and what its peak was while parsing.

    `asked` is how many URLs each is asked before it is weighed: enough of them make an engine build its index.
    """
    chosen = contender(arguments["key"])
    file = named_file(arguments["input"])
    asked = [chosen.question(url) for url in inputs.urls(file, max(2, arguments["asked"]))][: arguments["asked"]]
    document = chosen.document(file)

    def one() -> object:
        # A copy of its own for each object, as files of different sites are.
        copy = bytes(bytearray(document)) if isinstance(document, bytes) else document[:-1] + document[-1:]
        parsed: Parsed = chosen.parse(copy) if chosen.parse else copy
        if not asked:
            return parsed
        if chosen.module == "canfetch":
            rules = parsed.rules_for(inputs.AGENT)
            for url in asked:
                rules.allows(url)
            return parsed, rules
        ask = chosen.bind(parsed, inputs.AGENT)
        for url in asked:
            ask(url)
        return parsed

    kept = [one() for _ in range(3)]
    gc.collect()
    before = resident_octets()
    kept += [one() for _ in range(arguments["count"])]
    gc.collect()
    each = (resident_octets() - before) / arguments["count"]
    return {"octets": each - len(document), "rules": file.rules, "kept": len(kept)}


def warm_memory(arguments: dict[str, Any]) -> dict[str, float]:
    """Fill a cache with many origins, each asked once; say what one of them costs, its file's octets included.

    `shared` gives all of them the same file, though each has it from a fetch of its own.
    """
    fill = warm.fill_of(arguments["key"])
    fill(warm.same_files("warm", 3))
    files = warm.same_files("host", arguments["count"]) if arguments["shared"] else warm.own_files(arguments["count"])
    gc.collect()
    before = resident_octets()
    # The collector would look at all that is kept, again and again.
    gc.disable()
    kept = fill(files)
    gc.enable()
    gc.collect()
    each = (resident_octets() - before) / len(files)
    del kept
    return {"octets": each, "origins": len(files)}


def many_agents(arguments: dict[str, Any]) -> dict[str, float]:
    """Ask a file whose agents all select other groups on behalf of each; say what it holds in the end."""
    chosen = contender(arguments["key"])
    trap = hostile.agents_with_their_own()
    file = inputs.make_file(trap.name, trap.octets)
    _limit(arguments["seconds"])
    gc.collect()
    before = resident_octets()
    parsed = chosen.parsed(file)
    for number in range(hostile.SHARED_AGENTS):
        ask = chosen.bind(parsed, f"a{number}")
        for page in range(arguments["asked"]):
            ask(chosen.question(f"{inputs.ORIGIN}/page/{page}"))
    gc.collect()
    return {"octets": resident_octets() - before}


def hostile_file(arguments: dict[str, Any]) -> dict[str, float]:
    """Meet a hostile file: parse it and ask once; ours then go on, until any index is built and used.

    Returns: nanoseconds. `first` is parsing with the first decision, `parse` its share; `slowest` is the dearest of
    the decisions after that, `settled` the usual one in the end, `explained` the whole verdict with its reasons.
    """
    chosen = contender(arguments["key"])
    trap = hostile.TRAPS[arguments["trap"]]()
    document = chosen.document(inputs.make_file(trap.name, trap.octets))
    url = chosen.question(trap.url)
    harmless = inputs.make_file("", b"User-agent: *\nDisallow: /a*b\n")
    chosen.one_shot(chosen.document(harmless), trap.agent, chosen.question(inputs.ORIGIN + "/a/b"))
    _limit(arguments["seconds"])
    first: list[int] = []
    parse: list[int] = []
    while not first or (len(first) < 5 and sum(first) < SAMPLES_NS):
        parse.append(timing.clock(lambda: chosen.parse(document) if chosen.parse else None))
        first.append(timing.clock(lambda: chosen.one_shot(document, trap.agent, url)))
        gc.collect()
    met: dict[str, float] = {"first": min(first), "parse": min(parse)}
    return met | _later(chosen, trap) if chosen.module == "canfetch" else met


def _later(chosen: Contender, trap: hostile.Trap) -> dict[str, float]:
    """Ask on; each place in the series counts with the least of several series, since others use the machine too."""
    series: list[list[int]] = []
    began = time.monotonic()
    while not series or (len(series) < SERIES and time.monotonic() - began < SERIES_SECONDS):
        rules = chosen.parsed(inputs.make_file("", trap.octets)).rules_for(trap.agent)
        rules.allows(trap.url)
        series.append(_answers(rules, trap))
    later = [min(took) for took in zip(*series, strict=False)]
    explained = timing.clock(lambda: rules.decide(trap.url))
    settled = statistics.median(later[len(later) // 2 :])
    return {"slowest": max(later), "settled": settled, "explained": explained, "asked": len(later)}


def _answers(rules: Parsed, trap: hostile.Trap) -> list[int]:
    # Another URL each time, so that nothing remembers the answer.
    urls = [f"{trap.url[:-8]}{number:08d}" if trap.url_may_vary else trap.url for number in range(MANY_QUESTIONS)]
    taken: list[int] = []
    for url in urls:
        if len(taken) >= FEW_QUESTIONS and sum(taken) > SAMPLES_NS:
            break
        taken.append(timing.clock(functools.partial(rules.allows, url)))
    return taken


TASKS: dict[str, Callable[[dict[str, Any]], dict[str, float]]] = {
    "parse_within": parse_within,
    "memory": memory,
    "many_agents": many_agents,
    "warm_memory": warm_memory,
    "hostile_file": hostile_file,
}


def main() -> None:
    """Do the task that the command line names."""
    peers.activate()
    task, arguments = sys.argv[1:]
    print(json.dumps(TASKS[task](json.loads(arguments))))


if __name__ == "__main__":
    main()
