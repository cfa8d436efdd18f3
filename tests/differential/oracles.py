"""Whom generated files are asked about: Google's parser, and our two engines."""

import os
import platform
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any, Final

from canfetch.core.contract import CompiledFile
from canfetch.core.engines import get_compiler
from canfetch.core.profiles import PROFILES as FLAGS
from canfetch.core.text import encode_text

CompileFile = Callable[[bytes, str], CompiledFile]
AskGoogle = Callable[[bytes, bytes, bytes], tuple[bool, int]]

# The readings of urllib.robotparser are of the Python engine alone, and have an oracle of their own.
PROFILES: Final = tuple(name for name, flags in FLAGS.items() if not flags.robotparser)


def compile_with(engine: str) -> CompileFile:
    """Give the function by which an engine compiles a file."""
    return get_compiler(engine)


@cache
def google() -> AskGoogle:
    """Give a function of file, product token and URL, all octets: allowed or not, and the line that matched, or 0.

    Raises: ImportError: Google's parser is not installed.
    """
    from jwm.robotstxt.googlebot import RobotsMatcher

    matcher: Any = RobotsMatcher()
    allowed, line = matcher.AllowedByRobots, matcher.matching_line

    def ask(octets: bytes, token: bytes, url: bytes) -> tuple[bool, int]:
        return bool(allowed(octets, [token], url)), int(line())

    return ask


def octets_of_url(url: str | bytes) -> bytes:
    """Give the octets that our engines see of a URL."""
    return encode_text(url) if isinstance(url, str) else url


def why_no_google() -> str:
    """Say why Google's parser cannot be asked here; empty where it can."""
    return "" if find_spec("jwm") else "jwm.robotstxt, Google's parser, is not installed"


def in_ci() -> bool:
    """Say whether this is a run where what is missing is an error."""
    return os.environ.get("CI", "") not in {"", "0", "false"}


def google_is_due() -> bool:
    """Say whether Google's parser must be there: in CI, on the platforms that it has wheels for."""
    has_wheel = sys.platform == "darwin" or platform.machine() in {"x86_64", "AMD64"}
    return in_ci() and has_wheel and sys.version_info < (3, 14) and sys.implementation.name == "cpython"
