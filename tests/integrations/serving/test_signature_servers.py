"""Sites that require signatures: Flask on gunicorn, Starlette on uvicorn, and on hypercorn with HTTP/2."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from tests.integrations.serving.hosts import SECONDS
from tests.integrations.serving.test_enforcement import GOOGLEBOT
from tests.integrations.serving.test_servers import running
from tests.servers.certificates import Authority
from tests.servers.valid import respond
from tests.servers.web import Site

from canfetch.client.identity import SigningIdentity
from canfetch.client.identity.identity_file import new_identity
from canfetch.client.identity.keys import DIRECTORY_PATH

pytestmark = pytest.mark.service
_SITE = """
import ssl

from canfetch.client.identity import IdentityVerifier, SignatureVerifier
from canfetch.client.transports.http_transport import HTTPTransport

signatures = SignatureVerifier(
    hosts=["example.com"],
    directories={{"Googlebot": {directory!r}}},
    transport=HTTPTransport(ssl_context=ssl.create_default_context(cafile={authority!r}), trust_env=False),
    allow_private=True,
    timeout=60,
    fetch_timeout=60,
    reject_replays=True,
)
enforcement = Enforcement(
    identity=IdentityVerifier(dns=False, signatures=signatures), block_impostors=True, require_signature=["Googlebot"]
)
site = Site("User-agent: *\\nDisallow: /private/\\n", environment="production", enforcement=enforcement)
"""
_FLASK = f"""
from flask import Flask
from canfetch.integrations.wsgi import Enforcement, RobotsMiddleware, Site
{_SITE}
app = Flask("shop")
app.add_url_rule("/<path:name>", "page", lambda name: "fish")
app.wsgi_app = RobotsMiddleware(app.wsgi_app, site)
"""
_STARLETTE = f"""
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from canfetch.integrations.asgi import Enforcement, RobotsMiddleware, Site
{_SITE}

async def page(request):
    return PlainTextResponse("fish")


app = Starlette(routes=[Route("/{{{{name:path}}}}", page)])
app.add_middleware(RobotsMiddleware, site=site)
"""
SERVERS = {
    "gunicorn": (_FLASK, ["gunicorn", "--threads=4", "--bind=fd://{fd}", "shop:app"]),
    "uvicorn": (_STARLETTE, ["uvicorn", "--fd={fd}", "shop:app"]),
    "hypercorn": (_STARLETTE, ["hypercorn", "--bind=fd://{fd}", "shop:app"]),
}
_HYPERCORN = ("hypercorn==0.18.0", "priority==2.0.0", "wsproto==1.2.0")
Headers = list[tuple[str, str]]
Send = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SigningIdentity, Authority]]:
    """Return an identity whose keys are published, and the authority of the server's certificate."""
    authority = Authority(tmp_path_factory.mktemp("certificates"))
    with Site(tls=authority.good()) as published:
        file = tmp_path_factory.mktemp("identity") / "identity.json"
        file.touch(mode=0o600)
        file.write_bytes(new_identity(f"https://127.0.0.1:{published.port}", now=time.time()).to_json())
        signing = SigningIdentity(file)
        fields, keys = signing.directory(f"127.0.0.1:{published.port}")
        published.serve(DIRECTORY_PATH, respond(keys, *(f"{name}: {value}" for name, value in fields)))
        yield signing, authority


@pytest.fixture(params=SERVERS)
def send(request: pytest.FixtureRequest, identity: tuple[SigningIdentity, Authority], tmp_path: Path) -> Iterator[Send]:
    """Start a server, and return a function that sends requests of a crawler to it."""
    module, command = SERVERS[request.param]
    is_http2 = request.param == "hypercorn"
    if is_http2:
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-deps"]
        subprocess.run([*pip, "--target", str(tmp_path), *_HYPERCORN], check=True, timeout=SECONDS)
    text = module.format(directory=identity[0].directory_url, authority=str(identity[1].file))
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        running(text, command, tmp_path, listener),
        httpx2.Client(http1=not is_http2, http2=is_http2, timeout=SECONDS, trust_env=False) as client,
    ):
        origin = f"http://127.0.0.1:{listener.getsockname()[1]}"

        def send_request(path: str, headers: Headers, *, host: str = "example.com") -> tuple[int, str]:
            response = client.get(origin + path, headers=[("Host", host), ("User-Agent", GOOGLEBOT), *headers])
            assert response.http_version == ("HTTP/2" if is_http2 else "HTTP/1.1")
            return response.status_code, response.text

        yield send_request


def test_only_signed_requests_of_the_crawler_pass(send: Send, identity: tuple[SigningIdentity, Authority]) -> None:
    def signed(path: str = "/a%20b?q=1", host: str = "example.com") -> Headers:
        return list(identity[0].headers("GET", f"https://{host}{path}"))

    once = signed()
    assert send("/a%20b?q=1", once) == (200, "fish")
    assert send("/a%20b?q=1", list(reversed(signed()))) == (200, "fish")
    lower = [(name.lower(), value) for name, value in signed()]
    assert send("/a%20b?q=1", lower) == (200, "fish")
    refused = {
        "the nonce of the signature was used before": send("/a%20b?q=1", once),
        "the request is not signed": send("/fish", []),
        "the signature does not match the message and its key": send("/fish", signed()),
        "other.example is not a host of the site": send(
            "/fish", signed("/fish", "other.example"), host="other.example"
        ),
        "the field signature-input is not a valid dictionary": send("/fish", [*signed("/fish"), *signed("/fish")]),
        "the request has no field Signature-Agent": send("/fish", signed("/fish")[1:]),
    }
    for reason, (status, text) in refused.items():
        assert (status, text.splitlines()[0]) == (403, "403 Forbidden: this client is not Googlebot")
        assert reason in text
    assert "robots.txt disallows" in send("/private/a", signed("/private/a"))[1]
    assert send("/robots.txt", [])[0] == 200
