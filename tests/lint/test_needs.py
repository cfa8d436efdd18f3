"""What a check needs: a file without it has no findings of the check, and the check is not imported."""

import subprocess
import sys
from itertools import chain

import pytest
from tests.lint.corpus import corpus_files

from canfetch.lint import LintInput
from canfetch.lint._tables import CHECK_TABLE
from canfetch.lint.analysis.needs import NeedIndex
from canfetch.lint.linted_file import LintedFile


@pytest.mark.slow
def test_a_check_finds_nothing_in_a_file_without_its_needs() -> None:
    skipped: set[str] = set()
    needs = NeedIndex(chain.from_iterable(entry.needs for entry in CHECK_TABLE))
    for name, content in corpus_files(generated=200):
        file = LintedFile(LintInput(content))
        present = needs.find(file)
        for entry in CHECK_TABLE:
            if entry.needs and not present & needs.bits(entry.needs):
                skipped.add(entry.code)
                assert list(entry.check.find(file)) == [], (name, entry.code)
    assert skipped == {entry.code for entry in CHECK_TABLE if entry.needs}


@pytest.mark.service
def test_checks_that_find_nothing_in_a_file_are_not_imported() -> None:
    script = (
        "import sys; from canfetch.lint import Linter; Linter().lint(b'User-agent: *\\nDisallow: /a\\n'); "
        "print(*(name for name in sys.modules if name.startswith('canfetch.lint.checks.')))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = [name for name in run.stdout.split() if name.count(".") == 4]
    assert "canfetch.lint.checks.patterns.regular_expression" in loaded
    assert len(loaded) < len(CHECK_TABLE) / 5
