"""A test server of the URLFrontier protocol on loopback, and a Java client, on the published package for Java."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.missing import skip_unless_ci
from tests.stores.conftest import find_free_port

_SOURCE: Final = Path(__file__).with_name("urlfrontier_server")
_BUILD: Final = Path(__file__).parents[1] / "build" / "urlfrontier"
_JAVA: Final = ["java", "-Xmx512m", "-XX:+UseSerialGC", "-cp", f"{_BUILD / 'classes'}:{_BUILD / 'lib'}/*"]


class URLFrontierServer:
    """A test server, which keeps everything in memory. See `TestServer.java`.

    Args: nodes: The number of its nodes, each with a port.
    """

    def __init__(self, nodes: int) -> None:
        self._ports = [find_free_port() for _ in range(nodes)]
        build_java()
        self._process = subprocess.Popen(
            [*_JAVA, "TestServer", *map(str, self._ports)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    @property
    def address(self) -> str:
        """The addresses of all nodes."""
        return ",".join(f"127.0.0.1:{port}" for port in self._ports)

    def command(self, command: str) -> str:
        """Send a command, and return its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().rstrip("\n")

    def stop(self) -> None:
        """Stop the server."""
        self._process.communicate(timeout=30)


@contextmanager
def start_urlfrontier(nodes: int = 1) -> Iterator[URLFrontierServer]:
    """Start a test server for the block."""
    server = URLFrontierServer(nodes)
    try:
        yield server
    finally:
        server.stop()


def run_java_client(*arguments: str) -> list[str]:
    """Run the Java client, and return the lines of its output."""
    build_java()
    done = subprocess.run([*_JAVA, "JavaClient", *arguments], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.splitlines()


def build_java() -> None:
    """Build the server and the client, unless they are built from the same sources already."""
    for program in ("javac", "mvn"):
        if shutil.which(program) is None:
            skip_unless_ci(f"{program} is not installed")
    digest = hashlib.sha256()
    for path in sorted(_SOURCE.rglob("*.*")):
        digest.update(path.read_bytes())
    stamp = _BUILD / "built"
    _BUILD.mkdir(parents=True, exist_ok=True)
    # Several processes run tests.
    with (_BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.exists() and stamp.read_text() == digest.hexdigest():
            return
        maven = ["mvn", "--quiet", "--batch-mode", f"--file={_SOURCE / 'pom.xml'}", f"-Dbuild.folder={_BUILD}"]
        command = [*maven, "compile", "dependency:copy-dependencies", f"-DoutputDirectory={_BUILD / 'lib'}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        stamp.write_text(digest.hexdigest())


def find_service() -> str | None:
    """Return the address of the service that CANFETCH_URLFRONTIER names, with which tests run instead."""
    return os.environ.get("CANFETCH_URLFRONTIER") or None
