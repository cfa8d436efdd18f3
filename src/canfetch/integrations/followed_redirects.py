"""The redirects that an HTTP client follows: who named their targets, and what the sites on the way state."""

from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

from canfetch.access.redirects import REDIRECTS
from canfetch.client.request_headers import is_foreign
from canfetch.core.origin import Origin, find_origin
from canfetch.core.references import resolve_reference
from canfetch.integrations.checked_request import SentRequest

if TYPE_CHECKING:
    from canfetch.consent import UseVerdict

# The last redirect in the current thread or task. HTTP clients send the next request of a chain in the same one. It
# stays after the response of its target, because authentication can repeat that request.
_LAST: Final[ContextVar["Redirect | None"]] = ContextVar("_LAST", default=None)


class Redirect(NamedTuple):
    """A redirect that was returned to an HTTP client.

    Attributes:
        redirects: Those of the HTTP client.
        target: Where it leads, as `_comparable` returns it.
        named: The origin of the first URL of the chain, which the caller named.
        verdicts: The verdicts on the URLs of the chain, in order.
        requested: The URL that was requested after it, in the same form, or None. HTTP clients can find another URL in
            a redirect than `target`.
    """

    redirects: "Redirects"
    target: str
    named: Origin | None
    verdicts: "tuple[UseVerdict, ...]" = ()
    requested: str | None = None

    def is_foreign(self, url: str) -> bool:
        """Return whether the target is on an origin that the caller did not name."""
        return is_foreign(url, [self.named])

    def verdicts_for(self, url: str) -> "tuple[UseVerdict, ...]":
        """Return the verdicts on the URLs of the chain that led to a URL, in order."""
        return self.verdicts if self.target == _comparable(url) else ()


class Redirects:
    """The redirects of one HTTP client. Each thread or task knows the last one."""

    def is_followed(self) -> bool:
        """Return whether the last redirect of the current thread or task is one of this HTTP client."""
        return self._last() is not None

    def request(self, url: str) -> Redirect | None:
        """Note that a URL is requested. Return the redirect that led to it, or None.

        The first request after a redirect counts as the one for its target.

        Raises: InvalidURL.
        """
        last = self._last()
        if last is not None and last.requested is None:
            _LAST.set(last._replace(requested=_comparable(url)))
        return self._leading_to(url)

    def respond(self, sent: SentRequest) -> Redirect | None:
        """Keep a response for the next request if it is a redirect. Return the redirect that led to it, or None."""
        last, target = self._leading_to(sent.url), _redirect_target(sent)
        if target is not None:
            named, verdicts = (find_origin(sent.url), ()) if last is None else (last.named, last.verdicts)
            _LAST.set(Redirect(self, _comparable(target), named, verdicts))
        else:
            _LAST.set(None if last is None else last._replace(verdicts=()))
        return last

    @staticmethod
    def add_verdicts(verdicts: "tuple[UseVerdict, ...]") -> None:
        """Keep the verdicts on the URLs of the chain, in order, with the last redirect."""
        last = _LAST.get()
        if last is not None:
            _LAST.set(last._replace(verdicts=verdicts))

    def _last(self) -> Redirect | None:
        last = _LAST.get()
        return last if last is not None and last.redirects is self else None

    def _leading_to(self, url: str) -> Redirect | None:
        last = self._last()
        return last if last is not None and _comparable(url) in {last.target, last.requested} else None


def _redirect_target(sent: SentRequest) -> str | None:
    """Return the URL that a response redirects to."""
    if sent.status not in REDIRECTS:
        return None
    from canfetch.pages.headers import header_pairs  # noqa: PLC0415 - most responses are not redirects

    pairs = list(header_pairs(sent.headers))
    # aiohttp and urllib follow the second one, too.
    found = [value for wanted in ("location", "uri") for name, value in pairs if name == wanted and value.strip()]
    if not found:
        return None
    location = found[0]
    # HTTP clients percent-encode the bytes.
    text = location.strip().encode("latin-1", "replace").decode("utf-8", "replace")
    return resolve_reference(sent.url, text)


def _comparable(url: str) -> str:
    """Return a form of a URL that is the same however the HTTP client encodes it."""
    origin, (_, mark, rest) = find_origin(url), url.partition("#")[0].partition("://")
    path = rest[len(rest.partition("?")[0].partition("/")[0]) :] if mark else ""
    return f"{origin}{unquote(path if path.startswith('/') else f'/{path}')}"
