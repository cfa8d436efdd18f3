"""The log formats by name, and which one a log has."""

from collections.abc import Mapping
from typing import Final, Literal, Protocol

from canfetch.agents.identity import parse_address
from canfetch.core.choices import nearest_choice
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption
from canfetch.logs.json_format import JSONFormat
from canfetch.logs.rows import Row
from canfetch.logs.text_format import CombinedFormat
from canfetch.logs.w3c_format import W3CFormat

LogFormatName = Literal["combined", "vhost", "json", "w3c"]
LOG_FORMATS: Final[tuple[LogFormatName, ...]] = ("combined", "vhost", "json", "w3c")
# The lines that decide which of the two text formats a log has.
_SAMPLE_LINES: Final = 50


class LogFormat(Protocol):
    """Reads the lines of a log."""

    def rows(self, block: bytes, /) -> list[Row]:
        """Return the rows of whole lines, one for each."""


def create_format(name: str, fields: Mapping[str, str] | None = None) -> LogFormat:
    """Return the format with this name.

    Args: fields: The names of the fields of JSON, as for `JSONFormat`.
    Raises: InvalidOption: The name is unknown, or `fields` is given for another format, or is invalid.
    """
    if name == "json":
        return JSONFormat(fields)
    if fields:
        raise InvalidOption(f"names of fields are only for logs in JSON, not for {quoted(name)}")
    if name == "combined":
        return CombinedFormat()
    if name == "vhost":
        return CombinedFormat(with_host=True)
    if name == "w3c":
        return W3CFormat()
    suggestion = nearest_choice(name, LOG_FORMATS)
    advice = f"expected one of {', '.join(LOG_FORMATS)}" if suggestion is None else f"did you mean {suggestion!r}?"
    raise InvalidOption(f"unknown log format {quoted(name)}: {advice}")


def detect_format(block: bytes) -> LogFormatName:
    """Return the format of a log by its first lines.

    Args: block: The first lines.
    Cost: O(bytes of 50 lines).
    """
    lines = [line for line in block.split(b"\n", _SAMPLE_LINES)[:_SAMPLE_LINES] if line.strip()]
    first = lines[0].lstrip() if lines else b""
    if first.startswith(b"{"):
        return "json"
    if first.startswith(b"#"):
        return "w3c"
    # The second word is the client's address, or, without a virtual host, almost always a hyphen.
    with_host = sum(parse_address(word.decode("ascii", "replace")) is not None for word in map(_second_word, lines))
    return "vhost" if 2 * with_host > len(lines) else "combined"


def _second_word(line: bytes) -> bytes:
    return line.split(b" ", 2)[1] if b" " in line else b""
