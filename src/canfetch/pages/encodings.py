"""The encoding of a page: its byte order mark, its Content-Type, its own declaration, or the default, in this order.

Source: WHATWG HTML, determining the character encoding; WHATWG Encoding, names and labels.
"""

import codecs
from collections.abc import Iterable
from typing import Final, NamedTuple

# The default of browsers.
DEFAULT: Final = "cp1252"
_PRESCAN_BYTES: Final = 1024
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Labels, and Python's name of each encoding. Other encodings are ignored: UTF-7 and the like serve to hide content.
_LABELS: Final = {
    "utf-8 utf8 unicode-1-1-utf-8": "utf-8",
    "utf-16 utf-16le unicode ucs-2": "utf-16-le",
    "utf-16be": "utf-16-be",
    "windows-1252 cp1252 iso-8859-1 iso8859-1 latin1 l1 ascii us-ascii": "cp1252",
    "windows-1250 cp1250": "cp1250",
    "windows-1251 cp1251": "cp1251",
    "windows-1253 cp1253": "cp1253",
    "windows-1254 cp1254 iso-8859-9 latin5": "cp1254",
    "windows-1255 cp1255": "cp1255",
    "windows-1256 cp1256": "cp1256",
    "windows-1257 cp1257": "cp1257",
    "windows-1258 cp1258": "cp1258",
    "windows-874 tis-620 iso-8859-11": "cp874",
    "iso-8859-2 latin2": "iso8859-2",
    "iso-8859-3 latin3": "iso8859-3",
    "iso-8859-4 latin4": "iso8859-4",
    "iso-8859-5 cyrillic": "iso8859-5",
    "iso-8859-6 arabic": "iso8859-6",
    "iso-8859-7 greek": "iso8859-7",
    "iso-8859-8 hebrew": "iso8859-8",
    "iso-8859-10 latin6": "iso8859-10",
    "iso-8859-13": "iso8859-13",
    "iso-8859-14": "iso8859-14",
    "iso-8859-15 latin9": "iso8859-15",
    "iso-8859-16": "iso8859-16",
    "koi8-r koi8": "koi8-r",
    "koi8-u": "koi8-u",
    "ibm866 cp866": "cp866",
    "macintosh x-mac-roman": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "gb18030 gbk gb2312 gb_2312-80 x-gbk chinese": "gb18030",
    "big5 big5-hkscs x-x-big5": "big5hkscs",
    "shift_jis shift-jis sjis x-sjis windows-31j": "cp932",
    "euc-jp x-euc-jp": "euc-jp",
    "iso-2022-jp": "iso2022-jp",
    "euc-kr korean ks_c_5601-1987 windows-949": "cp949",
}
_BY_LABEL: Final = {label: name for labels, name in _LABELS.items() for label in labels.split()}
_LABEL_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
# In these, a byte that looks like ASCII may be part of another character.
_NOT_ASCII_SUPERSETS: Final = frozenset({"utf-16-le", "utf-16-be", "iso2022-jp"})


class Encoding(NamedTuple):
    """An encoding, by Python's name, and the length of the page's byte order mark in bytes."""

    name: str
    bom_length: int

    @property
    def is_ascii_superset(self) -> bool:
        """Whether each byte below 0x40 is that ASCII character, wherever it occurs."""
        return self.name not in _NOT_ASCII_SUPERSETS


def detect_encoding(html: bytes, content_type: str | None) -> Encoding:
    """Return the encoding of a page.

    Args:
        html: The page.
        content_type: The value of the header, whose `charset` overrides the page's own declaration.
    Cost: O(1), because at most 1024 bytes are read, and O(characters of the header).
    """
    for bom, name in _BYTE_ORDER_MARKS:
        if html.startswith(bom):
            return Encoding(name, len(bom))
    detected = _find_charset(content_type or "") or _find_declaration(html[:_PRESCAN_BYTES])
    return Encoding(detected or DEFAULT, 0)


def effective_content_type(values: Iterable[str]) -> str | None:
    """Return the Content-Type that browsers apply if a response has several: the last valid one.

    A library may have joined the headers with commas.

    Source: WHATWG Fetch, extract a MIME type.
    Cost: O(characters).
    """
    parts: list[str] = []
    for value in values:
        is_quoted = False
        for part in value.split(","):
            if is_quoted:
                parts[-1] += f",{part}"
            else:
                parts.append(part)
            is_quoted ^= part.count('"') % 2 == 1
    valid = (part for part in reversed(parts) if "/" in parse_media_type(part).strip("*/"))
    return next(valid, parts[0] if parts else None)


def parse_media_type(content_type: str | None) -> str:
    """Return the media type of a Content-Type header, in lower case without parameters; of several, the first."""
    return (content_type or "").partition(";")[0].partition(",")[0].strip().lower()


def _find_charset(text: str) -> str | None:
    _, found, rest = text.lower().partition("charset")
    while found:
        rest = rest.lstrip()
        if rest.startswith("="):
            label = rest[1:].lstrip(" \t\n\f\r\"'")
            end = next(
                (index for index, character in enumerate(label) if character not in _LABEL_CHARACTERS), len(label)
            )
            return _BY_LABEL.get(label[:end])
        _, found, rest = rest.partition("charset")
    return None


def _find_declaration(start: bytes) -> str | None:
    text = start.decode("latin-1").lower()
    position = text.find("<")
    while position >= 0:
        if text.startswith("<!--", position):
            end = text.find("-->", position + 2)
        else:
            end = text.find(">", position)
            if text.startswith(("<meta", "<?xml"), position):
                tag = text[position:] if end < 0 else text[position:end]
                name = _find_charset(tag.replace("encoding", "charset") if tag.startswith("<?") else tag)
                if name is not None:
                    # The declaration was readable as ASCII, so the page is not UTF-16.
                    return "utf-8" if name.startswith("utf-16") else name
        if end < 0:
            return None
        position = text.find("<", end)
    return None
