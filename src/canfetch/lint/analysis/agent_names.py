"""The names of user-agent lines, each with its place; those of a list are taken apart."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.agents import REGISTRY
from canfetch.core.abnf import IDENTIFIER
from canfetch.core.records import Record
from canfetch.core.text import WHITE_SPACE, display_text
from canfetch.lint.linted_file import LintedFile

_WHITE_SPACE: Final = bytes(WHITE_SPACE)
_BROWSERS_PRODUCT: Final = b"mozilla"
# So many names of one line are looked at.
MOST_NAMES: Final = 1000
# Runs of white space part names, too.
_MOST_PARTS: Final = 4 * MOST_NAMES
_OTHER_MARKS: Final = bytes.maketrans(b";|\t", b"   ")


class NamedAgent(NamedTuple):
    """A name as it stands in a user-agent line; `in_list` says that something parts it from others."""

    raw: bytes
    span: tuple[int, int]
    record: Record
    in_list: bool

    @property
    def text(self) -> str:
        """The name, as text."""
        return display_text(self.raw)

    @property
    def is_token(self) -> bool:
        """Whether it may be a product token of real crawlers: letters, digits, `.`, `_` and `-`."""
        rest = self.raw.translate(None, IDENTIFIER)
        return self.raw != b"" and not rest.translate(None, b"0123456789.")


def is_header(value: bytes) -> bool:
    """Say whether a value is more than a product token: a whole header, or a product with its version."""
    return b"(" in value or b"/" in value


def is_list(value: bytes) -> bool:
    """Say whether a value names several crawlers.

    Commas part any names; other marks and white space such as are known, since what is not may be one name.
    """
    if is_header(value):
        return False
    if b"," in value:
        # Flags of rewrite rules come along where names were copied from there.
        return b"[" not in value
    names = [name for name in _parted(value) if name]
    return 1 < len(names) < MOST_NAMES and all(REGISTRY.get_crawler(display_text(name)) is not None for name in names)


def _parted(value: bytes) -> list[bytes]:
    """Take a list apart: what is between the names is one octet each, or white space around the names."""
    if b"," in value:
        return value.split(b",", MOST_NAMES)[:MOST_NAMES]
    return value.translate(_OTHER_MARKS).split(b" ", _MOST_PARTS)


def named_agents(file: LintedFile) -> Iterator[NamedAgent]:
    """Give the names of all user-agent lines, in file order: of a product with its version the product's name.

    Of whole headers there is none, since crawlers read another word of them, or none.

    Cost: O(octets of these lines).
    """
    for record in file.user_agents:
        value = file.value(record)
        if record.value is None or not value:
            continue
        if is_header(value):
            product = value.partition(b"/")[0].strip(_WHITE_SPACE)
            if product and b"(" not in product and product.lower() != _BROWSERS_PRODUCT:
                place = record.value[0]
                yield NamedAgent(product, (place, place + len(product)), record, in_list=False)
            continue
        if not is_list(value):
            yield NamedAgent(value, record.value, record, in_list=False)
            continue
        start = record.value[0]
        for part in _parted(value):
            name = part.strip(_WHITE_SPACE)
            place = start + len(part) - len(part.lstrip(_WHITE_SPACE))
            if name:
                yield NamedAgent(name, (place, place + len(name)), record, in_list=True)
            start += len(part) + 1
