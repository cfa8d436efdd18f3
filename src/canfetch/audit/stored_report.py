"""Audit reports that were written to a file, checked before they are shown."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, Final

from canfetch.audit.findings import AuditKind
from canfetch.audit.report import AUDIT_SCHEMA, LogRecords, ReportJson, SkipRecords
from canfetch.core.verdict import Access
from canfetch.lint.severity import Severity

_Check = Callable[[Any], bool]


def parse_report(content: bytes, origin: str) -> ReportJson:
    """Return the report of an origin from its JSON form.

    Raises: ValueError: The content is not a report of the origin in the schema of this version.
    Cost: O(bytes).
    """
    try:
        report = json.loads(content)
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"it is not valid JSON: {error}") from None
    if not isinstance(report, dict) or report.get("schema") != AUDIT_SCHEMA:
        raise ValueError(f"it is not a report of the schema {AUDIT_SCHEMA}")
    if report.get("origin") != origin:
        raise ValueError("it is a report of another origin")
    for name, check in _REPORT.items():
        if not check(report.get(name, _MISSING)):
            raise ValueError(f"its value of {name} is missing or invalid")
    if not report["counts"].keys() >= {one["kind"] for one in report["findings"]}:
        raise ValueError("its findings are not counted")
    return report


def is_complete(report: ReportJson) -> bool:
    """Return whether the site was audited and its robots.txt was reached."""
    access = report["access"]
    return not report["error"] and access is not None and access["access"] != Access.UNREACHABLE


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_time(value: Any) -> bool:
    try:
        # A time in the first or last hours of the calendar may have no equivalent in UTC.
        return isinstance(value, str) and bool(datetime.fromisoformat(value).astimezone(UTC))
    except (ValueError, OverflowError):
        return False


def _one_of(names: Iterable[object]) -> _Check:
    known = list(names)
    return lambda value: value in known


def _optional(check: _Check) -> _Check:
    return lambda value: value is None or check(value)


def _list_of(check: _Check) -> _Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _object(**checks: _Check) -> _Check:
    return lambda value: (
        isinstance(value, dict) and all(check(value.get(name, _MISSING)) for name, check in checks.items())
    )


def _is_counts(value: Any) -> bool:
    return isinstance(value, dict) and all(name in _KINDS and _is_number(number) for name, number in value.items())


_MISSING: Final = object()
_KINDS: Final = frozenset(map(str, AuditKind))
_REPORT: Final[dict[str, _Check]] = {
    "checked_at": _is_time,
    "error": _is_text,
    "environment": _optional(_is_text),
    "access": _optional(_object(access=_one_of(map(str, Access)), explanation=_is_text)),
    "hosts": _list_of(
        _object(
            origin=_is_text,
            access=_optional(_object(explanation=_is_text)),
            same=_one_of([True, False, None]),
        )
    ),
    "purposes": _list_of(
        _object(
            title=_is_text,
            crawlers=_list_of(
                _object(
                    may_fetch=_one_of(["all", "some", "none", "undecided", "unknown"]),
                    crawlers=_list_of(_is_text),
                    lines=_list_of(_is_number),
                    line_count=_is_number,
                    token_only=_one_of([True, False]),
                )
            ),
            use=_optional(
                _object(
                    allowed=_one_of([True, False, None]),
                    explanation=_is_text,
                    decided_by=_list_of(_object(place=_is_text, text=_is_text)),
                    sources=_list_of(_object(name=_is_text, state=_is_text)),
                )
            ),
        )
    ),
    "listed": _object(sitemaps=_is_number, urls=_is_number, requested=_is_number, disallowed=_is_number),
    "edge": _list_of(
        _object(
            crawler=_is_text,
            user_agent=_is_text,
            answer=_is_text,
            status=_optional(_is_number),
            detail=_is_text,
        )
    ),
    "findings": _list_of(
        _object(
            kind=_one_of(_KINDS),
            severity=_one_of(severity.label for severity in Severity),
            message=_is_text,
            meaning=_is_text,
            advice=_is_text,
            url=_optional(_is_text),
            line=_optional(_is_number),
            status=_optional(_is_number),
            text=_optional(_is_text),
        )
    ),
    "logs": _optional(
        _object(
            **dict.fromkeys(LogRecords._fields, _is_number)
            | {"first": _optional(_is_time), "last": _optional(_is_time), "by_history": _one_of([True, False])}
        )
    ),
    "skips": _optional(_object(**dict.fromkeys(SkipRecords._fields, _is_number))),
    "counts": _is_counts,
    "requests": _is_number,
    "max_requests": _is_number,
    "rules": _optional(_is_text),
}
