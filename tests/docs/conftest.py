"""Fixtures that run examples in processes of their own, with the hosts of `example_hosts.py` on loopback."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.docs.blocks import ROOT
from tests.docs.example_hosts import ROBOTS, example_site
from tests.servers.certificates import Authority

LOOPBACK = Path(__file__).parent / "loopback"
# Settings of this machine that would change what an example does.
MACHINE = (
    "CANFETCH_REGISTRY",
    "COLUMNS",
    "FORCE_COLOR",
    "TERM",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_DIR",
)
# The real curl would not find the hosts.
CURL = """\
#!{python}
import sys, urllib.request
sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[-1]).read())
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-examples", action="store_true", help="let the pages show the new output of their commands"
    )


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """Serve the hosts of the examples, and return the environment variables that route requests to them."""
    authority = Authority(tmp_path_factory.mktemp("certificates"))
    with example_site(None) as http, example_site(authority.for_names(*ROBOTS)) as https:
        yield {
            "EXAMPLES_HOSTS": " ".join(ROBOTS),
            "EXAMPLES_HTTP_PORT": str(http.port),
            "EXAMPLES_HTTPS_PORT": str(https.port),
            "SSL_CERT_FILE": str(authority.file),
            "REQUESTS_CA_BUNDLE": str(authority.file),
        }


@pytest.fixture
def environment(network: Mapping[str, str], tmp_path: Path) -> dict[str, str]:
    return example_environment(network, tmp_path)


def example_environment(network: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return the environment of an example: a home in `folder`, no settings of this machine, and the network."""
    inherited = {name: value for name, value in os.environ.items() if name.upper() not in MACHINE}
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    (programs / "curl").write_text(CURL.format(python=sys.executable), encoding="utf-8")
    (programs / "curl").chmod(0o755)
    path = [str(programs), str(Path(sys.executable).parent), inherited.get("PATH", "")]
    return {
        **inherited,
        **network,
        **dict.fromkeys(("XDG_CACHE_HOME", "XDG_DATA_HOME", "HOME", "LOCALAPPDATA"), str(folder / "home")),
        "COLUMNS": "120",
        "NO_COLOR": "1",
        "PATH": os.pathsep.join(path),
        "PYTHONPATH": os.pathsep.join([str(LOOPBACK), str(ROOT / "src"), str(ROOT)]),
        "PYTHONUTF8": "1",
        "PYTHONWARNINGS": "error",
    }
