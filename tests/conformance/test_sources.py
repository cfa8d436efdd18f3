"""The sources of the cases: the quotations from RFC 9309, and the sections and levels that cases name."""

import re
from pathlib import Path

import pytest
from conformance.cases import Case, load
from conformance.quotations import main, missing, requirements, sections

RFC = """<!DOCTYPE rfc [
  <!ENTITY nbsp "&#160;">
]>
<rfc><middle>
<section><name>One</name></section>
<section><name>Two</name>
  <t>The <bcp14>first</bcp14>&nbsp;text
     of <xref target="x"/>, and more.</t>
  <section><name>Inner</name><t>The inner text.</t></section>
</section>
</middle></rfc>
"""
RFC_LEVELS = {"MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY", "stated", "example"}
EXAMPLES = re.compile(r"RFC 9309 (section 5\.[12]|section 2\.2\.[12], figure [1-4]|erratum \d{4})")


def from_rfc() -> list[Case]:
    return [case for case in load() if case.level in RFC_LEVELS and case.source.startswith("RFC 9309 ")]


def test_sections_of_an_rfc() -> None:
    assert sections(RFC) == {"1": "One", "2": "Two The first text of, and more.", "2.1": "Inner The inner text."}


def test_missing_quotations_are_listed(tmp_path: Path) -> None:
    quotes = """
[[requirement]]
id = "2-first"
section = "2"
quotes = ["first text of , and", "inner text"]
[[requirement]]
id = "3-none"
section = "3"
quotes = ["text"]
"""
    (tmp_path / "requirements.toml").write_text(quotes, "utf-8")

    assert missing(RFC, tmp_path) == [
        "2-first: section 2 does not contain 'inner text'",
        "3-none: section 3 does not contain 'text'",
    ]


def test_every_requirement_quotes_the_rfc() -> None:
    for requirement in requirements():
        assert requirement["quotes"]
        key_word = requirement["level"]
        if key_word not in {"stated", "example"}:
            # The section 2.3 has one MUST for the encoding and for the media type.
            assert any(key_word in quote for quote in requirement["quotes"]) or requirement["id"] == "2.3-text-plain"


def test_check_of_the_quotations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rfc.xml"
    path.write_text(RFC, "utf-8")
    count = sum(len(requirement["quotes"]) for requirement in requirements())

    assert main([]) == 2
    assert main([str(path)]) == 1
    assert capsys.readouterr().out.endswith(f"\n0 of {count} quotations found\n")


def test_cases_name_a_section_that_has_a_requirement_of_their_level() -> None:
    known = {(requirement["section"], requirement["level"]) for requirement in requirements()}
    doubtful = []
    for case in from_rfc():
        sections_named = re.findall(r"\d+(?:\.\d+)+", case.source.partition(";")[0].removeprefix("RFC 9309"))
        if case.level == "example":
            fits = EXAMPLES.match(case.source) is not None
        elif " to " in case.source:
            # Whole files are about all of these sections.
            fits = sections_named == ["2.1", "2.2.4"]
        else:
            fits = any((section, case.level) in known for section in sections_named)
        if not fits:
            doubtful.append((case.id, case.source, case.level))

    assert doubtful == []


def test_cases_belong_to_requirements_of_the_section_that_they_name() -> None:
    listed: dict[str, set[str]] = {}
    for requirement in requirements():
        for name in requirement.get("cases", []):
            listed.setdefault(name, set()).add(requirement["section"])
    # The grammar of section 2.2 also defines the lines of the groups in section 2.1. Errata name no section.
    doubtful = [
        (case.id, case.source)
        for case in from_rfc()
        if case.id in listed
        and not any(re.search(rf"\b{re.escape(section)}(?![.\d])", case.source) for section in listed[case.id])
        and not ("2.1" in listed[case.id] and "section 2.2" in case.source)
        and not re.search(" to | erratum ", case.source)
    ]

    assert doubtful == []
