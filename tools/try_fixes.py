"""Lint many files, apply fixes one at a time, and report what was found, what was fixed, and what went wrong.

usage: python tools/try_fixes.py FOLDER [--most N]

For each check and file, the first N fixes are applied one at a time (all of them with --most 0). A fix must remove its
finding, add no finding of another check, and preserve the meaning of the file in every profile. A fix that declares a
change of verdicts may change the meaning, and may reveal findings on lines that crawlers ignored before.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from canfetch.core.equivalence import differing_profiles
from canfetch.lint import CHECKS, Finding, Fix, Linter, LintInput, LintReport
from canfetch.lint.fixes import apply_fixes

LINTER = Linter(severities="all", findings_limit=None)


def count_codes(report: LintReport) -> Counter[str]:
    """Return the number of findings for each code."""
    return Counter(finding.check.code for finding in report.findings)


def count_lines(report: LintReport, code: str) -> Counter[bytes]:
    """Return the number of findings with a code for each text of a line."""
    content, starts = report.file.content, [*report.file.line_starts, len(report.file.content)]
    lines = (finding.line for finding in report.findings if finding.check.code == code)
    return Counter(content[starts[line - 1] : starts[line]].strip() for line in lines)


def apply_alone(report: LintReport, fix: Fix) -> tuple[bytes, LintReport]:
    """Apply one fix, and return the new content and its report."""
    content, _ = apply_fixes(report.file.content, [fix])
    fixed = report.file.input._replace(content=content + report.file.robots.tail)
    return content, LINTER.lint(fixed)


def is_found_again(before: LintReport, after: LintReport, finding: Finding) -> bool:
    """Return whether a finding is still there after its fix."""
    code = finding.check.code
    if count_codes(after)[code] < count_codes(before)[code]:
        return False
    # Without a redundant rule, another one may be redundant for the reason that this one was.
    removed = count_lines(before, code) - count_lines(after, code)
    return not (finding.check.removes_redundant_lines and removed)


def broken_promises(report: LintReport, finding: Finding) -> list[str]:
    """Apply one fix, and return what is wrong with the result."""
    if finding.fix is None:
        return []
    content, fixed = apply_alone(report, finding.fix)
    before, after = count_codes(report), count_codes(fixed)
    code = finding.check.code
    wrong = ["is found again"] if is_found_again(report, fixed, finding) else []
    if not finding.fix.changes_verdicts:
        added = sorted(other for other in after if after[other] > before[other] and other != code)
        wrong += [f"adds {', '.join(added)}"] if added else []
        wrong += [f"changes {profile}" for profile in differing_profiles(report.file.content, content)]
    return wrong


def reveals_findings(report: LintReport, finding: Finding) -> bool:
    """Return whether a fix that changes verdicts reveals other findings."""
    if finding.fix is None or not finding.fix.changes_verdicts:
        return False
    _, fixed = apply_alone(report, finding.fix)
    before, after = count_codes(report), count_codes(fixed)
    return any(after[code] > before[code] for code in after)


def wrong_spans(report: LintReport) -> list[str]:
    """Return the findings whose spans are outside of the file."""
    size = len(report.file.content)
    return [repr(one) for one in report.findings if not 0 <= one.span[0] <= one.span[1] <= size]


def main() -> int:
    """Try the fixes of all files in a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=1, help="number of fixes to try for each check and file; 0 for all")
    arguments = parser.parse_args()
    start = time.perf_counter()
    files = found = tried = revealing = 0
    in_files: Counter[str] = Counter()
    total: Counter[str] = Counter()
    held: Counter[str] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    for path in sorted(arguments.folder.rglob("*")):
        if not path.is_file():
            continue
        files += 1
        report = LINTER.lint(LintInput(path.read_bytes()))
        for text in wrong_spans(report):
            print(f"{path}: wrong span: {text}")
        counts = count_codes(report)
        total += counts
        found += len(report.findings)
        in_files.update(counts.keys())
        seen: Counter[str] = Counter()
        for finding in report.findings:
            code = finding.check.code
            seen[code] += finding.fix is not None
            if finding.fix is None or (arguments.most and seen[code] > arguments.most):
                continue
            tried += 1
            broken = broken_promises(report, finding)
            held[code] += not broken
            revealing += reveals_findings(report, finding)
            for text in broken:
                wrong[code, text] += 1
                examples.setdefault((code, text), f"{path.name}:{finding.line}")
    seconds = time.perf_counter() - start
    print(f"{files:,} files, {found:,} findings, {tried:,} fixes tried in {seconds:.0f} s\n")
    print("| Code | Name | Files | Findings | Fixes that held |\n| --- | --- | --- | --- | --- |")
    for check in CHECKS:
        cell = f"{held[check.code]:,}" if check.fixable else "-"
        print(f"| {check.code} | `{check.name}` | {in_files[check.code]:,} | {total[check.code]:,} | {cell} |")
    print(f"\n{revealing} fixes that change verdicts revealed another finding")
    print(f"{sum(wrong.values())} broken promises")
    for (code, text), count in wrong.most_common():
        print(f"  {code} {text}: {count}, for example {examples[code, text]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
