"""The linter: what is wrong, odd or not read alike in a robots.txt, with its place, its reason and its mend.

octets, what else is known -> LintedFile -> checks -> findings -> LintReport -> one of many formats
                                                        |
                                                        fixes -> octets, proved to keep every verdict -> again
"""

from canfetch.lint.catalogue import LANGUAGES, Catalogue, catalogue_of
from canfetch.lint.check import Check, Found, Probe, Subject
from canfetch.lint.checks import CHECKS
from canfetch.lint.finding import Finding, Position
from canfetch.lint.fixing import Edit, Fix
from canfetch.lint.given import Given, SeenPage
from canfetch.lint.linter import Fixed, Linter
from canfetch.lint.report import LintReport
from canfetch.lint.severity import LINT_PROFILES, Severities, Severity
from canfetch.lint.witnesses import Witness

__all__ = [
    "CHECKS",
    "LANGUAGES",
    "LINT_PROFILES",
    "Catalogue",
    "Check",
    "Edit",
    "Finding",
    "Fix",
    "Fixed",
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
    "Witness",
    "catalogue_of",
]
