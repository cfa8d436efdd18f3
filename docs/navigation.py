"""Compute the navigation of each page from the titles of all pages: a Sphinx extension.

The theme shows only titles. For each page, Sphinx copies the entries of all sections of all pages, and then removes
them, which took half of the time of the build. With this extension, they are removed once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sphinx import addnodes

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx


def titles_only(contents: nodes.bullet_list) -> nodes.bullet_list:
    """Return the contents of a page without its sections, except for the lists of pages in them."""
    titles = contents.deepcopy()
    for title in titles.children:
        if len(title) > 1:
            if lists := list(title.findall(addnodes.toctree)):
                title[1][:] = lists
            else:
                title.pop(1)
    return titles


class _Navigation:
    """The contents of all pages, without their sections."""

    def __init__(self) -> None:
        self._titles: dict[str, nodes.bullet_list] = {}

    def on_page(self, app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
        """Replace the function that the theme calls for the navigation."""
        complete = context["toctree"]

        def toctree(**options: Any) -> str:
            if not options.get("titles_only"):
                return str(complete(**options))
            self._titles = self._titles or {name: titles_only(found) for name, found in app.env.tocs.items()}
            contents, app.env.tocs = app.env.tocs, self._titles
            try:
                return str(complete(**options))
            finally:
                app.env.tocs = contents

        context["toctree"] = toctree


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the callback, which runs before that of the theme."""
    app.connect("html-page-context", _Navigation().on_page, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
