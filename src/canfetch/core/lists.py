"""Arguments that are lists of names, such as `agents=` and `profiles=`."""

from canfetch.core.agent import Agent
from canfetch.core.quoting import quoted


def check_list(name: str, value: object) -> None:
    """Reject a single name, whose characters would be read as names.

    Args: name: The name of the argument.
    Raises: TypeError: `value` is a str, bytes or an `Agent`.
    """
    if isinstance(value, str | bytes | bytearray | Agent):
        raise TypeError(f"invalid {name} {quoted(value)}: expected a list, such as [{quoted(value)}]")
