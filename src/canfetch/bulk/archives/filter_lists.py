"""Lists of URLs, their columns, and the parts in which their decisions are written."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

from canfetch.bulk.archives.captured_uses import CapturedUses
from canfetch.bulk.archives.decisions import (
    NO_CAPTURE,
    Decision,
    FileDecisions,
    NamedAgent,
    Provenance,
    Use,
    use_without_rules,
)
from canfetch.bulk.archives.url_decisions import URLDecisions
from canfetch.bulk.cell_texts import RULE_BYTES, rule_text, statements_text
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.row_files import Row, load_pyarrow, parquet_errors
from canfetch.bulk.reading.sources import STANDARD_INPUT, check_different_names, check_json_lines, is_regular_file
from canfetch.bulk.reading.url_lists import check_url_column, list_format, missing_column, read_url_rows
from canfetch.bulk.writing.columns import Column, ColumnType
from canfetch.consent.decision import statement_source
from canfetch.consent.statements import unreachable_statement
from canfetch.consent.verdict import (
    PARTLY_READ,
    ROBOTS,
    STANDARDS,
    SourceState,
    StatementKind,
    UseSource,
    UseVerdict,
    combination,
    unread_beside_robots,
)
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.quoting import quoted
from canfetch.core.text import bounded_text, printable_text
from canfetch.core.urls import AnyURL
from canfetch.errors import InvalidOption

DECISION_COLUMNS: Final = (
    Column("allowed", ColumnType.BOOLEAN, "Whether the agent may fetch the URL; null if that is unknown."),
    Column("reason", ColumnType.TEXT, "What decided, or why nothing could."),
    Column("line", ColumnType.INTEGER, "The line of the deciding rule."),
    Column("rule", ColumnType.TEXT, "The deciding rule, of at most 256 bytes."),
)
USE_COLUMNS: Final = (
    Column("use", ColumnType.TEXT, "`allow`, `disallow` or `unknown`: what is stated on the use."),
    Column("use_kind", ColumnType.TEXT, "The kind of the first statement that decides, such as `rule`."),
    Column("use_line", ColumnType.INTEGER, "Its line."),
    Column("use_text", ColumnType.TEXT, "The text of this line, of at most 256 bytes."),
    Column("use_token", ColumnType.TEXT, "The control token whose rule decides."),
    Column("robots_time", ColumnType.TIME, "The time of the capture that decides; null if the archive has none."),
    Column("robots_url", ColumnType.TEXT, "The URL of its response, after redirects."),
    Column("robots_truncated", ColumnType.BOOLEAN, "Whether its file is longer than the parsing limit, 512,000 bytes."),
    Column("robots_detail", ColumnType.TEXT, "Why no rules decide, or those of an older copy."),
    Column("use_group", ColumnType.TEXT, "The group of the rule for the control token, which can be `*`."),
    Column("use_unread", ColumnType.TEXT, "The sources that were not read and could change the answer."),
    Column("use_source", ColumnType.TEXT, "The source of the statement, such as `robots.txt` or `headers`."),
    Column("use_place", ColumnType.TEXT, "Its place in the source `use_url`, such as a line or a header."),
    Column("use_url", ColumnType.TEXT, "The URL of the source."),
    Column("use_time", ColumnType.TIME, "The time of the capture of the source; null if the archive has none."),
    Column("use_standard", ColumnType.TEXT, "The standard that the statement belongs to."),
    Column("use_rule", ColumnType.TEXT, "The rule by which all statements result in the answer."),
    Column("use_read", ColumnType.TEXT, "The sources that were read, or that are absent."),
    Column(
        "use_note",
        ColumnType.TEXT,
        "What the statement means, such as the user-agent line of its group or the terms of a license.",
    ),
    Column("use_until", ColumnType.TIME, "When the answer has to be asked for again; null if nothing has a date."),
)
OTHERS_COLUMN: Final = Column(
    "use_others", ColumnType.TEXT, "The statements that were found and do not decide, of at most 1,000 bytes."
)
NOT_STATED: Final = "not-stated"
_ALLOWED: Final[dict[str, bool | None]] = {
    str(Preference.ALLOW): True,
    str(Preference.DISALLOW): False,
    str(Preference.UNKNOWN): None,
}
AGENT_COLUMN: Final = Column("agent", ColumnType.TEXT, "The agent, if there are several.")
_ROWS_PER_PART: Final = 20_000
_SEPARATOR: Final = re.compile("[,;\t]")
# A few parts for each process are in memory.
_BYTES_PER_PART: Final = 1 << 24


class FilterOptions(NamedTuple):
    """How URLs are decided.

    Attributes:
        agents: The agents. With several, there is a row for each URL and agent.
        url_column: The column of URLs.
        time_column: The column of times, or None.
        missing: The answer for URLs whose robots.txt is unknown.
        only_allowed: Whether rows are left out that are not allowed, or whose use is disallowed.
        policy: The access policy.
        profile: The parsing profile.
        use: The purpose of the use of the content, or None if only fetching is decided.
        with_others: Whether there is a column of the statements that do not decide.
    """

    agents: tuple[NamedAgent, ...]
    url_column: str
    time_column: str | None
    missing: bool | None
    only_allowed: bool
    policy: str
    profile: str
    use: UsagePurpose | None = None
    with_others: bool = False

    @property
    def use_columns(self) -> tuple[Column, ...]:
        """The columns about the use. Empty if only fetching is decided."""
        if self.use is None:
            return ()
        return (*USE_COLUMNS, OTHERS_COLUMN) if self.with_others else USE_COLUMNS

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that are added to those of the list."""
        agent = () if len(self.agents) == 1 else (AGENT_COLUMN,)
        return (*agent, *DECISION_COLUMNS, *self.use_columns)

    def cells(self, agent: int, decided: Sequence[Any]) -> tuple[Any, ...]:
        """Return the cells of `columns`, from the number of an agent and those of the other columns."""
        return tuple(decided) if len(self.agents) == 1 else (self.agents[agent].name, *decided)

    def use_verdicts(
        self, uses: CapturedUses, url: Any, at: float | None, file: FileDecisions | Decision
    ) -> list[UseVerdict] | None:
        """Return the verdict on the use for each agent, or None if only robots.txt was captured.

        Args: url, at, file: As for `CapturedUses.verdicts`.
        """
        if self.use is None:
            return None
        return uses.verdicts(url, at, file, [one.agent for one in self.agents], self.use)

    def until(
        self, decisions: URLDecisions, url: AnyURL, at: float | None, file: FileDecisions | Decision
    ) -> float | None:
        """Return the time of the next capture of the file of a URL if there is a use, or None.

        Args:
            decisions: Those of all captures.
            url, at: As for `URLDecisions.find`, whose result is `file`.
        """
        if self.use is None or at is None or (isinstance(file, Decision) and file.is_invalid):
            return None
        return decisions.next_at(url, at)

    @property
    def decisive_cells(self) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
        """A function that returns from the cells of `columns` those that `outcome` depends on."""
        first = len(self.agents) > 1
        of_use = () if self.use is None else (first + len(DECISION_COLUMNS), first + len(DECISION_COLUMNS) + 1)
        return itemgetter(first + 0, first + 1, *of_use)

    def outcome(self, cells: Sequence[Any]) -> tuple[bool | None, str | None]:
        """Return whether the URL may be fetched and is not refused for the use, from its decisive cells.

        The second value is the reason if that is unknown, and `NOT_STATED` if the URL may be fetched and nothing is
        stated on the use.
        """
        allowed, reason, use, kind = (*cells, None, None)[:4]
        if use == Preference.DISALLOW or (use == Preference.UNKNOWN and kind):
            # An unknown use with a kind has a condition, such as a payment.
            return False, None
        if allowed:
            return True, NOT_STATED if use == Preference.UNKNOWN else None
        return allowed, None if allowed is False else reason


def decide_by_file(
    file: FileDecisions | Decision,
    url: Any,
    options: FilterOptions,
    verdicts: Sequence[UseVerdict] | None = None,
    until: float | None = None,
) -> Iterator[tuple[Any, ...]]:
    """Yield for each agent the cells of `DECISION_COLUMNS` and of `FilterOptions.use_columns`.

    Args:
        file: The decisions about the origin of the URL. If there is a use and no verdict, they are by no rules.
        url: The URL.
        options: The agents and the use.
        verdicts: The verdict on the use for each agent, if other sources than robots.txt were captured.
        until: The time of the next capture of the file, or None.
    """
    for number, (_, agent) in enumerate(options.agents):
        decision = file.decide(url, agent) if isinstance(file, FileDecisions) else file
        rule = decision.rule
        line, text = (None, None) if rule is None else (rule.line, rule_text(rule))
        cells: tuple[Any, ...] = ()
        others = None
        if verdicts is not None:
            cells = _verdict_cells(verdicts[number], file)
            others = statements_text(verdicts[number].other_statements) if options.with_others else None
        elif options.use is not None:
            cells = _use_cells(file, decision, options.use, until)
        if options.with_others:
            cells = (*cells, others)
        yield (decision.allowed, decision.reason, line, text, *cells)


def _use_cells(
    file: FileDecisions | Decision, decision: Decision, purpose: UsagePurpose, until: float | None
) -> tuple[Any, ...]:
    """Return the cells of `USE_COLUMNS` for a URL that no rules decide."""
    use = use_without_rules(file, decision)
    is_known = isinstance(file, FileDecisions) and not file.disallows_all
    unread = None
    if use.use is not None:
        is_read = is_known and not file.provenance.is_truncated
        unread = unread_beside_robots(purpose, allowed=_ALLOWED[use.use], robots_is_read=is_read, names_license=False)
    provenance = NO_CAPTURE if use.use is None else file.provenance
    read = f"{ROBOTS} ({SourceState.ABSENT})" if is_known and use.use is not None else None
    # Without rules, nothing but an unreachable file states something.
    note = None if use.kind is None else unreachable_statement().note
    rule = combination(use.kind, allowed=_ALLOWED.get(use.use or ""))
    return (*use, *provenance, None, unread, *robots_evidence(use, provenance, Evidence(read, rule, note, until)))


class Evidence(NamedTuple):
    """What the cells from `use_source` on depend on, besides the statement and the capture.

    Attributes:
        read: The sources that were read.
        rule: The rule of combination.
        note: What the statement means.
        until: When another capture replaces the file.
    """

    read: str | None
    rule: str | None
    note: str | None
    until: float | None


def read_robots(provenance: Provenance) -> str:
    """Return the cell of the sources that were read if robots.txt was."""
    return f"{ROBOTS} ({PARTLY_READ})" if provenance.is_truncated else ROBOTS


def robots_evidence(use: Use, provenance: Provenance, evidence: Evidence) -> tuple[Any, ...]:
    """Return the cells from `use_source` on, for a use that robots.txt decides, or nothing does.

    Args:
        use: The cells of its columns.
        provenance: The capture.
        evidence: The other values.
    """
    if use.use is None:
        return (None,) * 9
    read, rule, note, until = evidence
    if use.kind is None:
        return *(None,) * 5, rule, read, None, until
    place = ROBOTS if use.line is None else f"line {use.line}"
    standard, words = STANDARDS[StatementKind(use.kind)], _bounded(note or "")
    return ROBOTS, place, provenance.url, provenance.time, standard, rule, read, words, until


def _bounded(text: str) -> str | None:
    """Return a text of an answer as a cell."""
    return bounded_text(printable_text(text), RULE_BYTES) or None


def _verdict_cells(verdict: UseVerdict, file: FileDecisions | Decision) -> tuple[Any, ...]:
    """Return the cells of `USE_COLUMNS` for a verdict on the use."""
    names = (one.name for one in verdict.unread)
    unread = None if verdict.is_final else ", ".join(dict.fromkeys(names))
    read = filter(None, map(_read_name, verdict.sources))
    end = (verdict.combination, ", ".join(dict.fromkeys(read)) or None)
    provenance, until = file.provenance, verdict.expires_at
    # A condition does not allow the use, but the owner of the row has to know it.
    first = next(iter((*verdict.decided_by, *verdict.conditions)), None)
    if first is None:
        nothing = (None,) * 5
        return str(Preference.UNKNOWN), *(None,) * 4, *provenance, None, unread, *nothing, *end, None, until
    use = next(name for name, allowed in _ALLOWED.items() if allowed is verdict.allowed)
    url, source = statement_source(verdict, first)
    text, note = _bounded(first.text), _bounded(first.note)
    time = None if source is None else source.fetched_at
    if first.kind is StatementKind.UNREACHABLE:
        # No statement of the site, but a capture.
        text, time = None, provenance.time
    # The URL of the file is a column of its own.
    place = first.place if first.source != ROBOTS or first.line is None else f"line {first.line}"
    evidence = first.source, place, url, time, first.standard
    cells = use, str(first.kind), first.line, text, first.token, *provenance, first.group, unread, *evidence, *end
    return *cells, note, until


def _read_name(source: UseSource) -> str | None:
    """Return a source as `use_read` names it, or None if nothing of it was read."""
    match source.state:
        case SourceState.READ:
            return source.name
        case SourceState.ABSENT | SourceState.UNREADABLE:
            return f"{source.name} ({source.state})"
        case SourceState.NOT_READ if source.is_partly_read:
            return f"{source.name} ({PARTLY_READ})"
    return None


class URLList(NamedTuple):
    """A list of URLs, its format, and its columns."""

    name: str
    format: str
    columns: tuple[Column, ...]


class FilterTask(NamedTuple):
    """The rows of one part: rows, or a row group of a Parquet file."""

    number: int
    urls: URLList
    rows: tuple[Row, ...]
    group: int


def open_list(name: str, format: str | None, options: FilterOptions) -> URLList:  # noqa: A002 - the option's name
    """Return a list of URLs with its columns, which the first rows show.

    Raises: InvalidOption: A column does not exist, that of URLs is not text or bytes, or the output would have two
            columns with the same name.
        OSError: The list cannot be read.
    """
    if name == STANDARD_INPUT or not (os.path.isdir(name) or is_regular_file(name)):  # noqa: PTH112 - a name as typed
        raise InvalidOption(f"{quoted(name)} is not a regular file: a list is read twice, so save it to a file first")
    known = list_format(name, format)
    if known == "ndjson":
        check_json_lines(name)
    columns = _parquet_columns(name, options.url_column) if known == "parquet" else _row_columns(name, known, options)
    names = [column.name for column in columns]
    for wanted, option in ((options.url_column, "--url-column"), (options.time_column, "--time-column")):
        if wanted is not None and wanted not in names:
            raise missing_column(wanted, names, name, option)
    taken = [column.name for column in options.columns if column.name in names]
    if taken:
        raise InvalidOption(f"{quoted(name)} already has a column {quoted(taken[0])}: rename it")
    return URLList(name, known, columns)


def is_empty(name: str) -> bool:
    """Return whether a list is a file without a byte, which is rather a failed step before than a list without URLs.

    In a folder, Spark writes empty parts.

    Raises: OSError: It cannot be read.
    """
    return name != STANDARD_INPUT and is_regular_file(name) and not os.path.getsize(name)  # noqa: PTH202 - as typed


def table_header(urls: URLList, url_column: str) -> str | None:
    """Return the first line of a list that is read as text, if it is the header of a table with a column of URLs.

    Raises: OSError: The list cannot be read.
    """
    if urls.format != "text":
        return None
    with open(urls.name, "rb") as stream:  # noqa: PTH123 - a name as typed
        first = next(read_url_rows(stream, urls.name, urls.format, lambda _: None, lambda _: None), None)
    line = None if first is None or isinstance(first, Fault) else str(first["url"])
    names = [] if line is None else [name.strip(' "').lower() for name in _SEPARATOR.split(line)]
    return line if url_column.lower() in names else None


def _parquet_columns(name: str, url_column: str) -> tuple[Column, ...]:
    pyarrow, parquet = load_pyarrow()
    with parquet_errors(name):
        schema = parquet.read_schema(name)
    check_different_names(schema.names, name)
    if url_column in schema.names:
        kind = schema.field(url_column).type
        if not _has_urls(pyarrow.types, kind):
            raise InvalidOption(
                f"the column {quoted(url_column)} of {quoted(name)} has the type {kind}: expected URLs as text or bytes"
            )
    return tuple(Column(field, ColumnType.ANY) for field in schema.names)


def _has_urls(types: Any, kind: Any) -> bool:
    if types.is_dictionary(kind):
        kind = kind.value_type
    text = (types.is_string, types.is_large_string, types.is_string_view)
    binary = (types.is_binary, types.is_large_binary, types.is_binary_view, types.is_fixed_size_binary)
    # A column without a value has the type null.
    return types.is_null(kind) or any(is_kind(kind) for is_kind in (*text, *binary))


def _row_columns(name: str, format: str, options: FilterOptions) -> tuple[Column, ...]:  # noqa: A002 - as above
    with open(name, "rb") as stream:  # noqa: PTH123 - a name as typed
        rows = read_url_rows(stream, name, format, lambda _: None, check_url_column(options.url_column, name))
        first = next((row for row in rows if not isinstance(row, Fault)), None)
    if first is None:
        return tuple(
            Column(key, ColumnType.ANY) for key in (options.url_column, options.time_column) if key is not None
        )
    return tuple(Column(key, ColumnType.ANY) for key in first)


def list_tasks(
    lists: Sequence[URLList],
    options: FilterOptions,
    advance: Callable[[int], None],
    on_fault: Callable[[Fault], None],
) -> Iterator[FilterTask]:
    """Yield the rows of lists in parts. Without rows, there is one part.

    Args: lists, options, advance, on_fault: As for `filter_urls`.
    """
    number = 0
    for urls in lists:
        if urls.format == "parquet":
            _, parquet = load_pyarrow()
            with parquet.ParquetFile(urls.name) as file:
                groups, sizes = (
                    file.num_row_groups,
                    [file.metadata.row_group(n).total_byte_size for n in range(file.num_row_groups)],
                )
            # Other processes may run in another folder.
            placed = urls._replace(name=os.path.abspath(urls.name))  # noqa: PTH100 - a name as typed
            for group in range(groups):
                yield FilterTask(number, placed, (), group)
                advance(sizes[group])
                number += 1
            continue
        with open(urls.name, "rb") as stream:  # noqa: PTH123 - a name as typed
            check = check_url_column(options.url_column, urls.name)
            chunk: list[Row] = []
            size = 0
            known = frozenset(column.name for column in urls.columns)
            for row in read_url_rows(stream, urls.name, urls.format, advance, check, known=known):
                if isinstance(row, Fault):
                    on_fault(row)
                    continue
                chunk.append(row)
                size += _row_size(row)
                if len(chunk) == _ROWS_PER_PART or size >= _BYTES_PER_PART:
                    yield FilterTask(number, urls, tuple(chunk), 0)
                    chunk, size = [], 0
                    number += 1
            if chunk:
                yield FilterTask(number, urls, tuple(chunk), 0)
                number += 1
    if number == 0:
        yield FilterTask(0, lists[0]._replace(format="text"), (), 0)


def _row_size(row: Row) -> int:
    """Return the number of characters of a row, as an estimate of its bytes."""
    size = 0
    for cell in row.values():
        size += len(cell if isinstance(cell, str | bytes) else repr(cell))
    return size
