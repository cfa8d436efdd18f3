"""Crawlers get the chosen status and text from the middlewares, on real servers."""

import pytest
from tests.integrations.serving.conftest import Serve
from tests.integrations.serving.hosts import PAGE

from canfetch.author import Refusal
from canfetch.errors import InvalidOption
from canfetch.integrations.serving import Enforcement

CRAWLER = "User-Agent: GPTBot/1.0"
BROWSER = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
TEXTS = (
    'L\'accesso \u00e8 riservato: 100% "no"',
    "No est\u00e1 permitido",
    "\uc218\uc9d1\ud560 \uc218 \uc5c6\uc2b5\ub2c8\ub2e4",
)


@pytest.mark.parametrize(
    "refusal", [Refusal(451, TEXTS[0]), Refusal(200, TEXTS[1]), Refusal(403, TEXTS[2])], ids=["451", "200", "403"]
)
def test_wikipedia_middleware_responds_with_the_chosen_status_and_text(serve: Serve, refusal: Refusal) -> None:
    server = serve(enforcement=Enforcement(refusal=refusal))
    answer = server.send("/x", CRAWLER)
    assert (answer.status, answer.body.decode("utf-8")) == (refusal.status, f"{refusal.text}\n")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert server.send("/x", CRAWLER, method="HEAD").body == b""
    assert server.send("/x", BROWSER).body == PAGE
    assert server.send("/robots.txt", CRAWLER).headers["cache-control"] == "public, max-age=3600"


def test_status_without_a_text_has_the_reason(serve: Serve) -> None:
    answer = serve(enforcement=Enforcement(refusal=Refusal(410))).send("/x", CRAWLER)
    assert (answer.status, answer.body) == (
        410,
        b"410 Gone: robots.txt disallows this for GPTBot\nline 6, Disallow: /\n",
    )


def test_enforcement_requires_a_refusal() -> None:
    with pytest.raises(InvalidOption, match="invalid refusal 451: expected a Refusal"):
        Enforcement(refusal=451)  # type: ignore[arg-type]
