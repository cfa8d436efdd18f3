"""Endpoints for one file: its structure, the linter, fixes and the formatter."""

from collections.abc import Mapping
from enum import Flag
from typing import Any, Final

from fastapi import APIRouter
from starlette.exceptions import HTTPException

from canfetch.answers.linting import MAX_FIXED_BYTES, apply_chosen_fixes, fix_file, format_content, lint_file
from canfetch.core.content_formats import foreign_format
from canfetch.core.document import RobotsTxt
from canfetch.core.document import parse as parse_robots
from canfetch.core.groups import Group
from canfetch.core.records import Record
from canfetch.core.text import display_text
from canfetch.errors import InvalidOption
from canfetch.web.api.facts import Facts
from canfetch.web.api.file_responses import FixedFile, FormattedFile, LintReportObject, ParsedFile
from canfetch.web.api.requests import (
    FileRequest,
    FixRequest,
    LintFileRequest,
    ParseRequest,
)
from canfetch.web.api.services import endpoint

ROUTER: Final = APIRouter(prefix="/v1", tags=["files"])
FILE_SCHEMA: Final = "canfetch.file/1"


@endpoint(ROUTER, "/parse", ParseRequest, ParsedFile, summary="Parse a file.")
def parse(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return the groups, rules and records of a file, as a profile reads them."""
    asked = ParseRequest.model_validate_json(body)
    return _file_json(parse_robots(asked.file(), profile=facts.profile(asked)))


@endpoint(ROUTER, "/lint", LintFileRequest, LintReportObject, summary="Lint a file.")
def lint(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return the findings of the linter, with their fixes.

    With `delivery`, they include those of `canfetch lint URL` about the response.
    """
    asked = LintFileRequest.model_validate_json(body)
    lint_request = asked.lint_request()
    if asked.delivery:
        if asked.robots_url is None:
            raise InvalidOption("delivery needs the key robots_url")
        entry = facts.state(asked.robots_url, edition=asked.edition).entry
        lint_request = lint_request._replace(delivery=entry)
    return lint_file(lint_request).to_json()


@endpoint(ROUTER, "/fix", FixRequest, FixedFile, summary="Fix a file.")
def fix(body: bytes, _facts: Facts) -> Mapping[str, Any]:
    """Return the fixed file, the findings that were fixed, and those that remain.

    Without `findings`, a file has at most 128 KiB.
    """
    asked = FixRequest.model_validate_json(body)
    lint_request = asked.lint_request()
    if asked.findings is not None:
        return apply_chosen_fixes(lint_request, [finding.chosen() for finding in asked.findings]).to_json()
    if len(lint_request.content) > MAX_FIXED_BYTES:
        limit = f"{MAX_FIXED_BYTES >> 10} KiB"
        raise HTTPException(
            413, f"the file is larger than {limit}: pass `findings` to fix some, or run `canfetch lint --fix`"
        )
    return fix_file(lint_request, unsafe=asked.unsafe, for_profiles=asked.for_profiles, only=asked.only).to_json()


@endpoint(ROUTER, "/format", FileRequest, FormattedFile, summary="Format a file.")
def format_file(body: bytes, _facts: Facts) -> Mapping[str, Any]:
    """Return the file in the canonical layout, which changes no verdict."""
    return format_content(FileRequest.model_validate_json(body).file()).to_json()


def _file_json(robots: RobotsTxt) -> dict[str, Any]:
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
        "notes": _note_names(record.notes),
    }


def _note_names(notes: Flag) -> list[str]:
    """Return the names of the notes that are set, such as `missing-colon`."""
    return [note.name.lower().replace("_", "-") for note in type(notes) if note in notes and note.name]
