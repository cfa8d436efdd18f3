"""What all rows share: who takes part, how long a race may last, and how a race becomes rows of the table."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from benchmarks import child, timing
from benchmarks.contenders import Contender
from benchmarks.table import Report, Row, duration, times
from benchmarks.timing import Race, Task

# Peers in plain Python, of which some take minutes over a file of many groups: these are tried in a child first.
MAY_STALL = frozenset({"protego", "stdlib", "robotspy"})
TRIAL_SECONDS = 8.0
SPARSE = 12  # a quick run takes one of so many real files
OURS = "canfetch-"


@dataclass(slots=True)
class Bench:
    """One run of the benchmark.

    `scale` shortens or lengthens every race; `tiny` leaves out what cannot be short, for a test that it all works.
    """

    engines: dict[str, Contender]
    absent_engines: dict[str, str]
    peers: dict[str, Contender]
    report: Report
    scale: float = 1.0
    tiny: bool = False
    began: float = field(default_factory=time.monotonic)
    trials: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def quick(self) -> bool:
        """Whether the run is to be short."""
        return self.scale < 0.5

    @property
    def least(self) -> int:
        """The rounds that everyone takes, however slow."""
        return 1 if self.tiny else 3 if self.quick else timing.LEAST_ROUNDS

    @property
    def every(self) -> int:
        """Of many files, one of so many is taken."""
        return SPARSE * 8 if self.tiny else SPARSE if self.quick else 1

    def say(self, text: str) -> None:
        """Tell on standard error what is being measured."""
        print(f"{time.monotonic() - self.began:6.1f} s  {text}", file=sys.stderr, flush=True)

    def contenders(self) -> Iterator[tuple[str, Contender]]:
        """Everyone: our engines first, by their keys."""
        for engine, chosen in self.engines.items():
            yield OURS + engine, chosen
        yield from self.peers.items()

    def stalls(self, key: str, source: str) -> str:
        """Say why a contender cannot race over an input, if so; `source` names it as `child.parse_within` does."""
        if key not in MAY_STALL or self.tiny:
            return ""
        if (key, source) not in self.trials:
            arguments: dict[str, object] = {
                "key": key,
                "input": source,
                "every": self.every,
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
        """Race everyone over the same work.

        Args:
            make: gives a contender's work, None where it has no such operation.
            operations: how many operations one call of the work does.
            seconds: the time for all, before `scale`.
            source: what is parsed, if some may not manage it in time.
        Returns: the race, and the table's cell for each who could not take part.
        """
        tasks: list[Task] = []
        refused: dict[str, str] = {}
        for key, chosen in self.contenders():
            reason = self.stalls(key, source) if source else ""
            work = None if reason else make(chosen)
            if work is None:
                refused[key] = reason or "-"
            else:
                tasks.append(Task(key, work, operations))
        return timing.race(tasks, seconds * self.scale, least=self.least), refused

    def rows(
        self,
        section: str,
        what: str,
        outcome: tuple[Race, Mapping[str, str]],
        targets: Mapping[str, Mapping[str, float]],
    ) -> None:
        """Add a race's rows: for each engine, one for each of its targets, or one without.

        Args:
            section: the heading that they stand under.
            what: the measured operation.
            outcome: what `race` gave.
            targets: by engine, then by peer: how many times longer that peer should take.
        """
        race, refused = outcome
        cells = dict(refused) | {key: duration(track.median) for key, track in race.items()}
        peers = {key: cell for key, cell in cells.items() if not key.startswith(OURS)}
        shown = peers
        for engine in ("native", "python"):
            ours = race.get(OURS + engine)
            wanted = dict(targets.get(engine, {})) or {"": 0.0}
            if ours is None:
                for peer, target in wanted.items():
                    row = Row(section, what, engine, figure="not built" if engine in self.absent_engines else "-")
                    row.target = f"{target:g}x {peer}" if peer else ""
                    row.peers, shown = shown, {}
                    self.report.rows.append(row)
                continue
            ratios = {key: timing.ratios(ours, race[key]) for key in peers if key in race}
            detail: dict[str, object] = {"nanoseconds": ours.median, "rounds": len(ours.nanoseconds)}
            detail["ratios"] = {
                key: {"median": timing.ratio(ours, race[key]), "quartiles": timing.quartiles(found)}
                for key, found in ratios.items()
            }
            for peer, target in wanted.items():
                row = Row(section, what, engine, figure=duration(ours.median), detail=detail)
                # What the peers took stands once, beside our first engine.
                row.peers, shown = shown, {}
                if peer:
                    row.target = f"{target:g}x {peer}"
                if peer in ratios:
                    found = timing.ratio(ours, race[peer])
                    row.score, row.met = times(found), found >= target
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
        """Add a row whose figure itself has a target.

        Args:
            section: the heading that it stands under.
            what: the measured thing.
            engine: which of ours.
            text: the figure as shown.
            value: the figure in the unit of the target.
            at_most: the most it should be, and how the target is shown.
            at_least: the least it should be, likewise.
            peers: the same of the peers, as shown.
            detail: what JSON has besides.
        """
        row = Row(section, what, engine, figure=text, peers=dict(peers or {}))
        row.detail = {"value": value, **(detail or {})}
        if at_most:
            row.target, row.met = at_most[1], value <= at_most[0]
        elif at_least:
            row.target, row.met = at_least[1], value >= at_least[0]
        self.report.rows.append(row)
        return row
