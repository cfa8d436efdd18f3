"""The lines of the keys of a TOML file, for messages: `tomllib` does not report them."""

import tomllib
from collections import Counter
from typing import Any, Final

_HEADERS: Final = (("[[", "]]"), ("[", "]"))


def find_line(toml: str, key: str) -> int | None:
    """Return the line of a key, or of the nearest table around it, or None.

    Lines within a multi-line string may be taken for keys, so the result is for messages only.

    Args:
        toml: Valid TOML.
        key: A path such as `environment.staging.closed`. The second table of `[[page]]` is `page 2`.
    Cost: O(characters).
    """
    lines = _key_lines(toml)
    while key not in lines:
        if f"{key} 1" in lines:
            return lines[f"{key} 1"]
        if not key:
            return None
        key = key.rpartition(".")[0]
    return lines[key]


def _key_lines(toml: str) -> dict[str, int]:
    lines: dict[str, int] = {}
    numbers: Counter[str] = Counter()
    table = ""
    for number, line in enumerate(toml.split("\n"), 1):
        text = line.strip()
        for opening, closing in _HEADERS:
            if text.startswith(opening):
                end = text.find(closing)
                path = _path(text[len(opening) : end]) if end > 0 else None
                if path is not None:
                    if opening == "[[":
                        numbers[path] += 1
                        path = f"{path} {numbers[path]}"
                    table = path
                    _add(lines, path, number)
                break
        else:
            path = _path(text.partition("=")[0]) if "=" in text else None
            if path is not None:
                _add(lines, f"{table}.{path}" if table else path, number)
    return lines


def _add(lines: dict[str, int], path: str, number: int) -> None:
    """Add the line of a key and of the tables around it that have none."""
    while path and path not in lines:
        lines[path] = number
        path = path.rpartition(".")[0]


def _path(text: str) -> str | None:
    """Return a key such as `crawler."my.bot"` without its quotes, or None if it is not a key."""
    try:
        table: Any = tomllib.loads(f"{text} = 0")
    except (ValueError, RecursionError):
        return None
    names = []
    while isinstance(table, dict) and table:
        name, table = next(iter(table.items()))
        names.append(name)
    return ".".join(names) or None
