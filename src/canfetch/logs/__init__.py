"""Access logs: which crawlers came, whether they fetched robots.txt, and whether they obeyed it.

log -> blocks -> rows of one form -> (time, agent, RobotsHistory) -> activity of each crawler -> LogReport

`analyze` reads logs and returns a report with one row for each crawler. The rules come from a `RobotsHistory`: the
versions of the robots.txt, each with the time from which it was served.

Logs are read in blocks of lines. One regular expression reads a whole block of the usual lines, and a slower one the
others. All data that grows with requests is bounded: lines, stored headers, addresses, hosts and crawlers.
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
