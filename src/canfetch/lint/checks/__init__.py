"""All checks, in the order of their codes."""

from typing import Final

from canfetch.lint.check import Check
from canfetch.lint.checks import agents, comments, delivery, extensions, file, groups, lines, patterns, policy

_ROOMS: Final = (file, lines, groups, patterns, agents, extensions, policy, delivery, comments)

CHECKS: Final[tuple[Check, ...]] = tuple(
    sorted((check for room in _ROOMS for check in room.CHECKS), key=lambda check: check.code)
)
CHECKS_BY_WORD: Final[dict[str, Check]] = {word: check for check in CHECKS for word in (check.code, check.name)}
