"""A limit on the work for bytes that only look like the start of a compressed member.

A hostile file can have such a start every few bytes, each of which can be decompressed for megabytes before an error.
The budget bounds the work for all of them, so that reading takes linear time. A small member is found after any number
of them.
"""

from typing import Final

_RESERVE: Final = 1 << 26
_EARNED_PER_BYTE: Final = 32
# The part of the budget that one member can take.
_SHARE: Final = 8
# Decompressed bytes cost less time than compressed ones, but a compressed byte can be a thousand decompressed ones.
_OUTPUT_PER_UNIT: Final = 8


class WorkBudget:
    """Pays for broken members, in units of about the time that a compressed byte takes.

    Bytes that are passed refill it.

    Attributes:
        spent: The costs of all broken members.
    Cost: Broken members cost at most 32 for each byte of a file, and their `least` limit.
    """

    def __init__(self) -> None:
        self.spent = 0
        self._left = _RESERVE
        self._offset = 0

    def limit(self, offset: int, least: int) -> int:
        """Return what the member at an offset may cost, which is never less than `least`."""
        if offset > self._offset:
            self._left = min(self._left + _EARNED_PER_BYTE * (offset - self._offset), _RESERVE)
            self._offset = offset
        return max(least, self._left // _SHARE)

    def spend(self, cost: int) -> None:
        """Subtract the cost of a broken member."""
        self.spent += cost
        # After that, members cost their least limit, which does not lead to debts.
        if self._left > 0:
            self._left -= cost


def cost_of(compressed: int, decompressed: int) -> int:
    """Return the cost of this many bytes."""
    return compressed + decompressed // _OUTPUT_PER_UNIT


def output_for(cost: int) -> int:
    """Return the number of decompressed bytes that have this cost."""
    return _OUTPUT_PER_UNIT * cost
