"""The search in the native engine, with the same answers as `Search`."""

from collections.abc import Container, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from canfetch.compare.domains import ORDINARY, READABLE_FIRST, NoOrdinaryByte
from canfetch.compare.forms import ENCODED, Form
from canfetch.compare.patterns import Pattern, Side
from canfetch.core.engines import engine_name, native_module

if TYPE_CHECKING:
    from canfetch._native import TargetDomain
    from canfetch.compare.domains import Domain
    from canfetch.compare.limits import Budget
    from canfetch.compare.sides import Decisions

_ABSENT = 2
_FOUND: Final = "found"
TOO_LARGE: Final = "too large"
"""The status of a search that has reached its limit."""


@cache
def native_domain_class() -> "type[TargetDomain] | None":
    """Return the class of the native engine, or None if the Python engine is used or the module is older."""
    found: type[TargetDomain] | None = native_class("TargetDomain")
    return found


@cache
def native_class(name: str) -> Any:
    """Return a class of the native engine, or None if the Python engine is used or the module is older."""
    return None if engine_name() == "python" else getattr(native_module(), name, None)


def native_item(pattern: Pattern) -> tuple[bytes, tuple[bytes, ...], bool, int, bool]:
    """Return a pattern as the native engine takes it."""
    return pattern.head, pattern.middles, pattern.anchored, int(pattern.form), False


class NativeSearch:
    """The patterns of some sides, ready to be searched.

    Args:
        sides: The sides.
        patterns: Their ranks and patterns, in order of precedence.
        budget: The work that is left.
    """

    __slots__ = ("_budget", "_patterns", "_sides")

    def __init__(
        self, sides: Sequence[Side], patterns: Sequence[tuple[tuple[int, ...], Pattern]], budget: "Budget"
    ) -> None:
        self._budget = budget
        indices = {key: index for index, key in enumerate(patterns)}
        self._patterns = [native_item(pattern) for _, pattern in patterns]
        self._sides: list[tuple[bytes, bool, bool]] = []
        for side in sides:
            values = bytearray([_ABSENT]) * len(patterns)
            for one in side.patterns:
                values[indices[one.rank, one.pattern]] = one.allow
            self._sides.append((bytes(values), side.default, False))

    def targets(self, domain: "Domain", wanted: "Iterable[Decisions]", most: int) -> list[bytes]:
        """Return up to `most` shortest targets with wanted decisions. Without any, no target has them.

        Raises: Undecided, NoOrdinaryByte.
        """
        bits = 0
        for decisions in wanted:
            bits |= 1 << sum(decision << side for side, decision in enumerate(decisions))
        budget = self._budget
        native = native_domain(domain)
        available = budget.steps_of_search(len(self._patterns))
        targets, status, states, steps = native.search(self._patterns, self._sides, bits, most, available)
        budget.steps = steps
        budget.count_states(states)
        if status == TOO_LARGE:
            raise budget.exhausted()
        if status != _FOUND or targets is None:
            raise NoOrdinaryByte
        return targets


# Domains are created once, so that only a few are ever converted.
_domains: dict[int, "TargetDomain"] = {}


def native_domain(domain: "Domain") -> "TargetDomain":
    """Return a domain as the native engine takes it."""
    native = _domains.get(id(domain))
    if native is None:
        domain_class = native_domain_class()
        assert domain_class is not None
        native = _domains[id(domain)] = domain_class(
            [place & 0xFFFF for row in domain.table for place in row],
            domain.accepting,
            domain.needs_query,
            domain.classes if domain.complete else None,
            ORDINARY,
            bytes(READABLE_FIRST),
            [(_mask(ENCODED[form][0]), _mask(ENCODED[form][1])) for form in Form],
        )
    return native


def _mask(encoded: Container[int]) -> list[bool]:
    return [byte in encoded for byte in range(0x100)]
