"""What the transports with an existing session of the caller have in common.

The session's own settings apply: its proxy, TLS settings, cookies, authentication and connections. So some guarantees
of the other transports do not hold, which docs/access.md lists.
"""

from typing import Final

from canfetch.access.responses import FailureKind
from canfetch.client.options import Options
from canfetch.client.transports import Route, TransportRequest
from canfetch.client.transports.failures import TransportError
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

# Whether the session uses a proxy is not known.
SESSION_ROUTE: Final = Route(("http", "https"), "those of the session")
_UNCHECKED = "the addresses that an existing session connects to cannot be checked"


def check_session_type(name: str, session: object, session_type: type) -> None:
    """Check the type of the session in the argument `name`.

    Raises: InvalidOption: It is not an object of `session_type`.
    """
    if not isinstance(session, session_type):
        library = session_type.__module__.partition(".")[0]
        raise InvalidOption(
            f"invalid {name} {quoted(session)}: expected an object of {library}.{session_type.__name__}"
        )


def check_unused(name: str, **are_set: bool) -> None:
    """Check that no argument is set that the session in the argument `name` replaces.

    Args: are_set: Whether each argument differs from its default.
    Raises: InvalidOption: An argument is set.
    """
    for argument, is_set in are_set.items():
        if is_set:
            raise InvalidOption(f"{name} and {argument} cannot be used together: the {name} has its own settings")


def check_session_options(name: str, options: Options) -> None:
    """Check that the options of a client can be guaranteed with a session.

    Raises: InvalidOption: Private addresses are forbidden.
    """
    if not options.allow_private:
        raise InvalidOption(f"invalid allow_private False: {_UNCHECKED}; remove {name}=, or pass allow_private=True")


def check_session_request(request: TransportRequest) -> None:
    """Refuse a request whose address would have to be checked.

    Raises: TransportError: FORBIDDEN_ADDRESS.
    """
    if not request.allow_private:
        raise TransportError(FailureKind.FORBIDDEN_ADDRESS, _UNCHECKED)
