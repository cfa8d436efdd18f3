"""URLs of key directories, which are the identifiers of those who sign requests.

Source: Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol-01, "Signature-Agent" and "Key Distribution and Discovery";
RFC 3986 sections 6.2.2 and 6.2.3.
"""

import re
from typing import Final, NamedTuple

from canfetch.client.identity.keys import DIRECTORY_PATH
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidURL

_MAX_URL: Final = 1000
_UNRESERVED: Final = r"A-Za-z0-9._~\-"
_CHARACTER: Final = rf"(?:[{_UNRESERVED}!$&'()*+,;=:@/]|%[0-9A-Fa-f]{{2}})"
# Without user information and without a fragment.
_PARTS: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?)"
    rf"(?P<path>/{_CHARACTER}*)?(?P<query>\?(?:{_CHARACTER}|\?)*)?"
)
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_ESCAPE: Final = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED_CHARACTER: Final = re.compile(rf"[{_UNRESERVED}]")


class DirectoryURL(NamedTuple):
    """Where the keys of a signer are published.

    Attributes:
        identifier: The URL, normalised and without its query. It identifies the signer.
        fetched: The URL that is fetched: the identifier with the query.
    """

    identifier: str
    fetched: str


def parse_directory_url(url: str) -> DirectoryURL:
    """Return the directory that a member of `Signature-Agent` names.

    DEVIATION(web-bot-auth): the draft fetches each URL as it is. A URL without a path, as all signers of earlier drafts
    send it, is that of the directory at the well-known path here. `SignatureVerifier` refuses a query in a URL that
    only the request names.

    The normalised URL is fetched, so that a host that serves `/user/../keys` for a user cannot be taken for `/keys`.

    Raises: InvalidURL: It is not an absolute https URL, is too long, or has user information or a fragment.
    Cost: O(characters).
    """
    if len(url) > _MAX_URL:
        raise InvalidURL(f"invalid URL {quoted(url)}: it is longer than {_MAX_URL} characters")
    scheme = _SCHEME.match(url)
    if scheme is not None and scheme[1].lower() != "https":
        raise NotHTTPS(f"invalid URL {quoted(url)}: expected https")
    if not url.isascii():
        raise InvalidURL(f"invalid URL {quoted(url)}: write it in ASCII (punycode for the host, escapes for the path)")
    parts = _PARTS.fullmatch(url)
    if parts is None:
        raise InvalidURL(f"invalid URL {quoted(url)}: expected an https URL without user information and fragment")
    origin = Origin.from_url(f"https://{parts['authority']}/")
    path, query = _normalised_path(parts["path"] or "/"), parts["query"] or ""
    if path == "/" and not query:
        path = DIRECTORY_PATH
    identifier = f"{origin}{path}"
    return DirectoryURL(identifier, identifier + query)


class NotHTTPS(InvalidURL):
    """A URL of a directory with another scheme than https."""


def _normalised_path(path: str) -> str:
    segments: list[str] = []
    names = _ESCAPE.sub(_normalised_escape, path).split("/")[1:]
    for name in names:
        if name == "..":
            del segments[-1:]
        elif name != ".":
            segments.append(name)
    if names[-1] in {".", ".."}:
        segments.append("")
    return "/" + "/".join(segments)


def _normalised_escape(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if _UNRESERVED_CHARACTER.fullmatch(character) else escape[0].upper()
