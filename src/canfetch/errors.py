"""The caller's mistakes, as exceptions. A bad file or a bad network never raises: it is a value.

    CanfetchError
    ├── InvalidURL            a text that is neither an absolute URL nor a path
    ├── InvalidRobotsURL      a URL at which no robots.txt can be
    ├── InvalidProductToken   an agent that is no product token
    ├── InvalidLimit          a parsing limit below 500 KiB
    ├── UnknownProfile        a profile that does not exist
    ├── UnknownPolicy         an access policy that does not exist
    ├── InvalidOption         an option that cannot be meant
    ├── InvalidDraft          a line of a robots.txt in the making that cannot be meant
    ├── InvalidSitePolicy     a site's policy that cannot be meant, or not be put into effect
    ├── OriginMismatch        a question about an origin that the file does not rule over
    ├── CorruptEntry          a kept entry that is not what was kept
    ├── ClientClosed          a client that was closed and is asked what it does not know (a RuntimeError)
    ├── StoreError            a store that cannot be reached or written (an OSError)
    ├── EvidenceError         evidence that cannot be written or read (an OSError)
    ├── MissingExtra          an optional library that is not installed (an ImportError)
    └── EngineError           an engine that is not there, or two engines that differ

Each is a ValueError too, but where another is named; EngineError is a RuntimeError.
"""


class CanfetchError(Exception):
    """Base of every exception that canfetch raises on purpose."""


class InvalidURL(CanfetchError, ValueError):
    """A text that is neither an absolute URL, nor `//host/path`, nor a path that begins with `/`.

    `index` is its place in a batch, counted from 0, or None outside of one.
    """

    def __init__(self, message: str, *, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


class InvalidRobotsURL(CanfetchError, ValueError):
    """A URL at which no robots.txt can be: another path, or no authority."""


class InvalidProductToken(CanfetchError, ValueError):
    """An agent that is no product token, such as a whole User-Agent header."""


class InvalidLimit(CanfetchError, ValueError):
    """A parsing limit below the 500 KiB that RFC 9309 section 2.5 demands."""


class UnknownProfile(CanfetchError, ValueError):
    """A profile that does not exist; the message lists those that do."""


class UnknownPolicy(CanfetchError, ValueError):
    """An access policy that does not exist; the message lists those that do."""


class OriginMismatch(CanfetchError, ValueError):
    """A URL of another origin than the one that the file rules over.

    `index` is its place in a batch, counted from 0, or None outside of one.
    """

    def __init__(self, message: str, *, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index


class EngineError(CanfetchError, RuntimeError):
    """An engine that was asked for and is not there, or two engines that gave different answers."""


class CorruptEntry(CanfetchError, ValueError):
    """A kept entry that is not what was kept; it is dropped, and fetched again."""


class StoreError(CanfetchError, OSError):
    """A store that cannot be reached, opened or written; the message names it and what went wrong."""


class ClientClosed(CanfetchError, RuntimeError):
    """A client that was closed and is asked what it does not know: it has neither transport nor store any more."""

    def __init__(self) -> None:
        super().__init__("the client is closed; ask before it is, or make another")


class MissingExtra(CanfetchError, ImportError):
    """A library that an optional part needs and that is not installed; the message says what to install."""


class InvalidOption(CanfetchError, ValueError):
    """An option that cannot be meant, such as a time-out of none."""


class EvidenceError(CanfetchError, OSError):
    """Evidence that cannot be written or read; the message names the place."""


class InvalidDraft(CanfetchError, ValueError):
    """A line of a robots.txt in the making that cannot be meant; the message names it and the mend."""


class InvalidSitePolicy(CanfetchError, ValueError):
    """A site's policy that cannot be meant, or cannot be put into effect; the message names the key and the mend."""
