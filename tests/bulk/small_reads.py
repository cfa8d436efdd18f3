"""A stream whose reads are short, as those of a pipe can be."""

import io


class SmallReads(io.BytesIO):
    """A pipe that returns few bytes at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(3, size or 0))
