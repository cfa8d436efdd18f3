"""Lint many files with the default settings, and print what a user sees as a table.

usage: python tools/lint_real_files.py FOLDER

The columns compare the default settings with those that show and fail on every finding of every severity set.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from canfetch.lint import Linter, LintInput, LintReport, Severity
from canfetch.lint.configuration import LintSettings


class Shown(NamedTuple):
    """What a user sees of many files.

    Attributes:
        files: The number of files.
        failing: The files that let a run fail.
        with_errors: The files with an error.
        shown: The findings that are shown.
        noted: The files with findings that are only counted.
    """

    files: int
    failing: int
    with_errors: int
    shown: int
    noted: int

    def rows(self) -> list[tuple[str, str]]:
        """Return the rows of the table."""
        return [
            ("Files with exit code 1", f"{self.failing:,} ({self._percent(self.failing)})"),
            ("Files with an error", f"{self.with_errors:,} ({self._percent(self.with_errors)})"),
            ("Findings shown in a file, on average", f"{self.shown / max(self.files, 1):.1f}"),
            ("Files with notes that are only counted", f"{self.noted:,} ({self._percent(self.noted)})"),
        ]

    def _percent(self, count: int) -> str:
        return f"{100 * count / max(self.files, 1):.0f} %"


def summarize(reports: Iterable[LintReport], *, fail_on: Severity, show: Severity) -> Shown:
    """Return what a user sees of these reports with the options `fail_on` and `show`."""
    files = failing = with_errors = shown = noted = 0
    for report in reports:
        files += 1
        failing += bool(report.at_least(fail_on).findings)
        with_errors += report.count(Severity.ERROR) > 0
        visible = report.at_least(show)
        shown += len(visible.findings)
        noted += len(visible.findings) < len(report.findings)
    return Shown(files, failing, with_errors, shown, noted)


def lint_folder(folder: Path, linter: Linter) -> Iterable[LintReport]:
    """Yield the report of each file below a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield linter.lint(LintInput(path.read_bytes()))


def main() -> int:
    """Print the table for a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    fail_on = LintSettings().fail_on
    default = summarize(lint_folder(folder, Linter(findings_limit=None)), fail_on=fail_on, show=Severity.WARNING)
    everything = Linter(severities="all", findings_limit=None)
    complete = summarize(lint_folder(folder, everything), fail_on=Severity.INFO, show=Severity.INFO)
    print(f"{default.files:,} files\n")
    print("| | `--severities all --fail-on info` | default |\n| --- | --- | --- |")
    for (label, before), (_, after) in zip(complete.rows(), default.rows(), strict=True):
        print(f"| {label} | {before} | {after} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
