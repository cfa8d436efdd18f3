"""The models of the OpenAPI document describe the responses exactly."""

import json
from collections import defaultdict
from collections.abc import Iterator
from types import NoneType
from typing import Any, get_args

import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel
from tests.identity.signers import NOW, Signer
from tests.web.conftest import ScriptedWeb, running_api

from canfetch.access.responses import Failure, FailureKind
from canfetch.core.times import rfc3339
from canfetch.web.api import decisions, files, live, registry, use
from canfetch.web.app import create_app
from canfetch.web.settings import Settings

FILE = """\
Sitemap: https://example.com/sitemap.xml
User-agent: ExampleBot
User-agent: GPTBot
Disallow: /private
Disallow: /private/deep
Allow: /private/open
Disallow:
Crawl-delay 10
Content-Signal: search=yes, ai-train=no
Content-Usage: /page train-ai=n

User-agent: *
Disalow: /a
Noindex: /b
Content-Usage: all=n

License: https://example.com/license.xml
Unknown: x
"""
PACED = f"""{FILE}
Host: example.com
Crawl-delay: 5
Request-rate: 1/10
Request-rate: 1/20 0600-0700
Visit-time: 0000-1200

User-agent: NightBot
Visit-time: 1200-2400
Disallow: /
"""
OTHER_FILE = FILE.replace("Disallow: /private", "Disallow: /x*y")
BROKEN = "User-agent: *\nDisallow: /#admin\nDisalow: /a\nDisallow: /b\nDisallow: /b/c\nDisallow: *.pdf\nAllow: b/\n"
REDIRECTED = "https://moved.example/page"
PAGE = """\
<html><head><meta name="robots" content="noindex, max-snippet: 20, nofollow noindex, no-index, max-snippet:">
<meta name="robots" content="unavailable_after: 2020-01-01">
<meta name="googlebot" content="max-image-preview: standard"><meta name="tdm-reservation" content="1">
</head><body><a rel="nofollow" href="/x">x</a><form rel="ugc"></form><div data-nosnippet>x</div></body></html>
"""
TDM_FILE = json.dumps([{"location": "/*", "tdm-reservation": 1, "tdm-policy": "https://example.com/terms"}])
AGENTS = ["ExampleBot", "GPTBot", "Googlebot"]
AT_PRIVATE = {"url": "https://example.com/private", "tdm_file": "{"}
UTF_16 = {"content": "//5VAHMAZQByAGEAZwBlAG4AdAA6ACAAKgAKAA==", "content_encoding": "base64"}
FILE_OF = {"content": FILE, "agents": AGENTS}

SIGNED = "\n".join(f"{name}: {value}" for name, value in Signer().headers(host="x"))

REQUESTS: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "decide", {"content": FILE, "url": "/private/deep", "agent": "GPTBot"}),
    ("POST", "decide", {"content": FILE, "url": "/x", "agent": "GTPBot"}),
    ("POST", "decide", {"content": "", "url": "/x", "agent": "GPTBot"}),
    ("GET", "decide?url=https://example.com/x&agent=GPTBot", {}),
    ("GET", "decide?url=https://down.example/x&agent=GPTBot", {}),
    ("POST", "decide/batch", {**FILE_OF, "urls": ["/private", "/x", "x"]}),
    ("POST", "decide/batch", {"urls": ["https://example.com/x"], "agents": AGENTS}),
    ("POST", "decide/batch", {"content": FILE, "agents": ["GTPBot"], "urls": ["/x"]}),
    ("POST", "explain", {"content": FILE, "url": "/private/deep", "agent": "GPTBot"}),
    ("POST", "explain", {"content": FILE, "url": "/x", "agent": "GTPBot"}),
    ("POST", "matrix", {**FILE_OF, "urls": ["/private", "/x", "x"]}),
    ("POST", "matrix", {"content": FILE, "agents": ["GTPBot"], "urls": ["/x"]}),
    ("POST", "compare", {"old": FILE, "new": OTHER_FILE, "urls": ["/private", "x"], "agents": AGENTS}),
    ("POST", "compare", {"old": "", "new": FILE, "agents": ["GTPBot", "GPTBot"], "urls": ["/private"]}),
    ("POST", "parse", {"content": FILE}),
    ("POST", "parse", {"content": "<html><title>x</title></html>"}),
    ("POST", "lint", {"content": FILE}),
    ("POST", "lint", {"content": BROKEN}),
    # A fix that changes verdicts.
    ("POST", "lint", {"content": "Disallow: /a\n"}),
    ("POST", "lint", UTF_16),
    ("POST", "fix", {"content": BROKEN, "unsafe": True}),
    ("POST", "fix", UTF_16),
    ("POST", "fix", {"content": "<html></html>"}),
    ("POST", "format", {"content": "user-agent:*\nDISALLOW:/x\n\n\n\n"}),
    ("POST", "format", UTF_16),
    ("POST", "format", {"content": "dXNlci1hZ2VudDoqCkRpc2FsbG93Oi/pCg==", "content_encoding": "base64"}),
    ("POST", "use", {**FILE_OF, "url": "/page", "headers": "tdm-reservation: 1\ntdm-policy: https://example.com/"}),
    ("POST", "use", {**FILE_OF, "url": "/page", "tdm_file": TDM_FILE}),
    ("POST", "use", {**FILE_OF, "url": "/private", "headers": "tdm-reservation: x", "tdm_file": "{"}),
    ("POST", "use", {"content": FILE, "agents": ["GTPBot"]}),
    ("POST", "facts", {"content": PACED}),
    ("POST", "facts", {"content": PACED, "agents": ["GTPBot"]}),
    ("POST", "facts", {"url": "https://example.com/", "agents": AGENTS}),
    ("POST", "page", {"agents": AGENTS, "html": PAGE, "headers": "X-Robots-Tag: bingbot: noindex\ntdm-reservation: x"}),
    ("POST", "page", {"agents": AGENTS, "html": PAGE, "robots": FILE, **AT_PRIVATE}),
    ("POST", "page", {"agents": ["GTPBot"], "url": "https://example.com/", "tdm_file": TDM_FILE}),
    ("POST", "page/fetch", {"agents": AGENTS, "url": "https://example.com/page"}),
    ("POST", "page/fetch", {"agents": AGENTS, "url": "https://example.com/page", "resources": True}),
    ("POST", "page/fetch", {"agents": ["GTPBot"], "url": "https://example.com/many", "resources": True}),
    ("POST", "page/fetch", {"agents": ["GPTBot"], "url": "https://example.com/private", "resources": True}),
    ("POST", "use", {**FILE_OF, "url": "/page", "headers": "X-Robots-Tag: unavailable_after: 2099-01-01"}),
    ("POST", "use/fetch", {"agents": ["ExampleBot"], "url": "https://example.com/many", "purpose": "ai-use"}),
    ("POST", "use/fetch", {"agents": AGENTS, "url": "https://example.com/page", "purpose": "training"}),
    ("POST", "use/fetch", {"agents": ["GTPBot"], "url": "https://example.com/private", "purpose": "ai-input"}),
    ("POST", "fetch", {"url": "https://example.com/"}),
    ("POST", "fetch", {"url": "https://old.example/"}),
    ("POST", "fetch", {"url": "https://down.example/"}),
    ("GET", "access?url=https://example.com/x", {}),
    ("POST", "sitemap", {"url": "https://example.com/sitemap"}),
    ("POST", "sitemap", {"url": "https://example.com/page"}),
    ("GET", "agents", {}),
    ("GET", "agents/GPTBot", {}),
    ("GET", "agents/find?user_agent=GPTBot/1.0", {}),
    ("GET", "agents/find?user_agent=x", {}),
    ("POST", "agents/verify", {"request": f"GET /\nHost: x\nUser-Agent: GPTBot\n{SIGNED}", "at": rfc3339(NOW)}),
    ("POST", "agents/verify", {"request": "GET /", "at": "2026-01-01"}),
]


# The first two are null before the first fetch, and a server always fetches. No known HTML makes the parser infer an
# element that loads something.
NEVER_NULL = {"AccessObject.fetched_at", "FetchedFile.fetched_at", "ResourceObject.line", "UseAnswerObject.expires_at"}


def example_web() -> ScriptedWeb:
    web = ScriptedWeb()
    html = (("Content-Type", "text/html"),)
    for origin in ("https://example.com", "https://moved.example"):
        web.add(f"{origin}/robots.txt", FILE.encode(), headers=(("Content-Type", "text/plain"),))
    web.add("https://old.example/robots.txt", status=301, headers=(("Location", "https://example.com/robots.txt"),))
    web.add("https://example.com/page", status=302, headers=(("Location", REDIRECTED),))
    web.add(REDIRECTED, PAGE.encode(), headers=html)
    many = "".join(f"<img src=https://{number}.example/>" for number in range(30))
    web.add("https://example.com/many", f"<base href=/x/><script src=a></script>{many}".encode(), headers=html)
    web.add("https://example.com/sitemap", status=302, headers=(("Location", "https://example.com/sitemap.xml"),))
    web.add("https://example.com/sitemap.xml", b"<urlset><url><loc>https://example.com/</loc></url></urlset>")
    web.sites["https://down.example/robots.txt"] = lambda: Failure("", FailureKind.TIMEOUT, "no response")
    return web


def response_models() -> dict[tuple[str, str], type[BaseModel]]:
    """Return the model of each operation."""
    routers = (decisions.ROUTER, files.ROUTER, use.ROUTER, live.ROUTER, registry.ROUTER)
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    return {
        (next(iter(route.methods or ())), route.path): route.response_model for route in routes if route.response_model
    }


@pytest.fixture(scope="module")
def answers() -> list[BaseModel]:
    """Return the responses to `REQUESTS`, each validated by its model."""
    models = response_models()
    found = []
    with running_api(transport=example_web()) as api:
        for method, target, body in REQUESTS:
            path = f"/v1/{target.partition('?')[0]}"
            model = models.get((method, path)) or models[method, f"{path.rpartition('/')[0]}/{{name}}"]
            response = api.request(method, f"/v1/{target}", **({"json": body} if body else {}))
            assert response.status_code == 200, (target, response.text)
            found.append(model.model_validate_json(response.content, strict=True, extra="forbid"))
    return found


def models_in(value: Any) -> Iterator[BaseModel]:
    """Yield the models in a value, and it."""
    if isinstance(value, BaseModel):
        yield value
        value = dict(value)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from models_in(part)


@pytest.mark.slow
def test_no_response_has_undeclared_keys_or_values(answers: list[BaseModel]) -> None:
    assert {type(answer) for answer in answers} == set(response_models().values())


def test_each_declared_key_occurs_with_a_value_and_with_null_if_it_may_be_null(answers: list[BaseModel]) -> None:
    seen: dict[tuple[type[BaseModel], str], set[bool]] = defaultdict(set)
    for answer in answers:
        for part in models_in(answer):
            for name in part.model_fields_set:
                seen[type(part), name].add(getattr(part, name) is not None)
    missing = []
    for model in {model for model, _ in seen}:
        for name, field in model.model_fields.items():
            may_be_null = field.annotation is NoneType or NoneType in get_args(field.annotation)
            expected = ({False} if may_be_null else set()) | (set() if field.annotation is NoneType else {True})
            if not expected <= seen[model, name]:
                missing.append(f"{model.__name__}.{name}")
    assert set(missing) == NEVER_NULL


@pytest.mark.slow
def test_the_document_declares_the_keys_of_every_object() -> None:
    schemas = create_app().app.openapi()["components"]["schemas"]
    loose = [name for name, schema in schemas.items() if '"additionalProperties": true' in json.dumps(schema)]
    assert loose == []


@pytest.mark.slow
def test_profile_of_the_server_is_that_of_requests_without_one(web: ScriptedWeb) -> None:
    content = "User-agent: *\nDissallow: /a\n"
    web.add("https://a.example/robots.txt", content.encode())
    with running_api(Settings(policy="google2019", profile="google2019"), transport=web) as api:
        asked = {"url": "/a", "agent": "GPTBot", "content": content}
        assert api.answer("decide", **asked)["allowed"]
        assert not api.answer("decide", **asked, profile="google")["allowed"]
        live = {"url": "https://a.example/a", "agent": "GPTBot"}
        verdict = api.answer("decide", **live)
        assert (verdict["allowed"], verdict["profile"], verdict["access"]["policy"]) == (
            True,
            "google2019",
            "google2019",
        )
        assert not api.answer("decide", **live, profile="google")["allowed"]
        assert api.answer("parse", content=content)["profile"] == "google2019"
