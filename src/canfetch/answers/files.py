"""The structure of a file: groups, rules, records and extensions."""

from enum import Flag
from typing import Any, Final

from canfetch.core.content_formats import foreign_format
from canfetch.core.document import RobotsTxt
from canfetch.core.groups import Group
from canfetch.core.records import Record
from canfetch.core.text import display_text

FILE_SCHEMA: Final = "canfetch.file/1"


def file_json(robots: RobotsTxt) -> dict[str, Any]:
    """Return what a profile reads in a file. Spans are byte offsets into the file as UTF-8, half open.

    Cost: O(bytes) in Python.
    """
    return {
        "schema": FILE_SCHEMA,
        "profile": robots.profile,
        "bytes": len(robots.content) + len(robots.tail),
        "bytes_read": len(robots.content),
        "source_encoding": robots.source_encoding,
        "not_robots": foreign_format(robots.content),
        "groups": [_group_json(group) for group in robots.groups],
        "records": [_record_json(robots.content, record) for record in robots.records if record.key is not None],
        "sitemaps": list(robots.sitemaps),
        "extensions": [extension.to_json() for extension in robots.extensions],
    }


def _group_json(group: Group) -> dict[str, Any]:
    return {
        "user_agents": [{"token": agent.token, "line": agent.line} for agent in group.user_agents],
        "rules": [rule.to_json() for rule in group.rules],
    }


def _record_json(content: bytes, record: Record) -> dict[str, Any]:
    # Lines without a record have none of these.
    assert record.kind is not None
    assert record.key is not None
    assert record.value is not None
    return {
        "line": record.line,
        "span": list(record.span),
        "kind": record.kind.name.lower().replace("_", "-"),
        "key": display_text(content[slice(*record.key)]),
        "key_span": list(record.key),
        "value": display_text(content[slice(*record.value)]),
        "value_span": list(record.value),
        "group": record.group,
        "notes": note_names(record.notes),
    }


def note_names(notes: Flag) -> list[str]:
    """Return the names of the notes that are set, such as `missing-colon`."""
    return [note.name.lower().replace("_", "-") for note in type(notes) if note in notes and note.name]
