"""Hostile files: each met by each library in a process of its own, with a limit on time and memory."""

from __future__ import annotations

from benchmarks import child, hostile
from benchmarks.bench import OURS, Bench
from benchmarks.table import duration

SECTION = "Hostile: 500 KiB and a URL of 2 KiB; the dearest of parse + decision and any later decision"
LIMITS = {"native": (10e6, "10 ms"), "python": (400e6, "400 ms")}
TINY_TRAPS = ("wildcard_run", "agents_sharing_rules")
QUICK_TRAPS = (*TINY_TRAPS, "wildcard_runs", "late_words", "repeated_gram", "near_miss_tail")
# Where a peer's answer is of interest; that they meet all of them would double the time of a run.
PEERS_MEET = {
    *QUICK_TRAPS,
    "everything_matches",
    "literal_dollars",
    "one_line_of_stars",
    "prefix_chain",
    "rare_pair_repeated",
    "raw_octets",
}
OUR_SECONDS = 60.0
PEER_SECONDS = 1.5


def _meet(key: str, trap: str, seconds: float) -> child.Outcome:
    return child.run("hostile_file", {"key": key, "trap": trap, "seconds": seconds}, seconds)


def hostile_rows(bench: Bench) -> None:
    """Meet every trap: our engines always, the peers where it says something, and not in a quick run."""
    traps = TINY_TRAPS if bench.tiny else QUICK_TRAPS if bench.quick else tuple(hostile.TRAPS)
    for name in traps:
        title = hostile.TRAPS[name]().name
        bench.say(f"hostile: {title}")
        met = {key: _meet(key, name, PEER_SECONDS) for key in bench.peers if not bench.quick and name in PEERS_MEET}
        cells = {key: outcome.reason or duration(outcome.values["first"]) for key, outcome in met.items()}
        for engine in bench.engines:
            _row(bench, title, engine, _meet(OURS + engine, name, OUR_SECONDS), cells)
            cells = {}


def _row(bench: Bench, title: str, engine: str, met: child.Outcome, cells: dict[str, str]) -> None:
    worst = float("inf") if met.reason else max(met.values["first"], met.values["slowest"])
    row = bench.figure(
        SECTION,
        title,
        engine,
        text=met.reason or duration(worst),
        value=worst,
        at_most=LIMITS[engine],
        peers=cells,
        detail=met.values,
    )
    if not row.met and not met.reason:
        parts = {part: duration(took) for part, took in met.values.items()}
        row.note = (
            "parse {parse}, with the first decision {first}; later ones up to {slowest}, in the end {settled}".format(
                **parts
            )
        )
