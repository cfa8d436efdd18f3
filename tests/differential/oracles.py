"""The parsers that are compared: Google's parser and the engines of canfetch."""

import platform
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any, Final

from tests.missing import in_ci

from canfetch.core.contract import CompiledFile
from canfetch.core.engines import get_compiler
from canfetch.core.profiles import PROFILES as FLAGS
from canfetch.core.text import encode_text

CompileFile = Callable[[bytes, str], CompiledFile]
GoogleParser = Callable[[bytes, bytes, bytes], tuple[bool, int]]

PROFILES: Final = tuple(FLAGS)


def compile_with(engine: str) -> CompileFile:
    """Return the function that compiles a file in an engine."""
    return get_compiler(engine)


@cache
def google() -> GoogleParser:
    """Return a function of file, product token and URL that returns whether it is allowed, and the matching line or 0.

    Raises: ImportError: Google's parser is not installed.
    """
    from jwm.robotstxt.googlebot import RobotsMatcher

    matcher: Any = RobotsMatcher()
    allowed, line = matcher.AllowedByRobots, matcher.matching_line

    def decide(content: bytes, token: bytes, url: bytes) -> tuple[bool, int]:
        return bool(allowed(content, [token], url)), int(line())

    return decide


def encode_url(url: str | bytes) -> bytes:
    """Return the bytes of a URL, as the engines compare it."""
    return encode_text(url) if isinstance(url, str) else url


def missing_google() -> str:
    """Return why Google's parser is not available; empty if it is."""
    return "" if find_spec("jwm") else "jwm.robotstxt, Google's parser, is not installed"


def google_is_required() -> bool:
    """Return whether Google's parser must be installed: in CI, on platforms with wheels."""
    has_wheel = sys.platform == "darwin" or platform.machine() in {"x86_64", "AMD64"}
    return in_ci() and has_wheel and sys.version_info < (3, 14) and sys.implementation.name == "cpython"
