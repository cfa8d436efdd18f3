"""WSGI middleware that serves robots.txt, for Flask, Pyramid, Bottle and every other WSGI application.

app.wsgi_app = RobotsMiddleware(app.wsgi_app, Site(Path("robots.txt"), environment="production"))
"""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption
from canfetch.integrations.serving import Enforcement, Site
from canfetch.integrations.serving.requests import (
    Request,
    decode_native,
    environ_header,
    path_of_environ,
    query_of_environ,
    rest_without_slash,
    target_of_environ,
)

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

__all__ = ["Enforcement", "RobotsMiddleware", "Site"]


class RobotsMiddleware:
    """Answers requests for /robots.txt, and refuses those of crawlers if the site enforces its rules.

    All other requests reach the application unchanged.

    Args:
        app: The application.
        site: The site.
    Raises: InvalidOption: An argument is invalid.
    """

    def __init__(self, app: "WSGIApplication", site: Site) -> None:
        if not callable(app):
            raise InvalidOption(f"invalid app {quoted(app)}: expected a WSGI application")
        if not isinstance(site, Site):
            raise InvalidOption(f"invalid site {quoted(site)}: expected Site(Path('robots.txt'), environment=...)")
        self._app = app
        self._site = site

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer a request, or pass it to the application."""
        path = path_of_environ(environ)
        if self._site.concerns(path):
            reply = self._site.respond(_request(environ, path))
            if reply is not None:
                start_response(f"{reply.status} {reply.reason_phrase}", list(reply.headers))
                return [reply.body]
        return self._app(environ, start_response)


def _request(environ: "WSGIEnvironment", path: str) -> Request:
    path = decode_native(path)
    prefix = decode_native(environ.get("SCRIPT_NAME", "")).rstrip("/")
    rest = rest_without_slash(path, prefix)
    # Without the names of the attributes, which take half as long again.
    return Request(
        environ["REQUEST_METHOD"],
        path,
        target_of_environ(environ),
        # HTTP/1.0 requests may lack a Host field. The server then has its configured name.
        environ.get("HTTP_HOST") or environ.get("SERVER_NAME", ""),
        environ.get("REMOTE_ADDR"),
        partial(environ_header, environ),
        prefix,
        environ.get("wsgi.url_scheme") or "http",
        query_of_environ(environ),
        # The DispatcherMiddleware of Werkzeug starts the path at its first slash.
        tuple(f"{prefix}/{one}" for one in (rest, rest.partition("/")[2])) if rest else (),
    )
