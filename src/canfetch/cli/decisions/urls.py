"""The URLs that are asked about, one at a time, from the command line and from a list."""

from collections.abc import Generator
from typing import BinaryIO, Final, NamedTuple

from canfetch.cli.decisions.options import Question
from canfetch.cli.shared.input_files import close_input, listed_lines

# Whatever waits in memory is done when it is this long, be the URLs few and large.
MOST_CHARACTERS: Final = 1 << 20


class AskedURL(NamedTuple):
    """A URL as given, where it stands, what is wrong with it already, and the octets that it took in its list."""

    url: str
    place: str
    problem: str
    octets: int


def asked_urls(question: Question, listed: BinaryIO | None) -> Generator[AskedURL]:
    """Yield the URLs of a question; whoever reads the list to its end, or stops reading it, closes it with that.

    Raises: Problem: the list cannot be read further.
    Cost: O(octets); one is in memory at a time.
    """
    for url in question.urls:
        yield AskedURL(url, "", "", 0)
    if listed is None or question.urls_file is None:
        return
    try:
        for line in listed_lines(listed, question.urls_file):
            problem = f"{line.text[:40]!r}... is longer than 1 MiB: give a shorter URL" if line.too_long else ""
            yield AskedURL(line.text, line.place, problem, line.octets)
    finally:
        close_input(listed)
