"""The exceptions that canfetch raises, all for mistakes in a call or in the environment.

A malformed robots.txt never raises. A failure of a site's network raises only where no value can report it:
`OriginDisallowed`, and `RobotsDisallowed` of the integrations of HTTP clients, which carries a verdict and therefore is
in `canfetch` only. A failure of this machine raises `RequestNotSent`.

    CanfetchError
    ├── InvalidURL            a string is not a URL or a path
    ├── InvalidRobotsURL      a URL cannot be the URL of a robots.txt
    ├── InvalidProductToken   an agent is not a product token
    ├── InvalidLimit          a parsing limit is out of range
    ├── UnknownProfile        a parsing profile does not exist
    ├── UnknownPolicy         an access policy does not exist
    ├── UnknownEdition        an edition does not exist
    ├── InvalidOption         an option has an invalid value or an unknown name
    ├── InvalidColumn         a column cannot be read, or columns do not fit together
    ├── InvalidDraft          a line of a draft robots.txt is invalid
    ├── InvalidSitePolicy     a site policy is invalid or cannot be rendered
    ├── InvalidExpectations   a file of expectations is invalid
    ├── InvalidAddressList    a list of crawlers' addresses is invalid
    ├── InvalidRegistry       a release of the registry of crawlers is invalid
    ├── InvalidKey            a key of signed requests, or a set of keys, is invalid
    ├── ServingError          a robots.txt cannot be served, or is closed in production or open elsewhere
    ├── OriginMismatch        a URL belongs to another origin than the robots.txt
    ├── CorruptEntry          a cache entry cannot be read
    ├── NewerEntry            a cache entry has a newer format
    ├── ClientClosed          a closed client would have to fetch (a RuntimeError)
    ├── RequestNotSent        robots.txt could not be requested, for a reason of this machine (an OSError)
    ├── OriginDisallowed      everything is disallowed, because robots.txt cannot be obtained (an OSError)
    ├── NotKnownAtTime        nothing is known about a robots.txt at a time in the past (a LookupError)
    ├── RobotsDisallowed      an HTTP client may not send a request (an OSError)
    ├── StoreError            a store cannot be opened, read or written (an OSError)
    ├── EvidenceError         evidence cannot be read or written (an OSError)
    ├── SkipReportError       a skip report cannot be written (an OSError)
    ├── Undecided             a comparison is too large to be decided (a RuntimeError)
    ├── WorkerKilled          a process that writes a table was killed (a RuntimeError)
    ├── MissingExtra          an optional dependency is not installed (an ImportError)
    └── EngineError           an engine is unavailable, or two engines disagree (a RuntimeError)

Every exception is also a ValueError, except where another base class is given.
"""


class CanfetchError(Exception):
    """Base class of all exceptions that canfetch raises."""


class InvalidURL(CanfetchError, ValueError):
    """Raised when a string is not an absolute URL, `//host/path`, or a path starting with `/`.

    `index` is the position of the URL in a batch, from 0, or None if it is not part of a batch.
    """

    def __init__(self, message: str, *, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


class InvalidRobotsURL(CanfetchError, ValueError):
    """Raised when a URL cannot be that of a robots.txt, because of its path or because it has no host."""


class InvalidProductToken(CanfetchError, ValueError):
    """Raised when an agent is not a product token, for example a whole User-Agent header."""


class InvalidLimit(CanfetchError, ValueError):
    """Raised when a parsing limit is below 500 KiB, the minimum of RFC 9309 section 2.5, or above 512 MiB."""


class UnknownProfile(CanfetchError, ValueError):
    """Raised when a parsing profile does not exist."""


class UnknownPolicy(CanfetchError, ValueError):
    """Raised when an access policy does not exist."""


class UnknownEdition(CanfetchError, ValueError):
    """Raised when an edition does not exist."""


class OriginMismatch(CanfetchError, ValueError):
    """Raised when a URL belongs to another origin than the robots.txt.

    `index` is the position of the URL in a batch, from 0, or None if it is not part of a batch.
    """

    def __init__(self, message: str, *, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


class EngineError(CanfetchError, RuntimeError):
    """Raised when the requested engine is not available, or when two engines give different results."""


class Undecided(CanfetchError, RuntimeError):
    """Raised when a comparison reaches its limit before it is decided. The message contains what was explored.

    `states` is the number of states that were explored.
    """

    def __init__(self, message: str, *, states: int) -> None:
        super().__init__(message)
        self.states = states


class CorruptEntry(CanfetchError, ValueError):
    """Raised when a cache entry cannot be read. Clients discard the entry and fetch again."""


class NewerEntry(CanfetchError, ValueError):
    """Raised when a newer version of canfetch wrote a cache entry. Clients neither delete nor replace the entry."""


class StoreError(CanfetchError, OSError):
    """Raised when a store cannot be opened, read or written. The message names the store."""


class ClientClosed(CanfetchError, RuntimeError):
    """Raised when a closed client is asked about an origin that is not in its cache.

    The integrations of HTTP clients also raise it for requests that wait for their turn when the HTTP client is closed.
    """

    def __init__(self) -> None:
        super().__init__("the client is closed: create a new one, or keep this one open while you use it")


class RequestNotSent(CanfetchError, OSError):
    """Raised when a robots.txt could not be requested, for a reason of this machine or program.

    For example, no connection of the caller's pool became free in time, no descriptor was left, or no name server
    answered. The site was not asked, or had too little time, so nothing is known about it, and nothing is cached. The
    next call tries again.
    """


class OriginDisallowed(CanfetchError, OSError):
    """Raised by `Client.robots` when no file applies to an origin and everything on it is disallowed.

    In most cases the server is unreachable. The message contains the reason, and `Client.access` returns it as a value.
    """


class NotKnownAtTime(CanfetchError, LookupError):
    """Raised by `decide` and `may_use` with `at` if no copy of the robots.txt is known that was in force at that time.

    The message has the time of the first known copy. `copy_at` returns the same as a value.
    """


class MissingExtra(CanfetchError, ImportError):
    """Raised when an optional dependency is not installed. The message names the extra to install."""


class WorkerKilled(CanfetchError, RuntimeError):
    """Raised when a process that writes a part of a table was killed, for example because memory ran out."""


class InvalidOption(CanfetchError, ValueError):
    """Raised when an option has an invalid value, such as a timeout of zero, or an unknown name."""


class InvalidColumn(CanfetchError, ValueError):
    """Raised when a column has the wrong type or invalid Arrow data, or when columns have different lengths."""


class EvidenceError(CanfetchError, OSError):
    """Raised when evidence cannot be read or written. The message names the path."""


class SkipReportError(CanfetchError, OSError):
    """Raised when a skip report cannot be written. The message names the path."""


class InvalidDraft(CanfetchError, ValueError):
    """Raised when a line of a draft robots.txt is invalid. The message names the value and the fix."""


class InvalidSitePolicy(CanfetchError, ValueError):
    """Raised when a site policy is invalid or cannot be rendered. The message names the key and the fix.

    `key` is the key at fault, or an empty string, and `line` its line in the file, or None.
    """

    def __init__(self, message: str, *, key: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.key = key
        self.line = line


class InvalidExpectations(CanfetchError, ValueError):
    """Raised when a file of expectations is invalid. The message names the entry and the fix."""


class InvalidAddressList(CanfetchError, ValueError):
    """Raised when a list of the addresses of crawlers is invalid or empty."""


class InvalidRegistry(CanfetchError, ValueError):
    """Raised when a release of the registry of crawlers is invalid, or its signature is."""


class InvalidKey(CanfetchError, ValueError):
    """Raised when a key of signed requests, a set of keys, or the files of an identity are invalid."""


class ServingError(CanfetchError, ValueError):
    """Raised when a robots.txt cannot be served: it is missing or invalid, or it closes a production site."""
