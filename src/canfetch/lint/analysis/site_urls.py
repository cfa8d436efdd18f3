"""Which URLs are on the site that a file rules over."""

from canfetch.core.origin import find_origin
from canfetch.core.text import display_text, encode_text
from canfetch.core.urls import split_url
from canfetch.lint.linted_file import LintedFile


def url_path(url: str) -> str | None:
    """Give the path and query of an absolute URL, or None where it is none."""
    octets = encode_text(url)
    split = split_url(octets)
    if split is None or not split.scheme:
        return None
    rest = display_text(octets[split.rest_start :].partition(b"#")[0])
    path = rest if rest.startswith("/") else f"/{rest}"
    # Two slashes at its start would be read as a host.
    return None if path.startswith("//") else path


def own_site_path(file: LintedFile, url: str) -> str | None:
    """Give the path and query of a URL of the file's own site; where the file's URL is not known, of any."""
    if file.input.url is not None:
        here = find_origin(file.input.url)
        if here is not None and find_origin(url) != here:
            return None
    return url_path(url)
