"""Whether files permit a use of content, for columns of contents, agents and URLs.

    contents, agents, URLs -> kernel: preferences, and verdicts for each control token -> most restrictive statements

pyarrow combines the columns of the kernel.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any, Final, NamedTuple

from canfetch.agents.crawler import Crawler
from canfetch.bulk.arguments import (
    AnyColumn,
    Chain,
    as_agents,
    as_column,
    chain_agent,
    is_arrow,
    resolve_crawlers,
    resolve_names,
)
from canfetch.bulk.arrow_values import Value, is_text, read_values
from canfetch.bulk.cell_texts import statements_text
from canfetch.bulk.column import ArrowColumn, Column, ColumnSource
from canfetch.bulk.decisions import shared_kernel
from canfetch.bulk.extras import import_extra, import_pyarrow
from canfetch.bulk.kernels import KernelOptions, kernel_options
from canfetch.bulk.types import USE, arrow_type
from canfetch.consent.purposes import control_tokens, find_purpose
from canfetch.consent.robots_answers import RobotsAnswers, UseAnswer
from canfetch.consent.verdict import (
    PREFERENCE_KINDS,
    STANDARDS,
    StatementKind,
    combination,
    unread_beside_robots,
)
from canfetch.core.agent import Agent
from canfetch.core.document import parse
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.errors import InvalidColumn

_REASON: Final = "to combine columns"
_LICENSE_KEY: Final = b"license"
_KINDS: Final = {str(kind): kind for kind in StatementKind}
# Their rule of combination does not depend on other lines.
_RULE_KINDS: Final = frozenset(StatementKind) - PREFERENCE_KINDS
# A part of each key of a record that states a preference.
_USE_KEYS: Final = (b"content", b"aitraining")
# The uses of a column, with `UseVerdict.allowed`.
_ALLOWED: Final = {str(Preference.ALLOW): True, str(Preference.DISALLOW): False, str(Preference.UNKNOWN): None}


def may_use(
    content: AnyColumn,
    agent: AnyColumn | Agent,
    url: AnyColumn,
    *,
    purpose: str,
    profile: str | None = None,
    edition: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    use_registry: bool = False,
    engine: str | None = None,
) -> Column:
    """Return what each file states on the use of content that an agent fetches from a URL for `purpose`.

    The answer is that of `canfetch.may_use` if robots.txt is the only source. `usage` returns only the preferences of
    the agent's groups. Here a rule that disallows the URL also disallows its use, and so does a rule for a control
    token of the agent's operator, such as Google-Extended.

    Each content must be a robots.txt. In a table of `canfetch bulk parse`, it can be the body of an error:
    pass only the rows whose `effect` is `conditional-allow` and whose `redirects` is 0.

    Args:
        content, agent, url, profile, edition, max_bytes, use_registry, engine: As for `allows`.
        purpose: `training`, `search` or `ai-use`, or another name that `canfetch.may_use` accepts.
    Returns: A column of structs: `use` is `allow`, `disallow` or `unknown`. `kind`, a `StatementKind`, and `line` are
        those of the first statement that decides, and null if nothing is stated. `explanation` is the reason in one
        sentence. `token` is the control token whose rule decides, or null. `standard` is that of the statement, and
        `rule` the one by which statements are combined. `unread` lists the sources that could change the answer, or is
        null if it is final. `note` is what the statement means, such as the user-agent line of its group. All fields
        are null in a row for which `allows` is null.
    Raises: As `allows`; InvalidOption: `purpose` is unknown; MissingExtra: pyarrow is not installed.
    Cost: As `usage`, plus `decide` for each control token of an operator of the agents, and `parse` for each file that
        states something on the use.
    """
    options = kernel_options(profile, edition, max_bytes=max_bytes, use_registry=use_registry, engine=engine)
    return _may_use(options, content, agent, url, [find_purpose(purpose)])


def may_use_by_purpose(
    content: AnyColumn, agent: AnyColumn | Agent, url: AnyColumn, purpose: AnyColumn, **options: Any
) -> Column:
    """As `may_use`, with a column of purposes. All fields of a row are null if its purpose is null or empty.

    Raises: As `may_use`; InvalidColumn: `purpose` is not text or bytes.
    """
    return _may_use(kernel_options(**options), content, agent, url, find_purposes(read_values(as_column(purpose))))


def find_purposes(names: list[Value]) -> list[UsagePurpose | None]:
    """Return the purposes with these names. An empty name counts as null.

    Raises: InvalidOption: A purpose is unknown; InvalidColumn: A name is an integer.
    """
    if any(isinstance(name, int) for name in names):
        raise InvalidColumn("invalid Arrow data: a column of integers: expected purposes")
    distinct = {name for name in names if isinstance(name, bytes) and name}
    found: dict[Value, UsagePurpose] = {name: find_purpose(name.decode("utf-8", "replace")) for name in distinct}
    return [found.get(name) for name in names]


def _may_use(
    options: KernelOptions,
    content: AnyColumn,
    agent: AnyColumn | Agent,
    url: AnyColumn,
    purposes: list[UsagePurpose | None],
) -> Column:
    agents = as_agents(agent, use_registry=options.use_registry)
    arrays = use_arrays(options, as_column(content), agents, as_column(url), purposes)
    struct = import_pyarrow(_REASON).StructArray.from_arrays(
        list(arrays[: len(arrow_type(USE))]), fields=list(arrow_type(USE))
    )
    return Column(ArrowColumn(struct))


class UseArrays(NamedTuple):
    """The fields of `may_use` as arrays of pyarrow.

    `group` is that of the rule for the control token, and `others` the statements that do not decide, or null.
    """

    use: Any
    kind: Any
    line: Any
    explanation: Any
    token: Any
    standard: Any
    rule: Any
    unread: Any
    note: Any
    group: Any
    others: Any


class UseColumns(NamedTuple):
    """The columns of questions, as arrays of pyarrow or with one value for all rows.

    Attributes:
        content: The files, as a dictionary.
        chains: The distinct agents, and None for those that are null or invalid.
        agent_numbers: The position of the agent of each row in `chains`.
        url: The URLs as bytes.
        purposes: The purposes.
    """

    content: Any
    chains: Sequence[Chain | None]
    agent_numbers: Any
    url: Any
    purposes: Sequence[UsagePurpose | None]


class Stated(NamedTuple):
    """What decides in each row, as arrays of pyarrow."""

    use: Any
    kind: Any
    line: Any
    token: Any


def use_arrays(
    options: KernelOptions,
    content: Any,
    agents: Any,
    url: Any,
    purposes: Sequence[UsagePurpose | None],
    *,
    with_others: bool = False,
) -> UseArrays:
    """Return the answers of `may_use`.

    Args:
        options: The options of the files.
        content, url: Columns, as `as_column` returns them.
        agents: Agents, as `as_agents` returns them.
        purposes: The purpose of each row, or one for all rows.
        with_others: Whether the statements that do not decide are needed. The URLs must be absolute.
    Raises: As `may_use`.
    Cost: `with_others`, as `canfetch.may_use` for each distinct file and agent, and for each distinct URL if the file
        has preferences with paths.
    """
    pa = import_pyarrow(_REASON)
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    kernel = shared_kernel(options)
    content, agents, url = (_reusable(column) for column in (content, agents, url))
    names = [None if purpose is None else str(purpose) for purpose in purposes]
    # It raises if a column is invalid.
    usage = pa.array(Column(kernel.usage(content, agents, url, names)))
    content = _encoded(content)
    chains, agent_numbers = _chains(agents, use_registry=options.use_registry)

    def decide(function: Callable[[Any, Any, Any], ColumnSource], agent: Agent, rows: Any) -> Any:
        """Decide the rows for which a mask is true."""
        columns = [column if len(column) == 1 else column.filter(rows) for column in (content, url)]
        chain = as_agents(agent, use_registry=False)
        decided = pa.array(Column(function(columns[0], chain, columns[1])))
        return _repeated(decided, compute.sum(rows).as_py())

    may_fetch, disallow = usage.field("allowed"), str(Preference.DISALLOW)
    found = [
        compute.if_else(may_fetch, usage.field("preference"), disallow),
        *(usage.field(name) for name in ("kind", "line", "explanation")),
        pa.nulls(len(usage), pa.string()),
        pa.nulls(len(usage), pa.string()),
    ]
    tokens = list(_tokens(chains, agent_numbers, purposes))
    url = _as_bytes(url) if tokens else url
    # The first token decides, so its rules replace those of the others.
    for crawler, conditions in reversed(tokens):
        refused = reduce(compute.and_, conditions, may_fetch).fill_null(False)
        if not compute.any(refused).as_py():
            continue
        allowed = decide(kernel.allows, crawler.agent, refused)
        refused = compute.replace_with_mask(refused, refused, compute.invert(allowed))
        if not compute.any(refused).as_py():
            continue
        verdicts = decide(kernel.decide, crawler.agent, refused)
        line = verdicts.field("line")
        # Without the groups for `*`, a rule in one of them does not decide.
        of_every = decide(kernel.allows, Agent(crawler.agent.tokens, star_applies=False), refused)
        text = compute.binary_join_element_wise(
            compute.if_else(
                of_every, f"a rule for {crawler.name}, in the group for *: line ", f"a rule for {crawler.name}: line "
            ),
            *(line.cast(pa.string()), ", ", verdicts.field("rule")),
            "",
        )
        group: Any = crawler.name
        for index, further in enumerate(crawler.agent.tokens[1:], 1):
            before = Agent(crawler.agent.tokens[:index], star_applies=False)
            group = compute.if_else(decide(kernel.allows, before, refused), further, group)
        group = compute.if_else(of_every, "*", group)
        stated = (disallow, str(StatementKind.CONTROL_TOKEN), line, text, crawler.name, group)
        found = [compute.replace_with_mask(old, refused, new) for old, new in zip(found, stated, strict=True)]
    use, kind, line, explanation, token, group = found
    columns = UseColumns(content, chains, agent_numbers, _as_bytes(url), purposes)
    unread, note, rule, others = _cells(options, columns, Stated(use, kind, line, token), with_others=with_others)
    return UseArrays(use, kind, line, explanation, token, _standards(kind), rule, unread, note, group, others)


def _standards(kind: Any) -> Any:
    """Return the standard of each kind."""
    pa = import_pyarrow(_REASON)
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    kinds = pa.array(map(str, STANDARDS), pa.string())
    return pa.array(STANDARDS.values(), pa.string()).take(compute.index_in(kind, kinds))


class _Cells(NamedTuple):
    """The cells of rows that depend on more than the first statement that decides."""

    unread: str | None
    note: str | None
    rule: str | None
    others: str | None = None


_NO_CELLS: Final = _Cells(None, None, None)


class _FileAnswers:
    """The sources that could change the answers by one file, the notes, and the rules of combination.

    Args:
        content: The file.
        options: How it is parsed.
        with_others: Whether the cells have the statements that do not decide.
    """

    def __init__(self, content: bytes, options: KernelOptions, *, with_others: bool) -> None:
        self._content = content
        self._options = options
        self._with_others = with_others
        self._names_license = may_name_license(content)
        self._may_state_use = may_state_use(content)
        self._is_long = len(content) > options.max_bytes
        self._parsed: RobotsAnswers | None = None

    def depend_on_url(self, answer: UseAnswer) -> bool:
        """Return whether rows with the same answer can have different cells."""
        if not self._may_state_use or (not self._with_others and answer.kind in _RULE_KINDS):
            return False
        parsed = self._parse()
        return parsed.have_paths if self._with_others else parsed.rule_depends_on_url(answer)

    def cells(self, answer: UseAnswer, url: bytes) -> _Cells:
        """Return the cells of rows with an answer.

        Args: url: The URL, or that of the first row if the cells do not depend on it.
        """
        is_read = answer.kind is not None or self._may_state_use or self._names_license or self._is_long
        robots = self._parse() if is_read else None
        names_license = self._names_license and bool(self._parse().robots.licenses(agent=answer.agent))
        unread = unread_beside_robots(
            answer.purpose,
            allowed=answer.allowed,
            robots_is_read=robots is None or not robots.robots.tail,
            names_license=names_license,
        )
        if robots is None:
            return _Cells(unread, None, combination(None, allowed=None))
        text = url.decode("utf-8", "surrogateescape")
        others = statements_text(robots.other_statements(answer, text)) if self._with_others else None
        return _Cells(unread, robots.note(answer), robots.rule(answer, text), others)

    def _parse(self) -> RobotsAnswers:
        if self._parsed is None:
            options = self._options
            self._parsed = RobotsAnswers(parse(self._content, profile=options.profile, max_bytes=options.max_bytes))
        return self._parsed


def _cells(
    options: KernelOptions, columns: UseColumns, stated: Stated, *, with_others: bool
) -> tuple[Any, Any, Any, Any]:
    """Return the fields of `_Cells` as arrays. Rows that differ only in the URL are answered once if possible.

    Args:
        columns: The files, the agents, the URLs and the purposes.
        stated: What decides in each row.
    """
    pa = import_pyarrow(_REASON)
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    length, is_answered = len(stated.use), stated.use.is_valid()
    purposes = list(dict.fromkeys(columns.purposes))
    purpose_numbers = pa.array([purposes.index(purpose) for purpose in columns.purposes], pa.int64())
    values = [columns.content.indices, columns.agent_numbers, purpose_numbers, *stated]
    values = [_repeated(column, length).filter(is_answered) for column in values]
    numbers, rows_of = _distinct_rows(values)
    first = compute.list_element(rows_of, 0)
    urls = _repeated(columns.url, length).filter(is_answered)
    distinct = list(zip(*(column.take(first).to_pylist() for column in (*values, urls)), strict=True))
    contents = read_values(columns.content.dictionary)
    agents = [None if chain is None else chain_agent(chain) for chain in columns.chains]

    found: list[_Cells] = [_NO_CELLS] * len(rows_of)
    numbers_by_row: dict[int, int] = {}
    file_number, file = -1, _FileAnswers(b"", options, with_others=with_others)
    # Only one file is parsed at a time.
    for index in compute.sort_indices(values[0].take(first)).to_pylist():
        number, agent_number, purpose_number, use, kind, line, token, url = distinct[index]
        if number != file_number:
            file_number, file = number, _FileAnswers(contents[number], options, with_others=with_others)
        answer = UseAnswer(agents[agent_number], purposes[purpose_number], _ALLOWED[use], _KINDS.get(kind), line, token)
        if not file.depend_on_url(answer):
            found[index] = file.cells(answer, url)
            continue
        of_urls: dict[bytes, int] = {}
        for row in rows_of[index].as_py():
            own = urls[row].as_py()
            if own not in of_urls:
                of_urls[own] = len(found)
                found.append(file.cells(answer, own))
            numbers_by_row[row] = of_urls[own]
    if numbers_by_row:
        numbers = pa.array([numbers_by_row.get(row, one) for row, one in enumerate(numbers.to_pylist())], pa.int64())
    # Null in rows without an answer.
    numbers = compute.replace_with_mask(pa.nulls(length, pa.int64()), is_answered, numbers)
    fields = zip(*(found or [_NO_CELLS]), strict=True)
    unread, note, rule, others = (pa.array(cells, pa.string()).take(numbers) for cells in fields)
    return unread, note, rule, others


def _distinct_rows(columns: Sequence[Any]) -> tuple[Any, Any]:
    """Return the number of the combination of values in each row, and the rows of each combination as lists."""
    pa = import_pyarrow(_REASON)
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    numbers = pa.repeat(pa.scalar(0, pa.int64()), len(columns[0]))
    for column in columns:
        encoded = column.dictionary_encode("encode")
        if len(encoded.dictionary) > 1:
            both = compute.add(compute.multiply(numbers, len(encoded.dictionary)), encoded.indices.cast(pa.int64()))
            numbers = both.dictionary_encode().indices.cast(pa.int64())
    positions = pa.array(range(len(numbers)), pa.int64())
    grouped = pa.table({"number": numbers, "row": positions}).group_by("number", use_threads=False)
    return numbers, grouped.aggregate([("row", "list")]).sort_by("number").column("row_list").combine_chunks()


def may_name_license(content: bytes) -> bool:
    """Return whether a robots.txt may name an RSL license. False is certain."""
    # In UTF-16, other bytes are between the characters.
    return b"\0" in content or _LICENSE_KEY in content.lower()


def may_state_use(content: bytes) -> bool:
    """Return whether a robots.txt may state a preference. False is certain."""
    return b"\0" in content or any(key in content.lower() for key in _USE_KEYS)


def _encoded(column: Any) -> Any:
    """Return a column as a dictionary of its values."""
    pa = import_pyarrow(_REASON)
    if isinstance(column, list):
        # Rows may share an object, which is encoded once.
        numbers: dict[Any, int] = {}
        indices = [numbers.setdefault(value, len(numbers)) for value in column]
        return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), _as_bytes(list(numbers)))
    array = _as_bytes(column)
    return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()


def _as_bytes(column: Any) -> Any:
    """Return a column as an array of bytes, or as a dictionary if it is one."""
    pa = import_pyarrow(_REASON)
    if is_arrow(column):
        array = pa.chunked_array(column) if hasattr(column, "__arrow_c_stream__") else pa.array(column)
        is_dictionary = pa.types.is_dictionary(array.type)
        if is_text(pa, array.type.value_type if is_dictionary else array.type):
            # The dictionaries of all chunks together can have more values than the keys of a chunk can number.
            array = array.cast(pa.dictionary(pa.int64(), pa.large_binary()) if is_dictionary else pa.large_binary())
            return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return pa.array(read_values(column), pa.large_binary())


def _repeated(array: Any, length: int) -> Any:
    """Return an array with one row for all rows."""
    return array if len(array) == length else array.take(import_pyarrow(_REASON).repeat(0, length))


def _chains(agents: Any, *, use_registry: bool) -> tuple[list[Chain | None], Any]:
    """Return the tokens of each distinct agent, and the number of the agent of each row.

    An agent that is null or invalid is None.
    """
    if isinstance(agents, tuple):
        return [agents], import_pyarrow(_REASON).array([0])
    encoded = _encoded(agents)
    numbers = encoded.indices.cast(import_pyarrow(_REASON).int64())
    names = read_values(encoded.dictionary)
    resolve = resolve_crawlers if use_registry else resolve_names
    chains = resolve([name if isinstance(name, bytes) else b"" for name in names])
    return [None if name is None else chain for name, chain in zip(names, chains, strict=True)], numbers


def _tokens(
    chains: Sequence[Chain | None], agent_numbers: Any, purposes: Sequence[UsagePurpose | None]
) -> Iterator[tuple[Crawler, list[Any]]]:
    """Yield the control tokens of the operators of agents, and conditions on the rows to which a token applies."""
    pa = import_pyarrow(_REASON)
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    column = pa.array([None if purpose is None else str(purpose) for purpose in purposes], pa.string())
    for purpose in dict.fromkeys(purposes):
        if purpose is None:
            continue
        of_purpose = [compute.equal(column, str(purpose))] if len(column) > 1 else []
        users: dict[Crawler, list[int]] = {}
        for number, chain in enumerate(chains):
            for crawler in () if chain is None else control_tokens(chain_agent(chain), purpose):
                users.setdefault(crawler, []).append(number)
        for crawler, own in users.items():
            numbers = pa.array(own, agent_numbers.type)
            of_agents = [compute.is_in(agent_numbers, numbers)] if len(agent_numbers) > 1 else []
            yield crawler, of_purpose + of_agents


def _reusable(column: Any) -> Any:
    """Return a column that can be read several times. A stream of Arrow data may have its rows only once."""
    if not hasattr(column, "__arrow_c_stream__"):
        return column
    pa = import_pyarrow(_REASON)
    try:
        return pa.chunked_array(column)
    except (pa.ArrowException, UnicodeError) as error:
        raise InvalidColumn(f"invalid Arrow data: {error}") from error
