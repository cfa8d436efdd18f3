"""One run of the benchmark: the contenders, the length of a race, and its rows in the table."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from benchmarks import child, timing
from benchmarks.contenders import Contender
from benchmarks.table import Report, Row, format_duration, format_ratio
from benchmarks.timing import Race, Task

# Peers in plain Python can take minutes for a file of many groups, so they are tried in a subprocess first.
MAY_STALL = frozenset({"protego", "stdlib", "robotspy"})
TRIAL_SECONDS = 8.0
QUICK_FILE_STEP = 12  # a quick run uses every 12th real file
CANFETCH_PREFIX = "canfetch-"


@dataclass(slots=True)
class Bench:
    """One run of the benchmark.

    `scale` is the factor for the length of every race. `tiny` omits everything long, to test that the benchmark runs.
    """

    engines: dict[str, Contender]
    absent_engines: dict[str, str]
    peers: dict[str, Contender]
    report: Report
    scale: float = 1.0
    tiny: bool = False
    started: float = field(default_factory=time.monotonic)
    trials: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def quick(self) -> bool:
        """Whether the run is short."""
        return self.scale < 0.5

    @property
    def min_rounds(self) -> int:
        """Number of rounds for every contender, however slow."""
        return 1 if self.tiny else 3 if self.quick else timing.MIN_ROUNDS

    @property
    def file_step(self) -> int:
        """Step for slicing the list of real files."""
        return QUICK_FILE_STEP * 8 if self.tiny else QUICK_FILE_STEP if self.quick else 1

    def log(self, text: str) -> None:
        """Print the current measurement on standard error."""
        print(f"{time.monotonic() - self.started:6.1f} s  {text}", file=sys.stderr, flush=True)

    def contenders(self) -> Iterator[tuple[str, Contender]]:
        """Yield all contenders with their keys, our engines first."""
        for engine, chosen in self.engines.items():
            yield CANFETCH_PREFIX + engine, chosen
        yield from self.peers.items()

    def stall_reason(self, key: str, source: str) -> str:
        """Return why a contender is too slow for the input `source`, or an empty string."""
        if key not in MAY_STALL or self.tiny:
            return ""
        if (key, source) not in self.trials:
            arguments: dict[str, object] = {
                "key": key,
                "input": source,
                "file_step": self.file_step,
                "seconds": TRIAL_SECONDS,
            }
            self.trials[key, source] = child.run("parse_within", arguments, TRIAL_SECONDS).reason
        return self.trials[key, source]

    def race(
        self,
        make: Callable[[Contender], Callable[[], object] | None],
        *,
        operations: int,
        seconds: float,
        source: str = "",
    ) -> tuple[Race, dict[str, str]]:
        """Measure all contenders with the same work.

        Args:
            make: Returns the work of a contender, or None if it has no such operation.
            operations: Number of operations in one call of the work.
            seconds: Time for all contenders, before `scale`.
            source: Name of the input, if some contenders may be too slow for it.
        Returns: The race, and a table cell for each contender that did not take part.
        """
        tasks: list[Task] = []
        absent: dict[str, str] = {}
        for key, chosen in self.contenders():
            reason = self.stall_reason(key, source) if source else ""
            work = None if reason else make(chosen)
            if work is None:
                absent[key] = reason or "-"
            else:
                tasks.append(Task(key, work, operations))
        return timing.race(tasks, seconds * self.scale, min_rounds=self.min_rounds), absent

    def rows(
        self,
        section: str,
        what: str,
        outcome: tuple[Race, Mapping[str, str]],
        targets: Mapping[str, Mapping[str, float]],
    ) -> None:
        """Add the rows of a race: for each engine, one for each of its targets, or one without a target.

        Args:
            section: the heading that they stand under.
            what: the measured operation.
            outcome: what `race` gave.
            targets: by engine, then by peer: how many times longer that peer should take.
        """
        race, absent = outcome
        cells = dict(absent) | {key: format_duration(track.median) for key, track in race.items()}
        peers = {key: cell for key, cell in cells.items() if not key.startswith(CANFETCH_PREFIX)}
        shown = peers
        for engine in ("native", "python"):
            samples = race.get(CANFETCH_PREFIX + engine)
            engine_targets = dict(targets.get(engine, {})) or {"": 0.0}
            if samples is None:
                for peer, target in engine_targets.items():
                    row = Row(section, what, engine, figure="not built" if engine in self.absent_engines else "-")
                    row.target = f"{target:g}x {peer}" if peer else ""
                    row.peers, shown = shown, {}
                    self.report.rows.append(row)
                continue
            ratios = {key: timing.ratios(samples, race[key]) for key in peers if key in race}
            detail: dict[str, object] = {"nanoseconds": samples.median, "rounds": len(samples.nanoseconds)}
            detail["ratios"] = {
                key: {"median": timing.ratio(samples, race[key]), "quartiles": timing.quartiles(found)}
                for key, found in ratios.items()
            }
            for peer, target in engine_targets.items():
                row = Row(section, what, engine, figure=format_duration(samples.median), detail=detail)
                # The times of the peers are shown once, next to our first engine.
                row.peers, shown = shown, {}
                if peer:
                    row.target = f"{target:g}x {peer}"
                if peer in ratios:
                    found = timing.ratio(samples, race[peer])
                    row.score, row.met = format_ratio(found), found >= target
                self.report.rows.append(row)

    def figure(
        self,
        section: str,
        what: str,
        engine: str,
        *,
        text: str,
        value: float,
        at_most: tuple[float, str] | None = None,
        at_least: tuple[float, str] | None = None,
        peers: Mapping[str, str] | None = None,
        detail: Mapping[str, object] | None = None,
    ) -> Row:
        """Add a row whose target is a limit for the figure itself.

        Args:
            section: Heading of the row.
            what: What is measured.
            engine: Our engine.
            text: The figure as shown.
            value: The figure in the unit of the target.
            at_most: Upper limit, and the target as shown.
            at_least: Lower limit, and the target as shown.
            peers: The figures of the peers, as shown.
            detail: Additional values for JSON.
        """
        row = Row(section, what, engine, figure=text, peers=dict(peers or {}))
        row.detail = {"value": value, **(detail or {})}
        if at_most:
            row.target, row.met = at_most[1], value <= at_most[0]
        elif at_least:
            row.target, row.met = at_least[1], value >= at_least[0]
        self.report.rows.append(row)
        return row
