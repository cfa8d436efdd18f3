"""The page that a page forwards to."""

import pytest

from canfetch.pages.refresh import find_refresh

pytest.importorskip("lxml", reason="lxml is not installed")

PAGE = "https://example.com/folder/page"


@pytest.mark.parametrize(
    "value, expected",
    [
        ("0; url=/a", (0, "https://example.com/a")),
        ("5;URL = 'b?x=1' and more", (5, "https://example.com/folder/b?x=1")),
        (' 3 , "//other.example/c#part"', (3, "https://other.example/c")),
        ("0.9 url", (0, "https://example.com/folder/url")),
        (".5;/a", (0, "https://example.com/a")),
        ("0 /a", (0, "https://example.com/a")),
        (f"{'9' * 5_000};/a", (999_999_999, "https://example.com/a")),
        # The page itself, no time, another scheme, no value.
        ("300", None),
        ("0; url=#top", None),
        ("0; url=/folder/page", None),
        ("soon; url=/a", None),
        ("0x; url=/a", None),
        ("-1; url=/a", None),
        ("0; url=javascript:alert()", None),
        ("0; url='", None),
        ("", None),
    ],
)
def test_a_value(value: str, expected: tuple[int, str] | None) -> None:
    assert find_refresh(b"", url=PAGE, header=value) == expected
    quoted = value.replace('"', "&quot;")
    assert find_refresh(f'<meta http-equiv=Refresh content="{quoted}">'.encode(), url=PAGE) == expected


@pytest.mark.parametrize(
    "html, expected",
    [
        ("<base href=/shop/><meta http-equiv=refresh content='0;url=a'>", "https://example.com/shop/a"),
        ("<meta http-equiv=refresh content=x><meta http-equiv=refresh content='0;/b'>", "https://example.com/b"),
        ("<noscript><meta http-equiv=refresh content='0;/b'></noscript>", None),
        ("<template><meta http-equiv=refresh content='0;/b'></template>", None),
        ("<!-- <meta http-equiv=refresh content='0;/b'> -->", None),
        ("<meta name=refresh content='0;/b'>", None),
    ],
)
def test_elements(html: str, expected: str | None) -> None:
    found = find_refresh(html.encode(), url=PAGE)
    assert (None if found is None else found.url) == expected


def test_the_header_is_before_the_elements_and_only_html_has_elements() -> None:
    html = b"<meta http-equiv=refresh content='0;/element'>"
    assert find_refresh(html, url=PAGE, header="1;/header") == (1, "https://example.com/header")
    assert find_refresh(html, url=PAGE, header="invalid") == (0, "https://example.com/element")
    assert find_refresh(html, url=PAGE, content_type="text/plain") is None
