"""Whether files permit a use of content, for columns of contents, agents and URLs.

    contents, agents, URLs -> kernel: preferences, and verdicts for each control token -> most restrictive statements

pyarrow combines the columns of the kernel.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from canfetch.agents.crawler import Crawler
from canfetch.bulk.arguments import (
    AnyColumn,
    as_agents,
    as_column,
    chain_agent,
    is_arrow,
    resolve_crawlers,
    resolve_names,
)
from canfetch.bulk.arrow_values import Value, read_values
from canfetch.bulk.column import ArrowColumn, Column
from canfetch.bulk.decisions import shared_kernel
from canfetch.bulk.extras import import_extra, import_pyarrow
from canfetch.bulk.kernels import KernelOptions, kernel_options
from canfetch.bulk.types import USE, arrow_type
from canfetch.consent.purposes import control_tokens, find_purpose
from canfetch.consent.verdict import STANDARDS, StatementKind, combination, unread_beside_robots
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.errors import InvalidColumn

_REASON: Final = "to combine columns"
_LICENSE_KEY: Final = b"license"


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
        null if it is final. All fields are null in a row for which `allows` is null.
    Raises: As `allows`; InvalidOption: `purpose` is unknown; MissingExtra: pyarrow is not installed.
    Cost: As `usage`, plus `decide` for each control token of an operator of the agents.
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
    usage = pa.array(Column(kernel.usage(content, agents, url, names)))

    def decide(agent: Agent) -> Any:
        chain = as_agents(agent, use_registry=False)
        return _repeated(pa.array(Column(kernel.decide(content, chain, url))), len(usage))

    may_fetch, disallow = usage.field("allowed"), pa.scalar(str(Preference.DISALLOW))
    found = [
        compute.if_else(may_fetch, usage.field("preference"), disallow),
        *(usage.field(name) for name in ("kind", "line", "explanation")),
        pa.nulls(len(usage), pa.string()),
        pa.nulls(len(usage), pa.string()),
    ]
    # The first token decides, so its rules replace those of the others.
    for crawler, rows in reversed(list(_tokens(agents, purposes, use_registry=options.use_registry))):
        verdicts = decide(crawler.agent)
        # Null in rows without a verdict, whose fields are null already.
        refused = compute.and_(may_fetch, compute.invert(verdicts.field("allowed")))
        for selected in rows:
            refused = compute.and_(refused, selected)
        if not compute.any(refused).as_py():
            continue
        line = verdicts.field("line")
        # Without the groups for `*`, a rule in one of them does not decide.
        of_every = decide(Agent(crawler.agent.tokens, star_applies=False)).field("allowed")
        text = compute.binary_join_element_wise(
            compute.if_else(
                of_every, f"a rule for {crawler.name}, in the group for *: line ", f"a rule for {crawler.name}: line "
            ),
            *(line.cast(pa.string()), ", ", verdicts.field("rule")),
            "",
        )
        group = compute.if_else(of_every, "*", crawler.name)
        stated = (disallow, pa.scalar(str(StatementKind.CONTROL_TOKEN)), line, text, pa.scalar(crawler.name), group)
        found = [compute.if_else(refused, new, old) for new, old in zip(stated, found, strict=True)]
    use, kind, line, explanation, token, group = found
    ending = _standards(kind), _rules(use, kind), _unread(options, content, agents, purposes, use), group
    return UseArrays(use, kind, line, explanation, token, *ending)


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
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    indices = compute.index_in(column, pa.array(list(values), pa.string()))
    return pa.array(list(values.values()), pa.string()).take(indices)


def _unread(
    options: KernelOptions, content: Any, agents: Any, purposes: Sequence[UsagePurpose | None], use: Any
) -> Any:
    """Return the sources that could change each answer. Most rows of a purpose have the same ones."""
    pa = import_pyarrow(_REASON)
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    usual = {purpose: _usual_unread(purpose) for purpose in purposes if purpose is not None}
    column = pa.array([None if purpose is None else usual[purpose] for purpose in purposes], pa.string())
    is_final = compute.equal(use, str(Preference.DISALLOW))
    # Null in rows without an answer.
    unread = compute.if_else(is_final, None, _repeated(column, len(use)))
    rows = _special_rows(options, content, len(use))
    if not rows:
        return unread
    names = [] if isinstance(agents, tuple) else read_values(agents)
    resolve = resolve_crawlers if options.use_registry else resolve_names
    distinct = list({name for name in names if isinstance(name, bytes)})
    chains = dict(zip(distinct, resolve(distinct), strict=True))
    found = unread.to_pylist()
    uses = use.to_pylist()
    for row, (robots, value) in rows.items():
        if uses[row] is None:
            continue
        name = names[row if len(names) > 1 else 0] if names else None
        chain = chains[name] if isinstance(name, bytes) else agents
        purpose = purposes[row if len(purposes) > 1 else 0]
        assert chain is not None
        assert purpose is not None
        found[row] = unread_beside_robots(
            purpose,
            allowed={"disallow": False, "allow": True}.get(uses[row]),
            robots_is_read=not robots.tail,
            names_license=may_name_license(value) and bool(robots.licenses(agent=chain_agent(chain))),
        )
    return pa.array(found, pa.string())


def _usual_unread(purpose: UsagePurpose) -> str | None:
    """Return the sources that could change an answer by a robots.txt that was read and names no license."""
    return unread_beside_robots(purpose, allowed=None, robots_is_read=True, names_license=False)


def _special_rows(options: KernelOptions, content: Any, length: int) -> dict[int, tuple[RobotsTxt, bytes]]:
    """Return the rows whose file may have a part that was not read, or may name a license, each with its file."""
    values, indices = _distinct(content)
    special = {
        number: (parse(value, profile=options.profile, max_bytes=options.max_bytes), value)
        for number, value in enumerate(values)
        if value is not None and (len(value) > options.max_bytes or may_name_license(value))
    }
    if not special:
        return {}
    numbers = indices * length if len(indices) == 1 else indices
    return {row: special[number] for row, number in enumerate(numbers) if number in special}


def _distinct(content: Any) -> tuple[list[bytes | None], list[int | None]]:
    """Return the distinct values of a column of contents, and the number of that of each row."""
    if not is_arrow(content):
        values = [value if isinstance(value, bytes) else None for value in read_values(content)]
        return values, list(range(len(values)))
    pa = import_pyarrow(_REASON)
    column = pa.chunked_array(content) if hasattr(content, "__arrow_c_stream__") else pa.array(content)
    if pa.types.is_struct(column.type):
        # A stream of batches with one column.
        column = import_extra("pyarrow.compute", "arrow", _REASON).struct_field(column, [0])
    if not pa.types.is_dictionary(column.type):
        column = column.cast(pa.large_binary()).dictionary_encode()
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    return array.dictionary.cast(pa.large_binary()).to_pylist(), array.indices.to_pylist()


def may_name_license(content: bytes) -> bool:
    """Return whether a robots.txt may name an RSL license. False is certain."""
    # In UTF-16, other bytes are between the characters.
    return b"\0" in content or _LICENSE_KEY in content.lower()


def _repeated(array: Any, length: int) -> Any:
    """Return an array with one row for all rows."""
    return array if len(array) == length else array.take(import_pyarrow(_REASON).repeat(0, length))


def _tokens(
    agents: Any, purposes: Sequence[UsagePurpose | None], *, use_registry: bool
) -> Iterator[tuple[Crawler, list[Any]]]:
    """Yield the control tokens of the operators of agents, and conditions on the rows to which a token applies."""
    pa = import_pyarrow(_REASON)
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    names = pa.array([] if isinstance(agents, tuple) else read_values(agents), pa.binary())
    distinct = [name for name in names.unique().to_pylist() if name is not None]
    resolved = (resolve_crawlers if use_registry else resolve_names)(distinct)
    known = {name: chain_agent(chain) for name, chain in zip(distinct, resolved, strict=True) if chain is not None}
    column = pa.array([None if purpose is None else str(purpose) for purpose in purposes], pa.string())
    for purpose in dict.fromkeys(purposes):
        if purpose is None:
            continue
        of_purpose = [compute.equal(column, str(purpose))] if len(column) > 1 else []
        if isinstance(agents, tuple):
            yield from ((crawler, of_purpose) for crawler in control_tokens(chain_agent(agents), purpose))
            continue
        users: dict[Crawler, list[bytes]] = {}
        for name, agent in known.items():
            for crawler in control_tokens(agent, purpose):
                users.setdefault(crawler, []).append(name)
        for crawler, own in users.items():
            of_agents = [compute.is_in(names, pa.array(own, pa.binary()))] if len(names) > 1 else []
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
