"""The exceptions of reppy. `url` is the URL of the robots.txt that could not be fetched."""


class ReppyException(Exception):
    """Base class of the exceptions of reppy."""

    url: str


class ContentTooLong(ReppyException):
    """Raised when a file is larger than `max_size`."""


class ServerError(ReppyException):
    """Not raised. Programs may catch it."""


class SSLException(ReppyException):
    """Raised when the TLS handshake fails."""


class ConnectionException(ReppyException):
    """Raised when there is no connection or no complete response."""


class MalformedUrl(ReppyException):
    """Raised when a URL is not an absolute http or https URL."""


class ExcessiveRedirects(ReppyException):
    """Raised after too many redirects, if the access policy treats them as unreachable. By default it does not."""


class ReadTimeout(ReppyException):
    """Raised when a timeout passes."""


class BadStatusCode(ReppyException):
    """Raised when the status code makes the site unreachable, such as 503. Its second argument is the status code."""
