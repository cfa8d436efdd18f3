"""The pages that `make docs` builds from code and data, in a temporary folder."""

from pathlib import Path

import pytest
from built_pages import write_pages
from tests.docs.blocks import DIRECTIVES, TEXT, blocks

from canfetch.lint import CHECKS


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    write_pages(folder)
    return folder


@pytest.mark.slow
def test_every_check_has_a_page_with_a_reported_and_an_unreported_example(docs: Path) -> None:
    index = (docs / "checks" / "index.md").read_text(encoding="utf-8")
    for check in CHECKS:
        page = (docs / "checks" / f"{check.code}.md").read_text(encoding="utf-8")
        reported, _, unreported = page.partition("\nNot reported:\n")
        # The quoted finding comes from the linter, which checks the example when the page is built.
        assert "\n> Line " in reported.partition("\nReported:\n")[2]
        assert unreported
        assert f"# canfetch: allow {check.name}\n" in page
        assert f"[{check.code}]({check.code}.md)" in index


@pytest.mark.slow
def test_built_pages_have_no_block_that_would_have_to_be_run(docs: Path) -> None:
    pages = sorted(docs.rglob("*.md"))
    assert pages
    assert {block.language for page in pages for block in blocks(page)} <= TEXT | DIRECTIVES


@pytest.mark.slow
def test_a_second_build_changes_nothing_and_removes_obsolete_pages(docs: Path) -> None:
    (docs / "checks" / "CF000.md").write_text("# CF000\n", encoding="utf-8")
    before = {path: path.stat().st_mtime_ns for path in docs.rglob("*") if path.is_file() and path.stem != "CF000"}

    written = write_pages(docs)

    assert {path: path.stat().st_mtime_ns for path in docs.rglob("*") if path.is_file()} == before
    assert set(written) == set(before)
