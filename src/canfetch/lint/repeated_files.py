"""Files that occur repeatedly, such as the default files of content management systems, whose reports are reused."""

from collections import OrderedDict
from typing import Final

from canfetch.lint.lint_input import LintInput
from canfetch.lint.linter import Linter
from canfetch.lint.report import LintReport

# Default files are small.
_MAX_CONTENT_BYTES: Final = 1 << 14
# A written report of 16 KiB takes up to 400 times the bytes of its file, so all of them take up to 50 MB.
_MAX_STORED_BYTES: Final = 1 << 17
# The report of a file of a few bytes takes more than that.
_MAX_REPORTS: Final = 64
_MAX_HASHES: Final = 1 << 16
# The content, the file name, the path in the site, and the checks that are ignored.
_Key = tuple[bytes, str, str | None, frozenset[str]]


class RepeatedFiles:
    """Lints the files of a folder, and reuses the reports of small files that occur repeatedly.

    Reports that are reused share their findings, so they must not be used in different threads.

    Args: linter: The linter.
    """

    def __init__(self, linter: Linter) -> None:
        self._linter = linter
        # A report is stored when its content occurs for the second time. Otherwise files that occur once, as most do,
        # would replace it.
        self._hashes: set[int] = set()
        self._reports: OrderedDict[_Key, LintReport] = OrderedDict()
        self._stored_bytes = 0

    def lint(self, file: LintInput) -> LintReport:
        """Return the report of a file, with the same findings as `Linter.lint`."""
        has_context = file.url is not None or file.delivery is not None or file.siblings or file.pages
        if has_context or len(file.content) > _MAX_CONTENT_BYTES:
            return self._linter.lint(file)
        key = file.content, file.file_name, file.path_in_site, self._linter.ignored_codes(file.path)
        report = self._reports.get(key)
        if report is not None:
            self._reports.move_to_end(key)
            return report._replace(name=file.name, file=report.file.with_path(file.path))
        report = self._linter.lint(file)
        if self._is_repeated(file.content):
            self._store(key, report)
        return report

    def _store(self, key: _Key, report: LintReport) -> None:
        self._reports[key] = report
        self._stored_bytes += len(report.file.content)
        while len(self._reports) > _MAX_REPORTS or self._stored_bytes > _MAX_STORED_BYTES:
            _, removed = self._reports.popitem(last=False)
            self._stored_bytes -= len(removed.file.content)

    def _is_repeated(self, content: bytes) -> bool:
        number = hash(content)
        if number in self._hashes:
            return True
        if len(self._hashes) >= _MAX_HASHES:
            self._hashes.clear()
        self._hashes.add(number)
        return False
