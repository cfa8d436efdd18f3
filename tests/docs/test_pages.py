"""Every code block of the documentation is run, parsed, or on the list of blocks that are not run."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import copytree, which

import pytest
from tests.docs.blocks import DIRECTIVES, DOCUMENTS, PARSED, ROOT, RUN, TEXT, blocks, page_name
from tests.docs.example_hosts import ROBOTS, example_site
from tests.servers.certificates import Authority

HERE = Path(__file__).parent
SECONDS = 300
# The reasons that the pages give, one for each block that is not run.
NOT_RUN = {
    "CONTRIBUTING.md": ["needs a checkout"],
    "README.md": ["downloads packages"],
    "docs/benchmarks.md": ["takes ten minutes"],
    "docs/installation.md": [
        "downloads packages",
        "downloads packages and needs Rust",
        "downloads packages",
    ],
    "docs/linting.md": ["needs a folder of robots.txt files"],
}
# Optional modules; without one of them, the blocks that need it are not run.
NEEDED = {"docs/cookbook.md": ["pandas", "polars"]}
# Settings of this machine that would change what an example does.
MACHINE = ("COLUMNS", "FORCE_COLOR", "TERM", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_DIR")


def has_code(page: Path) -> bool:
    return any(block.language in RUN | PARSED for block in blocks(page))


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
        }


@pytest.fixture
def environment(network: Mapping[str, str], tmp_path: Path) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name.upper() not in MACHINE}
    cache = str(tmp_path / "cache")
    return {
        **inherited,
        **network,
        **dict.fromkeys(("XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"), cache),
        "COLUMNS": "120",
        "NO_COLOR": "1",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), inherited.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join([str(HERE / "loopback"), str(ROOT / "src"), str(ROOT)]),
        "PYTHONUTF8": "1",
        "PYTHONWARNINGS": "error",
    }


@pytest.mark.parametrize("page", [page for page in DOCUMENTS if has_code(page)], ids=page_name)
def test_blocks_do_what_the_page_shows(page: Path, environment: dict[str, str], tmp_path: Path) -> None:
    for module in ("aiohttp", "httpx2", "lxml", "yaml"):
        if module in page.read_text(encoding="utf-8"):
            pytest.importorskip(module)
    if sys.platform == "win32" or which("bash") is None:
        pytest.skip("the shell examples need bash and the paths of POSIX")
    folder = tmp_path / "page"
    copytree(ROOT / "examples", folder / "examples")
    done = subprocess.run(
        [sys.executable, str(HERE / "page_runner.py"), str(page)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    # For example, a connection that an example did not close.
    assert not done.stderr


def test_every_language_is_known() -> None:
    known = RUN | PARSED | TEXT | DIRECTIVES
    unknown = [
        f"{page_name(page)}:{block.line}: {block.language}"
        for page in DOCUMENTS
        for block in blocks(page)
        if block.language not in known
    ]
    assert not unknown


def test_list_of_blocks_that_are_not_run() -> None:
    found = {page_name(page): [block.reason for block in blocks(page) if block.reason] for page in DOCUMENTS}
    assert {page: reasons for page, reasons in found.items() if reasons} == NOT_RUN
    needed = {page_name(page): [block.needs for block in blocks(page) if block.needs] for page in DOCUMENTS}
    assert {page: modules for page, modules in needed.items() if modules} == NEEDED
