"""Whether files permit a use of content, for columns of contents, agents and URLs.

    contents, agents, URLs -> kernel: preferences, and verdicts for each control token -> most restrictive statements

pyarrow combines the columns of the kernel.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from canfetch.bulk.column import ArrowColumn, Column, ColumnSource
from canfetch.bulk.decisions import shared_kernel
from canfetch.bulk.extras import import_extra, import_pyarrow
from canfetch.bulk.kernels import KernelOptions, kernel_options
from canfetch.bulk.types import USE, arrow_type
from canfetch.consent.purposes import control_tokens, find_purpose
from canfetch.consent.statements import DecidingNotes
from canfetch.consent.verdict import STANDARDS, StatementKind, combination, unread_beside_robots
from canfetch.core.agent import Agent
from canfetch.core.document import parse
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.errors import InvalidColumn

_REASON: Final = "to combine columns"
_LICENSE_KEY: Final = b"license"
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
    struct = import_pyarrow(_REASON).StructArray.from_arrays(list(arrays[:-1]), fields=list(arrow_type(USE)))
    return Column(ArrowColumn(struct))


class UseArrays(NamedTuple):
    """The fields of `may_use` as arrays of pyarrow, and the group of the rule for the control token."""

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


def use_arrays(
    options: KernelOptions, content: Any, agents: Any, url: Any, purposes: Sequence[UsagePurpose | None]
) -> UseArrays:
    """Return the answers of `may_use`.

    Args:
        options: The options of the files.
        content, url: Columns, as `as_column` returns them.
        agents: Agents, as `as_agents` returns them.
        purposes: The purpose of each row, or one for all rows.
    Raises: As `may_use`.
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
        group = compute.if_else(of_every, "*", crawler.name)
        stated = (disallow, str(StatementKind.CONTROL_TOKEN), line, text, crawler.name, group)
        found = [compute.replace_with_mask(old, refused, new) for old, new in zip(found, stated, strict=True)]
    use, kind, line, explanation, token, group = found
    agents_of_rows = chains, agent_numbers
    unread, note = _file_answers(options, content, agents_of_rows, purposes, (use, kind, token, line))
    return UseArrays(use, kind, line, explanation, token, _standards(kind), _rules(use, kind), unread, note, group)


def _standards(kind: Any) -> Any:
    """Return the standard of each kind."""
    return _replaced(kind, {str(one): standard for one, standard in STANDARDS.items()})


def _rules(use: Any, kind: Any) -> Any:
    """Return the rule of combination of each row."""
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    refusals = {str(one): combination(one, allowed=False) for one in StatementKind}
    others = {str(Preference.ALLOW): combination(None, allowed=True), "unknown": combination(None, allowed=None)}
    return compute.coalesce(_replaced(use, others), _replaced(kind, refusals))


def _replaced(column: Any, values: Mapping[str, str]) -> Any:
    """Return a column of text with other values, and null for those that are not named."""
    pa = import_pyarrow(_REASON)
    return pa.array([None, *values.values()], pa.string()).take(_numbers(column, values))


def _file_answers(
    options: KernelOptions,
    content: Any,
    agents: tuple[Sequence[Chain | None], Any],
    purposes: Sequence[UsagePurpose | None],
    stated: Sequence[Any],
) -> tuple[Any, Any]:
    """Return the sources that could change each answer, and the note of the statement that decides.

    They do not depend on the URL, so that equal rows are answered once.

    Args:
        agents: As `_chains` returns them.
        stated: The use, the kind, the token and the line of each row.
    """
    pa = import_pyarrow(_REASON)
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    (chains, agent_numbers), (use, kind, token, line) = agents, stated
    tokens = compute.unique(token.drop_null()).to_pylist()
    asked = list(dict.fromkeys(purposes))
    uses, kinds, names = list(_ALLOWED), [None, *StatementKind], [None, *tokens]

    def pairs(first: Any, second: Any, count: int) -> Any:
        return compute.add(*(_repeated(part, len(use)) for part in (compute.multiply(first, count), second)))

    rows = use.is_valid()
    purpose_numbers = pa.array([asked.index(purpose) for purpose in purposes], pa.int64())
    statement_numbers = pairs(_numbers(kind, kinds[1:]), _numbers(token, tokens), len(names))
    columns = (
        content.indices.cast(pa.int64()),
        pairs(agent_numbers, purpose_numbers, len(asked)),
        pairs(statement_numbers, compute.index_in(use, pa.array(uses)), len(uses)),
        line.cast(pa.int64()).fill_null(0),
    )
    # Equal rows have the same code, which is the position of their numbers in `questions`.
    codes = pa.repeat(pa.scalar(0, pa.int64()), compute.sum(rows).as_py() or 0)
    questions: list[tuple[int, ...]] = [()] if len(codes) else []
    for column in columns:
        numbers = _repeated(column, len(use)).filter(rows)
        count = (compute.max(numbers).as_py() or 0) + 1
        keys: Sequence[int] = range(len(questions))
        if count > 1:
            encoded = compute.add(compute.multiply(codes, count), numbers).dictionary_encode()
            codes, keys = encoded.indices.cast(pa.int64()), encoded.dictionary.to_pylist()
        questions = [(*questions[key // count], key % count) for key in keys]
    contents = read_values(content.dictionary)
    file_notes, number, names_license = None, -1, False
    unread: list[str | None] = [None] * len(questions)
    notes = unread.copy()
    # Only one file is parsed at a time.
    for (file, asker, statement, line_number), code in sorted(zip(questions, range(len(questions)), strict=True)):
        (agent, purpose), (rest, use_number) = divmod(asker, len(asked)), divmod(statement, len(uses))
        chain, used_for, text = chains[agent], asked[purpose], contents[file]
        stated_kind, name = kinds[rest // len(names)], names[rest % len(names)]
        assert chain is not None
        assert used_for is not None
        assert isinstance(text, bytes)
        if file != number:
            number, file_notes, names_license = file, None, may_name_license(text)
        if file_notes is None and (stated_kind or names_license or len(text) > options.max_bytes):
            file_notes = DecidingNotes(parse(text, profile=options.profile, max_bytes=options.max_bytes))
        robots = None if file_notes is None else file_notes.robots
        crawler = chain_agent(chain)
        unread[code] = unread_beside_robots(
            used_for,
            allowed=_ALLOWED[uses[use_number]],
            robots_is_read=robots is None or not robots.tail,
            names_license=robots is not None and names_license and bool(robots.licenses(agent=crawler)),
        )
        if file_notes is not None and stated_kind is not None:
            notes[code] = file_notes.note(crawler, used_for, stated_kind, line_number, name)
    # Null in rows without an answer.
    codes = compute.replace_with_mask(pa.nulls(len(use), pa.int64()), rows, codes)
    return pa.array(unread, pa.string()).take(codes), pa.array(notes, pa.string()).take(codes)


def _numbers(column: Any, values: Iterable[str]) -> Any:
    """Return the position of each value of a column from 1, and 0 for null."""
    pa = import_pyarrow(_REASON)
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    return compute.add(compute.index_in(column, pa.array(values, pa.string())).cast(pa.int64()).fill_null(-1), 1)


def may_name_license(content: bytes) -> bool:
    """Return whether a robots.txt may name an RSL license. False is certain."""
    # In UTF-16, other bytes are between the characters.
    return b"\0" in content or _LICENSE_KEY in content.lower()


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
