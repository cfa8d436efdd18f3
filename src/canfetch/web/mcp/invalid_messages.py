"""Answers messages that are not valid JSON-RPC, so that no request of a host waits forever.

The SDK drops such messages if they arrive on standard input. Answers and logs quote nothing of a message except its ID.

Source: JSON-RPC 2.0, section 5.1.
"""

import json
import re
from typing import Any, Final, NamedTuple

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

# More than the largest arguments take, even if each character is an escape of 6 bytes.
MAX_MESSAGE_BYTES: Final = 4 * 1024 * 1024
# The part of an oversized message at each end in which its ID is searched.
END_BYTES: Final = 1024
_ID: Final = rb'"id"\s*:\s*(-?[0-9]{1,18}|"[^"\\]*")\s*'
# Clients write the ID before the parameters, or as one of the last members. In valid JSON, neither of these patterns
# can match inside a string or a nested object.
_FIRST_ID: Final = re.compile(rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*' + _ID + rb",")
_LAST_ID: Final = re.compile(rb",\s*" + _ID + rb'(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')
_OF_RESPONSES: Final = frozenset({"result", "error"})
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class OversizedMessage(NamedTuple):
    """Both ends of a message over `MAX_MESSAGE_BYTES`, whose middle was skipped."""

    start: bytes
    end: bytes

    def answer(self) -> JSONRPCError:
        """Return the response."""
        found = _FIRST_ID.match(self.start) or _LAST_ID.search(self.end)
        try:
            request_id = None if found is None else _valid_id(json.loads(found[1]))
        except ValueError:
            request_id = None
        return _error(INVALID_REQUEST, f"the message is larger than {MAX_MESSAGE_BYTES >> 20} MiB", request_id)


def answer_to_invalid(text: str) -> JSONRPCError | None:
    """Return the response to a message that is not valid, or None for a valid message."""
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        if first["type"] == "json_invalid":
            # The text has the position of the error, and no input.
            return _error(PARSE_ERROR, first["msg"], _request_id(text))
        if text.lstrip().startswith("["):
            return _error(INVALID_REQUEST, "batches are not supported: send each message on a line of its own", None)
        return _error(INVALID_REQUEST, "expected a JSON-RPC 2.0 request or notification", _request_id(text))
    # The SDK reads a request with an invalid ID as a notification.
    if isinstance(message, JSONRPCNotification) and '"id"' in text and "id" in _members(text):
        return _error(INVALID_REQUEST, "the id must be a string or an integer", None)
    return None


def _request_id(text: str) -> RequestId | None:
    members = _members(text)
    # Nothing answers a response, even an invalid one.
    return _valid_id(members.get("id")) if "method" in members or members.keys().isdisjoint(_OF_RESPONSES) else None


def _members(text: str) -> dict[str, Any]:
    """Return the members of an object. Unlike the SDK, this accepts lone surrogates and deep nesting."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _valid_id(value: Any) -> RequestId | None:
    if isinstance(value, str):
        # A response cannot contain lone surrogates.
        return None if _SURROGATE.search(value) else value
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _error(code: int, message: str, request_id: RequestId | None) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message))
