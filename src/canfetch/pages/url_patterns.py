"""Patterns of paths in files other than robots.txt, which match URLs in the same way as in robots.txt.

Source: RFC 9309 section 2.2.2, to which TDMRep and RSL 1.0 refer.
"""

from functools import lru_cache
from typing import Final

from canfetch.core.escapes import encode_reserved_data
from canfetch.core.patterns import PatternText, matches, parse_pattern
from canfetch.core.profiles import PROFILES
from canfetch.core.targets import to_target
from canfetch.core.text import encode_text
from canfetch.core.urls import split_url

_PROFILE: Final = PROFILES["rfc9309"]
# Patterns of files that are asked about many URLs are kept. Longer ones are parsed again, which bounds the memory.
_MAX_KNOWN_LENGTH: Final = 256
_MAX_KNOWN_PATTERNS: Final = 4096


def normalize_target(url: str | bytes) -> bytes | None:
    """Return the path and query of a URL, normalised for comparison with patterns, or None if the URL is invalid.

    Cost: O(bytes).
    """
    encoded = encode_text(url) if isinstance(url, str) else url
    split = split_url(encoded)
    return None if split is None else to_target(encoded, split, _PROFILE)


def is_pattern(text: str) -> bool:
    """Return whether a text is a pattern that can match."""
    return bool(_texts(text))


def match_specificity(pattern: str, target: bytes) -> int | None:
    """Return the specificity of a pattern if it matches a target from `normalize_target`, or None.

    Cost: O(bytes of the pattern times bytes of the target) at worst.
    """
    texts = _texts(pattern)
    found = (text for text in texts if matches(text.text, encode_reserved_data(target) if text.form_b else target))
    first = next(found, None)
    return None if first is None else first.specificity


def _texts(pattern: str) -> tuple[PatternText, ...]:
    return _parse_known(pattern) if len(pattern) <= _MAX_KNOWN_LENGTH else _parse(pattern)


@lru_cache(_MAX_KNOWN_PATTERNS)
def _parse_known(pattern: str) -> tuple[PatternText, ...]:
    return _parse(pattern)


def _parse(pattern: str) -> tuple[PatternText, ...]:
    return parse_pattern(encode_text(pattern), allow=True, profile=_PROFILE)
