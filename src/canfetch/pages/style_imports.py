"""The style sheets that a style sheet imports.

Source: CSS Cascading and Inheritance Level 5, section 2 (@import); CSS Syntax Level 3, sections 4.3.5 to 4.3.7.
"""

from typing import Final

MAX_IMPORTS: Final = 100
"""The imports of one style sheet that are read."""
_SPACE: Final = "\t\n\f\r "
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_MAX_HEX: Final = 6
_MAX_CODE: Final = 0x10FFFF
# Imports are valid at the start only, where these rules may be as well.
_BEFORE_RULES: Final = ("@import", "@charset", "@layer")
_BETWEEN: Final = f"{_SPACE};"
_IGNORED: Final = ("<!--", "-->")


def style_imports(css: str) -> list[str]:
    """Return the references of the `@import` rules of a style sheet, as they are written, without escapes.

    Cost: O(characters up to the first rule that is not an import).
    """
    found: list[str] = []
    position = _skip(css, 0)
    while len(found) < MAX_IMPORTS:
        rule = next((one for one in _BEFORE_RULES if css[position : position + len(one)].lower() == one), None)
        if rule is None:
            return found
        start = position + len(rule)
        position, is_block = _statement_end(css, start)
        if is_block:
            return found
        if rule == "@import" and (reference := _reference(css, _skip(css, start), position)):
            found.append(reference)
        position = _skip(css, position)
    return found


def _skip(css: str, position: int) -> int:
    """Return the position after white space, comments, and what the start of a style sheet may have between rules."""
    while position < len(css):
        if css.startswith("/*", position):
            end = css.find("*/", position + 2)
            position = len(css) if end < 0 else end + 2
        elif css[position] in _BETWEEN:
            position += 1
        elif mark := next((one for one in _IGNORED if css.startswith(one, position)), None):
            position += len(mark)
        else:
            break
    return position


def _statement_end(css: str, position: int) -> tuple[int, bool]:
    """Return the end of a statement, and whether it has a block. Strings, comments and parentheses do not end it."""
    depth = 0
    while position < len(css):
        character = css[position]
        if character in "'\"":
            position = _string_end(css, position) + 1
            continue
        if css.startswith("/*", position):
            end = css.find("*/", position + 2)
            position = len(css) if end < 0 else end + 2
            continue
        if character == "\\":
            position += 1
        elif character == "(":
            depth += 1
        elif character == ")":
            depth = max(0, depth - 1)
        elif not depth and character in ";{":
            return position, character == "{"
        position += 1
    return len(css), False


def _string_end(css: str, position: int) -> int:
    """Return the position of the quote that ends a string."""
    quote = css[position]
    position += 1
    while position < len(css) and css[position] not in {quote, "\n"}:
        position += 2 if css[position] == "\\" else 1
    return position


def _reference(css: str, start: int, end: int) -> str:
    if css[start : start + 4].lower() == "url(":
        start += 4
        while start < end and css[start] in _SPACE:
            start += 1
        if css[start : start + 1] not in {"'", '"'}:
            close = css.find(")", start, end)
            return _without_escapes(css[start : close if close >= 0 else end].rstrip(_SPACE))
    if css[start : start + 1] not in {"'", '"'}:
        return ""
    return _without_escapes(css[start + 1 : min(end, _string_end(css, start))])


def _without_escapes(text: str) -> str:
    head, *parts = text.split("\\")
    result = [head]
    is_literal = False
    for part in parts:
        if is_literal:
            # An escaped backslash, with the text after it.
            result.append(f"\\{part}")
            is_literal = False
            continue
        if not part:
            is_literal = True
            continue
        length = 0
        while length < min(_MAX_HEX, len(part)) and part[length] in _HEX:
            length += 1
        if not length:
            result.append(part)
            continue
        code = int(part[:length], 16)
        result.append(
            chr(code) if 0 < code <= _MAX_CODE and not 0xD800 <= code <= 0xDFFF else "\N{REPLACEMENT CHARACTER}"
        )
        rest = part[length:]
        result.append(rest[1:] if rest.startswith(tuple(_SPACE)) else rest)
    return "".join(result)
