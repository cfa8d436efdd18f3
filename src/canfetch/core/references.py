"""References to URLs: those of `Location` fields and of the elements of pages, resolved to absolute URLs.

`urllib.parse.urljoin` is not used: it gives `https:` and `//` the host of the base URL, and drops empty path segments.

Source: RFC 3986 sections 4.2 and 5.2.
"""

from typing import Final

from canfetch.core.targets import remove_dot_segments

_SCHEME_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.")


def resolve_reference(base: str, reference: str) -> str | None:
    """Resolve a URI reference, and drop its fragment.

    Args:
        base: An absolute URL with a host.
    Returns: The absolute URL, or None if `reference` has a scheme without a host, or is not valid.
    Source: RFC 3986 section 5.2, in its strict form: a reference with a scheme is never relative.
    """
    scheme, authority, path, query = _split(reference)
    base_scheme, base_authority, base_path, base_query = _split(base)
    if authority is None:
        # The first segment of a relative path cannot contain a colon: RFC 3986 section 4.2.
        if scheme is not None or ":" in path.partition("/")[0]:
            return None
        authority = base_authority
        if not path:
            path, query = base_path, base_query if query is None else query
        elif path[0] != "/":
            path = f"{base_path.rpartition('/')[0]}/{path}"
    if not authority:
        return None
    return f"{scheme or base_scheme}://{authority}{_normalise_path(path)}{query or ''}"


def _split(reference: str) -> tuple[str | None, str | None, str, str | None]:
    """Return scheme, authority, path and query with its question mark, without the fragment."""
    rest = reference.partition("#")[0]
    scheme = authority = query = None
    before, colon, after = rest.partition(":")
    if colon and is_scheme(before):
        scheme, rest = before, after
    rest, mark, text = rest.partition("?")
    if mark:
        query = mark + text
    if rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
    return scheme, authority, rest, query


def is_scheme(text: str) -> bool:
    """Return whether a text is a URL scheme."""
    return text[:1].isalpha() and _SCHEME_CHARACTERS.issuperset(text)


def _normalise_path(path: str) -> str:
    """Remove `.` and `..` from a path that is empty or starts with a slash."""
    return remove_dot_segments(path.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass") if path else ""
