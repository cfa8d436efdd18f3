"""Audit reports that are read from files: whole ones are shown, and damaged ones are rejected with a reason."""

import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.audit.sites import HTML, PAGE, publish
from tests.logs.log_lines import Request, write_log
from tests.servers.valid import respond
from tests.servers.web import Site

from canfetch import Client
from canfetch.audit import AuditPlan, CrawlRecords, audit, html_page, text_lines
from canfetch.audit.stored_report import is_complete, parse_report

Path = tuple[str | int, ...]


@pytest.fixture(scope="module")
def report() -> Iterator[dict[str, Any]]:
    with Site() as site, Client(user_agent="AuditBot/1.0") as client:
        publish(site, {"/private/x": respond(PAGE), "/fish": respond(PAGE, HTML)})
        plan = AuditPlan(delay=0, sample=1, edge=("GPTBot",), hosts=("http://127.0.0.1:1",))
        records = CrawlRecords((io.BytesIO(write_log([Request()])),), (io.BytesIO(b'{"url":"/","reason":"a"}'),))
        yield audit(client, site.origin, plan=plan, records=records).to_json()


def paths(value: Any) -> Iterator[Path]:
    """Yield the path of each value in a JSON value, but of one item of each list."""
    items: Any = value.items() if isinstance(value, dict) else list(enumerate(value))[:1]
    for key, item in items:
        yield (key,)
        if isinstance(item, dict | list):
            yield from ((key, *rest) for rest in paths(item))


def changed(report: dict[str, Any], path: Path, change: Callable[[Any, Any], None]) -> bytes:
    copy = json.loads(json.dumps(report))
    parent = copy
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return json.dumps(copy).encode()


def put(value: Any) -> Callable[[Any, Any], None]:
    return lambda parent, key: parent.__setitem__(key, value)


def test_a_whole_report_is_read(report: dict[str, Any]) -> None:
    read = parse_report(json.dumps(report).encode(), report["origin"])
    assert (read, is_complete(read)) == (report, True)


def test_a_report_without_records_is_read(report: dict[str, Any]) -> None:
    read = parse_report(json.dumps(report | {"logs": None, "skips": None}).encode(), report["origin"])
    assert "Access logs" not in "".join(text_lines(read))
    assert "What crawlers did" not in html_page([read])


@pytest.mark.parametrize("value", [None, -1, 1.5, "x", [], {}, [[]], [{}], {"x": 1}, True])
def test_a_report_with_a_changed_value_is_rejected_or_shown(report: dict[str, Any], value: Any) -> None:
    rejected = 0
    for path in paths(report):
        for change in (put(value), lambda parent, key: parent.pop(key)):
            try:
                read = parse_report(changed(report, path, change), report["origin"])
            except ValueError:
                rejected += 1
                continue
            assert list(text_lines(read))
            assert html_page([read, read])
    assert rejected > 40


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"", "not valid JSON"),
        (b'{"schema": "canfetch.audit/1", "ori', "not valid JSON"),
        (b"\xff\x00\x01", "not valid JSON"),
        (b"{}", "not a report of the schema"),
        (b"[1,2]", "not a report of the schema"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_other_files_are_rejected(content: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_report(content, "https://example.com")


@pytest.mark.parametrize(
    "path, value, reason",
    [
        (("schema",), "canfetch.audit/2", "not a report of the schema"),
        (("origin",), "https://example.org", "another origin"),
        (("findings", 0, "kind"), "unknown-kind", "findings is missing or invalid"),
        (("findings", 0, "severity"), "fatal", "findings is missing or invalid"),
        # As earlier versions wrote it.
        (("logs",), {"number": 1}, "logs is missing or invalid"),
        (("counts",), {}, "not counted"),
        (("counts",), {"unknown-kind": 1}, "counts is missing or invalid"),
        (("checked_at",), "0001-01-01T00:00:00+14:00", "checked_at is missing or invalid"),
        (("checked_at",), "yesterday", "checked_at is missing or invalid"),
    ],
)
def test_other_values_are_rejected(report: dict[str, Any], path: Path, value: object, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_report(changed(report, path, put(value)), report["origin"])
