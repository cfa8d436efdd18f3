"""Lint many files, try each fix alone, and count: what was found, what was mended, and what did not hold.

usage: python tools/try_fixes.py FOLDER [--most N]

Of each check and file the first N findings with a fix are mended alone (all with --most 0). A fix must remove its
finding, add none, and keep the meaning of the file in every profile. One that says that it changes verdicts may do
that; where it makes crawlers read what they did not, what is to be said of that is counted as shown, not as added.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from canfetch.core.equivalence import differing_profiles
from canfetch.lint import CHECKS, Finding, Linter, LintInput, LintReport
from canfetch.lint.fixes import apply_fixes

LINTER = Linter(findings_limit=None)


def codes(report: LintReport) -> Counter[str]:
    """Count findings by code."""
    return Counter(finding.check.code for finding in report.findings)


def broken_promises(report: LintReport, finding: Finding) -> list[str]:
    """Make one fix, and list what does not hold."""
    if finding.fix is None:
        return []
    octets, _ = apply_fixes(report.file.content, [finding.fix])
    after = codes(LINTER.lint(report.file.input._replace(content=octets + report.file.robots.tail)))
    before = codes(report)
    code = finding.check.code
    wrong = []
    if after[code] >= before[code]:
        wrong.append("is found again")
    if not finding.fix.changes_verdicts:
        added = sorted(other for other in after if after[other] > before[other] and other != code)
        wrong += [f"adds {', '.join(added)}"] if added else []
        wrong += [f"changes {profile}" for profile in differing_profiles(report.file.content, octets)]
    return wrong


def shown_findings(report: LintReport, finding: Finding) -> bool:
    """Say whether a fix that changes verdicts shows what nobody could find before."""
    if finding.fix is None or not finding.fix.changes_verdicts:
        return False
    octets, _ = apply_fixes(report.file.content, [finding.fix])
    after, before = (
        codes(LINTER.lint(report.file.input._replace(content=octets + report.file.robots.tail))),
        codes(report),
    )
    return any(after[other] > before[other] for other in after)


def wrong_spans(report: LintReport) -> list[str]:
    """List findings whose spans are no places of the file."""
    octets = len(report.file.content)
    return [repr(one) for one in report.findings if not 0 <= one.span[0] <= one.span[1] <= octets]


def main() -> int:
    """Go through a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=1, help="findings of a check that are mended alone in each file")
    arguments = parser.parse_args()
    begun = time.perf_counter()
    files = found = tried = showing = 0
    in_files: Counter[str] = Counter()
    total: Counter[str] = Counter()
    mended: Counter[str] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    where: dict[tuple[str, str], str] = {}
    for path in sorted(arguments.folder.rglob("*")):
        if not path.is_file():
            continue
        files += 1
        report = LINTER.lint(LintInput(path.read_bytes()))
        for text in wrong_spans(report):
            print(f"{path}: span of {text}")
        counted = codes(report)
        total += counted
        found += len(report.findings)
        in_files.update(counted.keys())
        seen: Counter[str] = Counter()
        for finding in report.findings:
            code = finding.check.code
            seen[code] += finding.fix is not None
            if finding.fix is None or (arguments.most and seen[code] > arguments.most):
                continue
            tried += 1
            broken = broken_promises(report, finding)
            mended[code] += not broken
            showing += shown_findings(report, finding)
            for text in broken:
                wrong[code, text] += 1
                where.setdefault((code, text), f"{path.name}:{finding.line}")
    print(f"{files:,} files, {found:,} findings, {tried:,} fixes tried, in {time.perf_counter() - begun:.0f} s\n")
    print("| code | name | files | findings | fixes that held |\n| --- | --- | --- | --- | --- |")
    for check in CHECKS:
        held = f"{mended[check.code]:,}" if check.fixable else "-"
        print(f"| {check.code} | `{check.name}` | {in_files[check.code]:,} | {total[check.code]:,} | {held} |")
    print(f"\n{showing} fixes that change verdicts show something that could not be found before")
    print(f"{sum(wrong.values())} promises broken")
    for (code, text), count in wrong.most_common():
        print(f"  {code} {text}: {count}, such as {where[code, text]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
