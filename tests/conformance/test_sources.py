"""The sources of the cases: the quotations from RFC 9309 and other documents, and the sections and levels of cases."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conformance.cases import ROOT, Case, load
from conformance.open_questions import find_question, open_questions
from conformance.quotations import (
    main,
    missing,
    missing_from,
    plain_text,
    quotes_of_cases,
    requirements,
    sections,
    statements,
)

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
# The cases that rest on other documents than RFC 9309 and Google's parser.
OTHER_FILES = ("disputed/other-profiles.toml", "google/google2019.toml", "extensions/*.toml", "pages/*.toml")
# How cases name a document, if not by its name in statements.toml.
NAMES = {
    "Google's specification of 2019": ("Google's specification, 2019/20", "Google, robots.txt specification of 2019"),
}
# The document of each access policy.
DOCUMENTS = {
    "rfc9309": "RFC 9309",
    "google": "Google's specification",
    "google2019": "Google's specification of 2019",
    "yandex": "Yandex Webmaster",
    "draft1996": "draft-koster-robots-00",
}
STATEMENTS = """
[[document]]
name = "A draft"
[[statement]]
document = "A draft"
section = "1"
quotes = ["the first well-known word", "the first [...] text", "text [...] first", "nothing"]
[[statement]]
document = "Another draft"
section = "2"
quotes = ["elsewhere"]
[[statement]]
document = "RFC 9309"
section = "1"
quotes = ["in section two"]
policy = "rfc9309"
cases = ["of-access"]
"""
OPEN = """
[[question]]
title = "words"
section = "2"
text = "Which words."
quotes = ["The first [...] more.", "more [...] first"]
cases = ["a-*"]
"""
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
    (tmp_path / "open.toml").write_text(OPEN, "utf-8")
    (tmp_path / "statements.toml").write_text(STATEMENTS, "utf-8")

    assert missing(RFC, tmp_path) == [
        "2-first: section 2 does not contain 'inner text'",
        "3-none: section 3 does not contain 'text'",
        "words: section 2 does not contain 'more [...] first'",
        "of-access: section 1 does not contain 'in section two'",
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
    count += sum(len(question.quotes) for question in open_questions())
    count += sum(len(each["quotes"]) for each in statements()["statement"] if each["document"] == "RFC 9309")

    with pytest.raises(SystemExit) as exit_:
        main([])
    assert exit_.value.code == 2
    assert main([str(path / "missing")]) == 2
    assert main([str(path)]) == 1
    assert capsys.readouterr().out.endswith(f"\n0 of {count} quotations found\n")


@pytest.mark.slow
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


@pytest.mark.slow
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


def other_cases() -> dict[str, dict[str, Any]]:
    paths = [path for pattern in OTHER_FILES for path in sorted(ROOT.glob(pattern))]
    tables = [case for path in paths for case in tomllib.loads(path.read_bytes().decode())["case"]]
    return {case["id"]: case for case in tables}


def test_text_of_a_document_has_no_markup() -> None:
    markdown = "The `first` [text](https://example.com/), with a User-\n   Agent line."
    page = "<p>The <b>first</b>\n&lt;text&gt;</p>"

    assert plain_text(markdown) == "The first text, with a User-Agent line."
    assert plain_text(page, is_html=True) == "The first <text>"


def test_missing_quotations_of_a_document_are_listed(tmp_path: Path) -> None:
    (tmp_path / "statements.toml").write_text(STATEMENTS, "utf-8")
    text = plain_text("This is the first well-\n  known word of a text.")

    assert missing_from(text, "A draft", tmp_path) == [
        "A draft, 1: 'text [...] first' was not found",
        "A draft, 1: 'nothing' was not found",
    ]


def test_check_of_the_quotations_of_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "draft.html"
    path.write_text("<pre>The /robots.txt URL is always allowed, and</pre>", "utf-8")
    count = sum(len(each["quotes"]) for each in statements()["statement"] if each["document"] == "MDN, X-Robots-Tag")

    assert main([str(path), "draft-koster-robots-00"]) == 1
    assert "\n1 of " in capsys.readouterr().out
    assert main([str(path), "MDN, X-Robots-Tag"]) == 1
    assert capsys.readouterr().out.endswith(f"\n0 of {count} quotations found\n")
    assert main([str(path), "no such document"]) == 2
    assert "unknown document 'no such document': expected one of 'RFC 9309', " in capsys.readouterr().err


def test_statements_name_documents_and_cases_that_name_them() -> None:
    documents = {document["name"]: document for document in statements()["document"]}
    cases = other_cases()

    assert all(document[key] for document in documents.values() for key in ("title", "edition", "url", "copy"))
    for statement in statements()["statement"]:
        assert statement["quotes"]
        if "policy" in statement:
            continue
        names = NAMES.get(statement["document"], (statement["document"],))
        assert statement["document"] in documents
        for case in statement["cases"]:
            assert any(name in cases[case]["source"] for name in names), (case, statement["document"])


def test_cases_of_other_documents_have_quotations_or_a_reason() -> None:
    listed = {
        name
        for table in ("statement", "unread")
        for each in statements()[table]
        for name in each["cases"]
        if "policy" not in each
    }
    binding = {
        name: case["source"]
        for name, case in other_cases().items()
        if case["level"] not in {"canfetch", "observed"} and not case["source"].startswith("RFC 9309 ")
    }

    assert set(binding) - listed == set()
    # The table of URLs in the specification of 2019 belongs to another file.
    assert {name for name in listed - set(binding) if not name.startswith("table-url-validity-")} == set()


def access_claims() -> dict[tuple[str, str], str]:
    """Return what the cases of access/ claim, by policy and case, unless it is a choice of this project."""
    tables = {
        name: tomllib.loads((ROOT / "access" / f"{name}.toml").read_bytes().decode())["case"]
        for name in ("answers", "sequences", "over-time")
    }
    return {
        **{
            (policy, case["id"]): expected["claim"]
            for case in tables["answers"]
            for policy, expected in case["expect"].items()
            if expected["claim"] != "canfetch"
        },
        **{(policy, case["id"]): case["claim"] for case in tables["sequences"] for policy in case["policy"]},
        **{
            (case["policy"], case["id"]): "required"
            for case in tables["over-time"]
            if case["policy"] in DOCUMENTS and not case["source"].startswith(("RFC 9110", "RFC 9111", "no source"))
        },
    }


def test_claims_about_access_have_quotations_of_the_document_of_their_policy() -> None:
    quoted: dict[str, set[tuple[str, str]]] = {}
    for statement in statements()["statement"]:
        if "policy" in statement:
            pairs = quoted.setdefault(statement["document"], set())
            pairs.update((statement["policy"], case) for case in statement["cases"])
    claims = access_claims()

    assert {pair for pairs in quoted.values() for pair in pairs} == set(claims)
    for policy, document in DOCUMENTS.items():
        assert {pair for pair in claims if pair[0] == policy} <= quoted[document], document


def test_every_access_policy_has_a_document() -> None:
    assert {policy for policy, _ in access_claims()} == set(DOCUMENTS)


def test_documents_that_could_not_be_read_are_named_in_the_documentation() -> None:
    text = (ROOT.parent / "docs" / "conformance.md").read_text("utf-8")

    assert [each["document"] for each in statements()["unread"] if each["document"] not in text] == []
    assert all(each["reason"].endswith(".") for each in statements()["unread"])


def test_quotations_of_a_case() -> None:
    quotes = quotes_of_cases()

    assert quotes["disputed-other-18-robots-txt-as-draft1996"] == [
        "“The /robots.txt URL is always allowed” (draft-koster-robots-00: 3.2.2)"
    ]
    assert "“The last group may have no rules" in quotes["rfc9309-2.1-last-group-without-rules"][-1]
    assert quotes["rfc9309-2.1-last-group-without-rules"][-1].endswith(" (RFC 9309 section 2.1)")
    assert [quote[-28:] for quote in quotes["access-status-401 draft1996"]] == ["draft-koster-robots-00: 3.1)"]


@pytest.mark.slow
def test_own_choices_belong_to_a_question_that_the_rfc_leaves_open() -> None:
    questions = open_questions()
    own = [case for case in load() if case.level == "canfetch" and {"rfc9309", "strict"} & set(case.profiles)]

    assert [case.id for case in own if find_question(case.id, questions) is None] == []


@pytest.mark.slow
def test_every_pattern_of_an_open_question_is_used() -> None:
    cases = {case.id for case in load() if case.level in {"canfetch", "google"}}
    for question in open_questions():
        assert question.quotes
        assert question.text.endswith(".")
        for pattern in question.patterns:
            alone = question._replace(patterns=(pattern,))
            assert any(find_question(case, [alone]) for case in cases), pattern
