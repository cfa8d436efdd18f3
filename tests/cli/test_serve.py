"""Options of `canfetch serve` that are refused before anything listens."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import RunCommand

pytest.importorskip("fastapi")


def test_public_address_requires_a_token(run: RunCommand) -> None:
    ran = run("serve", "--host", "0.0.0.0", "--store", "none")  # noqa: S104 - it is refused
    assert ran.refusal == (
        "canfetch: --host 0.0.0.0 is reachable from other machines: pass --token, or --allow-public to serve everyone\n"
    )


def test_taken_port_is_an_error(run: RunCommand) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run("serve", "--port", str(port), "--store", "none")
    assert ran.code == 2
    assert ran.err.startswith(f"canfetch: cannot listen on 127.0.0.1, port {port}: ")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--port", "65536"], "'65536' is not a port"),
        (["--token", "a b"], "invalid token: expected printable ASCII characters without spaces"),
        (["--policy", "nobody"], "'nobody'"),
        (["--store", "ftp://x"], "--store 'ftp://' is not supported"),
        (["--trusted-proxy", "proxy"], "invalid trusted proxy 'proxy'"),
        (["--host", "no such host"], "invalid host 'no such host'"),
        (["--host", "[::1]"], "invalid host '[::1]': write an IPv6 address without brackets"),
        (["--host", "x..y"], "invalid host 'x..y'"),
        (["--host", ""], "invalid host '': expected an address, such as 127.0.0.1"),
    ],
    ids=["port", "token", "policy", "store", "proxy", "host", "brackets", "labels", "no host"],
)
def test_invalid_option_is_an_error(run: RunCommand, arguments: list[str], message: str) -> None:
    ran = run("serve", "--store", "none", *arguments) if "--store" not in arguments else run("serve", *arguments)
    assert message in ran.refusal


@pytest.mark.parametrize("command", [("serve",), ("mcp", "--http")])
def test_empty_token_variable_is_an_error(tmp_path: Path, command: tuple[str, ...]) -> None:
    pytest.importorskip("mcp")
    # In a process of its own, because the MCP server sets up its log and its signals first.
    ran = subprocess.run(
        [sys.executable, "-m", "canfetch", *command, "--store", "none", "--port", "0"],
        env={**os.environ, "CANFETCH_TOKEN": ""},
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    message = "canfetch: invalid token: expected printable ASCII characters without spaces, and at most 4000 of them\n"
    assert (ran.returncode, ran.stderr) == (2, message)
