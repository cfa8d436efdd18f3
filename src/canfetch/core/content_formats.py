"""Detection of content that is not a robots.txt: HTML pages and other files that servers send in its place.

Content is only recognised if it has no user-agent line, rule or sitemap in any profile. So a robots.txt is never
mistaken for another format, whatever its first or last lines are.
"""

from typing import Final

from canfetch.core.keys import SPELLINGS, RecordKind
from canfetch.core.lines import BYTE_ORDER_MARK
from canfetch.core.source import UTF_16_ENCODINGS

MARKUP: Final = "HTML or XML"

_HEAD_BYTES: Final = 4096
_WIDE_HEAD_BYTES: Final = 64
_MIN_WIDE_LETTERS: Final = 4
_UTF_32_MARKS: Final = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
_PAGE_STARTS: Final = (b"<!doctype", b"<html", b"<head", b"<body", b"<?xml", b"<script", b"<meta", b"<title")
_PAGE_ELEMENTS: Final = (b"<!doctype html", b"<html", b"<head", b"<body")
_TAG_STARTS: Final = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!?/"
_SIGNATURES: Final = {
    b"%PDF-": "a PDF document",
    b"\x1f\x8b": "gzip data",
    b"\x28\xb5\x2f\xfd": "Zstandard data",
    b"PK\x03\x04": "a ZIP archive",
}
# The control characters that text contains: BEL, backspace, white space, SUB and ESC.
_TEXT_CONTROLS: Final = b"\a\b\t\n\v\f\r\x1a\x1b"
_BINARY_CONTROLS: Final = bytes(set(range(0x20)) - set(_TEXT_CONTROLS))
_TEXT_BYTES: Final = bytes(set(range(0x100)) - set(_BINARY_CONTROLS))
# The first bytes of a tag, white space, a byte order mark or a signature.
_SUSPICIOUS_STARTS: Final = b"< \t\n\v\f\r\xef\xff\xfe" + bytes(signature[0] for signature in _SIGNATURES)
# One byte in nine of compressed data is such a character, and none of text.
_MAX_CONTROL_SHARE: Final = 1 / 20

# Longer content is taken for a robots.txt, because decoding it would take several times its memory.
_MAX_CONTENT_BYTES: Final = 4 * 1024 * 1024
# Content with more of these words, or more lines that start with one, is taken for a robots.txt. So the search is fast.
_MAX_WORDS: Final = 10_000
_WORDS_PER_LINE: Final = 10
# No page has a longer key.
_MAX_LINE_CHARACTERS: Final = 1024
_KEYS: Final = tuple(spelling.decode() for _, spellings in SPELLINGS for spelling in spellings)
_USER_AGENT_KEYS: Final = tuple(spelling.decode() for spelling in dict(SPELLINGS)[RecordKind.USER_AGENT])
_SITEMAP_KEYS: Final = tuple(spelling.decode() for spelling in dict(SPELLINGS)[RecordKind.SITEMAP])
_PATH_STARTS: Final = ("/", "*", "http:", "https:")


def foreign_format(content: bytes) -> str | None:
    """Return the format of content that is not a robots.txt, such as `HTML or XML`, or None.

    Cost: O(1) for content that starts like text. O(bytes) for other content, to look for records.
    """
    detected = _detect_format(content)
    return None if detected is None or _has_record(content) else detected


def foreign_content_note(content: bytes) -> str | None:
    """Return a note about content that is not a robots.txt, such as `the content is gzip data without any record`.

    Cost: As `foreign_format`.
    """
    detected = foreign_format(content)
    if detected is None:
        return None
    return f"the content is {detected}{', and has no record' if ' without ' in detected else ' without any record'}"


def is_page(content: bytes) -> bool:
    """Return whether content starts like an HTML page or like XML.

    Cost: O(1).
    """
    head = _head(content).lower()
    return head.startswith(_PAGE_STARTS) or (head.startswith(b"<") and any(part in head for part in _PAGE_ELEMENTS))


def is_wide(content: bytes) -> bool:
    """Return whether content is UTF-16 or UTF-32, recognised by the NUL bytes between its first letters.

    Cost: O(1).
    """
    head = content[:_WIDE_HEAD_BYTES]
    head = head[: len(head) & ~1]
    return any(
        len(nuls) >= _MIN_WIDE_LETTERS and not nuls.strip(b"\0") and letters.strip(b"\0")
        for nuls, letters in ((head[::2], head[1::2]), (head[1::2], head[::2]))
    )


def is_binary(content: bytes) -> bool:
    """Return whether content starts with NUL bytes and invalid UTF-8.

    Cost: O(1).
    """
    head = content[:_HEAD_BYTES]
    # The last character may be cut off.
    whole = head if len(head) < _HEAD_BYTES else head[:-3]
    return b"\0" in head and "\ufffd" in whole.decode("utf-8", "replace")


def _detect_format(content: bytes) -> str | None:
    """Return the format that the start of the content has, or None for text."""
    if content[:1] not in _SUSPICIOUS_STARTS and not content[:_HEAD_BYTES].translate(None, _TEXT_BYTES):
        # The fast path for nearly every file.
        return None
    if content.startswith(_UTF_32_MARKS):
        return "UTF-32"
    encoding = UTF_16_ENCODINGS.get(content[:2])
    if encoding is not None:
        content = content[2 : 2 + _HEAD_BYTES].decode(encoding, "replace").encode()
    head = _head(content)
    if head[:1] == b"<" and head[1:2] in _TAG_STARTS and len(head) > 1:
        return MARKUP
    for signature, name in _SIGNATURES.items():
        if content.startswith(signature):
            return name
    if is_wide(content):
        return "UTF-16 without a byte order mark"
    return "binary data" if is_binary(content) or _has_many_controls(content[:_HEAD_BYTES]) else None


def _head(content: bytes) -> bytes:
    """Return the start of the content without a byte order mark and leading white space."""
    head = content[:_HEAD_BYTES].removeprefix(BYTE_ORDER_MARK).lstrip()
    # Pages that a template produces can start with any number of blank lines.
    return head or content.removeprefix(BYTE_ORDER_MARK).lstrip()[:_HEAD_BYTES]


def _has_many_controls(head: bytes) -> bool:
    controls = len(head) - len(head.translate(None, _BINARY_CONTROLS))
    return controls > len(head) * _MAX_CONTROL_SHARE


def _has_record(content: bytes) -> bool:
    """Return whether any profile reads a user-agent line, a rule or a sitemap in the content.

    Lines end at every character at which a profile ends them.
    """
    if len(content) > _MAX_CONTENT_BYTES:
        return True
    texts = [content.decode("utf-8", "replace")]
    encoding = UTF_16_ENCODINGS.get(content[:2])
    if encoding is not None:
        texts.append(content[2:].decode(encoding, "replace"))
    # A part of a byte order mark is replaced, and some profiles skip it.
    return any(_text_has_record(text.lstrip("\ufeff\ufffd").lower()) for text in texts)


def _text_has_record(text: str) -> bool:
    words_left = _MAX_WORDS
    for key in _KEYS:
        end = 0
        start = text.find(key)
        while start >= 0:
            words_left -= 1
            if _starts_line(text, end, start):
                if _is_record(_line_at(text, start)):
                    return True
                words_left -= _WORDS_PER_LINE
            if words_left <= 0:
                return True
            end = start + len(key)
            start = text.find(key, end)
    return False


def _starts_line(text: str, previous: int, start: int) -> bool:
    """Return whether only white space is between `start` and the line end before it, which is not before `previous`."""
    before = text[previous:start]
    rest = before.rstrip()
    has_line_end = len(f"{before[len(rest) :]}.".splitlines()) > 1
    return has_line_end or (not rest and previous == 0)


def _line_at(text: str, start: int) -> str:
    return text[start : start + _MAX_LINE_CHARACTERS].splitlines()[0]


def _is_record(line: str) -> bool:
    key, colon, value = (part.strip() for part in line.partition("#")[0].partition(":"))
    if not colon and len(line) == _MAX_LINE_CHARACTERS:
        # The colon can be in the rest of the line.
        return True
    if not colon:
        # Two words can be a record. `Allow cookies` is part of a page, and no profile reads `cookies` as a path.
        first, *others = key.split()
        return len(others) == 1 and (first.startswith(_USER_AGENT_KEYS) or others[0].startswith(_PATH_STARTS))
    # Google's parser also reads keys that only start with a name. `allow="fullscreen" src="https` is an attribute, and
    # a rule without a user-agent line has no effect.
    return (
        key in _KEYS
        or key.startswith(_USER_AGENT_KEYS + _SITEMAP_KEYS)
        or (key.isalpha() and value.startswith(_PATH_STARTS))
    )
