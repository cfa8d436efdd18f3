"""Seals: the last line of a closed segment, with the number of decisions and a checksum of the line itself.

The checksum reveals any change of the line, but anyone can compute it. With a key, the seal also contains an
HMAC-SHA256 (RFC 2104), which only holders of the key can compute. The line contains the hash of the line before it, so
the HMAC covers the whole segment.
"""

import hashlib
import hmac
import os
from pathlib import Path
from typing import Any, Final

from canfetch.client.evidence.chain import encode_record, is_sha256
from canfetch.core.quoting import quoted
from canfetch.errors import EvidenceError, InvalidOption

MIN_KEY_BYTES: Final = 16
_CHANGED: Final = "the seal was changed: its checksum does not match"
_COMPUTED_FIELDS: Final = frozenset({"checksum", "hmac"})


def read_key(file: str | os.PathLike[str]) -> bytes:
    """Read the key of seals from a file. White space at the beginning and the end is ignored.

    Raises: EvidenceError: The file cannot be read. InvalidOption: The key is too short.
    """
    path = Path(file)
    try:
        key = path.read_bytes().strip()
    except OSError as error:
        raise EvidenceError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        return check_key(key)
    except InvalidOption as error:
        raise InvalidOption(f"{path}: {error}") from None


def check_key(key: bytes) -> bytes:
    """Return `key`.

    Raises: InvalidOption: The key is not bytes, or too short.
    """
    if not isinstance(key, bytes):
        raise InvalidOption(f"invalid key of type {type(key).__name__}: expected bytes")
    if len(key) < MIN_KEY_BYTES:
        raise InvalidOption(f"invalid key of {len(key)} bytes: expected at least {MIN_KEY_BYTES} random bytes")
    return key


def sealed_record(record: dict[str, Any], key: bytes | None) -> dict[str, Any]:
    """Return `record` with its checksum, and with its HMAC if there is a key."""
    content = encode_record(record)
    computed = {"checksum": hashlib.sha256(content).hexdigest()}
    if key is not None:
        computed["hmac"] = _hmac(key, content)
    return {**record, **computed}


def find_seal_problem(record: dict[str, Any], line: bytes, decisions: int, key: bytes | None) -> str | None:
    """Return what is wrong with a seal, or None.

    Args:
        record: The decoded seal.
        line: Its line without the line feed.
        decisions: Number of decisions in the segment.
        key: The key that seals must have been made with, or None.
    """
    try:
        is_canonical = encode_record(record) == line
        content = encode_record({name: value for name, value in record.items() if name not in _COMPUTED_FIELDS})
    except RecursionError:
        # Nested too deeply to be encoded, though not to be decoded.
        return _CHANGED
    if not is_canonical or record.get("checksum") != hashlib.sha256(content).hexdigest():
        return _CHANGED
    counted = record.get("decisions")
    if counted != decisions:
        return f"the seal counts {quoted(counted)} decisions, but the segment contains {decisions}"
    if key is None:
        return None
    value = record.get("hmac")
    if value is None:
        return "the seal was made without a key"
    if not is_sha256(value) or not hmac.compare_digest(value, _hmac(key, content)):
        return "the seal was not made with this key"
    return None


def _hmac(key: bytes, content: bytes) -> str:
    return hmac.new(key, content, hashlib.sha256).hexdigest()
