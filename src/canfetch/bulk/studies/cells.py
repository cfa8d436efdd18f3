"""The cells of the counts to which a file belongs, and the tables that they make."""

from collections.abc import Sequence
from typing import Final, NamedTuple

ALL: Final = "*"
# Subjects that are not product tokens.
ANY_AGENT: Final = "any agent"
ALL_AGENTS: Final = "all agents"
FILE: Final = "file"


class Cell(NamedTuple):
    """A cell of the counts to which a file belongs.

    Attributes:
        subject: The agent, or `*` if the count is not about one. `any agent` has the strictest class of the agents of
            the run, `all agents` means all user agents that a file names, and `file` the file as a whole.
        measure: The name of a definition, or of a classification of responses.
        label: The class.
    """

    subject: str
    measure: str
    label: str


class Table(NamedTuple):
    """The classes of a subject by a measure, each of which has a row for each period.

    Attributes:
        subject: As for `Cell`.
        measure: As for `Cell`.
        labels: The classes, in the order of the rows.
        is_open: Whether other classes may occur, such as status codes. They have rows for each period as well.
    """

    subject: str
    measure: str
    labels: Sequence[str]
    is_open: bool = False
