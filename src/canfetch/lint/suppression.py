"""Comments that suppress findings.

    # canfetch: allow blank-line-in-group          all lines up to the next line that holds more than a comment
    Disallow: /a$b  # canfetch: allow dollar-inside    this line
    # canfetch: allow-file byte-order-mark, CF104    the whole file

A comment lists names or codes of checks, separated by commas. A reason can follow after ` -- `.
"""

from typing import Final, NamedTuple

from canfetch.core.records import Record
from canfetch.core.text import display_text
from canfetch.lint.linted_file import LintedFile

_MARK: Final = b"canfetch:"
_LINE_WORD: Final = "allow"
_FILE_WORD: Final = "allow-file"
_REASON: Final = b" -- "


class Suppression(NamedTuple):
    """One suppression comment.

    Attributes:
        record: The line with the comment.
        word: The word after `canfetch:`, which should be `allow` or `allow-file`.
        names: The names of checks, as written, each with its span.
        last_line: The last line that it applies to, or None for the whole file.
    """

    record: Record
    word: str
    names: tuple[tuple[str, tuple[int, int]], ...]
    last_line: int | None

    @property
    def lines(self) -> range:
        """The lines that it applies to, unless it applies to the whole file."""
        return range(self.record.line, (self.last_line or 0) + 1)

    @property
    def is_valid(self) -> bool:
        """Whether it has the form `allow NAME` or `allow-file NAME`."""
        return self.word in {_LINE_WORD, _FILE_WORD} and bool(self.names)


def find_suppressions(file: LintedFile) -> tuple[Suppression, ...]:
    """Return all suppression comments of a file.

    Cost: O(bytes) at the first call.
    """
    return file.compute_once(_find)


def _find(file: LintedFile) -> tuple[Suppression, ...]:
    content, records = file.content, file.records
    if _MARK not in content:
        return ()
    found: list[Suppression] = []
    pending: list[Suppression] = []
    for index, (start, end) in enumerate(zip(records.starts, records.ends, strict=True)):
        before, _, comment = content[start:end].partition(b"#")
        suppression = _parse(records[index], comment, start + len(before) + 1) if _MARK in comment else None
        if before.strip():
            found += (one._replace(last_line=index + 1) for one in pending)
            pending.clear()
            if suppression is not None:
                found.append(suppression._replace(last_line=index + 1 if suppression.word != _FILE_WORD else None))
        elif suppression is not None:
            (found if suppression.word == _FILE_WORD else pending).append(suppression)
    # Comments at the end of the file apply only to themselves.
    found += (one._replace(last_line=one.record.line) for one in pending)
    return tuple(found)


def _parse(record: Record, comment: bytes, offset: int) -> Suppression | None:
    # A comment may contain another one, because a `#` in a path starts the first.
    before, mark, text = comment.partition(_MARK)
    if not mark or not (before.rstrip(b" \t").endswith(b"#") or not before.strip(b" \t")):
        return None
    offset += len(before) + len(_MARK)
    text = text.rstrip().partition(_REASON)[0]
    bare = text.lstrip(b" \t")
    offset += len(text) - len(bare)
    word = bare.replace(b"\t", b" ").partition(b" ")[0]
    names: list[tuple[str, tuple[int, int]]] = []
    offset += len(word)
    for part in bare[len(word) :].split(b","):
        name = part.strip()
        if name:
            start = offset + part.index(name)
            names.append((display_text(name), (start, start + len(name))))
        offset += len(part) + 1
    return Suppression(record, display_text(word), tuple(names), None)
