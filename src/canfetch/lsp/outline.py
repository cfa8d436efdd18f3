"""The outline of a file: symbols by group, folding ranges, highlights of the same name or path, and links."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.core.text import counted, display_text
from canfetch.lsp.file_view import FileView

# A tree with more lines is of no use, and slow in most editors. Beyond it, symbols are only groups.
_MAX_LINES: Final = 5000
_MAX_HIGHLIGHTS: Final = 1000
_LINK_KEYS: Final = (b"sitemap", b"license", b"agentmap", b"schemamap")
_RULES: Final = (RecordKind.ALLOW, RecordKind.DISALLOW)


class Symbol(NamedTuple):
    """A group or a record.

    Attributes:
        name: The name to show.
        detail: More text, or an empty string.
        kind: `group`, `agent`, `rule` or `record`.
        span: The bytes of the whole symbol.
        selection: The bytes of its name.
        children: The records of a group.
    """

    name: str
    detail: str
    kind: str
    span: tuple[int, int]
    selection: tuple[int, int]
    children: tuple["Symbol", ...] = ()


def symbols(view: FileView) -> list[Symbol]:
    """Return the groups with their records, and the records outside of groups, in file order.

    Cost: O(lines).
    """
    found: list[Symbol] = []
    for record in view.records:
        # Records that apply to the whole file are separate, even if they are written below a group.
        is_own = record.kind is not None and (record.group is None or record.kind is RecordKind.SITEMAP)
        if is_own:
            found.append(_symbol(view, record))
    with_children = len(view.records) <= _MAX_LINES
    for index, records in view.group_lines.items():
        found.append(_group(view, index, records, with_children=with_children))
    return sorted(found, key=lambda symbol: symbol.span)


def _group(view: FileView, index: int, records: list[Record], *, with_children: bool) -> Symbol:
    group = view.robots.groups[index]
    tokens = list(dict.fromkeys(group.tokens)) or ["no crawler"]
    own = [record for record in records if record.kind is not RecordKind.SITEMAP]
    rules = sum(1 for record in own if record.kind in _RULES)
    return Symbol(
        ", ".join(tokens),
        counted(rules, "rule"),
        "group",
        (own[0].span[0], _content_end(view, own[-1])),
        (own[0].span[0], _content_end(view, own[0])),
        tuple(_symbol(view, record) for record in own) if with_children else (),
    )


def _symbol(view: FileView, record: Record) -> Symbol:
    key = b"" if record.key is None else view.content[slice(*record.key)]
    value = display_text(view.value(record))
    kind = "agent" if record.kind is RecordKind.USER_AGENT else "rule" if record.kind in _RULES else "record"
    span = record.span[0], _content_end(view, record)
    return Symbol(f"{display_text(key)}: {value}".rstrip(), "", kind, span, span)


def _content_end(view: FileView, record: Record) -> int:
    start, end = record.span
    return start + len(view.content[start:end].rstrip(b"\r\n"))


class Fold(NamedTuple):
    """Lines to fold, from 0, both included."""

    start: int
    end: int
    is_comment: bool


def folds(view: FileView) -> Iterator[Fold]:
    """Yield the groups and the blocks of comments that have several lines.

    Cost: O(lines).
    """
    for records in view.group_lines.values():
        if records[0].line < records[-1].line:
            yield Fold(records[0].line - 1, records[-1].line - 1, is_comment=False)
    start: int | None = None
    for number, record in enumerate(view.records):
        if view.content[slice(*record.span)].lstrip(b" \t").startswith(b"#"):
            start = number if start is None else start
        else:
            if start is not None and number - start > 1:
                yield Fold(start, number - 1, is_comment=True)
            start = None
    if start is not None and len(view.records) - start > 1:
        yield Fold(start, len(view.records) - 1, is_comment=True)


def highlights(view: FileView, line: int) -> list[tuple[int, int]]:
    """Return the spans of the values equal to the one on a line, which counts from 0: the same crawler or path.

    Cost: O(lines).
    """
    record = view.record_at(line)
    if record is None or record.kind is None or not view.value(record):
        return []
    if record.kind is RecordKind.USER_AGENT:
        value = view.value(record).lower()
        same = [
            one
            for one in view.records
            if one.kind is RecordKind.USER_AGENT and one.value is not None and view.value(one).lower() == value
        ]
    else:
        kinds = _RULES if record.kind in _RULES else (record.kind,)
        value = view.value(record)
        same = [one for one in view.records if one.kind in kinds and view.value(one) == value]
    return [one.value for one in same[:_MAX_HIGHLIGHTS] if one.value is not None]


def links(view: FileView) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the absolute URLs of sitemaps, licenses and catalogs, each with its span.

    Cost: O(lines).
    """
    for record in view.records:
        is_link = record.kind is RecordKind.SITEMAP or view.key(record) in _LINK_KEYS
        if is_link and record.value is not None:
            value = view.value(record)
            if value.lower().startswith((b"https://", b"http://")) and value.isascii() and b" " not in value:
                yield record.value, value.decode()
