"""Product tokens: RFC 9309 section 2.2.1."""

import pytest

from canfetch.core.agent import Agent
from canfetch.core.profiles import PROFILES
from canfetch.core.tokens import encode_product_token, extract_token, product_token
from canfetch.errors import InvalidProductToken

RFC9309, GOOGLE = PROFILES["rfc9309"], PROFILES["google"]


@pytest.mark.parametrize(
    "value, token, google_token",
    [
        (b"ExampleBot", b"ExampleBot", b"ExampleBot"),
        (b"Foo_Bar-Baz", b"Foo_Bar-Baz", b"Foo_Bar-Baz"),
        (b"googlebot/1.2", b"googlebot", b"googlebot"),
        (b"googlebot*", b"googlebot", b"googlebot"),
        (b"Foo Bar", b"Foo", b"Foo"),
        (b"Foo\tBar", b"Foo", b"Foo"),
        (b"Foo\vBar\fBaz", b"Foo", b"Foo"),
        (b"FooBot, BarBot", b"FooBot", b"FooBot"),
        # Digits and dots occur in real names. Google's parser cuts there.
        (b"MJ12bot", b"MJ12bot", b"MJ"),
        (b"360Spider", b"360Spider", b""),
        (b"archive.org_bot", b"archive.org_bot", b"archive"),
        (b"caf\xc3\xa9bot", b"caf\xc3\xa9bot", b"caf"),
        # The star, and other values that Google's parser reads as the star.
        (b"*", b"*", b"*"),
        (b"* foo", b"*", b"*"),
        (b"*\tfoo", b"*", b"*"),
        (b"*\vfoo", b"*", b"*"),
        (b"*Bot", b"", b""),
        (b"**", b"", b""),
        (b"*/", b"", b""),
        (b"*,Bot", b"", b""),
        # No token.
        (b"", b"", b""),
        (b"/1.0", b"", b""),
        (b",a", b"", b""),
    ],
)
def test_google_token_of_a_user_agent_line(value: bytes, token: bytes, google_token: bytes) -> None:
    assert extract_token(value, RFC9309) == token
    assert extract_token(value, GOOGLE) == google_token


@pytest.mark.parametrize("token", ["ExampleBot", "*", "MJ12bot", "archive.org_bot", "caf\u00e9", "a,b", "\udce9"])
def test_names_of_real_crawlers_are_valid_tokens(token: str) -> None:
    assert encode_product_token(token) == token.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    "token, character",
    [("Example Bot", "' '"), ("ExampleBot/1.0", "'/'"), ("a\0b", r"'\x00'"), ("a\tb", r"'\t'"), ("a\x7f", r"'\x7f'")],
)
def test_invalid_product_token_raises(token: str, character: str) -> None:
    with pytest.raises(InvalidProductToken) as caught:
        encode_product_token(token)
    assert f"must not contain {character}" in str(caught.value)
    assert "canfetch.product_token()" in str(caught.value)


def test_empty_and_bytes_tokens_raise() -> None:
    with pytest.raises(InvalidProductToken, match="invalid product token ''"):
        encode_product_token("")
    with pytest.raises(TypeError, match="must be a str, not bytes"):
        encode_product_token(b"ExampleBot")


@pytest.mark.parametrize(
    "header, token",
    [
        # RFC 9309 section 2.2.1, figure 1.
        ("Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)", "ExampleBot"),
        # The first product is the crawler's own.
        ("ExampleBot/1.0 (+https://example.com/bot)", "ExampleBot"),
        ("Googlebot-Image/1.0", "Googlebot-Image"),
        ("DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)", "DuckDuckBot"),
        ("facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "facebookexternalhit"),
        ("CCBot/2.0 (https://commoncrawl.org/faq/) Mozilla/5.0 (compatible; Other/1.0)", "CCBot"),
        # The product after `compatible;`, wherever that is.
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
            "GPTBot",
        ),
        (
            (
                "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/W.X.Y.Z Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
            ),
            "Googlebot",
        ),
        ("Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)", "archive.org_bot"),
        ("Mozilla/5.0 (COMPATIBLE;PetalBot;+https://webmaster.petalsearch.com/site/petalbot)", "PetalBot"),
        # Internet Explorer has `compatible`, too.
        ("Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1) (compatible; OldBot/1.0)", "OldBot"),
        # The product in a comment with a URL or email address.
        (
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                "Version/17.4 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)"
            ),
            "Applebot",
        ),
        ("Mozilla/5.0 (NotBot; MailBot/2; bots@example.com)", "MailBot"),
        # Otherwise the last product that is not a browser's.
        (
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120 Safari/537.36 Foo/2",
            "Foo",
        ),
        # A product without a name is ignored.
        ("/5.0 ExampleBot/1.0", "ExampleBot"),
        ("Mozilla/5.0 (compatible; /1.0; GoodBot/1.0; +https://example.com)", "GoodBot"),
        # `-` and `_` may be anywhere in a token, also for Google's parser.
        ("_MyBot/1.0", "_MyBot"),
        ("-Bot", "-Bot"),
        ("--_Bot/2 Mozilla/5.0", "--_Bot"),
        ("Mozilla/5.0 (compatible; _MyBot/1.0)", "_MyBot"),
        # A dash between words is not a token, and an address is not a product.
        ("Mozilla/5.0 ExampleBot/1.0 - https://example.com/bot", "ExampleBot"),
        ("Mozilla/5.0 (compatible; https://example.com/bot; GoodBot/1.0)", "GoodBot"),
        # Parentheses that do not match.
        ("Mozilla/5.0 ) (compatible; Nested/1 (deeper; x) ; +http://a.example", "Nested"),
    ],
)
def test_rfc9309_2_2_1_product_token_of_a_header(header: str, token: str) -> None:
    assert product_token(header) == token
    assert Agent(token).tokens == (token,)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "   ",
        "()",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36",
        "Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0)",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 CriOS/122.0 Mobile/15E148",
        # Not valid as a product token.
        "Bot\x00/1.0",
        "-/1.0",
        "-",
        "Mozilla/5.0 - _",
        "https://example.com/bot",
        "Mozilla/5.0 https://example.com/bot",
    ],
)
def test_header_without_a_crawler_raises(header: str) -> None:
    with pytest.raises(InvalidProductToken, match="no product token in the User-Agent header"):
        product_token(header)


@pytest.mark.slow
def test_long_header_takes_linear_time() -> None:
    # Copying the comment for each of its characters would take minutes.
    with pytest.raises(InvalidProductToken):
        product_token("Mozilla/5.0 (" + "x" * 2_000_000)


def test_user_agent_must_be_str() -> None:
    with pytest.raises(TypeError, match="User-Agent header must be a str, not int"):
        product_token(3)  # type: ignore[arg-type]
