"""Check that the quotations in requirements.toml occur in RFC 9309, each in the section that its requirement names.

    python -m conformance.quotations rfc9309.xml

The file is https://www.rfc-editor.org/rfc/rfc9309.xml.
"""

import re
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.cases import ROOT

_DOCTYPE = re.compile(r"<!DOCTYPE.*?\]>", re.DOTALL)
# The document type defines some entities of characters that look like a space or a hyphen.
_ENTITY = re.compile(r"&(?!amp;|lt;|gt;|quot;|apos;|#)\w+;")


def requirements(root: Path = ROOT) -> list[dict[str, Any]]:
    """Return the requirements of the RFC."""
    found: list[dict[str, Any]] = tomllib.loads((root / "requirements.toml").read_bytes().decode())["requirement"]
    return found


def sections(xml: str) -> dict[str, str]:
    """Return the text of each numbered section of an RFC, without its subsections. White space is collapsed."""
    # The file is an RFC, and without its document type it defines no entities.
    middle = ET.fromstring(_ENTITY.sub(" ", _DOCTYPE.sub("", xml))).find("middle")  # noqa: S314
    return {} if middle is None else dict(_subsections(middle, ""))


def _subsections(element: ET.Element, prefix: str) -> Iterator[tuple[str, str]]:
    for number, section in enumerate(element.findall("section"), 1):
        text = " ".join(" ".join(child.itertext()) for child in section if child.tag != "section")
        yield f"{prefix}{number}", _collapse(text)
        yield from _subsections(section, f"{prefix}{number}.")


def missing(xml: str, root: Path = ROOT) -> list[str]:
    """Return a line for each quotation that its section does not contain."""
    texts = sections(xml)
    return [
        f"{requirement['id']}: section {requirement['section']} does not contain {quote!r}"
        for requirement in requirements(root)
        for quote in requirement["quotes"]
        if _collapse(quote) not in texts.get(requirement["section"], "")
    ]


def _collapse(text: str) -> str:
    # Elements such as references and key words are separated by spaces, also from punctuation after them.
    return re.sub(r"\s+(?=[.,;:)])", "", re.sub(r"\s+", " ", text)).strip()


def main(arguments: list[str] | None = None) -> int:
    """Check the file that is the only argument. Return 1 if a quotation is missing, 2 without a file."""
    words = sys.argv[1:] if arguments is None else arguments
    if len(words) != 1:
        print("usage: python -m conformance.quotations rfc9309.xml", file=sys.stderr)
        return 2
    lines = missing(Path(words[0]).read_text("utf-8"))
    count = sum(len(requirement["quotes"]) for requirement in requirements())
    print("\n".join([*lines, f"{count - len(lines)} of {count} quotations found"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
