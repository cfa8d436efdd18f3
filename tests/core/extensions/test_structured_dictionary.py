"""Dictionaries of structured fields."""

import pytest

from canfetch.core.extensions.structured_dictionary import contradicted_keys, parse_structured_dictionary


@pytest.mark.parametrize(
    "text, members",
    [
        (b"", {}),
        (b"   ", {}),
        (b"train-ai=n", {b"train-ai": b"n"}),
        (b" a=y ,\tb=n ", {b"a": b"y", b"b": b"n"}),
        (b"a=y,a=n", {b"a": b"n"}),
        (b'train-ai=y, train-ai, search=n, search="n"', {b"train-ai": None, b"search": None}),
        (b"train-ai;allow=n, train-ai=y", {b"train-ai": b"y"}),
        (b'a=y;has;parameters="?"', {b"a": b"y"}),
        (b"a=y; b=1;c", {b"a": b"y"}),
        (b"*=*!#/:x", {b"*": b"*!#/:x"}),
        (b"a.b-c_d*1=Y", {b"a.b-c_d*1": b"Y"}),
        (b'a="x\\"\\\\y"', {b"a": None}),
        (b"a=:aGk=:", {b"a": None}),
        (b"a=:aGk:, b=::", {b"a": None, b"b": None}),
        (b"a=?0, b=?1", {b"a": None, b"b": None}),
        (b"a=@1, b=@-5", {b"a": None, b"b": None}),
        (b'a=%"f%c3%a9e"', {b"a": None}),
        (b"a=1, b=-1.5, c=123456789012345", {b"a": None, b"b": None, b"c": None}),
        (b'a=(), b=( x "y";q=1  2 ), c=(z)', {b"a": None, b"b": None, b"c": None}),
    ],
)
def test_rfc9651_4_2_2_dictionaries(text: bytes, members: dict[bytes, bytes | None]) -> None:
    assert parse_structured_dictionary(text) == members


@pytest.mark.parametrize(
    "text",
    [
        b"Train-AI=n",
        b"1a=n",
        b"a=",
        b"a= n",
        b"a=n b=n",
        b"a=n,",
        b"a=n,,b=n",
        b",a=n",
        b"a=n;",
        b"a=n;B",
        b"a=n; =1",
        b"\ta=n",
        b"a=n\xff",
        b"a=:a=Gk:",
        b"a=:aGkxy:",
        b"a=-",
        b"a=1.",
        b"a=1.2.3",
        b"a=1.2345",
        b"a=1234567890123.1",
        b"a=1234567890123456",
        b"a=.5",
        b'a="x',
        b'a="x\\y"',
        b'a="\\',
        b'a="\x7f"',
        b"a=:a",
        b"a=:_:",
        b"a=?",
        b"a=?2",
        b"a=@",
        b"a=@1.5",
        b"a=%x",
        b'a=%"',
        b'a=%"%4"',
        b'a=%"%C3"',
        b'a=%"%zz"',
        b'a=%"\x80"',
        b'a=%"%ff"',
        b"a=(",
        b"a=(x",
        b'a=("x""y")',
        b"a=(x;)",
    ],
)
def test_rfc9651_4_2_2_one_invalid_byte_makes_the_dictionary_invalid(text: bytes) -> None:
    assert parse_structured_dictionary(text) is None


@pytest.mark.parametrize(
    "text, keys",
    [
        (b"a=x, b=y, a=z", {b"a"}),
        (b"a=x, a=z, a=x", {b"a"}),
        (b'a=x, a="x"', {b"a"}),
        (b"a=x, a=x;q=1, b", set()),
        (b"a=x, a=y,", set()),
    ],
)
def test_keys_with_different_values_are_found(text: bytes, keys: set[bytes]) -> None:
    assert contradicted_keys(text) == keys
