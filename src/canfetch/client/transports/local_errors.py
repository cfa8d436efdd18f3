"""Errors that show that this machine could not send a request, whatever the site is."""

import errno
import os
import socket
from contextlib import suppress
from typing import Final

# No descriptor, no memory, no network interface.
_LOCAL_CODES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.ENETDOWN})
# The addresses of a.root-servers.net, which do not change. Source: IANA, root servers.
_ROOT_SERVERS: Final = ((socket.AF_INET, "198.41.0.4"), (socket.AF_INET6, "2001:503:ba3e::2:30"))
_DNS_PORT: Final = 53
_LOCAL_NAME_CODES: Final = frozenset({socket.EAI_MEMORY})
_LOCAL_IMPORT_ERRORS: Final = (os.strerror(errno.EMFILE), os.strerror(errno.ENFILE))
# The message of a RuntimeError, which has no type of its own.
_NO_THREAD: Final = "can't start new thread"


class NoThread(OSError):
    """Raised if no thread can be started."""


def is_local_error(error: BaseException | None) -> bool:
    """Return whether an error shows that this machine could not send a request, whatever the site is."""
    if isinstance(error, socket.gaierror):
        # Without a descriptor, the hosts file cannot be read, and names in it are reported as unknown.
        return error.errno in _LOCAL_NAME_CODES or not _has_descriptor()
    if isinstance(error, OSError) and error.errno == errno.ENETUNREACH:
        return not has_route()
    if isinstance(error, OSError) and error.errno == errno.EADDRNOTAVAIL:
        # All local ports are in use, or the site has an IPv6 address, and this machine has none.
        return not has_route() or not _lacks_ipv6()
    if isinstance(error, ImportError):
        # The loader of extension modules has no error code.
        return str(error).endswith(_LOCAL_IMPORT_ERRORS)
    if isinstance(error, RuntimeError):
        return str(error) == _NO_THREAD
    return isinstance(error, NoThread) or (isinstance(error, OSError) and error.errno in _LOCAL_CODES)


def _has_descriptor() -> bool:
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno not in _LOCAL_CODES
    return True


def has_route() -> bool:
    """Return whether this machine has a route to any public address. Nothing is sent."""
    for family, address in _ROOT_SERVERS:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            # For UDP, this only looks the route up.
            probe.connect((address, _DNS_PORT))
            return True
    return False


def _lacks_ipv6() -> bool:
    family, address = _ROOT_SERVERS[1]
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, _DNS_PORT))
    except OSError as error:
        return error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
    return False


def describe_os_error(error: BaseException) -> str:
    """Return the system's message for `error`, or else the name of its type."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
