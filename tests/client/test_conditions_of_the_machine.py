"""The failures of this machine under real conditions: in processes with few descriptors, no network, and few ports.

A namespace of Linux has its own network. It begins without any interface, and has few ports after `sysctl`.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence

import pytest

for module in ("aiohttp", "httpx2", "requests"):
    pytest.importorskip(module)

pytestmark = [
    pytest.mark.service,
    pytest.mark.skipif(
        shutil.which("unshare") is None or subprocess.run(["unshare", "-n", "true"], check=False).returncode != 0,
        reason="needs the right to create network namespaces",
    ),
]

# Prints what a client with each transport says about each URL.
ASK = r"""
import socket
import canfetch
from tests.access.client_harness import open_client
from tests.transports.harness import TRANSPORT_NAMES
from tests.transports.session_harness import SESSION_NAMES

def report(*urls):
    for url in urls:
        for name in (*TRANSPORT_NAMES, *SESSION_NAMES):
            with open_client(name, timeout=5.0) as client:
                try:
                    print(url, name, client.origin_state(url).entry.outcome.kind)
                except canfetch.RequestNotSent:
                    print(url, name, "not sent")
"""
WITHOUT_NETWORK = 'report("http://192.0.2.10/", "http://[2001:db8::10]/", "ftp://192.0.2.10/")'
# One of the two ports listens, and the other one is in use for a connection to it.
WITHOUT_PORTS = """
server = socket.create_server(("127.0.0.1", 80))
taken = []
try:
    while True:
        taken.append(socket.create_connection(("127.0.0.1", 80), timeout=5))
except OSError as error:
    print(error.errno)
report("http://127.0.0.1/")
"""
FEW_PORTS = "ip link set lo up && echo '50000 50003' > /proc/sys/net/ipv4/ip_local_port_range && exec"


def run_in_namespace(script: str, prepare: str = "exec") -> Sequence[str]:
    shell = f'{prepare} "$0" -W ignore -c "$1"'
    ran = subprocess.run(
        ["unshare", "-n", "sh", "-c", shell, sys.executable, f"{ASK}\n{script}"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.stderr == ""
    return ran.stdout.splitlines()


def test_every_network_is_down() -> None:
    lines = run_in_namespace(WITHOUT_NETWORK)
    unsupported = [line for line in lines if line.startswith("ftp:") and line.split()[1] not in ("http", "http-async")]
    assert {line.split(maxsplit=2)[2] for line in unsupported} == {"network_error"}
    # urllib3 does not look for IPv6 addresses on a machine without any.
    unsupported += [line for line in lines if line.startswith("http://[") and line.split()[1] == "requests-session"]
    others = [line for line in lines if line not in unsupported]
    assert len(others) == 2 * 9 - 1 + 2
    assert [line for line in others if not line.endswith("not sent")] == []


def test_no_port_is_free() -> None:
    errno, *lines = run_in_namespace(WITHOUT_PORTS, FEW_PORTS)
    assert errno == "99"
    assert len(lines) == 9
    assert [line for line in lines if not line.endswith("not sent")] == []
