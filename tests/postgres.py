"""A PostgreSQL server on loopback, started by the tests that need one."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
from tests.missing import skip_unless_ci
from tests.stores.conftest import find_free_port

_FOLDERS: Final = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True), Path("/usr/pgsql/bin")]


class PostgresServer:
    """A server with an empty cluster in a folder of its own.

    Args: folder: Where its files are. It belongs to the user of the server.
    """

    def __init__(self, folder: Path, port: int) -> None:
        self._folder = folder
        self._port = port
        # The server refuses to run as root.
        self._as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "postgres") -> str:
        """Return the URL of a database."""
        return f"postgresql://postgres@127.0.0.1:{self._port}/{database}"

    def create_database(self, name: str) -> str:
        """Create a database, and return its URL."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return self.url(name)

    def initialize(self) -> None:
        """Create the cluster."""
        command = [*self._as_user, find_program("initdb"), "-D", str(self._folder / "data"), "-U", "postgres"]
        subprocess.run([*command, "-A", "trust", "-E", "UTF8", "--no-sync"], check=True, stdout=subprocess.DEVNULL)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self._port),
            "unix_socket_directories": str(self._folder),
            "max_connections": "50",
        }
        arguments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        log = (self._folder / "log").open("ab")
        with log:
            self._process = subprocess.Popen(
                [*self._as_user, find_program("postgres"), "-D", str(self._folder / "data"), *arguments],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.url(), connect_timeout=5).close()
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise AssertionError((self._folder / "log").read_text()) from error
                time.sleep(0.05)
            else:
                return

    def kill(self) -> None:
        """Kill all processes of the server, as a crash does. What it acknowledged is on the disk."""
        postmaster = int((self._folder / "data/postmaster.pid").read_text().split("\n", 1)[0])
        os.kill(postmaster, signal.SIGKILL)
        assert self._process is not None
        self._process.wait(30)

    def stop(self) -> None:
        """Stop the server."""
        if self._process is None or self._process.poll() is not None:
            return
        postmaster = int((self._folder / "data/postmaster.pid").read_text().split("\n", 1)[0])
        os.kill(postmaster, signal.SIGINT)
        self._process.wait(60)


@contextmanager
def start_postgres() -> Iterator[PostgresServer]:
    """Start a server for the block."""
    folder = Path(tempfile.mkdtemp(prefix="canfetch-postgres-"))
    try:
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(folder, user.pw_uid, user.pw_gid)
        server = PostgresServer(folder, find_free_port())
        server.initialize()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def find_program(name: str) -> str:
    """Return the path of a program of PostgreSQL, which Debian does not have on the path."""
    found = shutil.which(name) or shutil.which(name, path=os.pathsep.join(map(str, _FOLDERS)))
    if found is None:
        skip_unless_ci(f"the program {name} of PostgreSQL is not installed")
    return found
