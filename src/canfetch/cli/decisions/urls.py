"""The URLs to decide about, from the command line and from `--urls-file`."""

from collections.abc import Generator
from typing import BinaryIO, NamedTuple

from canfetch.cli.shared.input_files import close_input, read_lines


class RequestedURL(NamedTuple):
    """A URL as typed.

    `location` is the prefix of messages about the URL, `error` the reason why it cannot be used, or an empty string,
    and `size` its bytes in `--urls-file`.
    """

    url: str
    location: str = ""
    error: str = ""
    size: int = 0


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
            yield RequestedURL(line.text, line.location, error, line.size)
    finally:
        close_input(listed)
