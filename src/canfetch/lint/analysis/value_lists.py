"""Values that are lists of paths or URLs."""

from collections.abc import Mapping
from typing import Final

from canfetch.core.notes import Note
from canfetch.lint.linted_file import LintedFile

_SCHEMES: Final = (b"http://", b"https://")


def path_lists(file: LintedFile) -> Mapping[int, list[bytes]]:
    """Return the paths of the rules that are lists of paths, by line.

    Cost: O(bytes of these rules) at the first call.
    """
    return file.compute_once(_path_lists)


def _path_lists(file: LintedFile) -> dict[int, list[bytes]]:
    indices, content = file.records.with_note(Note.WHITE_SPACE_IN_VALUE), file.content
    values = [content[start:end] for start, end in file.records.value_spans(indices)]
    lists = zip(indices, map(split_paths, values), strict=True)
    return {index + 1: paths for index, paths in lists if len(paths) > 1}


def split_paths(value: bytes) -> list[bytes]:
    """Split a value that is a list of paths. Any other value is returned whole."""
    words = value.replace(b",", b", ").split()
    paths = [path for word in words if (path := word.rstrip(b","))]
    if len(paths) < 2 or not all(path[:1] == b"/" and path[1:2] != b"/" for path in paths):
        return [value]
    # `/a,b` is one path: a comma separates paths only before white space.
    return [value] if value.count(b",") > sum(word.endswith(b",") for word in value.split()) else paths


def split_urls(value: bytes) -> list[bytes]:
    """Split a value that is a list of URLs. Any other value is returned whole."""
    if b"," not in value and len(value.split(None, 1)) < 2:
        return [value]
    spaced = value.replace(b",http://", b" http://").replace(b",https://", b" https://")
    urls = [url for word in spaced.split() if (url := word.strip(b","))]
    are_urls = all(url[:8].lower().startswith(_SCHEMES) for url in urls)
    return urls if are_urls and len(urls) > 1 else [value]
