"""The table of the statements, with the sections of the translation of a document."""

import tomllib
from pathlib import Path
from typing import Any, Final, NamedTuple

TABLE: Final[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "statements.toml").read_text(encoding="utf-8"))


class Section(NamedTuple):
    """A section of a document.

    Attributes:
        document: The key of the document.
        name: Its heading.
        use: The commands or functions for it, in Markdown.
        statements: Its statements, and for a translation also those of the section that it translates.
    """

    document: str
    name: str
    use: str
    statements: tuple[dict[str, Any], ...]


def list_sections() -> list[Section]:
    """Return the sections of all documents, in their order."""
    found: list[Section] = []
    for section in TABLE["section"]:
        own = section.get("statement", [])
        original = next((one for one in found if one.name == section.get("translates")), None)
        inherited = () if original is None else original.statements
        use = section["use"] if original is None else original.use
        found.append(Section(section["document"], section["name"], use, (*inherited, *own)))
    return found


SECTIONS: Final = list_sections()
