"""Fixes of many files: each removes its finding and keeps its promise about verdicts."""

import pytest
from tests.lint.corpus import corpus_files

from canfetch.lint import CHECKS, Linter, LintInput
from try_fixes import broken_promises, wrong_spans

LINTER = Linter(severities="all", findings_limit=None)


@pytest.mark.slow
def test_first_fix_of_each_check_and_file_keeps_its_promises() -> None:
    wrong: list[str] = []
    tried = 0
    for name, content in corpus_files(generated=60):
        report = LINTER.lint(LintInput(content))
        wrong += wrong_spans(report)
        seen: set[str] = set()
        for finding in report.findings:
            if finding.fix is not None and finding.check.code not in seen:
                seen.add(finding.check.code)
                tried += 1
                wrong += (f"{name}: {finding!r} {text}" for text in broken_promises(report, finding))
    assert wrong == []
    assert tried > len(CHECKS)
