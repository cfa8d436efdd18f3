"""The navigation of the documentation is that of Sphinx, computed from fewer entries."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.blocks import ROOT

# `make docs` installs Sphinx and the theme, and so does CI before the slow tests.
pytest.importorskip("furo")

from docutils import nodes
from navigation import titles_only
from sphinx import addnodes

PAGES = {
    "index": "Home\n====\n\n.. toctree::\n\n   long\n   folder/index\n",
    "long": "Long\n====\n\nFirst\n-----\n\nFirst of first\n~~~~~~~~~~~~~~\n\nSecond\n------\n",
    "folder/index": "Folder\n======\n\nA\n-\n\n.. toctree::\n\n   one\n\nB\n-\n\n.. toctree::\n\n   two\n",
    "folder/one": "One\n===\n\nPart\n----\n",
    "folder/two": "Two\n===\n\nPart\n----\n",
}


def item(title: str, *parts: nodes.Node) -> nodes.list_item:
    found = addnodes.compact_paragraph("", "", nodes.reference("", title))
    return nodes.list_item("", found, *([nodes.bullet_list("", *parts)] if parts else []))


def test_sections_are_removed_and_lists_of_pages_stay() -> None:
    contents = nodes.bullet_list("", item("Page", item("A", item("B", addnodes.toctree(entries=[]))), item("C")))
    titles = titles_only(contents)
    assert [text.astext() for text in titles.findall(nodes.reference)] == ["Page"]
    assert len(list(titles.findall(addnodes.toctree))) == 1
    assert [text.astext() for text in contents.findall(nodes.reference)] == ["Page", "A", "B", "C"]
    assert titles_only(nodes.bullet_list("", item("Page", item("A")))).astext() == "Page"


@pytest.mark.slow
def test_pages_are_those_of_a_build_without_the_extension(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    for name, text in PAGES.items():
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / f"{name}.rst").write_text(text, encoding="utf-8")
    (docs / "conf.py").write_text(f"import sys\nsys.path.append({str(ROOT / 'docs')!r})\n", encoding="utf-8")
    built: list[dict[str, str]] = []
    for more in ([], ["-D", "extensions=navigation"]):
        folder = tmp_path / f"html{len(built)}"
        options = ["-q", "-W", "-D", "html_theme=furo", *more]
        subprocess.run([sys.executable, "-m", "sphinx", *options, str(docs), str(folder)], check=True)
        built.append({name: (folder / f"{name}.html").read_text(encoding="utf-8") for name in PAGES})
    assert built[1] == built[0]
    assert "current-page" in built[0]["folder/two"]
