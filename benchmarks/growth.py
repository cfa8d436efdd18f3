"""Measure how the time of canfetch grows with its input, and draw one plot.

    python -m benchmarks.growth                  # writes docs/images/growth.png, in about a minute
    python -m benchmarks.growth --format text    # prints the figures instead

Times are processor time. Each point is the median of several samples. The plot needs matplotlib.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import inputs, timing
from benchmarks.contenders import ENGINES, Parsed, canfetch_engine
from benchmarks.table import format_duration

PLOT = Path(__file__).resolve().parent.parent / "docs" / "images" / "growth.png"
SAMPLE_NS = 3_000_000
SAMPLES = 9
TINY_SAMPLE_NS = 10_000
URLS = 200
SIZES = (300, 1_000, 3_000, 10_000, 30_000, 100_000, 500_000)
RULES = (10, 30, 100, 300, 1_000, 5_000, 20_000)
AGENTS = (1, 3, 10, 30, 100, 300, 1_000)
URL_LENGTHS = (10, 30, 100, 300, 1_000, 2_000)
TINY = 2  # points of each series


@dataclass(frozen=True, slots=True)
class Series:
    """The nanoseconds of one operation of an engine for each size of the input."""

    name: str
    engine: str
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """Series with a common horizontal axis."""

    axis: str
    series: tuple[Series, ...]


Work = tuple[Callable[[], object], int]  # a function and the number of operations in a call
Operations = dict[str, Callable[[int], Work]]  # by name: the work for a size of the input


def file_size(engine: str) -> Operations:
    """Parsing, and parsing with the first decision, by the size of the file."""
    parse = canfetch_engine(engine).parse
    assert parse is not None

    def parse_file(size: int) -> Work:
        content = inputs.generate(size).content
        return lambda: parse(content), 1

    def first_decision(size: int) -> Work:
        content = inputs.generate(size).content
        url = inputs.urls(inputs.generate(size), 2)[0]
        return lambda: parse(content).allows(url, agent=inputs.AGENT), 1

    return {"parse": parse_file, "parse, then allows": first_decision}


def rule_count(engine: str) -> Operations:
    """Decisions by the number of rules."""

    def operation(name: str) -> Callable[[int], Work]:
        def work(rules: int) -> Work:
            file = inputs.star_file(rules)
            bound = _bind(engine, file)
            return _each(getattr(bound, name), inputs.urls(file, URLS))

        return work

    return {"rules.allows": operation("allows"), "rules.decide": operation("decide")}


def agent_count(engine: str) -> Operations:
    """Decisions by the number of agents that the file names, each with a group of its own."""
    parse = canfetch_engine(engine).parse
    assert parse is not None

    def parsed(agents: int) -> tuple[bytes, list[str]]:
        names = [f"bot{number}" for number in range(agents)]
        groups = (f"User-agent: {name}\nDisallow: /{name}/\nAllow: /{name}/open\n" for name in names)
        return "\n".join(groups).encode(), names

    def first(agents: int) -> Work:
        content, names = parsed(agents)

        def run() -> None:
            robots = parse(content)
            for name in names:
                robots.allows("https://www.example.com/a/b", agent=name)

        return run, agents

    def again(agents: int) -> Work:
        content, names = parsed(agents)
        robots = parse(content)
        for name in names:
            robots.allows("https://www.example.com/a/b", agent=name)
        last = names[-1]
        return lambda: robots.allows("https://www.example.com/a/b", agent=last), 1

    return {"first allows of each agent": first, "allows again": again}


def url_length(engine: str) -> Operations:
    """Decisions by the length of the URL, with 100 rules."""
    bound = _bind(engine, inputs.star_file(100))

    def operation(name: str) -> Callable[[int], Work]:
        def work(length: int) -> Work:
            path = "/" + "shop/item-7/" * (length // 12 + 1)
            return _each(getattr(bound, name), [f"https://h{path[: max(1, length - 9)]}"])

        return work

    return {"rules.allows": operation("allows"), "rules.decide": operation("decide")}


def _bind(engine: str, file: inputs.RobotsFile) -> Parsed:
    return canfetch_engine(engine).parse_file(file).rules_for(inputs.AGENT)


def _each(check: Callable[[str], object], urls: list[str]) -> Work:
    def run() -> None:
        for url in urls:
            check(url)

    run()  # later decisions use an index
    return run, len(urls)


AXES: dict[str, tuple[Callable[[str], Operations], tuple[int, ...]]] = {
    "bytes of the file": (file_size, SIZES),
    "rules": (rule_count, RULES),
    "agents of the file": (agent_count, AGENTS),
    "characters of the URL": (url_length, URL_LENGTHS),
}


def measure(work: Work, sample_ns: int) -> float:
    """Return the nanoseconds of one operation."""
    run, operations = work
    repeats, spent = 1, timing.measure(run)
    while spent < sample_ns // 4:
        repeats *= 4
        spent = timing.measure(run, repeats)
    repeats = max(1, repeats * sample_ns // max(1, spent))
    samples = SAMPLES if sample_ns == SAMPLE_NS and spent < 10 * sample_ns else 3
    return statistics.median(timing.measure(run, repeats) for _ in range(samples)) / (repeats * operations)


def measure_all(engines: Iterable[str], *, tiny: bool) -> list[Panel]:
    """Measure all panels."""
    panels = []
    sample_ns = TINY_SAMPLE_NS if tiny else SAMPLE_NS
    with timing.collector_off():
        for axis, (make, sizes) in AXES.items():
            series = []
            for engine in engines:
                for name, work in make(engine).items():
                    print(f"{axis}: {name}, {engine}", file=sys.stderr, flush=True)
                    used = sizes[:TINY] if tiny else sizes
                    points = tuple((size, measure(work(size), sample_ns)) for size in used)
                    series.append(Series(name, engine, points))
            panels.append(Panel(axis, tuple(series)))
    return panels


def to_text(panels: Iterable[Panel]) -> str:
    """Format the figures as text."""
    lines = []
    for panel in panels:
        lines += ["", f"by {panel.axis}"]
        for series in panel.series:
            cells = "  ".join(f"{size:,}: {format_duration(nanoseconds)}" for size, nanoseconds in series.points)
            lines.append(f"  {series.name}, {series.engine}: {cells}")
    return "\n".join(lines[1:])


def draw(panels: list[Panel], path: Path) -> None:
    """Draw all panels as one SVG file."""
    import matplotlib as mpl

    mpl.use("agg")
    mpl.rcParams["font.size"] = 9
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FuncFormatter

    figure, axes = plt.subplots(2, 2, figsize=(10, 7.5), layout="constrained")
    for panel, axis in zip(panels, axes.flat, strict=True):
        names = list(dict.fromkeys(series.name for series in panel.series))
        for series in panel.series:
            sizes, times = zip(*series.points, strict=True)
            color = ("tab:blue", "tab:orange")[names.index(series.name)]
            style = "-" if series.engine == "native" else "--"
            axis.plot(
                sizes, times, style, marker="o", markersize=3, color=color, label=f"{series.name}, {series.engine}"
            )
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlabel(panel.axis)
        axis.xaxis.set_major_formatter(FuncFormatter(lambda size, _: f"{size:,.0f}"))
        axis.yaxis.set_major_formatter(FuncFormatter(lambda nanoseconds, _: format_duration(nanoseconds)))
        axis.grid(visible=True, which="major", color="0.85")
        # Room for the legend above the lines.
        axis.margins(y=0.35)
        axis.legend(fontsize=7, loc="upper left", ncols=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=144)


def main() -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__.partition("\n")[0])
    parser.add_argument("--format", choices=("plot", "text"), default="plot", help="Draw a plot, or print the figures.")
    parser.add_argument("--output", type=Path, default=PLOT, help="The image. Default: docs/images/growth.png.")
    parser.add_argument("--tiny", action="store_true", help="Take seconds: a test of the program itself.")
    options = parser.parse_args()
    os.environ[timing.CLOCK] = "cpu"
    panels = measure_all(ENGINES, tiny=options.tiny)
    if options.format == "text":
        print(to_text(panels))
    else:
        draw(panels, options.output)
        print(f"written: {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
