"""A URL becomes the target that patterns are compared with: path and query, normalised.

Source: RFC 9309 section 2.2.2; RFC 3986 section 5.2.4; google/robotstxt, GetPathParamsQuery.
"""

from typing import Final

from canfetch.core.escapes import PLAIN, canonical, encoded_for_uri, literal
from canfetch.core.profiles import Profile
from canfetch.core.urls import SplitURL, reject

__all__ = ["reject", "remove_dot_segments", "target_of"]

# In a target these are the characters, not the pattern's signs, and `#` begins the fragment.
_UNTOUCHED: Final = bytes(set(PLAIN) - set(b"*$#"))


def target_of(octets: bytes, split: SplitURL, profile: Profile) -> bytes:
    """Give the target of a valid URL: form (a), what Google's parser cuts out, or what was written.

    Args:
        octets: the whole URL.
        split: its parts, from `split_url`.
        profile: whose reading of URLs.
    Cost: O(octets).
    """
    if profile.google_target:
        target = google_path_params_query(octets)
        # The parser takes the path as a C string, which a NUL ends.
        return encoded_for_uri(target) if profile.encode_target else target.partition(b"\0")[0]
    target = octets[split.rest_start :]
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
    path = literal(path, decode=profile.decode_escapes)
    if profile.remove_dot_segments and b"/." in path:
        path = remove_dot_segments(path)
    return path + mark + literal(query, decode=profile.decode_escapes)


def remove_dot_segments(path: bytes) -> bytes:
    """Resolve `.` and `..` in a path that begins with `/`; empty segments stay.

    Cost: O(octets).
    Source: RFC 3986 section 5.2.4.
    """
    kept: list[bytes] = []
    segments = path.split(b"/")[1:]
    for segment in segments:
        if segment == b"..":
            if kept:
                kept.pop()
        elif segment != b".":
            kept.append(segment)
    if segments[-1] in (b".", b".."):
        kept.append(b"")
    return b"/" + b"/".join(kept)


def google_path_params_query(url: bytes) -> bytes:
    """Cut path, parameters and query out of a URL as Google's parser does, without normalising.

    Cost: O(octets).
    Source: google/robotstxt, robots.cc, GetPathParamsQuery.
    """
    search_start = 2 if url.startswith(b"//") else 0
    early_path = _first_of(url, b"/?;", search_start)
    scheme_end = url.find(b"://", search_start)
    # What stands behind a path, a query or parameters is no scheme.
    has_scheme = scheme_end >= 0 and not 0 <= early_path < scheme_end
    path_start = _first_of(url, b"/?;", scheme_end + 3 if has_scheme else search_start)
    if path_start < 0:
        return b"/"
    fragment = url.find(b"#", search_start)
    if 0 <= fragment < path_start:
        return b"/"
    path = url[path_start:] if fragment < 0 else url[path_start:fragment]
    return path if path[:1] == b"/" else b"/" + path


def _first_of(octets: bytes, delimiters: bytes, start: int) -> int:
    places = [place for octet in delimiters if (place := octets.find(octet, start)) >= 0]
    return min(places, default=-1)
