"""The distribution of crawl delays: of files, and of the delay that each agent has to respect."""

from collections.abc import Collection, Iterator, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Any, Final

from canfetch.bulk.archives.resolution import ResolvedFile
from canfetch.bulk.studies.cells import ALL, FILE, Cell, Table
from canfetch.core.document import parse
from canfetch.core.extensions.crawl_delay import KEY, CrawlDelay
from canfetch.core.extensions.record import Extension
from canfetch.core.verdict import Effect

MEASURE: Final = "crawl-delay/1"
SECONDS: Final = "crawl-delay-seconds/1"
_NONE: Final = "none"
_INVALID: Final = "invalid"
_LIMITS: Final = (1, 5, 10, 30, 60)
_LABELS: Final = (_NONE, _INVALID, "0 s", *[f"up to {limit} s" for limit in _LIMITS], f"over {_LIMITS[-1]} s")
# Larger numbers have one class, and others are rounded, so that files cannot make any number of classes.
_DAY: Final = 86_400
_OVER_A_DAY: Final = f"over {_DAY}"
_DIGITS: Final = 3
_DECIMALS: Final = 2


def crawl_delay_cells(file: ResolvedFile, agents: tuple[str, ...]) -> Iterator[Cell]:
    """Yield the cells of a file: of its longest delay, and of the delay of each agent.

    Cost: O(bytes), and O(Crawl-delay lines) for each agent.
    """
    if file.effect is not Effect.CONDITIONAL_ALLOW or file.content is None:
        return
    robots = parse(file.content)
    # A line before all groups applies to no agent.
    records = [record for record in robots.extensions.by_name(KEY.decode()) if record.group is not None]
    yield from _cells(FILE, records)
    for agent in (ALL, *agents):
        groups = frozenset(robots.rules_for(agent).group_indices) if records else ()
        yield from _cells(agent, _of_groups(records, groups))


def crawl_delay_tables(agents: tuple[str, ...]) -> Iterator[Table]:
    """Yield the tables of these cells."""
    for subject in (FILE, ALL, *agents):
        yield Table(subject, MEASURE, _LABELS)
        yield Table(subject, SECONDS, (), is_open=True)


def _of_groups(records: Sequence[Extension[Any]], groups: Collection[int]) -> list[Extension[Any]]:
    return [record for record in records if record.group in groups]


def _cells(subject: str, records: Sequence[Extension[Any]]) -> Iterator[Cell]:
    # The longest of several delays counts, as in `RobotsTxt.crawl_delay`.
    delays = [record.parsed.seconds for record in records if isinstance(record.parsed, CrawlDelay)]
    if not delays:
        yield Cell(subject, MEASURE, _INVALID if records else _NONE)
        return
    seconds = max(delays)
    yield Cell(subject, MEASURE, _LABELS[2 + sum(seconds > limit for limit in (0, *_LIMITS))])
    yield Cell(subject, SECONDS, _rounded(seconds) if seconds <= _DAY else _OVER_A_DAY)


def _rounded(seconds: float) -> str:
    """Return a number rounded up to three digits, of which two can be decimals: one of about 4,500 texts.

    Upwards, because a class of `crawl-delay/1` includes its limit. A delay over 0 is not 0.
    """
    exact = Decimal(repr(seconds))
    last = max(exact.adjusted() - _DIGITS + 1, -_DECIMALS)
    return f"{exact.quantize(Decimal((0, (1,), last)), ROUND_CEILING).normalize():f}"
