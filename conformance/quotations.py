"""Check that quotations occur in the documents that they are taken from.

    python -m conformance.quotations rfc9309.xml
    python -m conformance.quotations FILE DOCUMENT

The first command compares requirements.toml, open.toml and the statements of RFC 9309 in statements.toml with the RFC,
section by section. The file is https://www.rfc-editor.org/rfc/rfc9309.xml. The second command compares statements.toml
with a copy of one of its documents, as text, Markdown or HTML. DOCUMENT is the name of the document in that file.
"""

import argparse
import html
import re
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.cases import ROOT
from conformance.open_questions import open_questions

_DOCTYPE = re.compile(r"<!DOCTYPE.*?\]>", re.DOTALL)
# The document type defines some entities of characters that look like a space or a hyphen.
_ENTITY = re.compile(r"&(?!amp;|lt;|gt;|quot;|apos;|#)\w+;")
_TAG = re.compile(r"<[^>]*>")
_MARKDOWN_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_HYPHEN_AT_LINE_END = re.compile(r"-\s*\n\s*")
OMISSION = "[...]"
RFC = "RFC 9309"


def requirements(root: Path = ROOT) -> list[dict[str, Any]]:
    """Return the requirements of the RFC."""
    found: list[dict[str, Any]] = tomllib.loads((root / "requirements.toml").read_bytes().decode())["requirement"]
    return found


def statements(root: Path = ROOT) -> dict[str, list[dict[str, Any]]]:
    """Return the tables `document`, `statement` and `unread` of the documents other than the RFC."""
    return tomllib.loads((root / "statements.toml").read_bytes().decode())


def quotes_of_cases() -> dict[str, list[str]]:
    """Return the quotations that support each case, with their documents and sections.

    A case of access/ has other quotations for each access policy. Its key is `CASE POLICY`.
    """
    found: defaultdict[str, list[str]] = defaultdict(list)
    for requirement in requirements():
        for name in requirement.get("cases", ()):
            found[name] += [f"“{quote}” ({RFC} section {requirement['section']})" for quote in requirement["quotes"]]
    for statement in statements()["statement"]:
        policy = f" {statement['policy']}" if "policy" in statement else ""
        for name in statement["cases"]:
            found[f"{name}{policy}"] += [
                f"“{quote}” ({statement['document']}: {statement['section']})" for quote in statement["quotes"]
            ]
    return dict(found)


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
    """Return a line for each quotation that its section of the RFC does not contain."""
    texts = sections(xml)
    return [
        f"{name}: section {section} does not contain {quote!r}"
        for name, section, quote in _quotes_of_rfc(root)
        if not _contains(texts.get(section, ""), quote)
    ]


def _quotes_of_rfc(root: Path = ROOT) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the section and the words of each quotation from the RFC."""
    for requirement in requirements(root):
        yield from ((requirement["id"], requirement["section"], quote) for quote in requirement["quotes"])
    for question in open_questions(root):
        yield from ((question.title, question.section, quote) for quote in question.quotes)
    for statement in statements(root)["statement"]:
        if statement["document"] == RFC:
            yield from ((", ".join(statement["cases"]), statement["section"], quote) for quote in statement["quotes"])


def missing_from(text: str, document: str, root: Path = ROOT) -> list[str]:
    """Return a line for each quotation from `document` that `text` does not contain."""
    return [
        f"{document}, {statement['section']}: {quote!r} was not found"
        for statement in statements(root)["statement"]
        for quote in statement["quotes"]
        if statement["document"] == document and not _contains(text, quote)
    ]


def plain_text(content: str, *, is_html: bool = False) -> str:
    """Return the text of a document without its markup. White space is collapsed."""
    if is_html:
        content = html.unescape(_TAG.sub(" ", content))
    # Lines end after the hyphens of compounds, too.
    return _collapse(_HYPHEN_AT_LINE_END.sub("-", _MARKDOWN_LINK.sub(r"\1", content.replace("`", ""))))


def _contains(text: str, quote: str) -> bool:
    position = 0
    for part in quote.split(OMISSION):
        position = text.find(_collapse(part), position)
        if position < 0:
            return False
    return True


def _collapse(text: str) -> str:
    # Elements such as references and key words are separated by spaces, also from punctuation after them.
    return re.sub(r"\s+(?=[.,;:)])", "", re.sub(r"\s+", " ", text)).strip()


def main(arguments: list[str] | None = None) -> int:
    """Check a copy of the RFC or of another document. Return 1 if a quotation is missing, 2 for invalid arguments."""
    options = _options(arguments)
    path, document = options.file, options.document
    try:
        content = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        print(f"cannot read {str(path)!r}: {error}", file=sys.stderr)
        return 2
    if document is None:
        lines = missing(content)
        count = len(list(_quotes_of_rfc()))
    else:
        names = [each["name"] for each in statements()["document"]]
        if document not in names:
            print(f"unknown document {document!r}: expected one of {', '.join(map(repr, names))}", file=sys.stderr)
            return 2
        lines = missing_from(plain_text(content, is_html=path.suffix in {".html", ".htm"}), document)
        count = sum(len(each["quotes"]) for each in statements()["statement"] if each["document"] == document)
    print("\n".join([*lines, f"{count - len(lines)} of {count} quotations found"]))
    return 1 if lines else 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m conformance.quotations", description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, metavar="FILE", help="rfc9309.xml, or a copy of DOCUMENT")
    parser.add_argument("document", nargs="?", metavar="DOCUMENT", help="name of a document in statements.toml")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
