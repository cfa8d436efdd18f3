"""Quotations of text that strangers wrote, for readers that may take text for instructions.

A quotation has bounded length, in backticks. Nothing in it can end it: backticks, angle brackets, controls,
and everything invisible are percent-encoded. In a path or a URL, an escape is equivalent to the character.
"""

import re
from math import ceil
from typing import Final

from canfetch.core.text import display_text, encode_text

# Letters that are invisible, or look like a space: the fillers of Hangul.
_INVISIBLE_LETTERS: Final = frozenset("\u115f\u1160\u3164\uffa0")
# Backticks end a quotation, and tags can pretend to end the result of a tool.
_ENCODED_ASCII: Final = frozenset("`<>")
# Longer texts are cut anyway.
_MAX_SCANNED_BYTES: Final = 4096
_WORD_OR_CHARACTER: Final = re.compile("[A-Za-z]+|.", re.DOTALL)
_LETTERS_OF_A_TOKEN: Final = 3
_LETTERS_OF_THE_FIRST_TOKEN: Final = 6


def quote(text: bytes | str, *, max_tokens: int) -> str:
    """Return text in backticks, cut to a number of tokens.

    Args: max_tokens: The limit for the text without the backticks and the mark of the cut.
    Cost: O(bytes), of which at most 4 KiB are read.
    """
    visible = visible_text(text)
    half_tokens = 0
    for index, character in enumerate(visible):
        half_tokens += _half_tokens(character)
        if half_tokens > 2 * max_tokens:
            return f"`{visible[:index]}...`"
    return f"`{visible}`"


def visible_text(text: bytes | str) -> str:
    """Return the first 4 KiB of a text, with everything percent-encoded that is invisible or could end a quotation.

    Only printable ASCII characters, and letters and digits of other scripts, stay as they are.
    """
    encoded = (encode_text(text) if isinstance(text, str) else text)[:_MAX_SCANNED_BYTES]
    return "".join(
        character if _is_visible(character) else "".join(f"%{byte:02X}" for byte in encode_text(character))
        for character in display_text(encoded)
    )


def estimate_tokens(text: str) -> int:
    """Return an upper estimate of the tokens of a text with quotations in backticks.

    Tokenizers differ, and most of them are not available offline. Outside quotations, where the text is English, a
    word counts as one token for its first six letters and one for each three more. Inside them, where the letters can
    be random, two letters count as a token. Every digit, every punctuation mark, and every byte of another character
    counts as a token.
    """
    parts = text.split("`")
    quoted_half_tokens = sum(_half_tokens(character) for part in parts[1::2] for character in part)
    return sum(map(_count_english, parts[::2])) + ceil(quoted_half_tokens / 2) + len(parts) - 1


def _count_english(text: str) -> int:
    tokens = 0
    previous = ""
    for word in _WORD_OR_CHARACTER.findall(text):
        if word.isascii() and word.isalpha():
            tokens += 1 + max(0, ceil((len(word) - _LETTERS_OF_THE_FIRST_TOKEN) / _LETTERS_OF_A_TOKEN))
        elif word != " " or previous == " ":
            # One space is a part of the token after it.
            tokens += len(encode_text(word))
        previous = word
    return tokens


def _half_tokens(character: str) -> int:
    return 1 if character.isascii() and (character.isalpha() or character == " ") else 2 * len(encode_text(character))


def _is_visible(character: str) -> bool:
    if character.isascii():
        return character not in _ENCODED_ASCII
    return character.isalnum() and character not in _INVISIBLE_LETTERS
