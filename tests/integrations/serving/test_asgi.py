"""What only ASGI has: mounted applications, other scopes, and servers that report less."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import unquote

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.identity.signers import AGENT_URL, NOW, Signer
from tests.integrations.serving.conftest import RULES, make_site
from tests.integrations.serving.hosts import PAGE, UvicornServer, asgi_page
from tests.integrations.serving.test_enforcement import GOOGLEBOT, enforced

from canfetch.client.identity import IdentityVerifier, SignatureVerifier
from canfetch.errors import InvalidOption
from canfetch.integrations.asgi import RobotsMiddleware, _request
from canfetch.integrations.serving.enforcement import Enforcement

pytest.importorskip("uvicorn")


def get(middleware: Any, scope: dict[str, Any]) -> tuple[int, bytes]:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("the body is not read")

    asyncio.run(middleware({"type": "http", "method": "GET", "headers": [], **scope}, receive, send))
    return sent[0]["status"], sent[1]["body"]


@pytest.mark.parametrize(
    "scope, is_robots",
    [
        ({"path": "/robots.txt"}, True),
        ({"path": "/robots.txt", "root_path": ""}, True),
        ({"path": "/robots.txt", "root_path": "/"}, True),
        # With the prefix in the path, as the specification requires, and without it, as some servers send it.
        ({"path": "/blog/robots.txt", "root_path": "/blog"}, False),
        ({"path": "/robots.txt", "root_path": "/blog"}, False),
        ({"path": "/robots.txt", "root_path": "/robots"}, False),
        ({"path": "/blog/robots.txt", "root_path": "/blog/"}, False),
    ],
)
def test_mounted_application(scope: dict[str, Any], is_robots: object) -> None:
    middleware = RobotsMiddleware(asgi_page, make_site())
    assert get(middleware, scope) == (200, RULES if is_robots else PAGE)


@pytest.mark.parametrize(
    "scope",
    [
        {"path": "/private/x"},
        {"path": "/private/x", "raw_path": None, "query_string": b"a=b"},
        {"path": "/private/x", "raw_path": b"/%70rivate/x?a=b", "query_string": b"a=b"},
        {"path": "/private/\u00e9 ?#", "client": None},
        {"path": "/private/\udcff"},
        # `request.url.path` of Starlette has no tabs and line breaks.
        {"path": "/pri\tvate/x", "raw_path": b"/pri%09vate/x"},
        {"path": "/\rprivate\n/x", "raw_path": b"/%0Dprivate%0A/x"},
        {"path": "/sub/x", "root_path": "/private"},
    ],
)
def test_target_without_a_raw_path_is_rebuilt(scope: dict[str, Any]) -> None:
    middleware = RobotsMiddleware(asgi_page, enforced(b"User-agent: *\nDisallow: /private/\n"))
    assert get(middleware, {**scope, "headers": [(b"User-Agent", GOOGLEBOT.encode())]})[0] == 403


@pytest.mark.parametrize(
    "scope, sent",
    [
        ({"path": "/private/x"}, ["websocket.close"]),
        ({"path": "/sub/%2e%2e/private/x", "scheme": "wss", "extensions": {}}, ["websocket.close"]),
        (
            {"path": "/private/x", "extensions": {"websocket.http.response": {}}},
            ["websocket.http.response.start", "websocket.http.response.body"],
        ),
        # The file is not served in this way, and its path is one of the application.
        ({"path": "/robots.txt"}, ["websocket.close"]),
        ({"path": "/x"}, ["websocket.accept"]),
        (
            {"path": "/private/x", "headers": [(b"user-agent", b"Mozilla/5.0 (X11; Linux) Firefox/140.0")]},
            ["websocket.accept"],
        ),
    ],
)
def test_handshakes_of_websockets_are_refused(scope: dict[str, Any], sent: list[str]) -> None:
    messages: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        messages.append(message)

    async def application(_: Any, receive: Any, send: Any) -> None:
        assert (await receive())["type"] == "websocket.connect"
        await send({"type": "websocket.accept"})

    middleware = RobotsMiddleware(application, enforced(b"User-agent: *\nDisallow: /private/\nDisallow: /sub/\n"))
    fields = [(b"User-Agent", GOOGLEBOT.encode())]
    asyncio.run(middleware({"type": "websocket", "headers": fields, **scope}, receive, send))
    assert [message["type"] for message in messages] == sent
    if len(sent) == 2:
        assert (messages[0]["status"], b"robots.txt disallows this" in messages[1]["body"]) == (403, True)


@pytest.mark.parametrize(
    "path, is_refused",
    [
        # Litestar and Quart route them as `/private/x`.
        ("/appprivate/x", True),
        ("/app%70rivate/x", True),
        # Quart parses a path without a slash as a URL, and Litestar removes what precedes the prefix.
        ("%20/app/private/x", True),
        ("x:%2F%2Fy/app/private/x", True),
        ("x/y/app/private/x", True),
        # A proxy may have removed the prefix from `/app/apps/x`.
        ("/apps/x", False),
        ("/apps/private/x", False),
        ("/appx", False),
        ("/app", False),
    ],
)
def test_a_prefix_can_be_removed_without_regard_to_segments(path: str, is_refused: object) -> None:
    rules = b"User-agent: *\nDisallow: /\nAllow: /app$\nAllow: /app/app\nDisallow: /app/private/\n"
    middleware = RobotsMiddleware(asgi_page, enforced(rules))
    scope = {"path": unquote(path), "raw_path": path.encode(), "root_path": "/app"}
    status, *_ = get(middleware, {**scope, "headers": [(b"user-agent", GOOGLEBOT.encode())]})
    assert status == (403 if is_refused else 200)


# As uvicorn reports them.
@pytest.mark.parametrize(
    "root_path, path, is_refused",
    [
        ("/", "//app/docs/x", False),
        ("/", "//app/x", True),
        ("/app/", "/app//docs/x", False),
        ("/app/", "/app//x", True),
        ("/app", "/app/docs/x", False),
    ],
)
def test_a_root_path_can_end_in_a_slash(root_path: str, path: str, is_refused: object) -> None:
    middleware = RobotsMiddleware(asgi_page, enforced(b"User-agent: *\nDisallow: /\nAllow: /app/docs/\n"))
    scope = {"path": path, "raw_path": path.encode(), "root_path": root_path}
    status, *_ = get(middleware, {**scope, "headers": [(b"user-agent", GOOGLEBOT.encode())]})
    assert status == (403 if is_refused else 200)


def test_a_request_about_the_server_is_not_refused() -> None:
    middleware = RobotsMiddleware(asgi_page, enforced(b"User-agent: *\nDisallow: /app/\n"))
    # As uvicorn reports it.
    scope = {"method": "OPTIONS", "path": "/app*", "raw_path": b"*", "root_path": "/app"}
    assert get(middleware, {**scope, "headers": [(b"user-agent", GOOGLEBOT.encode())]})[0] == 200


# A proxy may remove the prefix: the URL of `/x` is `/private/x` then, and that of `/public/private/x` is itself.
@pytest.mark.parametrize(
    "root_path, path, is_refused",
    [
        ("/private", "/x", True),
        ("/private", "%2fx", True),
        ("/private", "/private/x", True),
        ("/public", "/private/x", False),
        ("/public", "/public/private/x", False),
        ("/public/", "/private/x", False),
        ("/", "/private/x", True),
    ],
)
def test_target_has_the_prefix_that_a_framework_states(root_path: str, path: str, is_refused: object) -> None:
    fastapi = pytest.importorskip("fastapi")
    app = fastapi.FastAPI()
    app.root_path = root_path
    app.add_middleware(RobotsMiddleware, site=enforced(b"User-agent: *\nDisallow: /private/\n"))
    scope = {
        "path": path.replace("%2f", "/"),
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"user-agent", GOOGLEBOT.encode())],
    }
    # No page has this path.
    assert get(app, scope)[0] == (403 if is_refused else 404)


def test_path_is_compared_if_the_raw_path_is_another() -> None:
    middleware = RobotsMiddleware(asgi_page, enforced(b"User-agent: *\nDisallow: /caf\xc3\xa9/\n"))
    scope = {"path": "/caf\u00e9/x", "raw_path": b"/open", "headers": [(b"user-agent", GOOGLEBOT.encode())]}
    assert get(middleware, scope)[0] == 403


class Lines(list[tuple[bytes, bytes]]):
    """Header lines that count how often they are read."""

    reads = 0

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        self.reads += 1
        return super().__iter__()


def test_header_lines_are_read_once_however_many_fields_a_signature_covers() -> None:
    covered = {'"@authority"': "example.com", '"signature-agent";key="sig1"': f'"{AGENT_URL}"'}
    covered |= {f'"x-{number}"': "a, b" for number in range(14)}
    lines = [*Signer().headers(covered), ("User-Agent", GOOGLEBOT), ("Host", "example.com")]
    lines += [(f"X-{number}", value) for value in "ab" for number in range(14)]
    headers = Lines((name.encode(), value.encode()) for name, value in lines)
    signatures = SignatureVerifier(
        hosts=["example.com"],
        directories={"Googlebot": AGENT_URL},
        transport=ScriptedOrigin({"failure": "refused"}),
        clock=lambda: NOW,
    )
    identity = IdentityVerifier(dns=False, signatures=signatures)
    site = enforced(identity=identity, block_impostors=True, require_signature=["Googlebot"])
    assert get(RobotsMiddleware(asgi_page, site), {"path": "/", "headers": headers})[0] == 503
    # The signature conforms to the profile, with all its fields, and the directory does not exist.
    assert site.stats.signatures == {"directory-unavailable": 1}
    assert headers.reads == 1


@pytest.mark.parametrize("path", ["/x", "/blog/x"])
def test_a_signature_covers_the_prefix_and_values_without_white_space(path: str) -> None:
    signatures = SignatureVerifier(hosts=["example.com"], transport=ScriptedOrigin({"failure": "refused"}))
    enforcement = Enforcement(identity=IdentityVerifier(dns=False, signatures=signatures))
    headers = [(b"signature-input", b"sig1=()"), (b"x-1", b"a "), (b"x-1", b"b")]
    scope = {"path": path, "root_path": "/blog", "raw_path": path.encode(), "headers": headers, "query_string": b""}
    signed = enforcement.signed_request(_request(scope, "/blog/x"))
    assert signed is not None
    assert (signed.target, signed.field("x-1")) == ("/blog/x", "a, b")


def test_query_is_part_of_a_rebuilt_target() -> None:
    middleware = RobotsMiddleware(asgi_page, enforced(b"User-agent: *\nDisallow: /*?page=\n"))
    scope = {"path": "/a%3Fb", "query_string": b"page=2", "headers": [(b"user-agent", GOOGLEBOT.encode())]}
    assert get(middleware, scope)[0] == 403
    assert get(middleware, {**scope, "query_string": b""})[0] == 200
    # The path itself contains the escape, so the question mark is data.
    assert get(middleware, {**scope, "path": "/a?page=2", "query_string": b""})[0] == 200


def test_other_scopes_reach_the_application() -> None:
    scopes: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        scopes.append((scope, receive, send))

    middleware = RobotsMiddleware(app, make_site())
    receive: Any = object()
    send: Any = object()
    for kind in ("lifespan", "websocket", "unknown"):
        scope = {"type": kind, "path": "/robots.txt"}
        asyncio.run(middleware(scope, receive, send))
        assert scopes.pop() == (scope, receive, send)


def test_lifespan_on_a_real_server() -> None:
    events: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            await asgi_page(scope, receive, send)
            return
        for _ in range(2):
            kind = (await receive())["type"]
            events.append(kind)
            await send({"type": f"{kind}.complete"})

    server = UvicornServer(lifespan="on")
    server.app = RobotsMiddleware(app, make_site())
    with server:
        assert server.send("/robots.txt").body == RULES
        assert server.send("/").body == PAGE
    assert events == ["lifespan.startup", "lifespan.shutdown"]


def test_root_path_of_a_real_server() -> None:
    server = UvicornServer(root_path="/blog")
    server.app = RobotsMiddleware(asgi_page, make_site())
    with server:
        # The proxy removes the prefix: the URL is /blog/robots.txt.
        assert server.send("/robots.txt").body == PAGE


def test_lookup_that_hangs_delays_no_other_request() -> None:
    called, released = threading.Event(), threading.Event()

    def reverse(_: str) -> tuple[str, ...]:
        called.set()
        assert released.wait(300)
        return ()

    identity = IdentityVerifier(reverse=reverse, timeout=60.0)
    site = enforced(identity=identity, block_impostors=True, trusted_proxies=["127.0.0.1"])
    fields = (f"User-Agent: {GOOGLEBOT}", "X-Forwarded-For: 66.249.66.1")
    with UvicornServer() as server, ThreadPoolExecutor(1) as pool:
        server.app = RobotsMiddleware(asgi_page, site)
        verified = pool.submit(server.send, "/", *fields)
        assert called.wait(300)
        assert server.send("/", "User-Agent: curl/8").body == PAGE
        # The same crawler, too: its identity is undecided until the lookup ends.
        assert server.send("/", *fields).body == PAGE
        assert not verified.done()
        released.set()
        assert verified.result(300).body == PAGE


def test_exceptions_of_the_application_are_not_changed() -> None:
    async def app(_scope: Any, _receive: Any, _send: Any) -> None:
        raise KeyError("application")

    with pytest.raises(KeyError, match="application"):
        get(RobotsMiddleware(app, enforced()), {"path": "/"})


@pytest.mark.parametrize(
    "app, site", [(None, make_site()), (asgi_page, None), (asgi_page, RULES)], ids=["app", "none", "bytes"]
)
def test_invalid_arguments(app: Any, site: Any) -> None:
    with pytest.raises(InvalidOption, match=r"invalid (app|site)"):
        RobotsMiddleware(app, site)
