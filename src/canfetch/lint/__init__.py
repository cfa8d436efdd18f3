"""The linter: what is wrong, odd or not read alike in a robots.txt, with its place, its reason and its mend.

octets, what else is known -> LintedFile -> checks -> findings -> LintReport -> one of many formats
                                                        |
                                                        fixes -> octets, proved to keep every verdict -> again
"""

from canfetch.lint.catalogue import LANGUAGES, Catalogue, catalogue_of
from canfetch.lint.check import Check, Found, Probe, Subject
from canfetch.lint.checks import CHECKS
from canfetch.lint.crawler_verdicts import CrawlerVerdict
from canfetch.lint.finding import Finding, Position
from canfetch.lint.fixing import Edit, Fix
from canfetch.lint.given import Given, SeenPage
from canfetch.lint.linter import FixResult, Linter
from canfetch.lint.report import LintReport
from canfetch.lint.severity import SEVERITY_SETS, Severities, Severity

__all__ = [
    "CHECKS",
    "LANGUAGES",
    "SEVERITY_SETS",
    "Catalogue",
    "Check",
    "CrawlerVerdict",
    "Edit",
    "Finding",
    "Fix",
    "FixResult",
    "Found",
    "Given",
    "LintReport",
    "Linter",
    "Position",
    "Probe",
    "SeenPage",
    "Severities",
    "Severity",
    "Subject",
    "catalogue_of",
]
