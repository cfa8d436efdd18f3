"""A file of additional crawlers in TOML.

    [[crawler]]
    tokens = ["ExampleBot-Image", "ExampleBot"]
    operator = "Example"
    purposes = ["search-index"]
    source = "https://example.com/bot"

The keys are the fields of `canfetch.Crawler`; omitted keys have its defaults.
"""

import json
import os
import re
from bisect import bisect_left
from codecs import BOM_UTF8
from typing import Any, Final

from canfetch.agents.crawler import Crawler, FieldSource, PublishedHeader, Verification
from canfetch.agents.registry import REGISTRY, Registry
from canfetch.agents.releases import parse_crawler
from canfetch.agents.validation import validate_crawler
from canfetch.errors import CanfetchError, InvalidOption

MAX_REGISTRY_BYTES: Final = 4 * 1024 * 1024
"""The size of a file, which is enough for thousands of crawlers. A larger one is not read."""
_TABLE: Final = "crawler"
_NOT_SEPARATE: Final = f"the entry cannot be replaced: write each [[{_TABLE}]] on a line of its own"
_HEADER: Final = re.compile(r"(?m)^(?=[ \t]*\[\[[ \t]*crawler[ \t]*\]\])")


def load_registry(path: str | os.PathLike[str]) -> Registry:
    """Return the registry with the crawlers of a file, such as one that `canfetch agents import` writes.

    An entry of the file replaces another with the same name.

    Args: path: The file, in TOML.
    Raises: InvalidOption: It is too large, or an entry is invalid; OSError: It cannot be read.
    """
    with open(path, "rb") as file:  # noqa: PTH123 - imported at each start, without pathlib
        content = file.read(MAX_REGISTRY_BYTES + 1)
    try:
        return Registry.from_valid((*REGISTRY.crawlers, *parse_crawlers(content)))
    except InvalidOption as error:
        raise InvalidOption(f"{os.fspath(path)}: {error}") from None


def parse_crawlers(content: bytes) -> list[Crawler]:
    """Return the crawlers of a file.

    Raises: InvalidOption: The content is too large, is not TOML, or an entry is invalid.
    """
    import tomllib  # noqa: PLC0415 - only for files

    if len(content) > MAX_REGISTRY_BYTES:
        raise InvalidOption(f"the file is too large: expected at most {MAX_REGISTRY_BYTES} bytes")
    try:
        tables = tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InvalidOption(f"the file is not valid TOML: {error}") from None
    if not tables:
        raise InvalidOption(f"the file has no [[{_TABLE}]] tables")
    rows = tables.get(_TABLE)
    if not isinstance(rows, list) or tables.keys() != {_TABLE}:
        raise InvalidOption(f"expected only [[{_TABLE}]] tables")
    crawlers: list[Crawler] = []
    for number, row in enumerate(rows, 1):
        try:
            crawlers.append(validate_crawler(parse_crawler(row)))
        except (CanfetchError, TypeError) as error:
            raise InvalidOption(f"[[{_TABLE}]] {number}: {error}") from None
    return crawlers


def with_entry(content: bytes, crawler: Crawler) -> bytes:
    """Return the content of a file with an entry, which replaces those with the same name. The rest stays as it is.

    Args: content: A file, or nothing for a new one.
    Raises: InvalidOption: The content is invalid, or no table can be added to it.
    """
    before = parse_crawlers(content) if content.strip() else []
    text = content.decode("utf-8-sig")
    if _parse(f"{text}\n[[{_TABLE}]]\n") is None:
        raise InvalidOption(
            f"the entry cannot be added to the array {_TABLE} = [...]: write each entry of it as a [[{_TABLE}]] table"
        )
    is_own = [one.name.lower() == crawler.name.lower() for one in before]
    line_end = "\r\n" if "\r\n" in text else "\n"
    entry = _to_toml(crawler).replace("\n", line_end)
    if any(is_own):
        place = is_own.index(True)
        start, *tables = _HEADER.split(text)
        if len(tables) == len(before):
            tables = [_after_entry(table) if own else table for table, own in zip(tables, is_own, strict=True)]
            tables[place] = entry + tables[place]
        text = "".join((start, *tables))
    else:
        place = len(before)
        text += (line_end if text and not text.endswith("\n") else "") + (line_end if text else "") + entry
    changed = (BOM_UTF8 if content.startswith(BOM_UTF8) else b"") + text.encode()
    expected = [one for one, own in zip(before, is_own, strict=True) if not own]
    expected.insert(place, crawler)
    if parse_crawlers(changed) != expected:
        raise InvalidOption(_NOT_SEPARATE)
    return changed


def _after_entry(table: str) -> str:
    """Return the comments and blank lines after the last line of a table that has a key or a part of a value.

    Raises: InvalidOption: It is not a whole table.
    """
    lines = re.findall(r".*\n|.+", table)
    value = _parse(table)
    if value is None:
        raise InvalidOption(_NOT_SEPARATE)
    # A beginning without the last of these lines lacks a key, or ends inside of a value.
    end = bisect_left(range(len(lines)), True, key=lambda count: _parse("".join(lines[:count])) == value)
    return "".join(lines[end:])


def _parse(text: str) -> dict[str, Any] | None:
    import tomllib  # noqa: PLC0415 - only for files

    try:
        return tomllib.loads(text)
    except ValueError:
        return None


def _to_toml(crawler: Crawler) -> str:
    defaults = Crawler((), "", (), "")._asdict()
    lines = [f"[[{_TABLE}]]"]
    for name, value in crawler._asdict().items():
        if value != defaults[name] or name == "checked":
            lines.append(f"{name} = {_literal(value)}")
    return "\n".join(lines) + "\n"


def _literal(value: Any) -> str:
    if isinstance(value, Verification | PublishedHeader | FieldSource):
        pairs = [f"{name} = {_literal(one)}" for name, one in value._asdict().items() if one]
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_literal, value))}]"
    # The strings of JSON are those of TOML, except that DEL has to be escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
