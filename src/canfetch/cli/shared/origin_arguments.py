"""Origins as they are typed: a URL, of which the path does not count, or a host."""

from canfetch.cli.shared.problems import Problem
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidURL


def url_of_origin(name: str) -> str:
    """Give the URL that is meant by an origin as it is typed; a host alone means https.

    Raises: Problem: it is neither.
    """
    if "://" in name:
        return name
    url = f"https://{name}"
    try:
        Origin.from_url(url)
    except InvalidURL:
        raise Problem(f"{quoted(name)} is no origin: give one such as https://example.com") from None
    return url
