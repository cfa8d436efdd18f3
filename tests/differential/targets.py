"""URLs made from patterns: most match, the others nearly do."""

import re
from collections.abc import Callable
from random import Random
from typing import Final

from tests.differential.vocabulary import AUTHORITIES, ODD_TEXTS, ODD_URLS, SUFFIXES

_ESCAPE_OR_HIGH: Final = re.compile(rb"%[0-9A-Fa-f]{2}|[\x80-\xff]")
_ESCAPE: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_FOLLOWS_AUTHORITY: Final = (b"/", b"?", b";", b"#")


def _as_google_escapes(match: re.Match[bytes]) -> bytes:
    content = match[0]
    return content.upper() if len(content) == 3 else b"%%%02X" % content[0]


def google_form(pattern: bytes) -> bytes:
    """Escape a rule as Google's parser does. An independent implementation, so that errors are found."""
    return _ESCAPE_OR_HIGH.sub(_as_google_escapes, pattern)


Edit = Callable[[bytes, int, bytes], bytes]
# Functions of a text, a position in it, and a piece of the file. Repeated functions are drawn more often.
EDITS: Final[tuple[Edit, ...]] = (
    lambda text, at, piece: text[:at] + piece + text[at:],
    lambda text, at, piece: text[:at] + piece + text[at:],
    lambda text, at, piece: text[:at] + piece + text[at + 1 :],
    lambda text, at, _: text[:at] + text[at + 1 :],
    # The same byte in another spelling.
    lambda text, at, _: text[:at] + b"%%%02X" % text[at] + text[at + 1 :],
    lambda text, at, _: text[:at] + b"%%%02x" % text[at] + text[at + 1 :],
    lambda text, at, _: text[:at] + text[at : at + 3].swapcase() + text[at + 3 :],
    lambda text, _at, _: _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), text, count=1),
    lambda text, _at, _: text.swapcase(),
    # The same length, and others.
    lambda text, at, _: text[:at] + b"*" + text[at + 1 :],
    lambda text, at, _: text[:at],
    lambda text, at, _: text + text[at:],
    lambda text, _at, _: text[: text.rfind(b"/") + 1],
    lambda text, _at, _: text + b"$",
)


def edit(random: Random, text: bytes, atoms: list[bytes]) -> bytes:
    """Change a text at one position: a near miss, another spelling, or another length."""
    piece = random.choice(atoms)
    return random.choice(EDITS)(text, int(random.random() * len(text)), piece) if text else piece


def target_from(random: Random, pattern: bytes, atoms: list[bytes]) -> bytes:
    """Return a path that the pattern matches, or nearly."""
    roll = random.random
    text = google_form(pattern) if roll() < 0.4 else pattern
    if b"*" in text and roll() < 0.9:
        head, *rest = text.split(b"*")
        for part in rest:
            fill = roll()
            if fill < 0.4:
                head += part
            elif fill < 0.8:
                head += random.choice(atoms) + part
            else:
                # Not only at the first possible position.
                head += part + random.choice(atoms) + part
        text = head
    if text[-1:] == b"$" and roll() < 0.85:
        text = text[:-1]
    change = roll()
    if change < 0.25:
        text += random.choice(SUFFIXES)
    elif change < 0.5:
        text = edit(random, text, atoms)
        if change < 0.28:
            text = edit(random, text, atoms)
    return text if text[:1] == b"/" or roll() < 0.15 else b"/" + text


def url_from(random: Random, pattern: bytes, atoms: list[bytes]) -> str | bytes:
    """Return a URL in one of many forms, as bytes or str."""
    kind = random.random()
    if kind < 0.025:
        return random.choice(ODD_URLS)
    if kind < 0.03:
        return random.choice(ODD_TEXTS)
    target = target_from(random, pattern, atoms)
    authority = random.choice(AUTHORITIES)
    if authority and target[:1] not in _FOLLOWS_AUTHORITY and kind < 0.99:
        target = b"/" + target
    elif authority and target[:1] == b"/" and kind > 0.94:
        target = random.choice(_FOLLOWS_AUTHORITY) + target[1:]
    url = authority + target
    return url.decode("utf-8", "surrogateescape") if kind < 0.12 else url
