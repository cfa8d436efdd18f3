"""The resources that a browser loads with a page."""

import pytest

from canfetch.errors import InvalidLimit, InvalidURL
from canfetch.pages import ResourceNote, parse_resources
from canfetch.pages.resources import split_source_set

pytest.importorskip("lxml", reason="lxml is not installed")

PAGE = "https://example.com/folder/page?x=1"


def found(html: str) -> list[str]:
    """Return kinds and URLs."""
    return [f"{one.kind} {one.url}" for one in parse_resources(html, url=PAGE).resources]


@pytest.mark.parametrize(
    "html, resources",
    [
        ("<script src=a.js></script>", ["script https://example.com/folder/a.js"]),
        ("<script>src</script>", []),
        ("<script type=application/ld+json src=a.json></script>", []),
        ("<script type=text/template src=a.html></script><script type=importmap src=a></script>", []),
        ("<script type='text/javascript; charset=utf-8' src=a.js></script>", []),
        ("<script nomodule src=a.js></script>", []),
        ("<script nomodule type=module src=a.js></script>", ["script https://example.com/folder/a.js"]),
        ("<script type=' Text/JavaScript ' src=a.js></script>", ["script https://example.com/folder/a.js"]),
        ("<script type src=a.js language=vbscript></script>", ["script https://example.com/folder/a.js"]),
        ("<script language=JavaScript1.2 src=a.js></script>", ["script https://example.com/folder/a.js"]),
        ("<script language=vbscript src=a.vbs></script>", []),
        ("<link rel=stylesheet/less type=text/less href=a.less><link rel=stylesheet type=text/less href=b.less>", []),
        ("<link rel=stylesheet type='text/css;charset=utf-8' href=a.css>", ["style https://example.com/folder/a.css"]),
        ("<link rel=stylesheet disabled href=a.css>", []),
        ("<style>@import url(a.css); p {}</style>", ["style https://example.com/folder/a.css"]),
        ("<style>@import '<style';</style><style>@import 'b'", [
            "style https://example.com/folder/<style",
            "style https://example.com/folder/b",
        ]),
        ("<template><style>@import 'a.css';</style></template>", []),
        ("<link rel=stylesheet href=/a.css>", ["style https://example.com/a.css"]),
        ("<link rel='alternate Stylesheet' href=//cdn.example/a.css>", ["style https://cdn.example/a.css"]),
        ("<link rel='shortcut icon' href=a.ico>", ["icon https://example.com/folder/a.ico"]),
        ("<link rel=preload as=font href=a.woff2>", ["font https://example.com/folder/a.woff2"]),
        ("<link rel=preload as=fetch href=a.json>", ["other https://example.com/folder/a.json"]),
        ("<link rel=modulepreload href=a.mjs>", ["script https://example.com/folder/a.mjs"]),
        ("<link rel=preload as=image imagesrcset='a.png 1x'>", ["image https://example.com/folder/a.png"]),
        ("<link rel=manifest href=a.json>", ["manifest https://example.com/folder/a.json"]),
        ("<link rel=canonical href=/a><link rel=dns-prefetch href=//b.example>", []),
        ("<iframe src=https://other.example/a#top>", ["frame https://other.example/a"]),
        ("<frameset><frame src=a></frameset>", ["frame https://example.com/folder/a"]),
        ("<audio src=a.mp3>", ["media https://example.com/folder/a.mp3"]),
        ("<video src=a.mp4 poster=a.jpg><track src=a.vtt></video>", [
            "media https://example.com/folder/a.mp4",
            "image https://example.com/folder/a.jpg",
            "media https://example.com/folder/a.vtt",
        ]),
        ("<picture><source srcset='a.avif, b.avif 2x'><img src=a.png></picture>", [
            "image https://example.com/folder/a.avif",
            "image https://example.com/folder/b.avif",
            "image https://example.com/folder/a.png",
        ]),
        ("<audio><source src=a.ogg></audio>", ["media https://example.com/folder/a.ogg"]),
        ("<embed src=a.swf><object data=b.swf></object>", [
            "object https://example.com/folder/a.swf",
            "object https://example.com/folder/b.swf",
        ]),
        ("<input type=IMAGE src=a.png><input src=b.png>", ["image https://example.com/folder/a.png"]),
        ("<svg><image xlink:href=a.png /></svg>", ["image https://example.com/folder/a.png"]),
        ("<template><img src=a.png></template>", []),
        ("<noscript><img src=a.png></noscript>", ["image https://example.com/folder/a.png"]),
        ("<!-- <img src=a.png> -->", []),
        ("<img src='data:image/png;base64,AA'><img src=blob:x><img src='javascript:1'><img src>", []),
        ("<img src=' /a\\b c.png?q=\\ '>", ["image https://example.com/a/b%20c.png?q=\\"]),
    ],
)  # fmt: skip
def test_elements_load_these_resources(html: str, resources: list[str]) -> None:
    assert found(html) == resources


def test_the_first_base_with_a_valid_address_counts_for_what_follows_it() -> None:
    html = (
        "<img src=a><base target=_top><base href='//cdn.example/x/'><base href=/later/><img src=a><img src=/b>"
        "<img src='?c'>"
    )
    parsed = parse_resources(html, url=PAGE)
    assert parsed.base == "https://cdn.example/x/"
    assert [one.url for one in parsed.resources] == [
        "https://example.com/folder/a",
        "https://cdn.example/x/a",
        "https://cdn.example/b",
        "https://cdn.example/x/?c",
    ]
    assert parse_resources("<base href='data:,x'><img src=a>", url=PAGE).base is None


def test_a_resource_is_listed_once_with_its_first_place() -> None:
    (one,) = parse_resources("\n<img src=a>\n<script src=/folder/a></script><img src=a#x>", url=PAGE).resources
    assert (one.kind, one.element, one.line, one.references) == ("image", "img", 2, 3)


def test_a_resource_as_json() -> None:
    (resource,) = parse_resources(b'<script src="/a.js"></script>', url="https://example.com/").resources
    assert resource.to_json() == {
        "url": "https://example.com/a.js",
        "kind": "script",
        "element": "script",
        "line": 1,
        "references": 1,
    }


def test_a_source_set_that_ends_with_a_separator() -> None:
    assert list(split_source_set("a.png 1x, ")) == ["a.png"]


def test_what_is_not_listed_has_a_note() -> None:
    page = "".join(f"<img src=/{number}>" for number in range(5))
    assert parse_resources(page, url=PAGE, max_resources=5).notes is ResourceNote.NONE
    cut = parse_resources(page, url=PAGE, max_resources=4)
    assert (len(cut.resources), cut.note_names) == (4, ["too-many-resources"])
    assert parse_resources(page, url=PAGE, max_bytes=40).note_names == ["html-truncated"]
    assert parse_resources(page.encode(), url=PAGE, content_type="text/plain").note_names == ["not-html"]
    for invalid in ("http://[bad/", "http:", f"/{'x' * 9000}"):
        assert parse_resources(f"<img src='{invalid}'>", url=PAGE) == ((), None, ResourceNote.INVALID_REFERENCES)


def test_bytes_are_decoded_as_the_page_declares() -> None:
    page = "<meta charset=latin-1><img src=/é>".encode("latin-1")
    assert parse_resources(page, url=PAGE).resources[0].url == "https://example.com/é"


@pytest.mark.parametrize(
    "value, urls",
    [
        ("", []),
        (" , ,a 1x,,b", ["a", "b"]),
        ("a,b c", ["a,b"]),
        ("a, b", ["a", "b"]),
        ("a 1x (,) 2x, b", ["a", "b"]),
        ("a (,", ["a"]),
        ("data:,x 1x, b", ["data:,x", "b"]),
    ],
)
def test_html_4_8_4_3_10_source_sets_are_split(value: str, urls: list[str]) -> None:
    assert list(split_source_set(value)) == urls


def test_invalid_arguments_raise() -> None:
    with pytest.raises(InvalidURL, match="absolute URL of the page"):
        parse_resources("", url="/page")
    with pytest.raises(InvalidLimit, match="at least 1"):
        parse_resources("", url=PAGE, max_resources=0)
