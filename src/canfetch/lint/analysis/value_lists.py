"""Values that are lists of paths or URLs."""

from typing import Final

_SCHEMES: Final = (b"http://", b"https://")


def split_paths(value: bytes) -> list[bytes]:
    """Split a value that is a list of paths. Any other value is returned whole."""
    words = value.replace(b",", b", ").split()
    paths = [path for word in words if (path := word.rstrip(b","))]
    if len(paths) < 2 or not all(path.startswith((b"/", b"*/")) and path[1:2] != b"/" for path in paths):
        return [value]
    # `/a,b` is one path: a comma separates paths only before white space.
    return [value] if value.count(b",") > sum(word.endswith(b",") for word in value.split()) else paths


def split_urls(value: bytes) -> list[bytes]:
    """Split a value that is a list of URLs. Any other value is returned whole."""
    spaced = value.replace(b",http://", b" http://").replace(b",https://", b" https://")
    urls = [url for word in spaced.split() if (url := word.strip(b","))]
    are_urls = all(url[:8].lower().startswith(_SCHEMES) for url in urls)
    return urls if are_urls and len(urls) > 1 else [value]
