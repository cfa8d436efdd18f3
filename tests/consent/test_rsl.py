"""Parsing RSL documents, within limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch.consent import RSLContent, RSLCopyright, RSLLegal, RSLLicense, RSLPayment, RSLTerm, RSLTermType, parse_rsl
from canfetch.consent.rsl import MAX_CONTENTS, MAX_RSL_BYTES

TOO_LONG = f"line 1: longer than {MAX_RSL_BYTES} bytes"


def document(body: str) -> str:
    return f'<rsl xmlns="https://rslstandard.org/rsl">{body}</rsl>'


def problems(content: bytes | str) -> list[str]:
    return list(map(str, parse_rsl(content).problems))


COMPLETE = """<?xml version="1.0" encoding="utf-8"?>
<rsl xmlns="https://rslstandard.org/rsl" xmlns:x="https://example.com/x" max-age="7">
  <content url="/fish/*" server="https://licenses.example.com" encrypted="true" lastmod="2026-10-01T00:00:00Z">
    <license>
      <permits type="usage">search AI-Input</permits>
      <permits type="user">education, personal</permits>
      <prohibits type="geo">FR</prohibits>
      <payment type="crawl">
        <standard>https://example.com/pay-per-crawl</standard>
        <custom>https://example.com/sales</custom>
        <amount currency="USD">0.015</amount>
        <accepts type="application/x402+json"><![CDATA[{"a": "<b>"}]]></accepts>
      </payment>
      <reporting type="telemetry" profile="https://example.com/profile"/>
      <legal type="warranty">ownership authority</legal>
      <x:extension><x:permits type="usage">all</x:permits>text</x:extension>
    </license>
    <alternate type="text/markdown">/index.md</alternate>
    <schema>/site.jsonld</schema>
    <copyright type="organization" contactEmail="a@example.com" contactUrl="/contact">Example</copyright>
    <terms>https://example.com/terms</terms>
  </content>
  <content url="/"><license/></content>
</rsl>
"""


@pytest.mark.parametrize("content", [COMPLETE, COMPLETE.encode()], ids=["str", "bytes"])
def test_rsl_3_elements(content: bytes | str) -> None:
    parsed = parse_rsl(content)
    assert (parsed.problems, parsed.max_age) == ((), 7)
    fish, rest = parsed.contents
    assert (fish.url, fish.server, fish.encrypted, fish.line) == ("/fish/*", "https://licenses.example.com", True, 3)
    assert fish.copyright == RSLCopyright("Example", "organization", "a@example.com", "/contact")
    assert fish.terms == "https://example.com/terms"
    (license,) = fish.licenses  # noqa: A001 - the word of RSL
    assert license.permits == (
        RSLTerm(RSLTermType.USAGE, ("search", "ai-input"), 5),
        RSLTerm(RSLTermType.USER, ("education", "personal"), 6),
    )
    assert license.prohibits == (RSLTerm(RSLTermType.GEO, ("fr",), 7),)
    assert license.payment == RSLPayment(
        "crawl",
        "https://example.com/pay-per-crawl",
        "https://example.com/sales",
        "0.015 USD",
        "application/x402+json",
    )
    assert (license.reporting, license.legal) == (("telemetry",), (RSLLegal("warranty", "ownership authority"),))
    # Nothing of one content is left for the next one.
    assert rest == RSLContent("/", None, False, (RSLLicense((), (), None, (), (), 23),), None, None, 23)


@pytest.mark.parametrize(
    "content, problem",
    [
        ("", "line 1: invalid XML: no element found: line 1, column 0"),
        (b"<a\xff>", "line 1: invalid XML: not well-formed (invalid token): line 1, column 2"),
        ("<html>", "line 1: not an RSL document: its root is 'html' without a namespace"),
        ("<rsl/>", "line 1: not an RSL document: its root is 'rsl' without a namespace"),
        (
            '<rsl xmlns="http://rslstandard.org/rsl"/>',
            "line 1: not an RSL document: its root is 'rsl' in the namespace 'http://rslstandard.org/rsl'",
        ),
        # The guide of RSL about file formats: feeds name licenses in their items.
        (
            '<rss xmlns:rsl="https://rslstandard.org/rsl" version="2.0"/>',
            "line 1: not an RSL document: its root is 'rss' without a namespace",
        ),
        (f"<!DOCTYPE rsl [<!ENTITY a 'b'>]>{document('&a;')}", "line 1: invalid XML: declarations are not supported"),
        (document("<permit/>"), "line 1: unknown element 'permit'"),
        (document("<license/>"), "line 1: license cannot be in rsl"),
        (document('<content url="/"/>'), "line 1: content without a license"),
        (document("<content><license/></content>"), "line 1: content without url"),
        (
            document('<content url="fish"><license/></content>'),
            "line 1: invalid url 'fish': expected a path or a URL",
        ),
        (
            document('<content url="/" encrypted="yes"><license/></content>'),
            "line 1: invalid encrypted 'yes': expected true or false",
        ),
        (
            document('<content url="/"><license><permits>all</permits></license></content>'),
            "line 1: unknown type '' of permits",
        ),
        (
            document('<content url="/"><license><prohibits type="usage"/></license></content>'),
            "line 1: prohibits without a value",
        ),
        (
            document('<content url="/"><license><payment type="free"/><payment/></license></content>'),
            "line 1: more than one payment",
        ),
        (b"x" * (MAX_RSL_BYTES + 1), TOO_LONG),
        (document("<content>" * 300), "line 1: content cannot be in content"),
    ],
)
def test_a_problem_has_a_line_and_a_reason(content: bytes | str, problem: str) -> None:
    assert problems(content)[0] == problem


def test_external_entities_are_not_read() -> None:
    body = document('<content url="/"><license><permits type="usage">search &a;</permits></license></content>')
    parsed = parse_rsl(f'<!DOCTYPE rsl SYSTEM "file:///etc/passwd">{body}')
    assert parsed.contents[0].licenses[0].permits[0].values == ("search",)


def test_what_is_before_a_problem_is_read() -> None:
    content = document('<content url="/"><license><prohibits type="usage">all</prohibits></license></content>')
    parsed = parse_rsl(content[:-1])
    assert len(parsed.contents) == 1
    assert len(parsed.problems) == 1


WHOLE = document(
    '<content url="/a"><license><permits type="usage">search</permits><prohibits type="usage">ai-train</prohibits>'
    "<payment/></license></content>"
)


def test_a_prohibition_before_the_end_of_a_cut_document_is_read() -> None:
    complete = WHOLE.index("<payment/>")
    for end in range(WHOLE.index("<content"), len(WHOLE)):
        parsed = parse_rsl(WHOLE[:end])
        assert str(parsed.problems[0]).startswith("line 1: invalid XML: ")
        licenses = [one for part in parsed.contents for one in part.licenses]
        assert [one.values for own in licenses for one in own.prohibits] == [("ai-train",)] * (end >= complete)
        # The end of a license could have restricted what it permits.
        assert bool([one for own in licenses for one in own.permits]) is (end >= WHOLE.index("</content>"))
    long = parse_rsl(WHOLE.encode() + b" " * MAX_RSL_BYTES)
    assert (long.contents, str(long.problems[0])) == (parse_rsl(WHOLE).contents, TOO_LONG)


def test_the_encoding_of_a_text_is_not_that_which_it_declares() -> None:
    declared = '<?xml version="1.0" encoding="iso-8859-1"?>'
    body = document('<content url="/é"><license/></content>')
    for content in (f"\n {declared}{body}", (declared + body).encode("iso-8859-1"), body.encode("utf-16")):
        assert parse_rsl(content).contents[0].url == "/é"
    assert problems(b'<?xml version="1.0" encoding="utf-7"?><rsl/>')


def test_contents_and_problems_are_bounded() -> None:
    many = parse_rsl(document('<content url="/"><license/></content>' * (MAX_CONTENTS + 200)))
    assert (len(many.contents), len(many.problems)) == (MAX_CONTENTS, 100)
    assert many.problems[0].reason == "more than 1,000 content elements"


@pytest.mark.parametrize("days, expected", [("30", 30), ("-1", None), ("1" * 5_000, None), ("", None)])
def test_max_age_is_a_number_of_days(days: str, expected: int | None) -> None:
    assert parse_rsl(f'<rsl xmlns="https://rslstandard.org/rsl" max-age="{days}"/>').max_age == expected


@pytest.mark.parametrize(
    "pattern, matching, other",
    [
        ("/", "/a", None),
        ("/fish/", "/fish/1", "/fis"),
        ("*.pdf$", "/a.pdf", "/a.pdf?b"),
        ("/a?b=1", "/a?b=1", "/a"),
        ("/%66ish", "/fish", "/bird"),
        ("https://www.example.com", "/a", None),
        ("https://WWW.example.com:443/fish/*", "/fish/1", "/"),
        ("https://www.example.com?a", "/?a", "/b"),
        ("https://www.example.com/a#b", "/a", "/"),
        ("/a#b", "/a", "/"),
    ],
)
def test_rsl_3_3_a_url_is_a_path_or_a_url_with_the_rules_of_rfc9309(
    pattern: str, matching: str, other: str | None
) -> None:
    (content,) = parse_rsl(document(f'<content url="{pattern}"><license/></content>')).contents
    assert content.match(f"https://www.example.com{matching}", is_scope=False)
    if other is not None:
        assert content.match(f"https://www.example.com{other}", is_scope=False) is None
    on_another_host = content.match(f"https://other.example{matching}", is_scope=False)
    assert (on_another_host is None) is pattern.startswith("https")


def test_rsl_4_6_an_empty_url_is_the_place_of_the_license() -> None:
    (content,) = parse_rsl(document('<content url=""><license/></content>')).contents
    assert content.match("https://www.example.com/", is_scope=True)
    assert content.match("https://www.example.com/", is_scope=False) is None
    (path,) = parse_rsl(document('<content url="/"><license/></content>')).contents
    assert path.match("x y", is_scope=True) is None


def test_a_document_that_is_not_text_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="an RSL document must be bytes or str, not NoneType"):
        parse_rsl(None)  # type: ignore[arg-type]


WORDS = st.sampled_from(
    ['<content url="/">', "</content>", "<license>", "</license>", '<permits type="usage">', "</permits>", "all", "é"]
    + ["<payment>", "</payment>", "<amount/>", "<x/>", "&amp;", "&a;", "<![CDATA[", "]]>", "\ud800", "<!--", "-->"]
)


@given(words=st.lists(WORDS, max_size=12), raw=st.binary(max_size=60))
def test_no_content_raises(words: list[str], raw: bytes) -> None:
    parse_rsl(raw)
    content = document("".join(words))
    parsed = parse_rsl(content)
    assert str(parsed.problems).isprintable()
    assert parse_rsl(content.encode("utf-8", "surrogatepass")).contents == parsed.contents or "\ud800" in content
