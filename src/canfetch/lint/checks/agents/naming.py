"""The names of user-agent lines, each with its place; those of a comma list are taken apart."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.core.abnf import IDENTIFIER
from canfetch.core.octets import WHITE_SPACE, text_of
from canfetch.core.records import Record
from canfetch.lint.linted_file import LintedFile

_WHITE_SPACE: Final = bytes(WHITE_SPACE)
_BROWSERS_PRODUCT: Final = b"mozilla"
# So many names of one line are looked at.
MOST_NAMES: Final = 1000


class NamedAgent(NamedTuple):
    """A name as it stands in a user-agent line; `in_list` says that a comma parts it from others."""

    octets: bytes
    span: tuple[int, int]
    record: Record
    in_list: bool

    @property
    def text(self) -> str:
        """The name, as text."""
        return text_of(self.octets)

    @property
    def is_token(self) -> bool:
        """Whether it may be a product token of real crawlers: letters, digits, `.`, `_` and `-`."""
        rest = self.octets.translate(None, IDENTIFIER)
        return self.octets != b"" and not rest.translate(None, b"0123456789.")


def is_header(value: bytes) -> bool:
    """Say whether a value is more than a product token: a whole header, or a product with its version."""
    return b"(" in value or b"/" in value


def is_list(value: bytes) -> bool:
    """Say whether a value names several crawlers, with commas between them."""
    # Flags of rewrite rules come along where names were copied from there.
    return b"," in value and not is_header(value) and b"[" not in value


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
        for part in value.split(b",", MOST_NAMES)[:MOST_NAMES]:
            name = part.strip(_WHITE_SPACE)
            place = start + len(part) - len(part.lstrip(_WHITE_SPACE))
            if name:
                yield NamedAgent(name, (place, place + len(name)), record, in_list=True)
            start += len(part) + 1
