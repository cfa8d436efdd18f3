"""The formatter: one canonical layout for robots.txt.

1. Verdicts in all profiles, comments and the order of lines do not change. Each result is verified.
2. Formatting is idempotent.
3. A kind of change that would alter a verdict is skipped. If none is possible, the file is refused with a reason.
4. A file that is not a robots.txt, such as a page or an image, is refused.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.core.document import RobotsTxt, parse
from canfetch.core.equivalence import differing_profiles
from canfetch.core.extensions.known_records import KNOWN_RECORDS
from canfetch.core.keys import NAMES, RecordKind
from canfetch.core.notes import Note
from canfetch.core.records import Record
from canfetch.core.robots_recognition import refusal_to_rewrite

# The spelling of keys: only the first word is capitalised, as in the `User-agent` of the RFC, except for these.
_KEY_SPELLINGS: Final[dict[bytes, bytes]] = {
    **{name: name.capitalize() for name in (*NAMES.values(), *KNOWN_RECORDS)},
    b"content-signal": b"Content-Signal",
    b"content-usage": b"Content-Usage",
    b"disallowaitraining": b"DisallowAITraining",
    b"allowaitraining": b"AllowAITraining",
}
# Google's parser truncates lines at 16,663 bytes, so the position of that byte must not change.
_MAX_LINE_BYTES: Final = 16_000
# Some parsers treat these as line ends, such as Python's robotparser, and others as white space.
_AMBIGUOUS: Final = (
    b"\0",
    b"\v",
    b"\f",
    b"\x1c",
    b"\x1d",
    b"\x1e",
    b"\x1f",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"\xe2\x80\xa9",
)


class Style(NamedTuple):
    """The kinds of changes to apply."""

    records: bool = True
    group_gaps: bool = True
    blank_lines: bool = True


# From most to fewest changes; the first that keeps every verdict is used.
_STYLES: Final = (
    Style(),
    Style(group_gaps=False),
    Style(records=False),
    Style(records=False, group_gaps=False),
    Style(group_gaps=False, blank_lines=False),
    Style(records=False, group_gaps=False, blank_lines=False),
)


class FormatResult(NamedTuple):
    """The result of formatting a file.

    Attributes:
        content: The formatted file, or the original if formatting was refused.
        refusal: Why the file cannot be formatted, or None.
        skipped: The kinds of changes that would alter verdicts: `records`, `group-gaps`, `blank-lines`.
    """

    content: bytes
    refusal: str | None = None
    skipped: tuple[str, ...] = ()


def format_robots(content: bytes) -> FormatResult:
    """Format a file.

    Keys are spelled as in the RFC, with one space after the colon and none before. Lines end with LF, the last one
    included. Each group starts after one blank line, and repeated blank lines are removed. Values and comments do
    not change.

    Args: content: The file.
    Returns: The formatted file, or the original with the reason.
    Raises: TypeError: `content` is not bytes.
    Cost: That of parsing the file in every profile, up to six times.
    """
    if not isinstance(content, bytes):
        raise TypeError(f"content must be bytes, not {type(content).__name__}")
    robots = parse(content)
    if robots.tail:
        limit = len(content) - len(robots.tail)
        return FormatResult(
            content, f"file too long: formatting would change which lines are in its first {limit} bytes"
        )
    if robots.source_encoding != "utf-8":
        return FormatResult(content, f"encoding is {robots.source_encoding}: convert the file to UTF-8 first")
    refusal = refusal_to_rewrite(content)
    if refusal is not None:
        return FormatResult(content, refusal)
    profiles: tuple[str, ...] = ()
    for style in _STYLES:
        formatted = _format(robots, style)
        profiles = differing_profiles(content, formatted)
        if not profiles:
            skipped = tuple(name.replace("_", "-") for name, applied in style._asdict().items() if not applied)
            return FormatResult(formatted, skipped=skipped)
    return FormatResult(content, f"formatting would change verdicts in {', '.join(profiles)}")


def _format(robots: RobotsTxt, style: Style) -> bytes:
    lines = list(_lines(robots, style))
    while lines and not lines[-1] and style.blank_lines:
        lines.pop()
    # A byte order mark is preserved, because Python's robotparser reads it as part of the first line.
    mark = robots.content[: robots.records[0].span[0]] if robots.records else robots.content
    return mark + b"".join(line + b"\n" for line in lines)


def _lines(robots: RobotsTxt, style: Style) -> Iterator[bytes]:
    pending: list[bytes] = []  # comments, which belong to the next record
    has_rules = False
    # A blank line after a byte order mark separates it from the next line.
    begun = bool(robots.records) and robots.records[0].span[0] > 0
    gap = False
    for record in robots.records:
        content = robots.content[slice(*record.span)].rstrip(b"\r\n")
        bare = content.strip(b" \t")
        if not bare:
            if not style.blank_lines:
                yield from (*pending, content)
                pending.clear()
                continue
            yield from _with_gap(pending, wanted=gap)
            begun = gap = begun or bool(pending)
            pending.clear()
            continue
        if bare.startswith(b"#"):
            pending.append(bare if style.records else content.rstrip(b" \t"))
            continue
        starts_group = record.kind is RecordKind.USER_AGENT and has_rules
        if record.kind is RecordKind.USER_AGENT:
            has_rules = False
        elif record.kind in (RecordKind.ALLOW, RecordKind.DISALLOW):
            has_rules = True
        pending.append(_format_line(robots.content, record, content, style))
        yield from _with_gap(pending, wanted=gap or (begun and starts_group and style.group_gaps))
        pending.clear()
        begun, gap = True, False
    yield from _with_gap(pending, wanted=gap)


def _with_gap(lines: list[bytes], *, wanted: bool) -> Iterator[bytes]:
    if lines and wanted:
        yield b""
    yield from lines


def _format_line(file: bytes, record: Record, content: bytes, style: Style) -> bytes:
    ambiguous = len(content) > _MAX_LINE_BYTES or any(character in content for character in _AMBIGUOUS)
    if ambiguous or not style.records:
        return content
    if record.key is None or record.value is None or Note.MISSING_COLON in record.notes:
        return content.rstrip(b" \t")
    key = file[slice(*record.key)]
    value = file[slice(*record.value)]
    rest = file[record.value[1] : record.span[1]].rstrip().lstrip(b" \t")
    line = _KEY_SPELLINGS.get(key.lower(), key) + b":" + (b" " + value if value else b"")
    return line + (b"  " + rest if rest else b"")
