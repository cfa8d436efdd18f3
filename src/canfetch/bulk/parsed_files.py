"""Tables that `canfetch bulk parse` wrote, whose contents are not always the files that decide.

The content of a redirect or an error is the body of that response. As rules, it would allow everything. So a row has a
source: the row with the content that decides, or an outcome that decides without rules.
"""

from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from canfetch.bulk.arrow_values import Value
from canfetch.core.quoting import quoted
from canfetch.core.verdict import Access, Effect
from canfetch.errors import InvalidColumn, InvalidURL

REDIRECT_UNRESOLVED: Final = "redirect-unresolved"


class Outcome(NamedTuple):
    """A decision about all URLs of an origin: whether they are allowed, or None if that is unknown, and why."""

    allowed: bool | None
    reason: str


# The order is that of the native engine. The source of a row with the outcome n is -1 - n.
OUTCOMES: Final = (
    Outcome(None, REDIRECT_UNRESOLVED),
    *(Outcome(allowed, str(access)) for allowed in (True, False) for access in Access),
)
_UNRESOLVED: Final = -1
_REDIRECTED: Final = -1 - len(OUTCOMES)
# The access of a table without this column.
_USUAL_ACCESS: Final = {Effect.FULL_ALLOW: Access.UNAVAILABLE, Effect.FULL_DISALLOW: Access.UNREACHABLE}
_OWN_SOURCES: Final[dict[tuple[Value, Value], int]] = {
    (effect.encode(), None if access is None else access.encode()): -1
    - OUTCOMES.index(Outcome(effect is Effect.FULL_ALLOW, str(access or usual)))
    for effect, usual in _USUAL_ACCESS.items()
    for access in (*Access, None)
}


_ADVICE: Final = "leave out 'effect' if it has another meaning"
_ORIGIN: Final = "origin"
# The columns that `plan_sources` reads.
_COLUMNS: Final = (
    *("effect", "access", "redirects", _ORIGIN, "url", "final_url", "redirect_targets"),
    *("content_base64", "bytes", "sha256", "final_sha256"),
)


class FileTable(Protocol):
    """A table of Arrow data that was opened by an engine."""

    @property
    def names(self) -> list[str]:
        """The names of the columns."""

    def values(self, name: str, /) -> list[Value]:
        """Return the rows of a column of text, bytes or whole numbers. Text is encoded.

        Raises: InvalidColumn: the column has another type, or there are two with this name.
        """


class Plan(NamedTuple):
    """Where the rows of a table have their files.

    Attributes:
        sources: For each row the row with its content, a content of `further` if it is not below the number of rows, or
            an outcome if it is below 0.
        further: Contents that are in no row.
        aliases: Further names of files, each with the ID of its row.
    """

    sources: list[int]
    further: list[bytes]
    aliases: Sequence[tuple[bytes, bytes]] = ()


def needed_columns(names: Iterable[str], id_name: str, content_name: str) -> list[str]:
    """Return the columns that `Files` reads of a table with these columns."""
    known = set(names)
    plan = [name for name in _COLUMNS if name in known] if "effect" in known else []
    return list(dict.fromkeys([id_name, content_name, *plan]))


def plan_sources(table: FileTable, id_name: str) -> Plan | None:
    """Return where the rows have their files, or None for a table without the column `effect`.

    If the IDs are those of the column `origin`, a host is also found by its origins.

    Raises: InvalidColumn: there is no column `redirects`, or a column does not have the values that
        `canfetch bulk parse` writes.
    Cost: O(rows).
    """
    names = set(table.names)
    if "effect" not in names:
        return None
    if "redirects" not in names:
        raise InvalidColumn(
            "the table has the column 'effect' of canfetch bulk parse, but not its column 'redirects': "
            f"add 'redirects', or {_ADVICE}"
        )
    effects, redirects = table.values("effect"), table.values("redirects")
    accesses = table.values("access") if "access" in names else [None] * len(effects)
    sources = [_own_source(row, *cells) for row, cells in enumerate(zip(effects, accesses, redirects, strict=True))]
    has_origins = id_name == _ORIGIN and _ORIGIN in names
    plan = Plan(sources, [], _origins_of_hosts(table.values(_ORIGIN)) if has_origins else ())
    redirected = [row for row, source in enumerate(sources) if source == _REDIRECTED]
    if redirected:
        _follow_redirects(table, redirected, plan)
    if "content_base64" in names:
        _add_contents(table, plan)
    return plan


def _add_contents(table: FileTable, plan: Plan) -> None:
    """Give rows of CSV and NDJSON their content, if it is not UTF-8, or is empty and read as null."""
    encoded = table.values("content_base64")
    sizes = table.values("bytes") if "bytes" in table.names else [None] * len(encoded)
    added: dict[int, int] = {}
    for row, (value, size) in enumerate(zip(encoded, sizes, strict=True)):
        if plan.sources[row] != row:
            continue
        if value:
            content = _decoded(row, value)
        elif _count(row, size, "number of bytes") == 0:
            content = b""
        else:
            continue
        added[row] = len(plan.sources) + len(plan.further)
        plan.further.append(content)
    # Redirects to these rows, too.
    plan.sources[:] = [added.get(source, source) for source in plan.sources]


def _decoded(row: int, value: bytes | int) -> bytes:
    try:
        return b64decode(value if isinstance(value, bytes) else str(value), validate=True)
    except ValueError:
        raise _invalid(row, "content_base64", quoted(_text(value)[:40])) from None


def _origins_of_hosts(ids: Sequence[Value]) -> list[tuple[bytes, bytes]]:
    """Return the origins of the hosts that are IDs, each with its host. An origin that is an ID has its own file."""
    hosts = [id_ for id_ in ids if isinstance(id_, bytes) and b"://" not in id_]
    known = set(ids) if hosts else set()
    pairs = ((scheme + host, host) for host in dict.fromkeys(hosts) for scheme in (b"https://", b"http://"))
    return [(origin, host) for origin, host in pairs if origin not in known]


def _own_source(row: int, effect: Value, access: Value, redirects: Value) -> int:
    """Return the source of a row as far as its own cells show it."""
    if effect == b"conditional-allow":
        return row if _count(row, redirects, "number of redirects") == 0 else _REDIRECTED
    if effect is None:
        return _UNRESOLVED
    source = _OWN_SOURCES.get((effect, access))
    if source is None:
        shown = [_text(value) for value in (effect, access) if value is not None]
        raise _invalid(row, "effect", " and the access ".join(map(quoted, shown)))
    return source


def _count(row: int, value: Value, name: str) -> int | None:
    """Return a number, which is text in some tables from CSV."""
    if value is None or isinstance(value, int):
        return value
    try:
        return int(value)
    except ValueError:
        raise _invalid(row, name, quoted(_text(value))) from None


def _invalid(row: int, name: str, shown: str) -> InvalidColumn:
    return InvalidColumn(
        f"row {row} has the {name} {shown}: expected a value that canfetch bulk parse writes; or {_ADVICE}"
    )


def _text(value: Value) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _follow_redirects(table: FileTable, rows: Sequence[int], plan: Plan) -> None:
    """Replace the sources of redirects by those to which they lead."""
    names = set(table.names)
    if not {"url", "final_url"} <= names:
        for row in rows:
            plan.sources[row] = _UNRESOLVED
        return
    final_urls = table.values("final_url")
    wanted = {row: canonical_url(final_urls[row]) for row in rows}
    del final_urls
    by_url = _rows_by_url(table, plan.sources, {url for url in wanted.values() if url is not None})
    by_hash = _rows_by_hash(table, by_url)
    finals = _optional_values(table, "final_sha256") if by_hash else None
    targets = _optional_values(table, "redirect_targets")
    further: dict[bytes, int] = {}
    for row, url in wanted.items():
        source = _UNRESOLVED
        if url in by_url:
            source = _choose(by_url[url], by_hash.get(url, {}), None if finals is None else finals[row])
        if source == _UNRESOLVED and url is not None and targets is not None:
            content = target_content(targets[row], url)
            if content is not None:
                source = further.setdefault(content, len(plan.sources) + len(further))
        plan.sources[row] = source
    plan.further.extend(further)


def canonical_url(url: Value) -> str | None:
    """Return the URL to which redirects led as rows of archives have it, or None if it is not valid."""
    # Reading archives is not needed for other tables.
    from canfetch.bulk.reading.captures import Name  # noqa: PLC0415

    try:
        return None if url is None else Name.of_request(_text(url)).url
    except InvalidURL:
        return None


def _rows_by_url(table: FileTable, sources: Sequence[int], wanted: set[str]) -> dict[str, list[int]]:
    """Return the rows whose own content decides by their URL.

    The file of a host without a scheme is that of both its URLs.
    """
    origins = table.values(_ORIGIN) if _ORIGIN in table.names else None
    found: dict[str, list[int]] = {}
    for row, value in enumerate(table.values("url")):
        if sources[row] != row or value is None:
            continue
        origin = None if origins is None else origins[row]
        for url in _urls(_text(value), "://" if origin is None else _text(origin)):
            if url in wanted:
                found.setdefault(url, []).append(row)
    return found


def _rows_by_hash(table: FileTable, by_url: dict[str, list[int]]) -> dict[str, dict[Value, int]]:
    """Return for each URL with several rows one row of each content, by its hash or else by its own number."""
    repeated = {url: found for url, found in by_url.items() if len(found) > 1}
    hashes = _optional_values(table, "sha256") if repeated else None
    if hashes is None:
        return {}
    return {
        url: {hash_ if isinstance(hash_ := hashes[row], bytes) else row: row for row in reversed(found)}
        for url, found in repeated.items()
    }


def _choose(found: Sequence[int], by_hash: Mapping[Value, int], final: Value) -> int:
    """Return the row to which a redirect leads.

    Args:
        found: The rows with the URL.
        by_hash: The same by their content, if there are several and their hashes are known.
        final: The hash of the content to which the redirect led, if it is known.
    """
    if len(found) == 1 or len(by_hash) == 1:
        return found[0]
    return by_hash.get(final, _UNRESOLVED) if isinstance(final, bytes) else _UNRESOLVED


def _optional_values(table: FileTable, name: str) -> list[Value] | None:
    return table.values(name) if name in table.names else None


def target_content(targets: Value, url: str) -> bytes | None:
    """Return the content of the last response of a chain of redirects, if its URL is not that of a robots.txt."""
    from canfetch.bulk.reading.captures import Capture  # noqa: PLC0415 - as above
    from canfetch.bulk.reading.rows import target_captures  # noqa: PLC0415 - as above

    *_, last = (None, *target_captures({"redirect_targets": targets}, "", 0))
    return last.content if isinstance(last, Capture) and url in _urls(last.url, last.owner) else None


def _urls(url: str, owner: str) -> list[str]:
    """Return the URLs of a response: that of a host without a scheme is the response of both."""
    is_of_both = "://" not in owner and url.startswith("https:")
    return [url, f"http:{url.removeprefix('https:')}"] if is_of_both else [url]
