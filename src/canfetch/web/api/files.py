"""Endpoints for one file: its structure, the linter, fixes and the formatter."""

from collections.abc import Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from canfetch.answers.files import file_json
from canfetch.answers.linting import MAX_FIXED_BYTES, apply_chosen_fixes, fix_file, format_content, lint_file
from canfetch.core.document import parse as parse_robots
from canfetch.errors import InvalidOption
from canfetch.web.api.errors import BODY_ERRORS
from canfetch.web.api.facts import Facts
from canfetch.web.api.file_responses import FixedFile, FormattedFile, LintReportObject, ParsedFile
from canfetch.web.api.requests import (
    FileRequest,
    FixRequest,
    LintFileRequest,
    ParseRequest,
    body_schema,
)
from canfetch.web.api.services import respond

ROUTER: Final = APIRouter(prefix="/v1", tags=["files"])


@ROUTER.post(
    "/parse",
    response_model=ParsedFile,
    summary="Parse a file.",
    responses=BODY_ERRORS,
    openapi_extra=body_schema(ParseRequest),
)
async def parse(request: Request) -> Response:
    """Return the groups, rules and records of a file, as a profile reads them."""
    return await respond(request, structure)


def structure(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return the structure of a file."""
    asked = ParseRequest.model_validate_json(body)
    return file_json(parse_robots(asked.file(), profile=facts.profile(asked)))


@ROUTER.post(
    "/lint",
    response_model=LintReportObject,
    summary="Lint a file.",
    responses=BODY_ERRORS,
    openapi_extra=body_schema(LintFileRequest),
)
async def lint(request: Request) -> Response:
    """Return the findings of the linter, with their fixes.

    With `delivery`, they include those of `canfetch lint URL` about the response.
    """
    return await respond(request, lint_report)


def lint_report(body: bytes, facts: Facts) -> Mapping[str, Any]:
    """Return the findings of the linter.

    Raises: InvalidOption: A delivery has no URL.
    """
    asked = LintFileRequest.model_validate_json(body)
    lint_request = asked.lint_request()
    if asked.delivery:
        if asked.robots_url is None:
            raise InvalidOption("delivery needs the key robots_url")
        entry = facts.state(asked.robots_url, edition=asked.edition).entry
        lint_request = lint_request._replace(delivery=entry)
    return lint_file(lint_request).to_json()


@ROUTER.post(
    "/fix",
    response_model=FixedFile,
    summary="Fix a file.",
    responses=BODY_ERRORS,
    openapi_extra=body_schema(FixRequest),
)
async def fix(request: Request) -> Response:
    """Return the fixed file, the findings that were fixed, and those that remain.

    Without `findings`, a file has at most 128 KiB.
    """
    return await respond(request, fixed_file)


def fixed_file(body: bytes, _facts: Facts) -> Mapping[str, Any]:
    """Return the fixed file.

    Raises: HTTPException: The file is too large.
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


@ROUTER.post(
    "/format",
    response_model=FormattedFile,
    summary="Format a file.",
    responses=BODY_ERRORS,
    openapi_extra=body_schema(FileRequest),
)
async def format_file(request: Request) -> Response:
    """Return the file in the canonical layout, which changes no verdict."""
    return await respond(request, formatted_file)


def formatted_file(body: bytes, _facts: Facts) -> Mapping[str, Any]:
    """Return the formatted file."""
    return format_content(FileRequest.model_validate_json(body).file()).to_json()
