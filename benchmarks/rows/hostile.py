"""Hostile files, each in a subprocess with limited time and memory."""

from __future__ import annotations

from benchmarks import child, hostile
from benchmarks.bench import CANFETCH_PREFIX, Bench
from benchmarks.table import format_duration

SECTION = "Hostile files, 500 KiB with a URL of 2 KiB: the slowest of parse + decision and later decisions"
LIMITS = {"native": (10e6, "10 ms"), "python": (800e6, "800 ms")}
TINY_TRAPS = ("wildcard_run", "agents_sharing_rules")
QUICK_TRAPS = (*TINY_TRAPS, "wildcard_runs", "late_words", "repeated_gram", "near_miss_tail")
# The files that peers are measured with. All of them would double the time of a run.
PEER_TRAPS = {
    *QUICK_TRAPS,
    "everything_matches",
    "literal_dollars",
    "one_line_of_stars",
    "prefix_chain",
    "rare_pair_repeated",
    "raw_bytes",
}
CANFETCH_SECONDS = 60.0
PEER_SECONDS = 1.5


def _measure(key: str, trap: str, seconds: float) -> child.Outcome:
    return child.run("hostile_file", {"key": key, "trap": trap, "seconds": seconds}, seconds)


def hostile_rows(bench: Bench) -> None:
    """Measure all hostile files with our engines, and some of them with the peers, except in a quick run."""
    traps = TINY_TRAPS if bench.tiny else QUICK_TRAPS if bench.quick else tuple(hostile.TRAPS)
    for name in traps:
        title = hostile.TRAPS[name]().name
        bench.log(f"hostile: {title}")
        outcomes = {
            key: _measure(key, name, PEER_SECONDS) for key in bench.peers if not bench.quick and name in PEER_TRAPS
        }
        cells = {key: outcome.reason or format_duration(outcome.values["first"]) for key, outcome in outcomes.items()}
        for engine in bench.engines:
            _row(bench, title, engine, _measure(CANFETCH_PREFIX + engine, name, CANFETCH_SECONDS), cells)
            cells = {}


def _row(bench: Bench, title: str, engine: str, outcome: child.Outcome, cells: dict[str, str]) -> None:
    worst = float("inf") if outcome.reason else max(outcome.values["first"], outcome.values["slowest"])
    row = bench.figure(
        SECTION,
        title,
        engine,
        text=outcome.reason or format_duration(worst),
        value=worst,
        at_most=LIMITS[engine],
        peers=cells,
        detail=outcome.values,
    )
    if not row.met and not outcome.reason:
        parts = {part: format_duration(elapsed) for part, elapsed in outcome.values.items()}
        row.note = (
            f"parse {parts['parse']}, with the first decision {parts['first']}; "
            f"later decisions up to {parts['slowest']}, the last ones {parts['settled']}"
        )
