"""A plot of a study: one line for each agent over time, or one bar for each if there is one period."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from io import BytesIO
from math import nan
from typing import Any, Final

from canfetch.bulk.studies.recipes import Recipe
from canfetch.bulk.writing.columns import Row
from canfetch.core.text import counted
from canfetch.errors import MissingExtra

# The 24 agents of IMC 2025, and any of them.
_SHOWN: Final = 25
_LINES_SHOWN: Final = 12
# Enough for the months of a year, whose lengths differ.
_DATES_SHOWN: Final = 14
# With more points, markers hide the lines.
_MARKERS_SHOWN: Final = 40
_CRAWL_PREFIX: Final = "CC-MAIN-"
_WIDE: Final = 9.0
_INCHES_A_BAR: Final = 0.3


def draw_study(rows: Sequence[Row], recipe: Recipe, file_format: str) -> bytes:
    """Return the plot of a study's rows.

    Captures without a time, or without a crawl, have no place on a time axis. If others have one, a note has the number
    of files left out.

    Args: file_format: A format of matplotlib, such as `png`, `svg` or `pdf`.
    Raises: MissingExtra: matplotlib is not installed. ValueError: The format is unknown.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingExtra("--plot requires matplotlib: pip install 'canfetch[plot]'") from None
    measure, label, title, subject = recipe.plotted
    # Without files in a period, there is no share.
    shown = [row for row in rows if row[3] == measure and subject in {None, row[2]} and row[6] is not None]
    periods = sorted({row[1] for row in shown if row[1]}) or [""]
    if label is None:
        series = _shares((row[4], row[1], row[6]) for row in shown)
    else:
        series = _shares((row[2], row[1], row[6] if row[4] == label else 0.0) for row in shown)
    names = sorted(series, key=lambda name: -max(series[name].get(period, 0) for period in periods))[:_SHOWN]
    figure: Any = Figure(figsize=(_WIDE, 1.6 + _INCHES_A_BAR * max(len(names), 8)), layout="constrained")
    axes = figure.subplots()
    if len(periods) > 1:
        _draw_lines(axes, periods, {name: series[name] for name in names[:_LINES_SHOWN]})
        figure.legend(loc="outside right upper", frameon=False)
    else:
        _draw_bars(axes, {name: 100 * series[name].get(periods[0], 0) for name in names})
    axes.set_title(f"{title} ({measure})", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    undated = 0 if periods == [""] else _files_without_time(shown)
    if undated:
        figure.supxlabel(
            f"{counted(undated, 'file')} without a time or crawl not shown", fontsize="small", x=0.01, ha="left"
        )
    output = BytesIO()
    figure.savefig(output, format=file_format, dpi=144)
    return output.getvalue()


def _draw_lines(axes: Any, periods: Sequence[str], series: dict[str, dict[str, float]]) -> None:
    dates = [period_start(period) for period in periods]
    size = 6 if len(periods) <= _MARKERS_SHOWN else 2
    for name, shares in series.items():
        values = [100 * shares.get(period, nan) for period in periods]
        # A marker at 0 % is drawn across the axis instead of being cut by it.
        axes.plot(dates, values, marker="o", markersize=size, clip_on=False, zorder=3, label=name)
    axes.set_ylabel("% of files")
    axes.set_ylim(bottom=0)
    labelled = spread_dates(dates)
    style = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks([dates[index] for index in labelled], [periods[index] for index in labelled], **style)


def _draw_bars(axes: Any, values: dict[str, float]) -> None:
    axes.barh(range(len(values)), list(values.values()), color="#0072b2")
    for row, value in enumerate(values.values()):
        axes.text(value, row, f" {value:.1f}", va="center")
    axes.set_yticks(range(len(values)), list(values))
    axes.invert_yaxis()
    axes.set_xlabel("% of files")


def period_start(period: str) -> date:
    """Return the first day of a period, such as `2026-05`, or of a crawl, such as `CC-MAIN-2026-21`."""
    if period.startswith(_CRAWL_PREFIX):
        first, *rest = map(int, period.removeprefix(_CRAWL_PREFIX).split("-"))
        # The second number is a week, or the year in which an early crawl ended.
        with suppress(ValueError):
            return date.fromisocalendar(first, rest[0] if rest else 0, 1)
        return date(first, 1, 1)
    year, month, day = (*map(int, period.split("-")), 1, 1)[:3]
    return date(year, month, day)


def spread_dates(dates: Sequence[date]) -> list[int]:
    """Return the indexes of the dates that get a label: as many as fit next to each other, from the first one.

    Args: dates: At least two dates, in order.
    """
    distance = (dates[-1] - dates[0]).days / (_DATES_SHOWN - 1)
    chosen = [0]
    for index in range(1, len(dates)):
        if (dates[index] - dates[chosen[-1]]).days >= distance:
            chosen.append(index)
    return chosen


def _files_without_time(rows: Sequence[Row]) -> int:
    """Return the number of files without a time. All subjects have the same files."""
    files: dict[str, int] = {}
    for row in rows:
        if not row[1]:
            files[row[2]] = files.get(row[2], 0) + row[5]
    return max(files.values(), default=0)


def _shares(cells: Any) -> dict[str, dict[str, float]]:
    series: dict[str, dict[str, float]] = {}
    for name, period, share in cells:
        own = series.setdefault(name, {})
        own[period] = own.get(period, 0) + share
    return series
