"""Advice about arguments that are not URLs: hosts without a scheme, and files."""

import os
import re
from typing import Final

from canfetch.cli.shared.origin_arguments import is_file_argument
from canfetch.core.quoting import quoted

_MAX_CHARACTERS: Final = 200
# Compiled when it is used, which is only for errors.
_HOST: Final = r"(?:[a-z0-9-]{1,63}\.)+([a-z]{2,63})(?::[0-9]{1,5})?(?:[/?].*)?"
# No top-level domain has these names.
_FILE_SUFFIXES: Final = frozenset({"csv", "gz", "htm", "html", "json", "ndjson", "php", "toml", "txt", "warc", "xml"})
_FILE_START: Final = "robots."


def host_advice(text: str) -> str:
    """Return the end of an error message about a host without a scheme, or an empty string for other texts.

    Cost: O(1); longer texts have no advice.
    """
    match = re.fullmatch(_HOST, text, re.IGNORECASE) if len(text) <= _MAX_CHARACTERS else None
    if match is None or match[1].lower() in _FILE_SUFFIXES or text.lower().startswith(_FILE_START):
        return ""
    return f"; did you mean {quoted(f'https://{text}')}?"


def argument_advice(text: str, *options: str) -> str:
    """Return the end of an error message about an argument that is not a URL, or an empty string.

    Args:
        text: The argument. If it starts with a slash, it is the path of a URL.
        options: The options to which a file can be passed.
    """
    if options and not text.startswith("/") and (is_file_argument(text) or os.path.isfile(text)):  # noqa: PTH113 - see `open_input`
        return f"; pass a file with {' or '.join(options)}"
    return host_advice(text)
