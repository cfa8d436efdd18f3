"""Memory of parsed files, measured as resident memory of subprocesses."""

from __future__ import annotations

from benchmarks import child, hostile, inputs
from benchmarks.bench import CANFETCH_PREFIX, Bench
from benchmarks.table import format_bytes

SECTION = "Memory of a parsed file, without its content"
SECONDS = 60.0
MANY_AGENTS_SECONDS = 20.0
CHECKS_PER_AGENT = 40
INDEXED = 200  # checks per file, enough for every engine to build its index


def _measure(bench: Bench, source: str, urls: int, counts: tuple[int, int]) -> dict[str, child.Outcome]:
    """Measure all contenders. `counts` is the number of objects for native code and for plain Python."""
    found = {}
    for key, contender in bench.contenders():
        plain = key in {"protego", "stdlib", "robotspy", CANFETCH_PREFIX + "python"}
        count = 5 if bench.tiny else (counts[1] if plain else counts[0]) // (4 if bench.quick else 1)
        # Libraries that read the text again for every URL keep no state.
        checks = urls if contender.parse else min(urls, 1)
        arguments: dict[str, object] = {"key": key, "input": source, "urls": checks, "count": count}
        found[key] = child.run("memory", arguments, SECONDS)
    return found


def _rows(
    bench: Bench,
    what: str,
    outcomes: dict[str, child.Outcome],
    *,
    per_rule: bool,
    target: float | None,
) -> None:
    def text(outcome: child.Outcome) -> str:
        return outcome.reason or format_bytes(value(outcome))

    def value(outcome: child.Outcome) -> float:
        return max(0.0, outcome.values["bytes"]) / (outcome.values["rules"] if per_rule else 1)

    cells = {key: text(outcome) for key, outcome in outcomes.items() if not key.startswith(CANFETCH_PREFIX)}
    for engine in bench.engines:
        outcome = outcomes[CANFETCH_PREFIX + engine]
        number = float("inf") if outcome.reason else value(outcome)
        limit = (target, f"{target:g} B per rule") if target and engine == "native" else None
        bench.figure(SECTION, what, engine, text=text(outcome), value=number, at_most=limit, peers=cells)
        cells = {}


def memory_rows(bench: Bench) -> None:
    """Measure the memory per rule of 2,000 rules, with and without the index, and the memory of small files."""
    big = "200 rules" if bench.tiny else "2000 rules"
    bench.log("memory: without the index")
    _rows(bench, "per rule of 2,000, without the index", _measure(bench, big, 1, (200, 30)), per_rule=True, target=80.0)
    bench.log("memory: with the index")
    _rows(
        bench,
        "per rule of 2,000, with the index",
        _measure(bench, big, INDEXED, (200, 30)),
        per_rule=True,
        target=192.0,
    )
    if bench.tiny:
        return
    for size in ("300 B", "5 KB"):
        bench.log(f"memory: files of {size}")
        counts = (20_000, 2_000) if size == "300 B" else (4_000, 300)
        rules = inputs.generate(inputs.SIZES[size]).rules
        outcomes = _measure(bench, size, 0, counts)
        _rows(bench, f"a file of {size} ({rules} rules), parsed", outcomes, per_rule=False, target=None)
    if not bench.quick:
        _many_agents(bench)


def _many_agents(bench: Bench) -> None:
    bench.log("memory: hostile file of many agents")
    arguments = {"urls": CHECKS_PER_AGENT, "seconds": MANY_AGENTS_SECONDS}
    found = {
        key: child.run("many_agents", {**arguments, "key": key}, MANY_AGENTS_SECONDS) for key, _ in bench.contenders()
    }
    cells = {key: outcome.reason or format_bytes(outcome.values["bytes"]) for key, outcome in found.items()}
    what = f"hostile, 500 KiB: {hostile.SHARED_AGENTS} agents, {CHECKS_PER_AGENT} checks each"
    for engine in bench.engines:
        value = found[CANFETCH_PREFIX + engine].values.get("bytes", float("inf"))
        peers = {key: cell for key, cell in cells.items() if key in bench.peers and engine == next(iter(bench.engines))}
        bench.figure(SECTION, what, engine, text=cells[CANFETCH_PREFIX + engine], value=value, peers=peers)
