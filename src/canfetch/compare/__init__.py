"""Exact comparison of robots.txt files: each file is the set of URLs that an agent may fetch, not a list of samples.

rules -> Ranking -> Question -> sets of targets (search, divide) -> shortest target -> engine -> URL

Every answer is proved for all URLs. Every difference comes with a shortest URL that the engine confirms. A comparison
that is too large raises `Undecided`.

- The public functions reduce an answer to questions about one or two sides, such as two files: is there a target with
  certain verdicts? `questions` has the question, `witnesses` answers and confirms it, and is the file to open first.
- `refinement` divides the possible targets into sets. A set has a few patterns that a target matches, and a few that
  it does not match. If another pattern decides its shortest target in an unwanted way, the set is divided at this
  pattern. So only the patterns that matter to an answer are searched, and files with hundreds of wildcards are
  decided. The first target with the wanted decisions is a shortest one, and if no set is left, there is none.
- `direct` recognises sets without a target, and sets with one that is simple to find. `search` follows the patterns
  of the others together over the bytes of a target. `domains` has the targets that URLs have, as automata.
- `budget` limits the work in steps instead of time, so that the same question always has the same answer.
- `native_refinement` passes the patterns of two sides to the native engine once, for all questions about them. It
  divides the same sets in the same order and finds the same targets, about 50 times as fast. So its limit is higher.
"""

from canfetch.compare.changes import Change, Difference, URLSet, diff, difference, equivalent
from canfetch.compare.coverage import Coverage, CoverageKind, coverage
from canfetch.compare.dead_rules import RuleEffect, dead_rules, rule_effects
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
