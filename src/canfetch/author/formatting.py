"""The formatter: one way of writing for one meaning.

1. Every verdict stays, in every profile, and so do comments and the order of lines; that is proved each time.
2. Formatting twice is formatting once.
3. What would change a verdict is left as it is, or the file is refused, with the reason.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.core.document import RobotsTxt, parse
from canfetch.core.equivalence import differing_profiles
from canfetch.core.extensions.known_records import KNOWN_RECORDS
from canfetch.core.keys import NAMES, RecordKind
from canfetch.core.records import Note, Record

# What the first word of a key looks like; the others follow the RFC, which writes `User-agent`.
_WRITTEN: Final[dict[bytes, bytes]] = {
    **{name: name.capitalize() for name in (*NAMES.values(), *KNOWN_RECORDS)},
    b"content-signal": b"Content-Signal",
    b"content-usage": b"Content-Usage",
    b"disallowaitraining": b"DisallowAITraining",
    b"allowaitraining": b"AllowAITraining",
}
# Google's parser cuts a line at 16,663 octets, and what stands before the cut must stay before it.
_LONGEST_LINE: Final = 16_000
# Python's old robot parser takes these for line ends, and others for white space.
_TOUCHY: Final = (
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
    """What is put in order."""

    records: bool = True
    group_gaps: bool = True
    blank_lines: bool = True


# Each leaves more as it is; the first that keeps every verdict is taken.
_STYLES: Final = (
    Style(),
    Style(group_gaps=False),
    Style(records=False),
    Style(records=False, group_gaps=False),
    Style(group_gaps=False, blank_lines=False),
    Style(records=False, group_gaps=False, blank_lines=False),
)


class FormatResult(NamedTuple):
    """What became of a file.

    Attributes:
        content: the file, formatted, or as it came where it is refused.
        refusal: why it cannot be formatted, or None.
        left: what was left as it is, since verdicts would change: `records`, `group-gaps`, `blank-lines`.
    """

    content: bytes
    refusal: str | None = None
    skipped: tuple[str, ...] = ()


def format_robots(octets: bytes) -> FormatResult:
    """Put a file into its one written form.

    Keys are written as the RFC writes them, with one space behind the colon and none before; line ends are LF, and the
    last line has one; blank lines are single, and one stands before each group. Values and comments stay as they are.

    Args: octets: the file.
    Returns: the file in that form; or as it came, with the reason.
    Cost: as parsing it in every profile, up to six times over.
    """
    robots = parse(octets)
    if robots.tail:
        limit = len(octets) - len(robots.tail)
        return FormatResult(octets, f"only its first {limit} octets are read: in a shorter file, others would count")
    if robots.source_encoding != "utf-8":
        return FormatResult(octets, f"it is {robots.source_encoding}, which few crawlers read: save it as UTF-8 first")
    profiles: tuple[str, ...] = ()
    for style in _STYLES:
        written = _written(robots, style)
        profiles = differing_profiles(octets, written)
        if not profiles:
            skipped = tuple(name.replace("_", "-") for name, wanted in style._asdict().items() if not wanted)
            return FormatResult(written, skipped=skipped)
    return FormatResult(octets, f"other verdicts would come of it in {', '.join(profiles)}")


def _written(robots: RobotsTxt, style: Style) -> bytes:
    lines = list(_lines(robots, style))
    while lines and not lines[-1] and style.blank_lines:
        lines.pop()
    # A byte order mark stays: Python's robot parsers read it as a part of the first line.
    mark = robots.content[: robots.records[0].span[0]] if robots.records else robots.content
    return mark + b"".join(line + b"\n" for line in lines)


def _lines(robots: RobotsTxt, style: Style) -> Iterator[bytes]:
    waiting: list[bytes] = []  # comments, which belong to what follows them
    rules_seen = False
    # A blank line behind a byte order mark keeps the next from being read with it.
    begun = bool(robots.records) and robots.records[0].span[0] > 0
    gap = False
    for record in robots.records:
        content = robots.content[slice(*record.span)].rstrip(b"\r\n")
        bare = content.strip(b" \t")
        if not bare:
            if not style.blank_lines:
                yield from (*waiting, content)
                waiting.clear()
                continue
            yield from _with_gap(waiting, wanted=gap)
            begun = gap = begun or bool(waiting)
            waiting.clear()
            continue
        if bare.startswith(b"#"):
            waiting.append(bare if style.records else content.rstrip(b" \t"))
            continue
        starts_group = record.kind is RecordKind.USER_AGENT and rules_seen
        if record.kind is RecordKind.USER_AGENT:
            rules_seen = False
        elif record.kind in (RecordKind.ALLOW, RecordKind.DISALLOW):
            rules_seen = True
        waiting.append(_line(robots.content, record, content, style))
        yield from _with_gap(waiting, wanted=gap or (begun and starts_group and style.group_gaps))
        waiting.clear()
        begun, gap = True, False
    yield from _with_gap(waiting, wanted=gap)


def _with_gap(lines: list[bytes], *, wanted: bool) -> Iterator[bytes]:
    if lines and wanted:
        yield b""
    yield from lines


def _line(octets: bytes, record: Record, content: bytes, style: Style) -> bytes:
    touchy = len(content) > _LONGEST_LINE or any(octet in content for octet in _TOUCHY)
    if touchy or not style.records:
        return content
    if record.key is None or record.value is None or Note.MISSING_COLON in record.notes:
        return content.rstrip(b" \t")
    key = octets[slice(*record.key)]
    value = octets[slice(*record.value)]
    behind = octets[record.value[1] : record.span[1]].rstrip().lstrip(b" \t")
    line = _WRITTEN.get(key.lower(), key) + b":" + (b" " + value if value else b"")
    return line + (b"  " + behind if behind else b"")
