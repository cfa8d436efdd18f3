"""Over many files: no exception, right spans, and fixes that do what they say."""

from tests.lint.corpus import files

from canfetch.lint import Linter, LintInput
from try_fixes import broken_promises, wrong_spans

LINTER = Linter(findings_limit=None)


def test_every_fix_does_what_it_says() -> None:
    """Of each check and file the first fix is made alone."""
    wrong: list[str] = []
    for name, octets in files(made=60):
        report = LINTER.lint(LintInput(octets))
        wrong += wrong_spans(report)
        seen: set[str] = set()
        for finding in report.findings:
            if finding.fix is not None and finding.check.code not in seen:
                seen.add(finding.check.code)
                wrong += (f"{name}: {finding!r} {text}" for text in broken_promises(report, finding))
    assert wrong == []
