"""The style sheets that a style sheet imports."""

import pytest

from canfetch.pages.style_imports import MAX_IMPORTS, style_imports


@pytest.mark.parametrize(
    "css, expected",
    [
        ("@import 'a.css';", ["a.css"]),
        # A parenthesis that closes nothing, and one with a semicolon.
        ("@layer a); @import 'a.css' (x;y); @import 'b.css';", ["a.css", "b.css"]),
        ("@layer a\\;; @import 'a.css';", ["a.css"]),
        ('@IMPORT "a;b.css" screen and (width > 1px);@import url(b.css) layer(x);', ["a;b.css", "b.css"]),
        ("@import url( 'a.css' ) print;", ["a.css"]),
        ("@import url( a.css );", ["a.css"]),
        ("@import/**/url(a.css)", ["a.css"]),
        ("@charset 'utf-8'; @layer a, b; <!-- @import 'a.css'; -->; @import 'b.css'", ["a.css", "b.css"]),
        ("/* @import 'no.css'; */ @import 'a.css';", ["a.css"]),
        ("@import '\\61 b\\.css';", ["ab.css"]),
        ("@import 'a\\\\b.css';@import '\\0.css';", ["a\\b.css", "\N{REPLACEMENT CHARACTER}.css"]),
        ("@import 'a\\'b.css';", ["a'b.css"]),
        ("@import supports(x); @import 'a.css';", ["a.css"]),
        # Imports after other rules are not valid.
        ("body{} @import 'a.css';", []),
        ("@layer a { } @import 'a.css';", []),
        ("@media print { @import 'a.css'; }", []),
        ("/* @import 'a.css';", []),
        ("@import", []),
        ("", []),
    ],
)
def test_references(css: str, expected: list[str]) -> None:
    assert style_imports(css) == expected


def test_the_number_is_limited() -> None:
    assert len(style_imports("@import 'a';" * (MAX_IMPORTS + 1))) == MAX_IMPORTS
