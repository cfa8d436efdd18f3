"""XML of strangers is parsed in bounded memory, and no document raises anything but InvalidXML."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bulk.traced_memory import with_peak_memory

from canfetch.core.bounded_xml import BoundedParser, InvalidXML

Event = tuple[str, ...]


def events(*parts: bytes, is_end: bool = True) -> list[Event]:
    found: list[Event] = []
    parser = BoundedParser(
        lambda space, name: found.append(("start", space, name)),
        lambda name: found.append(("end", name)),
        lambda text: found.append(("text", text)),
    )
    try:
        for part in parts:
            parser.feed(part)
        parser.feed(b"", is_end=is_end)
    except InvalidXML as error:
        found.append(("invalid", str(error), str(error.ends_early), str(parser.line)))
    return found


def test_elements_are_reported_with_their_namespace() -> None:
    content = (
        b'<?xml version="1.0" encoding="latin-1"?>\n<!DOCTYPE a>\n<a xmlns="u" xmlns:v="w"><v:b c="d">\xe9</v:b></a>'
    )
    assert events(content) == [
        ("start", "u", "a"),
        ("start", "w", "b"),
        ("text", "\xe9"),
        ("end", "b"),
        ("end", "a"),
    ]


def test_attributes_are_reported_after_their_element() -> None:
    found: list[object] = []
    parser = BoundedParser(lambda _, name: found.append(name), found.append, found.append, found.append)
    parser.feed(b'<a b="c"/>', is_end=True)
    assert found == ["a", {"b": "c"}, "a"]


@pytest.mark.parametrize("content", [b"", b"<a>", b"<a><b></b>", b"<a", b"<a><!-- ", b"<a><![CDATA[x", b"<a>\xc3"])
def test_a_document_that_ends_early(content: bytes) -> None:
    assert events(content)[-1][0] == "invalid"
    assert events(content)[-1][2] == "True"
    # The rest may follow.
    assert all(event[0] != "invalid" for event in events(content, is_end=False))


@pytest.mark.parametrize("content", [b"a", b"<a></b>", b"<a>&b;</a>", b"<a><b c=d/></a>", b"<a/><b/>", b"<a>\xff</a>"])
def test_a_document_that_is_not_valid(content: bytes) -> None:
    assert events(content)[-1][0] == "invalid"
    assert events(content)[-1][2] == "False"


@pytest.mark.parametrize("encoding", ["utf-7", "big5", "unknown", "base64", "idna", "punycode", "undefined", "cp037"])
def test_an_encoding_that_expat_does_not_support(encoding: str) -> None:
    assert events(f'<?xml version="1.0" encoding="{encoding}"?><a/>'.encode())[-1][0] == "invalid"


# The documents are large, so that they are created when a test runs.
@pytest.mark.parametrize(
    "create, reason",
    [
        (lambda: "".join(f"<a{number}/>" for number in range(300_000)), "too many names of elements and attributes"),
        (lambda: "".join(f'<a a{number}=""/>' for number in range(200_000)), "too many names of elements"),
        (lambda: "".join(f'<a xmlns:a{number}="u"/>' for number in range(200_000)), "too many names of elements"),
        (lambda: "<a " + " ".join(f'a{number}=""' for number in range(500_000)), "a tag or a comment is too long"),
        (lambda: "<!--" + "x" * 3_000_000 + "-->", "a tag or a comment is too long"),
        (lambda: "<a>" * 500_000, "elements are nested too deeply: expected at most 256 levels"),
    ],
    ids=["elements", "attributes", "prefixes", "tag", "comment", "depth"],
)
def test_limits(create: Callable[[], str], reason: str) -> None:
    encoded = f"<a>{create()}".encode()
    parser = BoundedParser(lambda *_: None, lambda _: None, lambda _: None)

    def parse() -> None:
        with pytest.raises(InvalidXML, match=reason):
            parser.feed(encoded, is_end=True)

    _, peak = with_peak_memory(parse)
    assert peak < 8 << 20


def test_declarations_are_refused() -> None:
    parser = BoundedParser(lambda *_: None, lambda _: None, lambda _: None)
    with pytest.raises(InvalidXML, match="declarations are not supported"):
        parser.feed(b'<!DOCTYPE a [<!ENTITY b "x">]><a>&b;</a>', is_end=True)


def test_an_encoding_overrides_the_declared_one() -> None:
    texts: list[str] = []
    parser = BoundedParser(lambda *_: None, lambda _: None, texts.append, encoding="utf-8")
    parser.feed('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'.encode(), is_end=True)
    assert texts == ["é"]


PARTS = st.sampled_from(
    [
        "<a>",
        "</a>",
        "<b c='d'/>",
        "<x:y>",
        "<a xmlns:x='u'>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "&lt;",
        "&b;",
        "x",
        "<?p ?>",
    ]
)


@given(st.lists(PARTS).map(lambda parts: "".join(parts).encode()) | st.binary(), st.integers(0, 60))
def test_parts_of_a_document_have_the_events_of_the_whole(content: bytes, at: int) -> None:
    whole, found = events(content), events(content[:at], content[at:])

    def without_text(some: list[Event]) -> list[Event]:
        return [event for event in some if event[0] != "text"]

    assert without_text(found) == without_text(whole)
    assert "".join(one[1] for one in found if one[0] == "text") == "".join(one[1] for one in whole if one[0] == "text")
