"""The responses to messages that are not valid JSON-RPC, so that no request of a host waits forever.

The SDK drops some of them, and quotes others in its answers. These answers quote nothing of a message except its ID.

Source: JSON-RPC 2.0, section 5.1.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

_OF_RESPONSES: Final = frozenset({"result", "error"})
_MAX_VALUES: Final = 200
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def answer_to_invalid(text: str) -> JSONRPCError | None:
    """Return the response to a message that is not valid, or None for a valid message."""
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        if first["type"] == "json_invalid":
            # The text has the position of the error, and no input.
            return error_response(PARSE_ERROR, first["msg"], _request_id(text))
        if text.lstrip().startswith("["):
            return error_response(INVALID_REQUEST, "batches are not supported: send each message by itself", None)
        return error_response(INVALID_REQUEST, "expected a JSON-RPC 2.0 request or notification", _request_id(text))
    # The SDK accepts these numbers, which JSON does not have. A string may have the words.
    if "NaN" in text or "Infinity" in text:
        try:
            from_json(text, allow_inf_nan=False)
        except ValueError as error:
            return error_response(PARSE_ERROR, f"Invalid JSON: {error}", _request_id(text))
    # The SDK reads a request with an invalid ID as a notification. JSON can spell the key with escapes.
    if isinstance(message, JSONRPCNotification) and ('"id"' in text or "\\u" in text) and "id" in _members(text):
        return error_response(INVALID_REQUEST, "the id must be a string or an integer", None)
    if isinstance(message, JSONRPCRequest | JSONRPCNotification) and _is_costly(message.params or {}):
        reason = f"at most {_MAX_VALUES} values of JSON are accepted outside of the arguments"
        return error_response(INVALID_REQUEST, reason, message.id if isinstance(message, JSONRPCRequest) else None)
    return None


def _is_costly(parameters: Mapping[str, Any]) -> bool:
    """Return whether parameters have so many values that the SDK would compare with its models for long.

    The arguments of a tool are compared with none.
    """
    left = [value for name, value in parameters.items() if name != "arguments"]
    for number, value in enumerate(left):
        if number == _MAX_VALUES:
            return True
        # They are added to the list that is being read.
        left += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return False


def answer_to_invalid_bytes(body: bytes) -> JSONRPCError | None:
    """Return the response to a message that is not valid UTF-8 or otherwise not valid, or None for a valid message."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return error_response(PARSE_ERROR, "invalid JSON: expected UTF-8", None)
    return answer_to_invalid(text)


def request_ids(text: str) -> tuple[RequestId | None, RequestId | None]:
    """Return the ID of a valid request, and that of the request that a valid notification cancels, or None."""
    if '"id"' not in text and "cancelled" not in text:
        return None, None
    members = _members(text)
    parameters = members.get("params")
    cancelled = parameters.get("requestId") if isinstance(parameters, dict) else None
    return (
        valid_id(members.get("id")) if "method" in members else None,
        valid_id(cancelled) if members.get("method") == "notifications/cancelled" else None,
    )


def _request_id(text: str) -> RequestId | None:
    members = _members(text)
    # Nothing answers a response, even an invalid one.
    return valid_id(members.get("id")) if "method" in members or members.keys().isdisjoint(_OF_RESPONSES) else None


def _members(text: str) -> dict[str, Any]:
    """Return the members of an object. Unlike the SDK, this accepts lone surrogates and deep nesting."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def valid_id(value: Any) -> RequestId | None:
    """Return an ID, or None if it is invalid."""
    if isinstance(value, str):
        # A response cannot contain lone surrogates.
        return None if _SURROGATE.search(value) else value
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def error_response(code: int, message: str, request_id: RequestId | None) -> JSONRPCError:
    """Return the response to an invalid message."""
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message))
