"""The URLs to decide about, from the command line and from `--urls-file`."""

from collections.abc import Generator
from typing import BinaryIO, NamedTuple

from canfetch.cli.shared.input_files import InputLine, close_input, read_lines


class RequestedURL(NamedTuple):
    """A URL as typed, its line in `--urls-file`, and the reason why it cannot be used, or an empty string."""

    url: str
    line: InputLine | None = None
    error: str = ""

    @property
    def location(self) -> str:
        """The prefix of messages about the URL."""
        return "" if self.line is None else self.line.location

    @property
    def size(self) -> int:
        """The bytes of the line."""
        return 0 if self.line is None else self.line.size


def read_urls(urls: tuple[str, ...], listed: BinaryIO | None, list_name: str | None) -> Generator[RequestedURL]:
    """Yield the URLs of the command line, then those of a list; close the list at the end.

    Raises: CommandError: Reading the list fails.
    Cost: O(bytes); one URL is in memory at a time.
    """
    for url in urls:
        yield RequestedURL(url)
    if listed is None or list_name is None:
        return
    try:
        for line in read_lines(listed, list_name):
            error = f"invalid URL {line.text[:40]!r}...: expected at most 1 MiB" if line.too_long else ""
            yield RequestedURL(line.text, line, error)
    finally:
        close_input(listed)
