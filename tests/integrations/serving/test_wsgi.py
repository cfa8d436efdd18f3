"""What only WSGI has: mounted applications, and the target in the environment of different servers."""

from typing import Any
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

import pytest
from tests.integrations.serving.conftest import RULES, make_site
from tests.integrations.serving.hosts import PAGE, wsgi_page
from tests.integrations.serving.test_enforcement import GOOGLEBOT, enforced

from canfetch.errors import InvalidOption
from canfetch.integrations.wsgi import RobotsMiddleware


def get(app: Any, **environ: str) -> tuple[str, bytes]:
    """Return status and body, of an application that the validator of the standard library checks."""
    environ = {"QUERY_STRING": "", "SCRIPT_NAME": "", **environ}
    setup_testing_defaults(environ)
    started: list[str] = []

    def start_response(status: str, headers: list[tuple[str, str]], _: object = None) -> Any:
        started.append(status)
        return list(headers).append

    result = app(environ, start_response)
    try:
        return started[0], b"".join(result)
    finally:
        if hasattr(result, "close"):
            result.close()


def test_responses_follow_the_standard() -> None:
    checked = validator(RobotsMiddleware(_typed_page, make_site()))
    assert get(checked, PATH_INFO="/robots.txt") == ("200 OK", RULES)
    assert get(checked, PATH_INFO="/robots.txt", HTTP_IF_NONE_MATCH="*") == ("304 Not Modified", b"")
    assert get(checked, PATH_INFO="/robots.txt", REQUEST_METHOD="HEAD") == ("200 OK", b"")
    assert get(checked, PATH_INFO="/robots.txt", REQUEST_METHOD="POST")[0] == "405 Method Not Allowed"
    assert get(checked, PATH_INFO="/") == ("200 OK", PAGE)


def _typed_page(_environ: Any, start_response: Any) -> list[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [PAGE]


@pytest.mark.parametrize(
    "script_name, path_info, is_robots",
    [("", "/robots.txt", True), ("/blog", "/robots.txt", False), ("/robots.txt", "", True), ("", "", False)],
)
def test_mounted_application(script_name: str, path_info: str, is_robots: object) -> None:
    middleware = RobotsMiddleware(wsgi_page, make_site())
    _, body = get(middleware, SCRIPT_NAME=script_name, PATH_INFO=path_info)
    assert body == (RULES if is_robots else PAGE)


@pytest.mark.parametrize(
    "environ, is_refused",
    [
        ({"PATH_INFO": "/a/b"}, False),
        ({"PATH_INFO": "/a/b", "RAW_URI": "/a%2Fb"}, True),
        ({"PATH_INFO": "/a/b", "REQUEST_URI": "/a%2Fb?x=y"}, True),
        ({"PATH_INFO": "/a/b", "REQUEST_URI": "http://example.com/a%2Fb"}, True),
        ({"PATH_INFO": "/a%2Fb"}, False),
        ({"PATH_INFO": "/b", "SCRIPT_NAME": "/c", "QUERY_STRING": "d=\xe9"}, True),
        ({"PATH_INFO": "/\xc3\xa9"}, True),
        ({"PATH_INFO": "/e", "REQUEST_URI": "\u20ac"}, False),
        # The path of the application counts, too.
        ({"PATH_INFO": "/a%2Fb", "REQUEST_URI": "/open"}, False),
        ({"PATH_INFO": "/\xc3\xa9", "REQUEST_URI": "/open"}, True),
        ({"PATH_INFO": "/b", "SCRIPT_NAME": "/c", "REQUEST_URI": "/open?d=e"}, True),
        # gunicorn removes the prefix without regard to segments.
        ({"PATH_INFO": "b", "SCRIPT_NAME": "/c", "RAW_URI": "/cb?d=e", "QUERY_STRING": "d=e"}, True),
        ({"PATH_INFO": "x/b", "SCRIPT_NAME": "/c", "RAW_URI": "/cx/b?d=e", "QUERY_STRING": "d=e"}, True),
        ({"PATH_INFO": "/cb", "SCRIPT_NAME": "/c", "RAW_URI": "/cb?d=e", "QUERY_STRING": "d=e"}, False),
        # Some servers remove tabs from the query.
        ({"PATH_INFO": "/b", "SCRIPT_NAME": "/c", "REQUEST_URI": "/c/b?\td=e", "QUERY_STRING": "d=e"}, True),
        ({"PATH_INFO": "/b", "SCRIPT_NAME": "/c", "REQUEST_URI": "/c/b", "QUERY_STRING": "d=e"}, True),
        # A proxy removed the prefix.
        ({"PATH_INFO": "/b", "SCRIPT_NAME": "/c", "REQUEST_URI": "/b?d=e"}, True),
        ({"PATH_INFO": "/\xc3\xa9", "SCRIPT_NAME": "/c", "REQUEST_URI": "/%C3%A9"}, False),
        ({"PATH_INFO": "/\xc3\xa9", "SCRIPT_NAME": "/c", "REQUEST_URI": "/c/%C3%A9"}, False),
    ],
)
def test_target(environ: dict[str, str], is_refused: object) -> None:
    rules = "User-agent: *\nDisallow: /a%2Fb\nDisallow: /c/b?d=\nDisallow: /\u00e9\n"
    status, _ = get(RobotsMiddleware(wsgi_page, enforced(rules)), **environ, HTTP_USER_AGENT=GOOGLEBOT)
    assert status == ("403 Forbidden" if is_refused else "200 OK")


@pytest.mark.parametrize("path, is_refused", [("/docs/x", False), ("/x", True), ("docs/x", False)])
def test_a_prefix_can_end_in_a_slash(path: str, is_refused: object) -> None:
    middleware = RobotsMiddleware(wsgi_page, enforced("User-agent: *\nDisallow: /\nAllow: /app/docs/\n"))
    status, _ = get(middleware, SCRIPT_NAME="/app/", PATH_INFO=path, HTTP_USER_AGENT=GOOGLEBOT)
    assert status == ("403 Forbidden" if is_refused else "200 OK")


def test_request_without_a_host_has_the_name_of_the_server() -> None:
    middleware = RobotsMiddleware(wsgi_page, make_site({"127.0.0.1": RULES}))
    environ = {"SERVER_NAME": "127.0.0.1", "PATH_INFO": "/robots.txt", "HTTP_HOST": ""}
    assert get(middleware, **environ)[1] == RULES


@pytest.mark.parametrize("app, site", [(None, make_site()), (wsgi_page, None)], ids=["app", "site"])
def test_invalid_arguments(app: Any, site: Any) -> None:
    with pytest.raises(InvalidOption, match=r"invalid (app|site)"):
        RobotsMiddleware(app, site)
