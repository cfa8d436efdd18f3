"""The names under which the documentation cites its sources, and their addresses, from the tables of sources.md.

`RFC NNNN section X` has the address of the section.
"""

import re
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parent / "sources.md"
RFC: Final = r"RFC (?P<rfc>\d{4})(?: sections? (?P<section>\d+(?:\.\d+)*))?"

_ROW = re.compile(r"^\| (?P<names>[^|]+) \| [^|]*?\]\((?P<url>[^)]+)\)", re.MULTILINE)


def document_urls() -> dict[str, str]:
    """Return the address of each document by the names in sources.md, except for RFCs."""
    rows = _ROW.finditer(PAGE.read_text(encoding="utf-8"))
    pairs = ((name.strip(" `"), row["url"]) for row in rows for name in row["names"].split(";"))
    return {name.removeprefix("the "): url for name, url in pairs if not name.startswith(("RFC", "cited as", "---"))}


def mention_pattern(urls: dict[str, str]) -> re.Pattern[str]:
    """Return the pattern of a mention: an RFC or a name, of which the longest matches."""
    names = sorted(urls, key=len, reverse=True)
    return re.compile(rf"{RFC}|(?P<name>{'|'.join(map(re.escape, names))})(?![\w/-])")


def mention_url(mention: re.Match[str], urls: dict[str, str]) -> str:
    """Return the address of a mentioned document or section."""
    if mention["rfc"] is None:
        return urls[mention["name"]]
    section = f"#section-{mention['section']}" if mention["section"] else ""
    return f"https://www.rfc-editor.org/rfc/rfc{mention['rfc']}{section}"
