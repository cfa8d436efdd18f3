"""Product tokens that user-agent lines can name."""

import re
from typing import Final

from canfetch.core.quoting import quoted
from canfetch.errors import InvalidProductToken

_STAR: Final = "*"
_ENDS: Final = re.compile(r"[*,]")


def check_nameable(token: str) -> None:
    """Check that a user-agent line can name a product token. For tokens that people write.

    The engine accepts other tokens, which programs may find in User-Agent headers. No group is about them.

    Raises: InvalidProductToken: `token` contains `,` or `*`, which end a token in a user-agent line.
    Source: docs/semantics.md section 3.
    """
    if token != _STAR and _ENDS.search(token):
        name = next(filter(None, _ENDS.split(token)), "GPTBot")
        raise InvalidProductToken(
            f"invalid product token {quoted(token)}: expected one name without ',' and '*', such as {quoted(name)}; "
            "pass several names separately"
        )
