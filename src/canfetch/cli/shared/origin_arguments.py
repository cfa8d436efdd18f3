"""Origins on the command line: a URL, whose path is ignored, or a host name."""

import os
from typing import Final

from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import STANDARD_INPUT
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidURL

# The Prefetcher's limit on the characters of URLs and origins that wait.
MAX_WAITING_CHARACTERS = 1 << 20
# No top-level domain has this name.
_FILE_SUFFIX: Final = ".txt"


def is_file_argument(argument: str) -> bool:
    """Return whether an argument is a file or standard input, which no origin can be."""
    if "://" in argument:
        return False
    if argument == STANDARD_INPUT or argument.partition("/")[0].lower().endswith(_FILE_SUFFIX):
        return True
    # A file in the current directory can have the name of a host, as in mirrors of sites.
    return "/" in argument and os.path.isfile(argument)  # noqa: PTH113 - see `open_input`


def to_origin(argument: str) -> Origin:
    """Return the origin of an origin argument. A host name means https.

    Raises: CommandError: The argument is neither a URL nor a host name.
    """
    try:
        return Origin.from_url(to_origin_url(argument))
    except InvalidURL as error:
        raise CommandError(str(error)) from None


def to_origin_url(argument: str) -> str:
    """Return the URL of an origin argument. A host name means https.

    Raises: CommandError: The argument is neither a URL nor a host name.
    """
    if "://" in argument:
        return argument
    if is_file_argument(argument):
        raise CommandError(f"invalid origin {quoted(argument)}: expected one such as https://example.com, not a file")
    url = f"https://{argument}"
    try:
        Origin.from_url(url)
    except InvalidURL:
        raise CommandError(f"invalid origin {quoted(argument)}: expected one such as https://example.com") from None
    return url
