"""Content that is not a robots.txt: pages, documents, compressed data, other encodings. A file with records is one."""

import os
from pathlib import Path
from zlib import compressobj

import pytest
from hypothesis import given
from hypothesis import strategies as st

import canfetch
from canfetch.core.content_formats import foreign_content_note, foreign_format, is_page
from canfetch.core.profiles import PROFILES

PAGE = b"<!DOCTYPE html>\n<html><head><title>Just a moment...</title></head><body></body></html>\n"
GZIP = compressobj(wbits=31)
COMPRESSED = GZIP.compress(b"User-agent: *\nDisallow: /\n") + GZIP.flush()
BINARY = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\xb0\xff"
# What a compressor writes without a signature.
NOISE = bytes((byte * 167 + 13) % 256 for byte in range(1, 1024))


@pytest.mark.parametrize(
    "content, expected",
    [
        (PAGE, "HTML or XML"),
        (b"\xef\xbb\xbf" + PAGE, "HTML or XML"),
        (b"\r\n" * 5000 + PAGE, "HTML or XML"),
        (b"\xef\xbb\xbf" + b" " * 5000 + PAGE, "HTML or XML"),
        (b"<br />\n<b>Fatal error</b>: Uncaught exception in index.php on line 3", "HTML or XML"),
        (b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', "HTML or XML"),
        (b"<!-- robots.txt?v=1 --><script>location.reload()</script>", "HTML or XML"),
        (b"</body>", "HTML or XML"),
        (PAGE.decode().encode("utf-16"), "HTML or XML"),
        (b"\xfe\xff" + PAGE.decode().encode("utf-16-be"), "HTML or XML"),
        (b'<html>\n<iframe\n  allow="autoplay; fullscreen" src="https://video.example/x"\n', "HTML or XML"),
        (b"<html>\n<button>\n  Allow all\n</button>\n<a>\n  Sitemap page\n", "HTML or XML"),
        (b'<html><script>\n  userAgent = "iOS";\n', "HTML or XML"),
        (b"<pre># User-agent: *\nDis allow: /\n</pre>", "HTML or XML"),
        (b"<html>\n  # Disallow: /\n", "HTML or XML"),
        (b"<html>" + b"allow " * 2000, "HTML or XML"),
        (b"<html> User-agent: *\n", "HTML or XML"),
        (b"<html>\nx Disallow: / user-agent: * Sitemap: /\n", "HTML or XML"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "a PDF document"),
        (COMPRESSED, "gzip data"),
        (b"\x28\xb5\x2f\xfd\x04\x58", "Zstandard data"),
        (b"PK\x03\x04\x14\x00", "a ZIP archive"),
        (BINARY, "binary data"),
        (NOISE, "binary data"),
        (bytes(4096), "binary data"),
        (b"\x00\x00\x01\x00\x03\x0000\x00\x00\x01\x00 \x00\xa8%", "binary data"),
        ("User-agent: *\nDisallow: /\n".encode("utf-16-le"), "UTF-16 without a byte order mark"),
        ("User-agent: *\nDisallow: /\n".encode("utf-16-be"), "UTF-16 without a byte order mark"),
        ("User-agent: *\nDisallow: /\n".encode("utf-32"), "UTF-32"),
        (b"\0\0\xfe\xff" + "User-agent: *\nDisallow: /\n".encode("utf-32-be"), "UTF-32"),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value[:16]),
)
def test_other_formats_are_recognised(content: bytes, expected: str) -> None:
    assert foreign_format(content) == expected
    end = ", and has no record" if "without" in expected else " without any record"
    assert foreign_content_note(content) == f"the content is {expected}{end}"
    for profile in PROFILES:
        assert not canfetch.parse(content, profile=profile).groups


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"\x1a",
        b"<",
        b"< User-agent",
        b"<3 robots",
        b"User-agent: *\nDisallow: /\n",
        b"# nothing is disallowed\n",
        b"Not found",
        b'{"error": "not found"}',
        b"\xef\xbb\xbf",
        b"The page was not found\0",
        PAGE + b"User-agent: *\nDisallow: /\n",
        b"User-agent: *\nDisallow: /\n" + PAGE,
        b"<!-- generated -->\r\nUSER-AGENT : *\r\nDisallow: /\r\n",
        b"<pre>\rUser-agent: *\rDisallow: /\r</pre>",
        b"<html>\nSitemap: https://example.com/sitemap.xml\n",
        b"<html>\n  Disallow: private\n",
        b"<html>\nuser agent: *\n",
        b"<html>\nUser-agent *\n",
        b"<html>\nDisallow /private\n",
        b"<html>\nDisallowed: /private\n",
        b"<html>\nUser-agent=ExampleBot: *\n",
        b"<html>\nSite-maps: x\n",
        b"<html>\n\xc2\xa0User-agent: *\n",
        b"<html>\x0cUser-agent: *\x0cDisallow: /",
        BINARY + b"\nUser-agent: *\nDisallow: /\n",
        COMPRESSED + b"\nAllow: /\n",
        b"%PDF-1.7\nUser-agent: *\n",
        "User-agent: *\nDisallow: /\n".encode("utf-16"),
        "<html>\nUser-agent: *\nDisallow: /\n".encode("utf-16"),
        b"\xff\xfe<\0\n\nUser-agent: *\n",
        b"\xbf<html>\nUser-agent: *\n",
        "# Bots: \U0001f916\nUser-agent: *\n".encode("utf-16"),
        b"<html>\nallow" + b" " * 2000 + b": /\n",
        b"<html>\n" + b"allow=:\n" * 2000,
        b"<html>" + b"allow " * 20_000,
        b"# \x93quoted\x94 by a word processor\n",
        "# файл без правил\n".encode("cp1251"),
    ],
    ids=lambda content: repr(content[:40]),
)
def test_files_with_records_and_plain_text_are_not_another_format(content: bytes) -> None:
    assert foreign_format(content) is None
    assert foreign_content_note(content) is None


def test_start_of_a_page_is_recognised_even_if_records_follow() -> None:
    assert is_page(PAGE + b"User-agent: *\n")
    assert is_page(b"<!-- error -->\n<HTML>\n")
    assert not is_page(b"<br>\nUser-agent: *\n")
    assert not is_page(b"# <html>\n")


PIECES = st.sampled_from(
    [b"<html>", b"\0", b"\xff\xfe", b"%PDF-", b"\x1f\x8b", b"\x01\x02\x03", b"\n", b"\r", b"\x0b", b"\xe2\x80\xa8"]
    + [b"user-agent", b"User-Agents", b"useragent", b"allow", b"Disallow", b"disallowed", b"sitemap", b"Site-map", b"x"]
    + [b":", b" ", b"\t", b"*", b"/", b"=", b'"', b"#", b"https://x/", b"\xc2\xa0", b"\xef\xbb\xbf", b"\xef"]
)


@given(start=PIECES, pieces=st.lists(PIECES, max_size=12), wide=st.booleans())
def test_law_no_profile_reads_a_user_agent_line_in_another_format(
    start: bytes,
    pieces: list[bytes],
    wide: bool,  # noqa: FBT001 - drawn by Hypothesis
) -> None:
    content = start + b"".join(pieces)
    if wide:
        content = content.decode("utf-8", "replace").encode("utf-16")
    if foreign_format(content) is not None:
        for profile in PROFILES:
            robots = canfetch.parse(content, profile=profile, engine="python")
            assert robots.groups == (), profile
            assert robots.allows("/x", agent="x"), profile


def test_verdicts_note_the_format() -> None:
    robots = canfetch.parse(PAGE)
    note = "the content is HTML or XML without any record"

    verdict = robots.decide("/x", agent="ExampleBot")

    assert verdict.allowed
    assert verdict.notes == (note,)
    assert verdict.explanation == f"no group applies to ExampleBot: {note}"
    assert verdict.to_json()["notes"] == [note]
    assert robots.decide("/robots.txt", agent="ExampleBot").notes == (note,)
    assert robots.decide("/x", agent="OtherBot").notes is verdict.notes


def test_content_over_four_mebibytes_is_not_searched() -> None:
    limit = 4 * 1024 * 1024
    assert foreign_format(PAGE.ljust(limit)) == "HTML or XML"
    assert foreign_format(PAGE.ljust(limit + 1)) is None


@pytest.mark.parametrize("content", [b"", b"User-agent: OtherBot\nDisallow: /\n", b"User-agent: *\nDisallow: /\n"])
def test_verdicts_of_text_have_no_notes(content: bytes) -> None:
    verdict = canfetch.parse(content).decide("/x", agent="ExampleBot")

    assert verdict.notes == ()
    assert verdict.to_json()["notes"] == []


def test_no_real_file_with_a_group_is_another_format() -> None:
    named = os.environ.get("CANFETCH_CORPUS")
    if not named:
        pytest.skip("CANFETCH_CORPUS is not set to a folder of real files")
    for path in sorted(Path(named).rglob("*")):
        if path.is_file() and foreign_format(path.read_bytes()) is not None:
            for profile in PROFILES:
                robots = canfetch.parse(path.read_bytes(), profile=profile)
                assert (robots.groups, robots.sitemaps) == ((), ()), path
