"""Names in the headers of clients that are not crawlers: browsers, apps and libraries.

A crawler with such a name would be found in their headers, so that a site would refuse its visitors.
"""

import re
from typing import Final

from canfetch.agents.registry import RELEASE, names_to_look_up

_WORD: Final = re.compile("[a-z]{3}", re.IGNORECASE)


def is_other_client(name: str) -> bool:
    """Return whether browsers, apps or libraries may have a name in their headers.

    The names are those of the package, and those in `other_headers` of the release of the registry in use.

    Cost: O(characters) of the headers of the release.
    """
    from canfetch.agents._other_names import NAMES  # noqa: PLC0415 - 5 KB that few programs need

    lowered = name.lower()
    return (
        is_generic(name)
        or lowered in NAMES.split()
        or any(lowered in names_to_look_up(header.value) for header in RELEASE.other_headers)
    )


def is_generic(name: str) -> bool:
    """Return whether a name has no three letters in a row: `10.0`, `x64` and `K` are versions and platforms."""
    return _WORD.search(name) is None
