"""Every code block of the documentation is run, parsed, or on the list of blocks that are not run.

With `--write-examples`, the pages show the new output of their commands afterwards.
"""

import sys
from pathlib import Path
from shutil import copytree, which

import pytest
from tests.docs.blocks import DIRECTIVES, DOCUMENTS, PARSED, ROOT, RUN, TEXT, blocks, page_name
from tests.docs.programs import completed

HERE = Path(__file__).parent
# The reasons that the pages give, one for each block that is not run.
NOT_RUN = {
    "CONTRIBUTING.md": ["needs a checkout"] * 2,
    # tests/conformance/test_first_steps.py runs them.
    "conformance/README.md": ["needs the release archive"] * 6,
    "docs/agents.md": ["downloads lists of addresses", *["needs a published release"] * 2],
    "docs/audit-report.md": ["the shop is invented"],
    "docs/bulk.md": ["needs Spark"],
    "docs/benchmarks.md": ["takes ten minutes", "takes minutes"],
    "docs/comparison.md": ["needs a folder of robots.txt files", "takes minutes"],
    # tests/c_library/test_page.py runs those that need the library.
    "docs/c.md": ["needs a checkout", *["needs the C library"] * 3, "needs a checkout"],
    "docs/columns.md": [
        "needs Spark",
        "needs Spark",
        "needs Spark",
        "downloads packages and needs Spark",
        "needs Spark",
    ],
    "docs/container.md": ["builds the image", *["needs a container engine"] * 5],
    "docs/crawling.md": ["needs a PostgreSQL server", "needs a URLFrontier service"],
    "docs/index.md": ["needs a checkout"],
    "docs/javascript.md": ["needs a checkout"],
    "docs/generated-archives.md": ["needs a checkout"],
    "docs/installation.md": [
        "needs a checkout",
        "needs a checkout",
        "downloads packages",
        "needs a checkout",
        "needs a checkout",
        "downloads packages and needs Rust",
        "downloads packages",
        "a checkout has no bill of materials",
    ],
    "docs/mcp.md": ["needs Claude Code", "serves until it is stopped"],
    "docs/rust.md": ["needs a checkout"] * 3,
    "docs/serve.md": ["serves until it is stopped", *["needs the server"] * 5],
    "docs/simulation.md": ["needs a checkout"],
    "docs/use.md": ["needs the network"],
    "docs/watching.md": ["runs until it is stopped"],
    "docs/linting.md": ["needs a folder of robots.txt files"] * 4,
}
# Optional modules; without one of them, the blocks that need it are not run.
NEEDED = {
    "docs/bulk.md": [*["deltalake"] * 3, *["pyiceberg"] * 4],
    "docs/cookbook.md": ["pandas", "polars", "pandas"],
    "docs/agents.md": ["http_message_signatures"] * 2,
    "docs/serving.md": ["http_message_signatures", "http_message_signatures"],
}


def has_code(page: Path) -> bool:
    return any(block.language in RUN | PARSED for block in blocks(page))


@pytest.mark.service
@pytest.mark.parametrize("page", [page for page in DOCUMENTS if has_code(page)], ids=page_name)
def test_blocks_do_what_the_page_shows(
    page: Path, environment: dict[str, str], tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    for module in ("aiohttp", "django", "httpx2", "lxml", "scrapy", "yaml"):
        if module in page.read_text(encoding="utf-8"):
            pytest.importorskip(module)
    if "import requests" in page.read_text(encoding="utf-8"):
        pytest.importorskip("requests")
    if sys.platform == "win32" or which("bash") is None:
        pytest.skip("the shell examples need bash and the paths of POSIX")
    folder = tmp_path / "page"
    copytree(ROOT / "examples", folder / "examples")
    command = [sys.executable, str(HERE / "page_runner.py"), str(page)]
    if pytestconfig.getoption("--write-examples"):
        command.append("--write")
    done = completed(command, cwd=folder, env=environment, seconds=1800)
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
