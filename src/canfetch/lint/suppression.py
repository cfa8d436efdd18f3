"""Comments by which the author of a file says that a finding is meant.

    # canfetch: allow blank-line-in-group          all lines up to the next that is no comment and not blank
    Disallow: /a$b  # canfetch: allow dollar-inside    this line
    # canfetch: allow-file byte-order-mark, CF104    the whole file

Names and codes of checks, separated by commas; what is behind ` -- ` is a reason, for people.
"""

from typing import Final, NamedTuple

from canfetch.core.records import Record
from canfetch.core.text import display_text

_MARK: Final = b"canfetch:"
_LINE_WORD: Final = "allow"
_FILE_WORD: Final = "allow-file"
_REASON: Final = " -- "


class Suppression(NamedTuple):
    """One comment: where it stands, which checks it names, and up to which line it speaks, or None for the file.

    `names` are as written, each with its span; `word` is what stands behind the mark.
    """

    record: Record
    word: str
    names: tuple[tuple[str, tuple[int, int]], ...]
    last_line: int | None

    @property
    def lines(self) -> range:
        """The lines of which it speaks, where it does not speak of the file."""
        return range(self.record.line, (self.last_line or 0) + 1)

    @property
    def is_understood(self) -> bool:
        """Whether it says `allow` or `allow-file`, and names something."""
        return self.word in {_LINE_WORD, _FILE_WORD} and bool(self.names)


def suppressions_of(octets: bytes, records: tuple[Record, ...]) -> tuple[Suppression, ...]:
    """Find all such comments.

    Cost: O(octets).
    """
    if _MARK not in octets:
        return ()
    found: list[Suppression] = []
    waiting: list[Suppression] = []
    for record in records:
        start, end = record.span
        before, hash_, comment = octets[start:end].partition(b"#")
        suppression = _suppression(record, comment, start + len(before) + 1) if hash_ else None
        if before.strip():
            found += (one._replace(last_line=record.line) for one in waiting)
            waiting.clear()
            if suppression is not None:
                found.append(suppression._replace(last_line=record.line if suppression.word != _FILE_WORD else None))
        elif suppression is not None:
            (found if suppression.word == _FILE_WORD else waiting).append(suppression)
    # Behind the last line there is nothing to speak of but themselves.
    found += (one._replace(last_line=one.record.line) for one in waiting)
    return tuple(found)


def _suppression(record: Record, comment: bytes, offset: int) -> Suppression | None:
    # A comment may hold another: a `#` in a path begins the first.
    before, mark, said = comment.partition(_MARK)
    if not mark or not (before.rstrip(b" \t").endswith(b"#") or not before.strip(b" \t")):
        return None
    offset += len(before) + len(_MARK)
    said = said.rstrip()
    said = said.partition(_REASON.encode())[0]
    bare = said.lstrip(b" \t")
    offset += len(said) - len(bare)
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
