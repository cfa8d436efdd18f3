"""The tables that are made from the robots.txt files of archives.

A row has cells of the capture, and cells that are derived from the file, which are the same for equal files.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from canfetch.access.redirects import MAX_LOCATION_BYTES
from canfetch.bulk.archives.decisions import FileDecisions, NamedAgent, is_truncated
from canfetch.bulk.archives.http_archive_metrics import robots_metrics
from canfetch.bulk.archives.resolution import ResolvedFile
from canfetch.bulk.cell_texts import rule_text
from canfetch.bulk.decisions import clear_cache, named_chains, shared_kernel
from canfetch.bulk.kernels import KernelOptions
from canfetch.bulk.reading.captures import MAX_CONTENT_BYTES, Capture
from canfetch.bulk.writing.columns import Column, ColumnType, Row, Schema, bytes_cells
from canfetch.core.document import parse
from canfetch.core.text import display_text, portable_text
from canfetch.core.times import rfc3339
from canfetch.core.verdict import Effect, Rule

_TEXT, _BYTES, _INTEGER, _NUMBER, _BOOLEAN, _TIME = (
    ColumnType.TEXT,
    ColumnType.BYTES,
    ColumnType.INTEGER,
    ColumnType.NUMBER,
    ColumnType.BOOLEAN,
    ColumnType.TIME,
)
_FILE: Final = (
    Column("origin", _TEXT, "The origin, or the host if the archive does not record the scheme."),
    Column("url", _TEXT, "The URL that was requested."),
    Column("time", _TIME, "When."),
)
_PLACE: Final = (
    Column("source", _TEXT, "The archive."),
    Column("position", _INTEGER, "The byte offset, line or row of the record in it."),
)
FILES: Final = Schema(
    "canfetch.files/1",
    (
        *_FILE,
        Column("status", _INTEGER, "The status code, 0 for a request without a response, or null if it is unknown."),
        Column("location", _TEXT, "The header field `Location`."),
        Column("content_type", _TEXT, "The header field `Content-Type`."),
        Column("final_url", _TEXT, "The URL after redirects."),
        Column("redirects", _INTEGER, "The number of redirects."),
        Column("access", _TEXT, "`successful`, `unavailable` or `unreachable`; null if a redirect is unresolved."),
        Column("effect", _TEXT, "`full-allow`, `full-disallow` or `conditional-allow`; null as for `access`."),
        Column("detail", _TEXT, "What happened, such as `status 404`."),
        Column("bytes", _INTEGER, "The length of `content` in bytes."),
        Column("sha256", _TEXT, "Its SHA-256 hash in hexadecimal."),
        Column(
            "groups",
            _INTEGER,
            "The number of groups in the content; null if its rules do not apply, as for a redirect.",
        ),
        Column("rules", _INTEGER, "The number of allow and disallow records in them."),
        Column("content", _BYTES, "The body of the response that was requested, before redirects."),
        *_PLACE,
        Column("redirect_targets", _TEXT, "JSON: the responses of other URLs than `/robots.txt` after redirects."),
        Column(
            "truncated",
            _BOOLEAN,
            "Whether bytes are left out: after 1,024,004 bytes of content, or after 512,000 bytes whose rules apply.",
        ),
        Column("final_sha256", _TEXT, "After redirects, the SHA-256 hash of the content whose rules apply."),
    ),
)
RECORDS: Final = Schema(
    "canfetch.records/1",
    (
        *_FILE,
        Column("line", _INTEGER, "The line, from 1."),
        Column("group", _INTEGER, "The number of the group, from 0, or null outside groups."),
        Column("kind", _TEXT, "`user-agent`, `allow`, `disallow`, `sitemap`, and so on."),
        Column("key", _TEXT, "The key as written."),
        Column("value", _TEXT, "The value as written."),
    ),
)
DECISIONS: Final = Schema(
    "canfetch.decisions/1",
    (
        *_FILE,
        Column("agent", _TEXT, "The agent."),
        Column("path", _TEXT, "The path that was decided."),
        Column("allowed", _BOOLEAN, "Whether the agent may fetch it; null if that is unknown."),
        Column("reason", _TEXT, "What decided, or why nothing could."),
        Column("line", _INTEGER, "The line of the deciding rule."),
        Column("rule", _TEXT, "The deciding rule, such as `Disallow: /fish`, of at most 256 bytes."),
        Column("specificity", _INTEGER, "Its specificity."),
    ),
)
METRICS: Final = Schema(
    "canfetch.metrics/1",
    (
        *_FILE,
        Column("redirected", _BOOLEAN, "Whether the response was a redirect that leads to another URL."),
        Column("status", _INTEGER, "The status code after redirects, or null for a file without a response."),
        Column("size", _INTEGER, "The length of the last response in UTF-16 code units."),
        Column("size_kib", _NUMBER, "The same divided by 1024."),
        Column("over_google_limit", _BOOLEAN, "Whether it is more than 500 KiB."),
        Column("comment_count", _INTEGER, "The number of comments."),
        Column("record_counts", _TEXT, "JSON: `by_type` and `by_useragent`."),
        Column("truncated", _BOOLEAN, "Whether the response ends at the limit, 1,024,004 bytes."),
    ),
)
_NAMES_OF_FILES: Final = [column.name for column in FILES.columns]
_DERIVED_OF_FILES: Final = slice(_NAMES_OF_FILES.index("bytes"), _NAMES_OF_FILES.index("rules") + 1)
_MATRIX_NAME: Final = "canfetch.matrix/1"
# The files of a matrix that are decided together, and the size of their contents.
_BATCH_FILES: Final = 512
_BATCH_BYTES: Final = 1 << 23


class TableOptions(NamedTuple):
    """The settings that the rows of a table depend on.

    Attributes:
        table: `files`, `records`, `decisions`, `matrix` or `metrics`.
        agents: The agents of decisions, or the columns of a matrix.
        paths: The paths to decide about. A matrix uses the first one.
        profile: The parsing profile.
    """

    table: str
    agents: tuple[NamedAgent, ...] = ()
    paths: tuple[str, ...] = ("/",)
    profile: str = "rfc9309"

    @property
    def schema(self) -> Schema:
        """The columns of the table."""
        if self.table != "matrix":
            return _SCHEMAS[self.table]
        own = (*_FILE, Column("effect", _TEXT))
        return Schema(_MATRIX_NAME, (*own, *(Column(agent.name, _BOOLEAN) for agent in self.agents)))

    @property
    def derived_columns(self) -> slice:
        """The positions of the columns that are derived from a file."""
        return _DERIVED_OF_FILES if self.table == "files" else slice(len(_FILE), len(self.schema.columns))

    def rows(self, files: Iterable[ResolvedFile]) -> Iterator[Row]:
        """Yield the rows of files, in their order."""
        for file, derived in self.derived(files):
            before, after = self.own_cells(file)
            for cells in derived:
                yield (*before, *cells, *after)

    def own_cells(self, file: ResolvedFile) -> tuple[Row, Row]:
        """Return the cells of the capture of a file: those before and after the derived ones."""
        return _own_cells(file, self.profile) if self.table == "files" else (_file_cells(file), ())

    def derived(self, files: Iterable[ResolvedFile]) -> Iterator[tuple[ResolvedFile, Iterable[Row]]]:
        """Yield files with the derived cells of their rows. The cells are the same for files with the same key."""
        if self.table == "matrix":
            return _matrix(files, self)
        return ((file, _ROWS[self.table](file, self)) for file in files)

    def key(self, file: ResolvedFile) -> bytes:
        """Return the hash of everything that the derived cells of a file depend on."""
        kind = repr((file.access, file.effect, file.capture.status, bool(file.hops), file.content is None))
        digest = hashlib.sha256(f"{kind}{len(file.content or b'')}:".encode())
        digest.update(file.content or b"")
        if self.table == "files":
            digest.update(file.capture.content)
        elif self.table == "metrics" and file.response is not None:
            digest.update(f"{_last_status(file)}:".encode())
            digest.update(file.response.body)
        return digest.digest()


def _file_cells(file: ResolvedFile) -> Row:
    return file.capture.owner, file.capture.url, file.capture.time


def _own_cells(file: ResolvedFile, profile: str) -> tuple[Row, Row]:
    capture = file.capture
    headers = _headers(capture)
    before = (
        *_file_cells(file),
        capture.status,
        headers.get("location"),
        headers.get("content-type"),
        file.url,
        len(file.hops),
        None if file.access is None else str(file.access),
        None if file.effect is None else str(file.effect),
        file.detail,
    )
    targets = [_target(target) for target in file.targets]
    encoded = json.dumps(targets, ensure_ascii=False) if targets else None
    # Without redirects, it is the hash of the content.
    final = hashlib.sha256(file.content).hexdigest() if file.hops and file.content is not None else None
    truncated = _is_cut(capture.content) or is_truncated(file.content, profile)
    return before, (capture.content, capture.source, capture.position, encoded, truncated, final)


def _headers(capture: Capture) -> dict[str, str]:
    """Return header fields, cut as when they are read from a table."""
    return {name: value[: MAX_LOCATION_BYTES + 1] for name, value in capture.headers}


def _is_cut(content: bytes) -> bool:
    """Return whether a content has as many bytes as are read. It is not known whether the file had more."""
    return len(content) >= MAX_CONTENT_BYTES


def _target(capture: Capture) -> dict[str, Any]:
    """Return the response of a target as a row that archives may have."""
    headers = _headers(capture)
    content, content_base64 = bytes_cells(capture.content)
    row = {
        # The response of a host counts for http and https.
        "origin": None if "://" in capture.owner else capture.owner,
        "url": capture.url,
        "time": None if capture.time is None else rfc3339(capture.time),
        "status": capture.status,
        "location": headers.get("location"),
        "content_type": headers.get("content-type"),
        "content": content,
        "content_base64": content_base64,
    }
    return {
        name: portable_text(value) if isinstance(value, str) else value
        for name, value in row.items()
        if value is not None
    }


def _files(file: ResolvedFile, options: TableOptions) -> Iterator[Row]:
    content = file.capture.content
    # The rules that apply after a redirect are not those of the content in this row.
    has_rules = file.content is not None and not file.hops
    groups = parse(content, profile=options.profile).groups if has_rules else None
    yield (
        len(content),
        hashlib.sha256(content).hexdigest(),
        None if groups is None else len(groups),
        None if groups is None else sum(len(group.rules) for group in groups),
    )


def _records(file: ResolvedFile, options: TableOptions) -> Iterator[Row]:
    if file.content is None:
        return
    robots = parse(file.content, profile=options.profile)
    content = robots.content
    for record in robots.records:
        if record.kind is None or record.key is None or record.value is None:
            continue
        key, value = (display_text(content[slice(*span)]) for span in (record.key, record.value))
        yield (record.line, record.group, record.kind.name.lower().replace("_", "-"), key, value)


def _decisions_of(file: ResolvedFile, options: TableOptions) -> FileDecisions:
    return FileDecisions(file.access, file.effect, file.content, options.profile)


def _decisions(file: ResolvedFile, options: TableOptions) -> Iterator[Row]:
    decisions = _decisions_of(file, options)
    for name, agent in options.agents:
        for path in options.paths:
            decision = decisions.decide(path, agent)
            yield (name, path, decision.allowed, decision.reason, *rule_cells(decision.rule))


def rule_cells(rule: Rule | None) -> tuple[int | None, str | None, int | None]:
    """Return the line, the text and the specificity of a rule."""
    return (None, None, None) if rule is None else (rule.line, rule_text(rule), rule.specificity)


def _matrix(files: Iterable[ResolvedFile], options: TableOptions) -> Iterator[tuple[ResolvedFile, Iterable[Row]]]:
    batch: list[ResolvedFile] = []
    size = 0
    for file in files:
        batch.append(file)
        size += len(file.content or b"")
        if len(batch) >= _BATCH_FILES or size >= _BATCH_BYTES:
            yield from _matrix_batch(batch, options)
            batch, size = [], 0
    if batch:
        yield from _matrix_batch(batch, options)


def _matrix_batch(files: list[ResolvedFile], options: TableOptions) -> Iterator[tuple[ResolvedFile, Iterable[Row]]]:
    """Yield the rows of some files. The kernel decides for all agents that have the same groups at once."""
    agents, chains = named_chains({agent.name: agent.agent for agent in options.agents}, use_registry=False)
    kernel = shared_kernel(KernelOptions(options.profile, warns=False))
    path = options.paths[0]
    contents = [file.content if file.effect is Effect.CONDITIONAL_ALLOW else None for file in files]
    decided = kernel.matrix(contents, agents, chains, path).to_pylist()
    # Each file is decided once, so that keeping it compiled would only take memory.
    clear_cache()
    for file, content, row in zip(files, contents, decided, strict=True):
        allowed: Iterable[bool | None]
        if content is None:
            # Without rules, the answer is the same for all agents.
            decision = _decisions_of(file, options).decide(path, options.agents[0].agent)
            allowed = [decision.allowed] * len(agents)
        else:
            allowed = row.values()
        yield file, [(None if file.effect is None else str(file.effect), *allowed)]


def _metrics(file: ResolvedFile, _: TableOptions) -> Iterator[Row]:
    # The script of HTTP Archive reads the response after redirects, whatever its status.
    if file.response is None:
        yield (bool(file.hops), *(None,) * (len(METRICS.columns) - len(_FILE) - 1))
        return
    values = robots_metrics(file.response.body, status=_last_status(file), redirected=bool(file.hops))
    counts = json.dumps(values.pop("record_counts"), ensure_ascii=False)
    yield (*values.values(), counts, _is_cut(file.response.body))


def _last_status(file: ResolvedFile) -> int | None:
    """Return the status after redirects, or None for a file without a response."""
    return file.response.status if file.hops and file.response is not None else file.capture.status


_SCHEMAS: Final = {"files": FILES, "records": RECORDS, "decisions": DECISIONS, "metrics": METRICS}
_ROWS: Final[dict[str, Callable[[ResolvedFile, TableOptions], Iterator[Row]]]] = {
    "files": _files,
    "records": _records,
    "decisions": _decisions,
    "metrics": _metrics,
}
