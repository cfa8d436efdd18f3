"""Memory of parsed files, weighed in processes of their own by what the system says is resident."""

from __future__ import annotations

from benchmarks import child, hostile, inputs
from benchmarks.bench import OURS, Bench
from benchmarks.table import octets

SECTION = "Memory beside the file's own octets"
SECONDS = 60.0
MANY_AGENTS_SECONDS = 20.0
ASKED_FOR_EACH = 40
INDEXED = 200  # URLs asked of each file: beyond any point at which an index is built


def _weigh(bench: Bench, source: str, asked: int, counts: tuple[int, int]) -> dict[str, child.Outcome]:
    """Weigh everyone's objects; `counts`: how many objects of a native engine, and of one in plain Python."""
    found = {}
    for key, chosen in bench.contenders():
        plain = key in {"protego", "stdlib", "robotspy", OURS + "python"}
        count = 5 if bench.tiny else (counts[1] if plain else counts[0]) // (4 if bench.quick else 1)
        # What reads the text again for each question keeps nothing of an answer.
        questions = asked if chosen.parse else min(asked, 1)
        arguments: dict[str, object] = {"key": key, "input": source, "asked": questions, "count": count}
        found[key] = child.run("memory", arguments, SECONDS)
    return found


def _rows(
    bench: Bench,
    what: str,
    weighed: dict[str, child.Outcome],
    *,
    a_rule: bool,
    target: float | None,
) -> None:
    def text(outcome: child.Outcome) -> str:
        return outcome.reason or octets(value(outcome))

    def value(outcome: child.Outcome) -> float:
        return max(0.0, outcome.values["octets"]) / (outcome.values["rules"] if a_rule else 1)

    cells = {key: text(outcome) for key, outcome in weighed.items() if not key.startswith(OURS)}
    for engine in bench.engines:
        outcome = weighed[OURS + engine]
        number = float("inf") if outcome.reason else value(outcome)
        limit = (target, f"{target:g} B a rule") if target and engine == "native" else None
        bench.figure(SECTION, what, engine, text=text(outcome), value=number, at_most=limit, peers=cells)
        cells = {}


def memory_rows(bench: Bench) -> None:
    """A rule's share of a file of 2,000 rules, before the index and with it; and a small file whole."""
    big = "200 rules" if bench.tiny else "2000 rules"
    bench.say("memory: before the index")
    _rows(bench, "a rule of 2,000, before the index", _weigh(bench, big, 1, (200, 30)), a_rule=True, target=80.0)
    bench.say("memory: with the index")
    _rows(bench, "a rule of 2,000, with it", _weigh(bench, big, INDEXED, (200, 30)), a_rule=True, target=192.0)
    if bench.tiny:
        return
    for size in ("300 B", "5 KB"):
        bench.say(f"memory: files of {size}")
        counts = (20_000, 2_000) if size == "300 B" else (4_000, 300)
        rules = inputs.generate(inputs.SIZES[size]).rules
        weighed = _weigh(bench, size, 0, counts)
        _rows(bench, f"a file of {size} ({rules} rules), parsed", weighed, a_rule=False, target=None)
    if not bench.quick:
        _many_agents(bench)


def _many_agents(bench: Bench) -> None:
    bench.say("memory: hostile file of many agents")
    arguments = {"asked": ASKED_FOR_EACH, "seconds": MANY_AGENTS_SECONDS}
    found = {
        key: child.run("many_agents", {**arguments, "key": key}, MANY_AGENTS_SECONDS) for key, _ in bench.contenders()
    }
    cells = {key: outcome.reason or octets(outcome.values["octets"]) for key, outcome in found.items()}
    what = f"hostile, 500 KiB: {hostile.SHARED_AGENTS} agents, {ASKED_FOR_EACH} questions each"
    for engine in bench.engines:
        value = found[OURS + engine].values.get("octets", float("inf"))
        peers = {key: cell for key, cell in cells.items() if key in bench.peers and engine == next(iter(bench.engines))}
        bench.figure(SECTION, what, engine, text=cells[OURS + engine], value=value, peers=peers)
