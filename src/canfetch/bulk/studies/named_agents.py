"""The ranking of user agents by the number of files that name them, as written and as product tokens."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from canfetch.bulk.archives.resolution import ResolvedFile
from canfetch.bulk.studies.cells import Cell
from canfetch.core.document import parse
from canfetch.core.keys import RecordKind
from canfetch.core.text import printable_text
from canfetch.core.verdict import Effect

AS_WRITTEN: Final = "named-as-written/1"
FOLDED: Final = "named/1"
NAMED: Final = "named"
NOT_NAMED: Final = "not-named"
# The cell of each file, whose subject no user agent has.
_EACH_FILE: Final = ("", "")
# Limits on what hostile files add: the names of a file, the length of each, the names in the table, and the counts that
# are left when rare names are dropped.
_MAX_NAMES: Final = 1_000
_MAX_LENGTH: Final = 100
_SHOWN: Final = 1_000
_MAX_COUNTS: Final = 1_000_000

# The period, subject, measure and class of a count.
_Key = tuple[str, str, str, str]


def named_agent_cells(file: ResolvedFile, agents: tuple[str, ...]) -> Iterator[Cell]:
    """Yield the cells of a file: of each user agent that it names.

    Args: agents: The product tokens to count, or none for all. Each spelling of a token counts as written.
    Cost: O(bytes), and at most 1,000 names.
    """
    if file.effect is not Effect.CONDITIONAL_ALLOW or file.content is None:
        return
    robots = parse(file.content)
    wanted = {agent.lower() for agent in agents}
    tokens = {line.line: line.token.lower() for group in robots.groups for line in group.user_agents}
    folded: dict[str, None] = {}
    written: dict[str, None] = {}
    for record in robots.records:
        token = tokens.get(record.line)
        span = record.value if record.kind is RecordKind.USER_AGENT else None
        if span is None or not token or (wanted and token not in wanted):
            continue
        start, end = span
        value = robots.content[start:end].decode("utf-8", "replace").strip()
        folded[printable_text(token[:_MAX_LENGTH])] = None
        written[printable_text(value[:_MAX_LENGTH])] = None
        if len(written) == _MAX_NAMES:
            break
    for measure, names in ((FOLDED, folded), (AS_WRITTEN, written)):
        yield Cell(_EACH_FILE[0], measure, _EACH_FILE[1])
        for name in names:
            yield Cell(name, measure, NAMED)


def sum_of_names(parts: Iterable[Counter[_Key]]) -> Counter[_Key]:
    """Return the sum of counts, without rare names if there are more than two million counts.

    A name is dropped in all periods. Counts of a name that was dropped and is found again start at 0. The names that
    most files have so far are never dropped: as many of each measure as the table shows.

    Args: parts: The counts of parts. Their order decides which names are dropped.
    Cost: O(counts log(counts)) time. Memory for two million counts, or for those of the names that are never dropped.
    """
    total: Counter[_Key] = Counter()
    limit = 2 * _MAX_COUNTS
    for counts in parts:
        total.update(counts)
        if len(total) > limit:
            _drop_rare_names(total)
            limit = 2 * max(len(total), _MAX_COUNTS)
    return total


def _drop_rare_names(counts: Counter[_Key]) -> None:
    files: Counter[tuple[str, str]] = Counter()
    periods: Counter[tuple[str, str]] = Counter()
    for (_, subject, measure, label), count in counts.items():
        if label == NAMED:
            files[measure, subject] += count
            periods[measure, subject] += 1
    ranks: Counter[str] = Counter()
    size = 0
    dropped = set()
    for name in sorted(files, key=lambda name: (-files[name], name)):
        ranks[name[0]] += 1
        size += periods[name]
        if size > _MAX_COUNTS and ranks[name[0]] > _SHOWN:
            dropped.add(name)
    for key in [key for key in counts if (key[2], key[1]) in dropped]:
        del counts[key]


def ranked_counts(counts: Counter[_Key], agents: tuple[str, ...]) -> Iterator[tuple[_Key, int, int]]:
    """Yield the cells of the ranking with their counts, and the number of files in the period.

    Args:
        counts: The counts of the cells, in all periods.
        agents: The product tokens to count, which may have no file, or none for the names that most files have.
    """
    sums = {FOLDED: Counter[str](), AS_WRITTEN: Counter[str]()}
    for (_, subject, measure, label), count in counts.items():
        if label == NAMED:
            sums[measure][subject] += count
    sums[FOLDED].update({agent.lower(): 0 for agent in agents})
    shown = {measure: _ranked(files)[:_SHOWN] for measure, files in sums.items()}
    for period in sorted({key[0] for key in counts}):
        for measure, names in shown.items():
            total = counts[period, _EACH_FILE[0], measure, _EACH_FILE[1]]
            named = {name: counts[period, name, measure, NAMED] for name in names}
            ranked = _ranked(named)
            for name in ranked:
                yield (period, name, measure, NAMED), named[name], total
            for name in ranked:
                yield (period, name, measure, NOT_NAMED), total - named[name], total


def _ranked(files: Mapping[str, int]) -> list[str]:
    return sorted(files, key=lambda name: (-files[name], name))
