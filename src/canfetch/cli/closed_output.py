"""What stands in for standard output where that is closed."""

import errno
import io
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from typing_extensions import override
else:

    def override(method: object) -> object:
        """Mark a method, as `typing.override` does from Python 3.12 on."""
        return method


class ClosedOutput(io.TextIOBase):
    """Takes nothing, and says so; whoever wants the exit code alone writes nothing."""

    @override
    def write(self, _text: str, /) -> NoReturn:
        """Refuse.

        Raises: OSError.
        """
        raise OSError(errno.EBADF, "standard output is closed")
