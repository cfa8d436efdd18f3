"""Write the pages that are built from code and data, and not committed: a Sphinx extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from check_pages import check_pages

if TYPE_CHECKING:
    from pathlib import Path

    from sphinx.application import Sphinx


def write_pages(docs: Path) -> list[Path]:
    """Write all pages into the folder `docs`, remove those that are obsolete, and return their paths.

    A file that would not change is not written, so that Sphinx does not read it again.
    """
    texts = {docs / name: text for name, text in check_pages().items()}
    for path in docs.glob("checks/*.md"):
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
