"""Files with the same content, such as the default files of content management systems, which are linted once."""

from collections import OrderedDict
from typing import Final

from canfetch.lint.lint_input import LintInput
from canfetch.lint.linter import Linter
from canfetch.lint.report import LintReport

# Default files are small. A report takes about twenty times the bytes of its file.
_MAX_CONTENT_BYTES: Final = 1 << 14
_MAX_REPORTS: Final = 64
_MAX_HASHES: Final = 1 << 16
# The content, the file name, the path in the site, and the checks that are ignored.
_Key = tuple[bytes, str, str | None, frozenset[str]]


class RepeatedFiles:
    """Lints the files of a folder one after the other, and each content once as long as its report is stored.

    The reports of equal files share their findings, so they must not be used in different threads.

    Args: linter: The linter.
    """

    def __init__(self, linter: Linter) -> None:
        self._linter = linter
        # Most contents occur once, so that a report is stored when its content occurs for the second time.
        self._hashes: set[int] = set()
        self._reports: OrderedDict[_Key, LintReport] = OrderedDict()

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
            self._reports[key] = report
            if len(self._reports) > _MAX_REPORTS:
                self._reports.popitem(last=False)
        return report

    def _is_repeated(self, content: bytes) -> bool:
        number = hash(content)
        if number in self._hashes:
            return True
        if len(self._hashes) >= _MAX_HASHES:
            self._hashes.clear()
        self._hashes.add(number)
        return False
