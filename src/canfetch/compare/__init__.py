"""Exact comparison of robots.txt files: each file is the set of URLs that an agent may fetch, not a list of samples.

Every answer is proved for all URLs. Every difference comes with a shortest URL that the engine confirms. A comparison
that is too large raises `Undecided`.
"""

from canfetch.compare.changes import Change, URLSet, diff
from canfetch.compare.coverage import Coverage, CoverageKind, coverage
from canfetch.compare.dead_rules import RuleEffect, dead_rules, rule_effects
from canfetch.compare.differences import Difference, difference, equivalent
from canfetch.compare.minimization import Minimization, find_minimization, minimize
from canfetch.compare.within import find_changed_url, find_url

__all__ = [
    "Change",
    "Coverage",
    "CoverageKind",
    "Difference",
    "Minimization",
    "RuleEffect",
    "URLSet",
    "coverage",
    "dead_rules",
    "diff",
    "difference",
    "equivalent",
    "find_changed_url",
    "find_minimization",
    "find_url",
    "minimize",
    "rule_effects",
]
