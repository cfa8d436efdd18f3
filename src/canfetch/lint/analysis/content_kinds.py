"""Whether a page of HTML, or what is no text at all, stands in place of the file."""

from typing import Final

from canfetch.lint.linted_file import LintedFile

_LOOKED_AT_OCTETS: Final = 4096
_LETTERS_OCTETS: Final = 64
_FEWEST_LETTERS: Final = 4
_STARTS: Final = (b"<!doctype", b"<html", b"<head", b"<body", b"<?xml", b"<script", b"<meta", b"<title")
_ELEMENTS: Final = (b"<!doctype html", b"<html", b"<head", b"<body")


def is_markup(octets: bytes) -> bool:
    """Say whether octets are a page, by how they begin.

    Cost: O(1).
    """
    head = octets[:_LOOKED_AT_OCTETS].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return head.startswith(_STARTS) or (head.startswith(b"<") and any(element in head for element in _ELEMENTS))


def file_is_markup(file: LintedFile) -> bool:
    """Say whether a page stands in place of the file."""
    return is_markup(file.content)


def file_is_wide(file: LintedFile) -> bool:
    """Say whether each letter at the beginning of the file has NULs beside it: UTF-16 or UTF-32 that is read as UTF-8.

    Cost: O(1).
    """
    head = file.content[:_LETTERS_OCTETS]
    head = head[: len(head) & ~1]
    for nuls, letters in ((head[::2], head[1::2]), (head[1::2], head[::2])):
        if len(nuls) >= _FEWEST_LETTERS and not nuls.strip(b"\0") and letters.strip(b"\0"):
            return True
    return False


def file_is_binary(file: LintedFile) -> bool:
    """Say whether the file is no text: it begins with NULs among octets that are no UTF-8.

    Cost: O(1).
    """
    head = file.content[:_LOOKED_AT_OCTETS]
    # A character may be cut at the end.
    whole = head if len(head) < _LOOKED_AT_OCTETS else head[:-3]
    return b"\0" in head and "\ufffd" in whole.decode("utf-8", "replace")
