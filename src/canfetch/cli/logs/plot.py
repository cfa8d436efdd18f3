"""A plot of the requests of crawlers: allowed, disallowed, and not judged."""

from io import BytesIO
from typing import Any, Final

from canfetch.cli.logs.log_table import percent, row_name
from canfetch.core.times import rfc3339
from canfetch.errors import MissingExtra
from canfetch.logs.report import LogReport

_CRAWLERS_SHOWN: Final = 20
_INCHES_WIDE: Final = 9.0
_INCHES_A_CRAWLER: Final = 0.34
# Colours that are distinct for any colour vision.
_PARTS: Final = (("allowed", "#0072b2"), ("disallowed", "#d55e00"), ("no robots.txt known", "#bbbbbb"))


def draw_plot(report: LogReport, file_format: str) -> bytes:
    """Return a bar chart with one bar for each of the crawlers with the most requests.

    Args: file_format: A format of matplotlib, such as `png`, `svg` or `pdf`.
    Raises: MissingExtra: matplotlib is not installed. ValueError: The format is unknown.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingExtra("--plot requires matplotlib: pip install 'canfetch[plot]'") from None
    crawlers = report.crawlers[:_CRAWLERS_SHOWN]
    figure: Any = Figure(figsize=(_INCHES_WIDE, 1.6 + _INCHES_A_CRAWLER * len(crawlers)), layout="constrained")
    axes = figure.subplots()
    counts = (
        [crawler.judged_requests - crawler.disallowed_requests for crawler in crawlers],
        [crawler.disallowed_requests for crawler in crawlers],
        [crawler.requests - crawler.judged_requests for crawler in crawlers],
    )
    left = [0] * len(crawlers)
    for (label, color), values in zip(_PARTS, counts, strict=True):
        if any(values):
            axes.barh(range(len(crawlers)), values, left=left, color=color, label=label)
        left = [start + value for start, value in zip(left, values, strict=True)]
    for row, crawler in enumerate(crawlers):
        axes.text(left[row], row, f"  {percent(crawler.disallow_compliance)}", va="center")
    axes.set_yticks(range(len(crawlers)), [row_name(crawler) for crawler in crawlers])
    axes.invert_yaxis()
    axes.set_xlabel("requests")
    axes.set_title(_title(report), loc="left")
    axes.margins(x=0.12)
    axes.spines[["top", "right"]].set_visible(False)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    if crawlers:
        figure.legend(loc="outside upper right", ncols=len(_PARTS), frameon=False)
    output = BytesIO()
    figure.savefig(output, format=file_format, dpi=144)
    return output.getvalue()


def _title(report: LogReport) -> str:
    if report.first is None or report.last is None:
        return "Requests of crawlers"
    first, last = rfc3339(report.first)[:10], rfc3339(report.last)[:10]
    period = first if first == last else f"{first} to {last}"
    return f"Requests of crawlers, {period}, and the share that obeyed"
