"""The log formats by name, and which one a log has."""

from collections import Counter
from collections.abc import Mapping
from typing import Final, Literal, Protocol

from canfetch.agents.identity import parse_address
from canfetch.core.choices import nearest_choice
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption
from canfetch.logs.json_format import JSONFormat
from canfetch.logs.log_blocks import Row
from canfetch.logs.text_format import W3C_FIELDS, CombinedFormat, W3CFormat

LogFormatName = Literal["combined", "vhost", "json", "w3c"]
LOG_FORMATS: Final[tuple[LogFormatName, ...]] = ("combined", "vhost", "json", "w3c")
_SAMPLE_LINES: Final = 50
_BAD: Final = 6


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


def detect_format(block: bytes) -> LogFormatName | None:
    """Return the format of most of the first lines that have one, or None if no line does.

    Lines of other programs, such as a message at the start of a server, have none.

    Args: block: The first lines.
    Cost: O(bytes) up to the 50th line with a format.
    """
    text, found = CombinedFormat(), Counter[LogFormatName]()
    for line in block.split(b"\n"):
        if line.startswith(W3C_FIELDS):
            return "w3c"
        if line.lstrip().startswith(b"{"):
            found["json"] += 1
        elif b'"' in line and not text.rows(line)[0][_BAD]:
            # The second word is the client's address, or, without a virtual host, almost always a hyphen.
            found["vhost" if parse_address(_second_word(line)) is not None else "combined"] += 1
        if found.total() == _SAMPLE_LINES:
            break
    return found.most_common(1)[0][0] if found else None


def _second_word(line: bytes) -> str:
    return line.split(b" ", 2)[1].decode("ascii", "replace")
