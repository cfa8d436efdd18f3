"""Append a run of the benchmark to a series, and plot the series.

    make bench ARGS='--quick --json run.json'
    python -m benchmarks.series run.json --series series.jsonl --plot series.svg

A line of the series is one run: the time, the commit, the machine, and the nanoseconds of each measurement of canfetch.
"""

import argparse
import datetime as dt
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Append a run and draw the plot. Return 0, or 2 if the run has no measurement."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.series", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("run", type=Path, nargs="?", help="A file that `--json` wrote. Without it, only plot.")
    parser.add_argument("--series", type=Path, required=True, help="The file with a line for each run.")
    parser.add_argument("--commit", default=None, help="The commit that was measured.  [default: that of the checkout]")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="Plot the series as SVG, PNG or PDF.")
    options = parser.parse_args(arguments)
    if options.run is not None:
        entry = entry_of_run(
            json.loads(options.run.read_text("utf-8")), options.commit or current_commit(), dt.datetime.now(dt.UTC)
        )
        if not entry["nanoseconds"]:
            print(f"series: {options.run} has no measurement of time", file=sys.stderr)
            return 2
        append(options.series, entry)
    if options.plot is not None:
        plot(read(options.series), options.plot)
    return 0


def entry_of_run(run: dict[str, Any], commit: str, time: dt.datetime) -> dict[str, Any]:
    """Return the line of a run. Rows without a time, such as those of memory, are left out."""
    return {
        "time": time.isoformat(timespec="seconds"),
        "commit": commit,
        "canfetch": run["columns"]["canfetch"],
        "machine": run["header"][0],
        "nanoseconds": {
            f"{row['section']}: {row['what']} ({row['engine']})": round(row["detail"]["nanoseconds"], 1)
            for row in run["rows"]
            if "nanoseconds" in row["detail"]
        },
    }


def append(series: Path, entry: dict[str, Any]) -> None:
    """Append a line to a series, which is created if it does not exist."""
    with series.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry, ensure_ascii=False) + "\n")


def read(series: Path) -> list[dict[str, Any]]:
    """Return the runs of a series, oldest first."""
    runs = [json.loads(line) for line in series.read_text("utf-8").splitlines()]
    return sorted(runs, key=lambda run: str(run["time"]))


def plot(runs: Sequence[dict[str, Any]], path: Path) -> None:
    """Plot each measurement of the last run over time, relative to its first value. A lower line is faster."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    names = list(runs[-1]["nanoseconds"])
    rows = -(-len(names) // COLUMNS)
    figure, axes = plt.subplots(rows, COLUMNS, figsize=(5 * COLUMNS, 2.4 * rows), squeeze=False, layout="constrained")
    for axis, name in zip(axes.flat, names, strict=False):
        points = [(run["time"], run["nanoseconds"][name]) for run in runs if name in run["nanoseconds"]]
        times = [dt.datetime.fromisoformat(time) for time, _ in points]
        axis.plot(times, [value / points[0][1] for _, value in points], marker="o", markersize=3)
        axis.axhline(1, linewidth=0.8, color="gray")
        axis.set_ylim(bottom=0)
        axis.set_title(name, fontsize="small", wrap=True)
        axis.tick_params(labelsize="x-small", axis="both")
        axis.tick_params(axis="x", rotation=30)
    for axis in axes.flat[len(names) :]:
        axis.axis("off")
    figure.suptitle(f"Time relative to the first run; lower is faster. Last run: {runs[-1]['commit'][:12]}")
    figure.savefig(path)
    plt.close(figure)


def current_commit() -> str:
    """Return the commit of the checkout."""
    command = ["git", "rev-parse", "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
