"""The linter: finds errors in robots.txt files, lines that crawlers read differently, and how to fix them.

bytes, delivery -> LintedFile -> checks -> findings -> LintReport -> text, JSON, SARIF, ...
                                    |
                                    fixes -> bytes with the same verdicts -> lint again

- `checks` has one module for each check, and `analysis` what several checks share.
- `_tables` has what the linter has to know before it imports a check, and is generated from the checks.
- `linter` runs the checks that may find something, by their `needs`. Each one runs after those that supersede
  it, and its findings on the lines that these have reported are dropped, so that one fault is one finding.
- `proofs` derives the verdicts that a finding shows: its `VerdictQuery` holds a URL and lines, and the crawlers come
  from the groups of these lines. All findings of a file share bindings and verdicts.
- `verdict_changes` finds the profiles in which a fix changes verdicts. It binds both versions of the file to all agents
  that a changed group may apply to, and compares the rules that differ for all URLs. What it does not decide within its
  limits counts as a change. `fix_effects` divides these limits among the fixes of a file.
- `fix_rounds` chooses the fixes that together keep the verdicts of the chosen profiles, by default of all.
- `formats` renders reports for other tools.

Comparisons, page rules and deliveries are imported when a file needs them: most files have few rules and no delivery.
"""

from typing import TYPE_CHECKING, Any

from canfetch.lint.catalogue import LANGUAGES, Catalogue, load_catalogue
from canfetch.lint.check import Category, Check, LineOccurrence, Occurrence, VerdictQuery
from canfetch.lint.crawler_verdicts import CrawlerVerdict
from canfetch.lint.finding import Finding, Position
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.lint_input import LintInput, SitePage
from canfetch.lint.linter import FixResult, Linter
from canfetch.lint.proofs import Contrast, Proof
from canfetch.lint.report import LintReport
from canfetch.lint.severity import SEVERITY_SETS, Severities, Severity

if TYPE_CHECKING:
    from canfetch.lint.checks import CHECKS

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


def __getattr__(name: str) -> Any:
    # A run of the linter imports only the checks that may find something.
    if name == "CHECKS":
        from canfetch.lint import checks  # noqa: PLC0415

        return checks.CHECKS
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
