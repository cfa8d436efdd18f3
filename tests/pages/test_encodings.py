"""Detection of a page's encoding."""

import codecs

import pytest

from canfetch.pages.encodings import _BY_LABEL, detect_encoding, effective_content_type, parse_media_type


@pytest.mark.parametrize(
    "html, content_type, name",
    [
        (b"", None, "cp1252"),
        (b"<html>", "text/html", "cp1252"),
        (b"\xef\xbb\xbf<meta charset=koi8-r>", "text/html; charset=latin1", "utf-8"),
        (b"\xff\xfe<\0", None, "utf-16-le"),
        (b"\xfe\xff\0<", None, "utf-16-be"),
        (b"<meta charset=koi8-r>", "text/html; charset=UTF-8", "utf-8"),
        (b"", "text/html; Charset = 'utf-8' ; x=y", "utf-8"),
        (b"", 'text/html; charset="iso-8859-1"', "cp1252"),
        (b"", "text/html; charsetx=1; charset=utf-16", "utf-16-le"),
        (b"", "text/html; charset", "cp1252"),
        (b"", "text/html; charset=utf-7", "cp1252"),
        (b"", "text/html; charset=unicode_escape", "cp1252"),
        (b"<META CharSet=Shift_JIS>", None, "cp932"),
        (b"<meta charset=utf-8/>", None, "utf-8"),
        (b'<meta http-equiv=content-type content="text/html; charset=windows-1251">', None, "cp1251"),
        (b'<meta name=x><meta charset="gbk"', None, "gb18030"),
        (b"<meta charset=nonsense><meta charset=big5>", None, "big5hkscs"),
        # A declaration that is readable as ASCII rules out UTF-16.
        (b"<meta charset=utf-16be>", None, "utf-8"),
        (b'<?xml version="1.0" encoding="iso-8859-2"?>', None, "iso8859-2"),
        (b"<!-- <meta charset=utf-8> --><meta charset=koi8-u>", None, "koi8-u"),
        (b"<!--><meta charset=koi8-u>", None, "koi8-u"),
        (b"<!-- <meta charset=utf-8>", None, "cp1252"),
        (b"<p title=x", None, "cp1252"),
        (b" " * 1024 + b"<meta charset=utf-8>", None, "cp1252"),
    ],
)
def test_whatwg_encoding_of_a_page(html: bytes, content_type: str | None, name: str) -> None:
    assert detect_encoding(html, content_type).name == name


@pytest.mark.parametrize("name", sorted(set(_BY_LABEL.values())))
def test_every_encoding_is_supported_by_python(name: str) -> None:
    codecs.lookup(name)
    # Decoded text must not contain anything that UTF-8 cannot encode.
    bytes(range(256)).decode(name, "replace").encode()


@pytest.mark.parametrize(
    "content_type, expected",
    [(None, ""), ("Text/HTML ; charset=x", "text/html"), ("text/html, text/plain", "text/html"), (";", "")],
)
def test_media_type(content_type: str | None, expected: str) -> None:
    assert parse_media_type(content_type) == expected


@pytest.mark.parametrize(
    "values, expected",
    [
        ([], None),
        ([""], ""),
        (["text/plain", "text/html; charset=utf-8"], "text/html; charset=utf-8"),
        (["text/plain, text/html"], " text/html"),
        (["text/html", "*/*"], "text/html"),
        (["text/html", "nonsense"], "text/html"),
        (['text/html; a="b,text/plain"'], 'text/html; a="b,text/plain"'),
        (["nonsense", "text/"], "nonsense"),
    ],
)
def test_whatwg_fetch_last_valid_content_type_counts(values: list[str], expected: str | None) -> None:
    assert effective_content_type(values) == expected
