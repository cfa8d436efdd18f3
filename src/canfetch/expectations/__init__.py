"""Expectations about a robots.txt: what agents may and may not fetch, checked for all URLs of a pattern.

TOML -> (expectation_file) Expectations -> (checking, compare) failures, each with a URL
"""

from canfetch.expectations.checking import Failure, check_expectations
from canfetch.expectations.expectation_file import (
    EXPECTATION_FILE,
    Expectation,
    Expectations,
    load_expectations,
    parse_expectations,
)

__all__ = [
    "EXPECTATION_FILE",
    "Expectation",
    "Expectations",
    "Failure",
    "check_expectations",
    "load_expectations",
    "parse_expectations",
]
