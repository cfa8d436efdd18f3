"""The schedule of repeated visits: the time of the next visit of a URL, and what each visit stores for the next one."""

import json
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from canfetch.client.argument_checks import check_positive_seconds
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

# About 31 years. Sums of it and a time are exact to microseconds, and have a date.
_LONGEST: Final = 1e9
_MAX_VALIDATOR: Final = 1024


@dataclass(frozen=True, slots=True)
class Recrawl:
    """How often a frontier visits its URLs again.

    The interval of a URL is `every` after its first visit. After each later one, it is halved if the page has changed,
    and doubled if it has not, between `minimum` and `maximum`. Without these, it stays the same.

        Recrawl(every=86_400)
        Recrawl(every=86_400, minimum=3_600, maximum=30 * 86_400)

    Args:
        every: Seconds between the first two visits. URLs that are skipped, or fail in all attempts, wait as long, and
            keep their interval for later visits.
        minimum: The shortest interval in seconds, by default `every`.
        maximum: The longest interval in seconds, by default `every`. At most a billion.
    Raises: InvalidOption: A number is not positive, too large, or `every` is not between the others.
    """

    every: float
    minimum: float | None = None
    maximum: float | None = None

    def __post_init__(self) -> None:
        shortest, longest = self._bounds()
        for name, seconds in (("every", self.every), ("minimum", shortest), ("maximum", longest)):
            check_positive_seconds(name, seconds)
        if not shortest <= self.every <= longest <= _LONGEST:
            raise InvalidOption(
                f"invalid intervals {shortest}, {self.every}, {longest}: expected minimum <= every <= maximum <= 1e9"
            )

    def interval(self, last: "Visit | None", *, changed: bool | None = None) -> float:
        """Return the seconds until the next visit.

        Args:
            last: What the last visit left, or None for the first one.
            changed: Whether the page has changed since then, or None if that is not known.
        """
        if last is None:
            return self.every
        shortest, longest = self._bounds()
        factor = 1.0 if changed is None else 0.5 if changed else 2.0
        return min(max(last.interval * factor, shortest), longest)

    def next_visit(
        self, last: "Visit | None", *, changed: bool | None, etag: str | None, last_modified: str | None
    ) -> "Visit":
        """Return what a visit leaves for the next one. Its arguments are those of `Turn.done`."""
        visit = Visit(0.0, _validator(etag), _validator(last_modified))
        if last is not None:
            if changed is None:
                pairs = zip(visit[1:], last[1:], strict=True)
                changed = next((new != old for new, old in pairs if None not in (new, old)), None)
            elif changed is False:
                # A 304 need not repeat them.
                visit = Visit(0.0, visit.etag or last.etag, visit.last_modified or last.last_modified)
        return visit._replace(interval=self.interval(last, changed=changed))

    def _bounds(self) -> tuple[float, float]:
        return (
            self.every if self.minimum is None else self.minimum,
            self.every if self.maximum is None else self.maximum,
        )


class Visit(NamedTuple):
    """What a visit leaves for the next one: the seconds until then, and the validators of the response."""

    interval: float
    etag: str | None = None
    last_modified: str | None = None

    def to_json(self) -> str:
        """Return the visit as a queue stores it."""
        return json.dumps(
            {name: value for name, value in self._asdict().items() if value is not None}, separators=(",", ":")
        )


def read_visit(text: str | None) -> Visit | None:
    """Return what the last visit left. None before the first visit, and if `text` is damaged."""
    try:
        visit = Visit(**json.loads(text or "null"))
    except (ValueError, TypeError, RecursionError):
        return None
    number: Any = visit.interval
    is_valid = isinstance(number, int | float) and not isinstance(number, bool) and 0 < number <= _LONGEST
    return visit if is_valid and all(each == _validator(each) for each in visit[1:]) else None


def check_visit(*, changed: object, etag: object, last_modified: object) -> None:
    """Check the arguments of `Turn.done` that are about the page.

    Raises: TypeError.
    """
    if not isinstance(changed, bool | None):
        raise TypeError(f"invalid changed {quoted(changed)}: expected a bool or None")
    for name, value in (("etag", etag), ("last_modified", last_modified)):
        if not isinstance(value, str | None):
            raise TypeError(f"invalid {name} {quoted(value)}: expected the header as str, or None")


def check_recrawl(recrawl: object) -> None:
    """Check the schedule of a frontier.

    Raises: InvalidOption.
    """
    if not isinstance(recrawl, Recrawl | None):
        raise InvalidOption(f"invalid recrawl {quoted(recrawl)}: expected a Recrawl, or None")


def _validator(value: Any) -> str | None:
    """Return the value of a header, or None if it cannot be sent: it is too long, or has other characters."""
    is_sendable = (
        isinstance(value, str) and 0 < len(value) <= _MAX_VALIDATOR and value.isascii() and value.isprintable()
    )
    return value if is_sendable else None
