"""How the lines of a file end, so that what is put in ends alike."""

from canfetch.lint.linted_file import LintedFile


def line_end(file: LintedFile) -> bytes:
    """Give the end that most lines have; LF where there is none."""
    return file.found_once(_line_end)


def _line_end(file: LintedFile) -> bytes:
    pairs = file.octets.count(b"\r\n")
    feeds = file.octets.count(b"\n") - pairs
    returns = file.octets.count(b"\r") - pairs
    if pairs > feeds and pairs >= returns:
        return b"\r\n"
    return b"\r" if returns > feeds else b"\n"
