"""Detection of files that are markup, UTF-16 or binary data instead of a robots.txt."""

from typing import Final

from canfetch.lint.linted_file import LintedFile

_HEAD_BYTES: Final = 4096
_WIDE_HEAD_BYTES: Final = 64
_MIN_WIDE_LETTERS: Final = 4
_STARTS: Final = (b"<!doctype", b"<html", b"<head", b"<body", b"<?xml", b"<script", b"<meta", b"<title")
_ELEMENTS: Final = (b"<!doctype html", b"<html", b"<head", b"<body")


def is_markup(content: bytes) -> bool:
    """Return whether the content starts like HTML or XML.

    Cost: O(1).
    """
    head = content[:_HEAD_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return head.startswith(_STARTS) or (head.startswith(b"<") and any(element in head for element in _ELEMENTS))


def file_is_markup(file: LintedFile) -> bool:
    """Return whether the file is HTML or XML."""
    return is_markup(file.content)


def file_is_wide(file: LintedFile) -> bool:
    """Return whether the file is UTF-16 or UTF-32, recognised by the NUL bytes between its first letters.

    Cost: O(1).
    """
    return _is_wide(file.content)


def _is_wide(content: bytes) -> bool:
    head = content[:_WIDE_HEAD_BYTES]
    head = head[: len(head) & ~1]
    for nuls, letters in ((head[::2], head[1::2]), (head[1::2], head[::2])):
        if len(nuls) >= _MIN_WIDE_LETTERS and not nuls.strip(b"\0") and letters.strip(b"\0"):
            return True
    return False


def file_is_binary(file: LintedFile) -> bool:
    """Return whether the file starts with NUL bytes and invalid UTF-8.

    Cost: O(1).
    """
    return _is_binary(file.content)


def _is_binary(content: bytes) -> bool:
    head = content[:_HEAD_BYTES]
    # The last character may be cut off.
    whole = head if len(head) < _HEAD_BYTES else head[:-3]
    return b"\0" in head and "\ufffd" in whole.decode("utf-8", "replace")


def describe_unusual_content(content: bytes) -> str | None:
    """Return what the content is instead of robots.txt, such as "HTML or XML", or None.

    Cost: O(1).
    """
    if is_markup(content):
        return "HTML or XML"
    if _is_wide(content):
        return "UTF-16 without a byte order mark"
    return "binary data" if _is_binary(content) else None
