"""Transports with an existing session of the caller, which is an `httpx2.Client` or a session of another library.

The session's own settings apply: its proxy, TLS settings, cookies, authentication and connections. So some guarantees
of the other transports do not hold, which docs/access.md lists.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Generic, TypeVar

from canfetch.access.responses import FailureKind
from canfetch.client.options import Options
from canfetch.client.transports import CredentialAdder, Route, TransportRequest
from canfetch.client.transports.base_transport import BaseTransport, TransportSettings
from canfetch.client.transports.dns import system_resolve
from canfetch.client.transports.failures import TransportError
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

# Whether the session uses a proxy is not known.
SESSION_ROUTE: Final = Route(("http", "https"), "those of the session")
_UNCHECKED: Final = "the addresses that an existing session connects to cannot be checked"
_SessionT = TypeVar("_SessionT", bound=CredentialAdder)


class SessionTransport(BaseTransport, Generic[_SessionT]):
    """A transport that sends requests with a session of the caller, if there is one, and otherwise by itself.

    Args:
        session: Sends requests with the session of the caller, or None.
        settings: The arguments of `BaseTransport`, which the session replaces.
        session_argument: The name of the argument of the session, for messages.
        are_set: Whether each additional argument that the session replaces differs from its default.
    Raises: InvalidOption: A proxy is invalid, or an argument is set that the session replaces.
    """

    def __init__(
        self,
        session: _SessionT | None,
        settings: TransportSettings,
        *,
        session_argument: str = "session",
        are_set: Mapping[str, bool] = MappingProxyType({}),
    ) -> None:
        if session is not None:
            _check_unused(
                session_argument,
                ssl_context=settings.get("ssl_context") is not None,
                resolve=settings.get("resolve", system_resolve) is not system_resolve,
                proxy=settings.get("proxy") is not None,
                trust_env=not settings.get("trust_env", True),
                **are_set,
            )
            settings = {**settings, "trust_env": False}
        super().__init__(**settings)
        self._session = session
        self._session_argument = session_argument

    @property
    def route(self) -> Route:
        """What the transport can reach."""
        return super().route if self._session is None else SESSION_ROUTE

    def check_options(self, options: Options) -> None:
        """Check that the options of a client can be guaranteed.

        Raises: InvalidOption: Private addresses are forbidden, and a proxy or session hides the addresses.
        """
        if self._session is None:
            super().check_options(options)
        elif not options.allow_private:
            raise InvalidOption(
                f"invalid allow_private False: {_UNCHECKED}; remove {self._session_argument}=, or pass"
                " allow_private=True"
            )

    def adds_credentials(self, url: str) -> bool:
        """Return whether the session of the caller adds, or may add, credentials to a direct request for `url`."""
        return self._session is not None and self._session.adds_credentials(url)


def _check_unused(session_argument: str, **are_set: bool) -> None:
    for argument, is_set in are_set.items():
        if is_set:
            raise InvalidOption(
                f"{session_argument} and {argument} cannot be used together: the {session_argument} has its own"
                " settings"
            )


def check_session_type(name: str, session: object, session_type: type) -> None:
    """Check the type of the session in the argument `name`.

    Raises: InvalidOption: It is not an object of `session_type`.
    """
    if not isinstance(session, session_type):
        library = session_type.__module__.partition(".")[0]
        raise InvalidOption(
            f"invalid {name} {quoted(session)}: expected an object of {library}.{session_type.__name__}"
        )


def check_session_request(request: TransportRequest) -> None:
    """Refuse a request whose address would have to be checked.

    Raises: TransportError: FORBIDDEN_ADDRESS.
    """
    if not request.allow_private:
        raise TransportError(FailureKind.FORBIDDEN_ADDRESS, _UNCHECKED)
