"""Compare the linter's findings about rules without effect with exact comparisons, rule by rule.

usage: python tools/compare_dead_rules.py FOLDER

A rule has no effect if every URL has the same verdict without it, for every agent. It is dead if it decides about no
URL for any agent. The linter reports such rules, unless a reason is listed. A finding about a rule that has an effect
is an error, and so are findings without whose rules some verdict changes. Both are examined in the profile `google`,
too.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from canfetch import RobotsTxt, parse
from canfetch.compare.budget import Budget
from canfetch.compare.dead_rules import rule_effects
from canfetch.compare.minimization import selecting_agents, selections
from canfetch.compare.redundancy import RemovableRules
from canfetch.core.profiles import get_profile
from canfetch.core.verdict import Rule
from canfetch.lint import Linter
from canfetch.lint.analysis.exact_redundancy import is_comparable
from canfetch.lint.analysis.merged_rules import merged_rules
from canfetch.lint.analysis.rule_coverage import covered_rules

CODES = ("CF405", "CF406", "CF426", "CF427", "CF428")
LINTER = Linter(select=CODES, findings_limit=None)
STEPS = 1 << 40

NO_AGENT = "no agent reads its group"
NO_URL = "it matches no URL"
LAST = "an allow rule alone in its group"
TOGETHER = "only while a reported rule is there"
GOOGLE = "Google's parser reads it differently"
LARGE = "the file is too large"
LIMIT = "the limit of work is reached"


class Redundancy:
    """Finds out exactly whether rules of a file have an effect."""

    def __init__(self, robots: RobotsTxt) -> None:
        self._robots = robots
        self._groups = list(selections(robots))

    def without_effect(self, lines: Iterable[int]) -> bool:
        """Return whether every agent has the same verdicts without some rules."""
        lines = frozenset(lines)
        return all(self._removable(rules).are_redundant(lines & {rule.line for rule in rules}) for rules in self._rules)

    def lines_without_effect(self) -> Iterator[int]:
        """Yield the lines of all rules without which every agent has the same verdicts."""
        removable = [(rules, self._removable(rules)) for rules in self._rules]
        for group in self._robots.groups:
            for rule in group.rules:
                if all(one.are_redundant([rule.line]) for rules, one in removable if rule in rules):
                    yield rule.line

    @property
    def _rules(self) -> list[list[Rule]]:
        groups = self._robots.groups
        return [[rule for index in indices for rule in groups[index].rules] for indices in self._groups]

    def _removable(self, rules: list[Rule]) -> RemovableRules:
        return RemovableRules(rules, get_profile(self._robots.profile), Budget(STEPS))


def dead_lines(robots: RobotsTxt) -> dict[int, set[int]]:
    """Return the lines of the rules that decide about no URL for any agent, each with those that win over them."""
    winners: dict[int, set[int]] = {}
    deciding: set[int] = set()
    for agent in selecting_agents(robots):
        for effect in rule_effects(robots, agent=agent, steps=STEPS):
            if effect.example is None:
                winners.setdefault(effect.rule.line, set()).update(rule.line for rule in effect.winners)
            else:
                deciding.add(effect.rule.line)
    return {line: wins for line, wins in winners.items() if line not in deciding}


class Comparison:
    """The rules without effect of one file, and those that the linter reports.

    Attributes:
        reported: The code of each reported line.
        dead: The lines of dead rules.
        missing: The reason for each line that is not reported.
        wrong: The lines that are reported, but have an effect. If all have none, but have one together, these are all.
    """

    def __init__(self, content: bytes) -> None:
        robots = parse(content)
        report = LINTER.lint(content)
        self._file = report.file
        self.reported = {finding.line: finding.check.code for finding in report.findings}
        for covered in covered_rules(report.file):
            self.reported.update((rule.line, "CF406") for rule in covered.equal if rule.line not in self.reported)
        self.dead = dead_lines(robots)
        redundancy = Redundancy(robots)
        without_effect = set(redundancy.lines_without_effect())
        self._for_google = Redundancy(parse(content, profile="google"))
        self.wrong = set(self.reported) - without_effect
        if not self.wrong and not all(one.without_effect(self.reported) for one in (redundancy, self._for_google)):
            self.wrong = set(self.reported)
        self.missing: dict[int, str] = {}
        groups = [[rule for rule in group.rules if rule.line not in self.reported] for group in robots.groups]
        read = {index for indices in selections(robots) for index in indices}
        for index, rules in enumerate(groups):
            for rule in rules:
                if rule.line in without_effect:
                    self.missing[rule.line] = self._reason(rule, len(rules), redundancy, is_read=index in read)

    def _reason(self, rule: Rule, remaining: int, redundancy: Redundancy, *, is_read: bool) -> str:
        if not is_read:
            return NO_AGENT
        if not rule.pattern.startswith((b"/", b"*")) or (rule.line in self.dead and not self.dead[rule.line]):
            return NO_URL
        if rule.allow and remaining == 1:
            return LAST
        if not redundancy.without_effect([*self.reported, rule.line]):
            return TOGETHER
        if (
            merged_rules(self._file).rules_of_google
            or (rule.allow and b"/index.htm" in rule.pattern)
            or not self._for_google.without_effect([*self.reported, rule.line])
        ):
            return GOOGLE
        return LIMIT if is_comparable(self._file) else LARGE


def main() -> int:
    """Compare the findings about all files in a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    kinds: Counter[tuple[str, str]] = Counter()
    files: Counter[str] = Counter()
    wrong: list[str] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        compared = Comparison(path.read_bytes())
        found = compared.reported | compared.missing
        kinds.update((kind, "dead" if line in compared.dead else "others") for line, kind in found.items())
        files.update(set(found.values()))
        wrong += [f"{path.name}:{line} has an effect" for line in sorted(compared.wrong)]
    for kind in (*CODES, NO_AGENT, NO_URL, LAST, TOGETHER, GOOGLE, LARGE, LIMIT):
        print(f"{kind:40} {files[kind]:6,} files {kinds[kind, 'dead']:8,} dead {kinds[kind, 'others']:8,} others")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
