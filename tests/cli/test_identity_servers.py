"""The lines of `canfetch identity show --server` publish the files, also with unusual paths; real servers run them."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from tests.author.servers import SERVERS, find_program
from tests.stores.conftest import find_free_port

from canfetch.client.identity.keys import DIRECTORY_TYPE

Run = Any

_SECONDS = 60.0
_NGINX = """
daemon off; master_process off; pid nginx.pid;
events {{ worker_connections 16; }}
http {{
    access_log off; client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c;
    uwsgi_temp_path d; scgi_temp_path e;
    server {{
        listen 127.0.0.1:{port};
{lines}
    }}
}}
"""
_APACHE = """
ServerName localhost
DefaultRuntimeDir .
PidFile apache.pid
ErrorLog error.log
Listen 127.0.0.1:{port}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule mime_module /usr/lib/apache2/modules/mod_mime.so
LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so
LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
TypesConfig /dev/null
<Directory />
    Require all denied
</Directory>
{lines}
"""
_CONFIGURATIONS = {"nginx": _NGINX, "apache": _APACHE}


@contextmanager
def publishing(name: str, lines: str, folder: Path) -> Iterator[int]:
    """Run a server with these lines, and return its port."""
    program, port = find_program(SERVERS[name]), find_free_port()
    config = folder / "server.conf"
    config.write_text(_CONFIGURATIONS[name].format(port=port, lines=lines), encoding="utf-8")
    arguments = [part.format(folder=folder, config=config) for part in SERVERS[name].command]
    with subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            deadline = time.monotonic() + _SECONDS
            while process.poll() is None:
                try:
                    get(port, "/")
                    break
                except ConnectionRefusedError:
                    assert time.monotonic() < deadline
                    time.sleep(0.02)
            if process.returncode is not None:
                assert process.stdout is not None
                pytest.fail(process.stdout.read().decode())
            yield port
        finally:
            process.terminate()


def get(port: int, target: str) -> tuple[int, str | None, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    try:
        connection.request("GET", target)
        response = connection.getresponse()
        return response.status, response.getheader("Content-Type"), response.read()
    finally:
        connection.close()


@pytest.mark.service
@pytest.mark.parametrize("server", _CONFIGURATIONS)
@pytest.mark.parametrize(
    "name, target",
    [
        ("my bot", "/keys"),
        ("a;b{c}#d", "/my%20keys;b%7Bc%7D%23d"),
        ("a\"b'c", "/a%22b'c"),
        ("a\\n\\", "/a%5Cn%5C"),
        ("é%20", "/%C3%A9%2520"),
        ("a*[b]?", "/a*%5Bb%5D%3F%5C"),
        ("%{ENV:PATH}", "/$b%25%7BENV:PATH%7D"),
    ],
)
def test_files_with_unusual_paths_are_published(
    run: Run, tmp_path_factory: pytest.TempPathFactory, server: str, name: str, target: str
) -> None:
    assert run("identity", "init", name, "--url", f"https://bot.example{target}").code == 0
    lines = run("identity", "show", name, "--server", server).out
    keys = run("identity", "show", name, "--keys").out.strip().encode()
    with publishing(server, lines, tmp_path_factory.mktemp("server")) as port:
        assert get(port, target) == (200, DIRECTORY_TYPE, keys)
        assert get(port, "/identity.json")[0] in {403, 404}


@pytest.mark.parametrize(
    "server, name, path, character",
    [
        ("nginx", "a$b", "/keys", "'$'"),
        ("apache", "a${HOME}", "/keys", "'${'"),
        ("apache", "bot", "/$%7BHOME%7D", "'${'"),
        ("nginx", "a\nb", "/keys", r"'\n'"),
        ("apache", "bot", "/a%0Ab", r"'\n'"),
        ("nginx", "bot", "/a%FF", r"'\udcff'"),
    ],
)
def test_a_path_without_a_spelling_for_the_server_is_refused(
    run: Run, server: str, name: str, path: str, character: str
) -> None:
    assert run("identity", "init", name, "--url", f"https://bot.example{path}").code == 0
    shown = run("identity", "show", name, "--server", server)
    assert (shown.code, shown.out) == (2, "")
    assert f"for {server}, which has no escape for {character}: use another path" in shown.err


@pytest.mark.parametrize("server, name", [("nginx", "a{b}"), ("apache", "a$b")])
def test_a_path_that_the_server_does_not_expand_is_written(run: Run, server: str, name: str) -> None:
    assert run("identity", "init", name, "--url", "https://bot.example/$keys").code == 0
    text = run("identity", "show", name, "--server", server).out
    assert (f"{name}/public/" in text, '"/$keys"' in text) == (True, True)
