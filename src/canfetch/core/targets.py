"""Targets: the normalised path and query of a URL, which patterns are compared with.

Source: RFC 9309 section 2.2.2; RFC 3986 section 5.2.4; google/robotstxt, GetPathParamsQuery.
"""

from typing import Final

from canfetch.core.escapes import PLAIN, canonical, encode_for_uri, escape_literal
from canfetch.core.profiles import Profile
from canfetch.core.urls import SplitURL

# In a target, `*` and `$` are literal, and `#` starts the fragment.
_UNTOUCHED: Final = bytes(set(PLAIN) - set(b"*$#"))


def to_target(url: bytes, split: SplitURL, profile: Profile) -> bytes:
    """Return the target of a valid URL, in the form that the profile compares.

    Args:
        url: the whole URL.
        split: its parts, from `split_url`.
        profile: parsing profile.
    Cost: O(bytes).
    """
    if profile.google_target:
        target = google_path_params_query(url)
        # Google's parser treats the path as a C string, which ends at a NUL.
        return encode_for_uri(target) if profile.encode_target else target.partition(b"\0")[0]
    target = url[split.rest_start :]
    if target[:1] != b"/":
        target = b"/" + target
    if profile.literal_paths:
        return _literal_target(target, profile)
    if target.translate(None, _UNTOUCHED):
        target = canonical(target.partition(b"#")[0])
        target = target.replace(b"*", b"%2A").replace(b"$", b"%24")
    if profile.remove_dot_segments and b"/." in target:
        path, mark, query = target.partition(b"?")
        target = remove_dot_segments(path) + mark + query
    return target


def _literal_target(target: bytes, profile: Profile) -> bytes:
    path, mark, query = target.partition(b"#")[0].partition(b"?")
    path = escape_literal(path, decode=profile.decode_escapes)
    if profile.remove_dot_segments and b"/." in path:
        path = remove_dot_segments(path)
    return path + mark + escape_literal(query, decode=profile.decode_escapes)


def remove_dot_segments(path: bytes) -> bytes:
    """Resolve `.` and `..` in a path that starts with `/`. Empty segments are preserved.

    Cost: O(bytes).
    Source: RFC 3986 section 5.2.4.
    """
    resolved: list[bytes] = []
    segments = path.split(b"/")[1:]
    for segment in segments:
        if segment == b"..":
            if resolved:
                resolved.pop()
        elif segment != b".":
            resolved.append(segment)
    if segments[-1] in (b".", b".."):
        resolved.append(b"")
    return b"/" + b"/".join(resolved)


def google_path_params_query(url: bytes) -> bytes:
    """Extract path, parameters and query from a URL as Google's parser does, without normalisation.

    Cost: O(bytes).
    Source: google/robotstxt, robots.cc, GetPathParamsQuery.
    """
    search_start = 2 if url.startswith(b"//") else 0
    early_path = _find_any(url, b"/?;", search_start)
    scheme_end = url.find(b"://", search_start)
    # After a path, a query or parameters, `://` does not end a scheme.
    has_scheme = scheme_end >= 0 and not 0 <= early_path < scheme_end
    path_start = _find_any(url, b"/?;", scheme_end + 3 if has_scheme else search_start)
    if path_start < 0:
        return b"/"
    fragment = url.find(b"#", search_start)
    if 0 <= fragment < path_start:
        return b"/"
    path = url[path_start:] if fragment < 0 else url[path_start:fragment]
    return path if path[:1] == b"/" else b"/" + path


def _find_any(text: bytes, delimiters: bytes, start: int) -> int:
    offsets = [offset for byte in delimiters if (offset := text.find(byte, start)) >= 0]
    return min(offsets, default=-1)
