"""Origins on the command line: a URL, whose path is ignored, or a host name."""

from canfetch.cli.shared.command_errors import CommandError
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidURL

# The Prefetcher's limit on the characters of URLs and origins that wait.
MAX_WAITING_CHARACTERS = 1 << 20


def to_origin_url(argument: str) -> str:
    """Return the URL of an origin argument. A host name means https.

    Raises: CommandError: The argument is neither a URL nor a host name.
    """
    if "://" in argument:
        return argument
    url = f"https://{argument}"
    try:
        Origin.from_url(url)
    except InvalidURL:
        raise CommandError(f"invalid origin {quoted(argument)}: expected one such as https://example.com") from None
    return url
