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
from typing import Any, Final

from canfetch.agents.crawler import Crawler, FieldSource, PublishedHeader, Verification
from canfetch.agents.registry import REGISTRY, Registry
from canfetch.agents.releases import parse_crawler
from canfetch.agents.validation import validate_crawler
from canfetch.errors import CanfetchError, InvalidOption

MAX_REGISTRY_BYTES: Final = 4 * 1024 * 1024
"""The size of a file, which is enough for thousands of crawlers. A larger one is not read."""
_TABLE: Final = "crawler"
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
    Raises: InvalidOption: The content is invalid, or its tables cannot be told apart.
    """
    before = parse_crawlers(content) if content.strip() else []
    start, *tables = _HEADER.split(content.decode("utf-8-sig"))
    kept = [one.name.lower() != crawler.name.lower() for one in before]
    if len(tables) == len(before):
        tables = [table for table, keep in zip(tables, kept, strict=True) if keep]
    text = "".join((start, *tables))
    text += ("\n" if text and not text.endswith("\n") else "") + ("\n" if text else "") + _to_toml(crawler)
    changed = text.encode()
    expected = [*(one for one, keep in zip(before, kept, strict=True) if keep), crawler]
    if parse_crawlers(changed) != expected:
        raise InvalidOption(f"the entry cannot be added: write each [[{_TABLE}]] on a line of its own")
    return changed


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
