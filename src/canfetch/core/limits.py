"""Limits on the size of parsed files, and on cached rule sets."""

from canfetch.core._tables import COMPILED_RULES_LIMIT, COMPILED_SETS_LIMIT, DEFAULT_MAX_BYTES, MAX_BYTES_LIMIT

__all__ = ["COMPILED_RULES_LIMIT", "COMPILED_SETS_LIMIT", "DEFAULT_MAX_BYTES", "MAX_BYTES_LIMIT"]
