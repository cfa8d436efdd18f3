"""Behaviour without optional dependencies."""

import subprocess
import sys

import pytest

ABSENT = """
import sys
for name in {names!r}:
    sys.modules[name] = None
"""


def run(names: list[str], program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", ABSENT.format(names=names) + program],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize(
    "library, module, extra",
    [
        ("httpcore2", "httpx2_transport", "http"),
        ("aiohttp", "aiohttp_transport", "http"),
        ("requests", "requests_transport", "requests"),
    ],
)
def test_missing_library_is_named_with_its_extra(library: str, module: str, extra: str) -> None:
    program = f"""
from canfetch.errors import MissingExtra
try:
    import canfetch.client.transports.{module}
except MissingExtra as missing:
    print(missing)
"""
    assert f'pip install "canfetch[{extra}]"' in run([library], program)


@pytest.mark.slow
def test_http2_needs_its_library() -> None:
    # find_spec finds no module whose entry is None.
    program = """
from canfetch.errors import MissingExtra
from canfetch.client.transports.httpx2_transport import Httpx2Transport
Httpx2Transport()
try:
    Httpx2Transport(http2=True)
except MissingExtra as missing:
    print(missing)
"""
    assert run(["h2"], program) == 'h2 is not installed: pip install "httpx2[http2]"'


def test_accept_encoding_omits_codings_without_library() -> None:
    absent = ["brotli", "brotlicffi", "compression", "compression.zstd", "backports.zstd", "zstandard"]
    program = """
from canfetch.client.transports.response_body import accept_encoding
print(accept_encoding())
"""
    assert run(absent, program) == "gzip, deflate"


@pytest.mark.slow
def test_http_transport_imports_no_optional_dependency() -> None:
    program = """
import canfetch.client.transports.http_transport
print(sorted({name.partition(".")[0] for name in sys.modules} & {"httpx2", "aiohttp", "brotli", "zstandard", "ftplib"}))
"""
    assert run([], program) == "[]"
