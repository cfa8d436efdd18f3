"""The sockets of responses of http.client, for the libraries that use it."""

import socket
from contextlib import suppress


def shut_down_response(response: object) -> None:
    """Shut down the connection of an `http.client.HTTPResponse`, so that the thread that reads from it ends.

    Without effect on other objects, and on a response that was read to its end.
    """
    # http.client does not make the socket public. The connection has no reference to it if the server closes it.
    connected = getattr(getattr(getattr(response, "fp", None), "raw", None), "_sock", None)
    if isinstance(connected, socket.socket):
        with suppress(OSError):
            # Not the method of an SSLSocket, which must not be called while another thread reads.
            socket.socket.shutdown(connected, socket.SHUT_RDWR)
