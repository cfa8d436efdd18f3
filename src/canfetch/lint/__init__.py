"""The linter: finds errors in robots.txt files, lines that crawlers read differently, and how to fix them.

bytes and context -> LintedFile -> checks -> findings -> LintReport -> output formats
                                               |
                                               fixes -> bytes with the same verdicts -> next round
"""

from canfetch.lint.catalogue import LANGUAGES, Catalogue, load_catalogue
from canfetch.lint.check import Category, Check, LineOccurrence, Occurrence, VerdictQuery
from canfetch.lint.checks import CHECKS
from canfetch.lint.crawler_verdicts import CrawlerVerdict
from canfetch.lint.finding import Finding, Position
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.lint_input import LintInput, SitePage
from canfetch.lint.linter import FixResult, Linter
from canfetch.lint.proofs import Contrast, Proof
from canfetch.lint.report import LintReport
from canfetch.lint.severity import SEVERITY_SETS, Severities, Severity

__all__ = [
    "CHECKS",
    "LANGUAGES",
    "SEVERITY_SETS",
    "Catalogue",
    "Category",
    "Check",
    "Contrast",
    "CrawlerVerdict",
    "Edit",
    "Finding",
    "Fix",
    "FixResult",
    "LineOccurrence",
    "LintInput",
    "LintReport",
    "Linter",
    "Occurrence",
    "Position",
    "Proof",
    "Severities",
    "Severity",
    "SitePage",
    "VerdictQuery",
    "load_catalogue",
]
