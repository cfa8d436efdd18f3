"""A plot of a study: one line for each agent over time, or one bar for each if there is one period."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any, Final

from canfetch.bulk.studies.recipes import Recipe
from canfetch.bulk.writing.columns import Row
from canfetch.errors import MissingExtra

# The 24 agents of IMC 2025, and any of them.
_SHOWN: Final = 25
_LINES_SHOWN: Final = 12
_WIDE: Final = 9.0
_INCHES_A_BAR: Final = 0.3


def draw_study(rows: Sequence[Row], recipe: Recipe, file_format: str) -> bytes:
    """Return the plot of a study's rows.

    Args: file_format: A format of matplotlib, such as `png`, `svg` or `pdf`.
    Raises: MissingExtra: matplotlib is not installed. ValueError: The format is unknown.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingExtra("--plot requires matplotlib: pip install 'canfetch[plot]'") from None
    measure, label, title = recipe.plotted
    shown = [row for row in rows if row[3] == measure]
    periods = sorted({row[1] for row in shown})
    if label is None:
        series = _shares((row[4], row[1], row[6]) for row in shown)
    else:
        series = _shares((row[2], row[1], row[6] if row[4] == label else 0.0) for row in shown)
    names = sorted(series, key=lambda name: -max(series[name].values(), default=0))[:_SHOWN]
    figure: Any = Figure(figsize=(_WIDE, 1.6 + _INCHES_A_BAR * max(len(names), 8)), layout="constrained")
    axes = figure.subplots()
    if len(periods) > 1:
        for name in names[:_LINES_SHOWN]:
            axes.plot(periods, [100 * series[name].get(period, 0) for period in periods], marker="o", label=name)
        axes.set_ylabel("% of files")
        axes.set_ylim(bottom=0)
        axes.tick_params(axis="x", rotation=45)
        figure.legend(loc="outside right upper", frameon=False)
    else:
        period = periods[0] if periods else ""
        values = [100 * series[name].get(period, 0) for name in names]
        axes.barh(range(len(names)), values, color="#0072b2")
        for row, value in enumerate(values):
            axes.text(value, row, f" {value:.1f}", va="center")
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlabel("% of files")
    axes.set_title(f"{title} ({measure})", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    output = BytesIO()
    figure.savefig(output, format=file_format, dpi=144)
    return output.getvalue()


def _shares(cells: Any) -> dict[str, dict[str, float]]:
    series: dict[str, dict[str, float]] = {}
    for name, period, share in cells:
        own = series.setdefault(name, {})
        own[period] = own.get(period, 0) + share
    return series
