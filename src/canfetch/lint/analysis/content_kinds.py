"""Files that are markup, UTF-16 or binary data instead of a robots.txt."""

from canfetch.core.content_formats import is_binary, is_page, is_wide
from canfetch.lint.linted_file import LintedFile


def file_is_markup(file: LintedFile) -> bool:
    """Return whether the file is an HTML page or XML.

    Cost: O(1).
    """
    return is_page(_start(file))


def file_is_wide(file: LintedFile) -> bool:
    """Return whether the file is UTF-16 or UTF-32, recognised by the NUL bytes between its first letters.

    Cost: O(1).
    """
    return is_wide(_start(file))


def file_is_binary(file: LintedFile) -> bool:
    """Return whether the file starts with NUL bytes and invalid UTF-8.

    Cost: O(1).
    """
    return is_binary(_start(file))


def _start(file: LintedFile) -> bytes:
    # A page without line breaks may have its only line past the size limit.
    return file.content or file.robots.tail
