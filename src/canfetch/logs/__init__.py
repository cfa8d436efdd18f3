"""Access logs: which crawlers came, whether they fetched robots.txt, and whether they obeyed it.

`analyze` reads logs and returns a report with one row for each crawler. The rules come from a `RobotsHistory`: the
versions of the robots.txt, each with the time from which it was served.
"""

from canfetch.logs.analysis import LogAnalysis, analyze
from canfetch.logs.formats import LOG_FORMATS
from canfetch.logs.history import RobotsHistory, RobotsVersion
from canfetch.logs.report import BadLine, CrawlerReport, LogReport

__all__ = [
    "LOG_FORMATS",
    "BadLine",
    "CrawlerReport",
    "LogAnalysis",
    "LogReport",
    "RobotsHistory",
    "RobotsVersion",
    "analyze",
]
