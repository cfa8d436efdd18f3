"""Write the pages that are built from code and data, and not committed: a Sphinx extension."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from check_pages import check_pages

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# The conformance package is not installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.scoreboard.page import pages as scoreboard_pages
from conformance.scoreboard.saved_results import Results

FOLDERS = ("checks", "scoreboard")


def write_pages(docs: Path) -> list[Path]:
    """Write all pages into the folder `docs`, remove those that are obsolete, and return their paths.

    A file that would not change is not written, so that Sphinx does not read it again.
    """
    texts = {docs / name: text for name, text in {**check_pages(), **scoreboard_pages(Results.load())}.items()}
    for folder in FOLDERS:
        for path in docs.glob(f"{folder}/*"):
            if path not in texts:
                path.unlink()
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return list(texts)


def _on_builder_inited(app: Sphinx) -> None:
    write_pages(app.srcdir)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the callback, which runs before Sphinx looks for pages."""
    app.connect("builder-inited", _on_builder_inited)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
