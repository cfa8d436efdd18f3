"""What a user sees of many files by default: few files fail, and few findings are shown."""

import pytest
from tests.lint.corpus import corpus_files, corpus_folder

from canfetch.lint import Linter, LintInput, Severity
from canfetch.lint.configuration import LintSettings
from lint_real_files import lint_folder, summarize

FAIL_ON = LintSettings().fail_on


@pytest.mark.slow
def test_a_file_fails_if_and_only_if_a_shown_finding_does() -> None:
    linter = Linter(findings_limit=None)
    reports = [linter.lint(LintInput(content)) for _, content in corpus_files(generated=200)]
    result = summarize(reports, fail_on=FAIL_ON, show=FAIL_ON)
    assert result.files == len(reports)
    assert result.failing == sum(any(one.severity >= FAIL_ON for one in report.findings) for report in reports)
    assert result.with_errors <= result.failing <= result.shown
    everything = summarize(reports, fail_on=Severity.INFO, show=Severity.INFO)
    assert everything.noted == 0
    assert everything.failing == result.files - sum(not report.findings for report in reports)
    assert everything.shown == sum(len(report.findings) for report in reports)


def test_about_one_real_file_in_four_fails() -> None:
    folder = corpus_folder()
    if folder is None:
        pytest.skip("CANFETCH_CORPUS is not set")
    result = summarize(lint_folder(folder, Linter(findings_limit=None)), fail_on=FAIL_ON, show=FAIL_ON)
    # Each of these findings was read: three files more than a quarter have rules that are always overridden.
    assert result.failing <= 0.255 * result.files
    assert 2 * result.shown <= 7 * result.files
