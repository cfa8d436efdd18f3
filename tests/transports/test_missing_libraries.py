"""Without the extras: the standard library's transport works, and the others say what to install."""

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
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "library, module",
    [("anyio", "httpx2_transport"), ("httpcore2", "httpx2_transport"), ("aiohttp", "aiohttp_transport")],
)
def test_missing_library_says_what_to_install(library: str, module: str) -> None:
    program = f"""
from canfetch.errors import MissingExtra
try:
    import canfetch.client.transports.{module}
except MissingExtra as missing:
    print(missing)
"""
    assert 'pip install "canfetch[http]"' in run([library], program)


def test_codings_without_decoder_are_not_asked_for() -> None:
    absent = ["brotli", "brotlicffi", "compression", "compression.zstd", "backports.zstd", "zstandard"]
    program = """
from canfetch.client.transports.decoding import accept_encoding
print(accept_encoding())
"""
    assert run(absent, program) == "gzip, deflate"


def test_standard_transport_imports_no_extra() -> None:
    program = """
import canfetch.client.transports.standard
print(sorted({name.partition(".")[0] for name in sys.modules} & {"httpx2", "aiohttp", "brotli", "zstandard", "ftplib"}))
"""
    assert run([], program) == "[]"
