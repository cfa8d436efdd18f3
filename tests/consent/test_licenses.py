"""What RSL licenses state on a use: the examples of the texts about RSL, and how licenses are combined."""

from typing import Any

import pytest

import canfetch
from canfetch.consent import MissingSource, PageResponse, SourceState, UseVerdict, may_use
from canfetch.errors import InvalidOption, InvalidURL

URL = "https://www.example.com/articles/1"
LICENSE = "https://www.example.com/license.xml"
ABSENT = MissingSource(SourceState.ABSENT)
TYPE = 'type="application/rsl+xml"'
ALL = "training", "ai-use", "search"


def document(body: str) -> str:
    return f'<rsl xmlns="https://rslstandard.org/rsl">{body}</rsl>'


def content(*terms: str, url: str = "/", more: str = "") -> str:
    """Return a content element with a license for each of `terms`."""
    return f'<content url="{url}" {more}>{"".join(f"<license>{one}</license>" for one in terms)}</content>'


def permits(usages: str, more: str = "") -> str:
    return f'<permits type="usage">{usages}</permits>{more}'


def prohibits(usages: str) -> str:
    return f'<prohibits type="usage">{usages}</prohibits>'


def use(
    license: dict[str, Any] | str,  # noqa: A002 - the word of RSL
    *,
    robots: str = f"License: {LICENSE}\n",
    response: PageResponse = PageResponse(200, ()),  # noqa: B008 - immutable
    **options: Any,
) -> UseVerdict:
    """Return the verdict on training if every source but licenses was read."""
    documents = {LICENSE: license} if isinstance(license, str) else license
    options = {"purpose": "training", **options}
    if response.html is None and response.status == 200:
        response = response._replace(html="<p>")
    return may_use(URL, robots=canfetch.parse(robots), response=response, tdm=ABSENT, license=documents, **options)


def terms(verdict: UseVerdict) -> list[str]:
    """Return the terms of licenses, without the places that name them."""
    return [str(one) for one in verdict.statements if not one.note.startswith("the terms of a license")]


@pytest.fixture(autouse=True)
def _lxml() -> None:
    pytest.importorskip("lxml", reason="lxml is not installed")


@pytest.mark.parametrize("url, allowed", [(URL, False), ("//www.example.com/articles/1", None), ("/articles/1", None)])
def test_terms_for_an_origin_need_an_absolute_url(url: str, allowed: bool | None) -> None:  # noqa: FBT001 - a case
    robots, link = canfetch.parse(f"License: {LICENSE}\n"), {"Link": f"</license.xml>; rel=license; {TYPE}"}
    for start, expected in (("/", False), ("https://www.example.com/", allowed)):
        terms = {LICENSE: document(content(prohibits("all"), url=start))}
        assert may_use(url, purpose="training", robots=robots, license=terms).allowed is expected
    named = may_use(url, purpose="training", response=PageResponse(200, link)).license_urls
    assert named == ((LICENSE,) if url == URL else ())


@pytest.mark.parametrize("usage", ["ai-training", "train", "rag", "grounding", "answers", "search-index"])
def test_a_usage_that_rsl_does_not_define_permits_nothing(usage: str) -> None:
    for purpose in ALL:
        verdict = use(document(content(permits(f"all {usage}"))), purpose=purpose)
        assert (verdict.allowed, verdict.is_final) == (None, False)
        assert f"unknown usage '{usage}'" in str(verdict.sources[-1])


def test_labels_of_aipref_are_usages() -> None:
    labels = document(content(permits("train-ai ai-use search")))
    assert [use(labels, purpose=purpose).allowed for purpose in ALL] == [True] * 3


def test_no_condition_is_lost_among_many_terms() -> None:
    many = content(*[permits("ai-train")] * 150, permits("ai-train", '<payment type="crawl"/>'))
    allowing = f"License: {LICENSE}\nUser-agent: *\nContent-Usage: train-ai=y\n"
    verdict = use(document(many), robots=allowing)
    assert (verdict.allowed, verdict.is_refused) == (None, True)
    assert [one.note for one in verdict.conditions] == ["payment: crawl"]


AI_TERMS = "https://example.com/ai-license-request"
# The text that prints the example, the example, and what it states on training, AI use and search. Those of RSL 1.0 are
# taken from a summary, which prints the license elements only.
EXAMPLES: list[tuple[str, str, tuple[bool | None, bool | None, bool | None]]] = [
    ("RSL 1.0 sections 1.1 and 3: prohibit AI", content(prohibits("ai-all")), (False, False, None)),
    (
        "RSL 1.0 sections 1.1 and 3: a custom license",
        content(permits("ai-all", f"<payment><custom>{AI_TERMS}</custom></payment>")),
        (None, None, False),
    ),
    (
        "RSL 1.0 sections 1.1 and 3: payment for each crawl",
        content(
            permits(
                "ai-all",
                '<payment type="crawl"><standard>https://example.com/pay-per-crawl</standard>'
                '<amount currency="USD">0.015</amount></payment>',
            )
        ),
        (None, None, False),
    ),
    (
        "RSL 1.0 sections 1.1 and 3: attribution",
        content(
            permits(
                "all",
                '<payment type="attribution"><standard>https://creativecommons.org/licenses/by/4.0/</standard>'
                "</payment>",
            )
        ),
        (True, True, True),
    ),
    (
        "RSL 1.0 section 3.1.2",
        content(permits("all")) + content(prohibits("ai-train"), url="/articles/"),
        (False, True, True),
    ),
    ("RSL, getting started: prohibit AI training", content(prohibits("train-ai")), (False, None, None)),
    ("RSL, getting started: allow AI training", content(permits("train-ai")), (True, False, False)),
    (
        "RSL, AI preferences",
        content(
            permits(
                "train-ai",
                '<payment type="subscription"><custom>https://your-website.com/contact-form.html</custom></payment>',
            )
        ),
        (None, False, False),
    ),
    (
        "RSL Collective, an entire website",
        content(permits("ai-all", "<payment><standard>https://rslcollective.org/license</standard></payment>")),
        (None, None, False),
    ),
    (
        "RSL Collective, its own terms",
        content(
            permits("ai-all", '<payment type="use"><standard>rslcollective.org/license</standard></payment>'),
            more='server="api.rslcollective.org"',
        ),
        (None, None, False),
    ),
]


@pytest.mark.parametrize("body, stated", [one[1:] for one in EXAMPLES], ids=[one[0] for one in EXAMPLES])
def test_the_examples_about_rsl(body: str, stated: tuple[bool | None, ...]) -> None:
    verdicts = [use(document(body), purpose=purpose) for purpose in ALL]
    assert tuple(verdict.allowed for verdict in verdicts) == stated
    assert all(verdict.is_final for verdict in verdicts)


def test_the_guide_prints_quotation_marks_that_are_not_xml() -> None:
    verdict = use(document(f"<content url=”/”><license>{prohibits('train-ai')}</license></content>"))
    assert (verdict.allowed, verdict.is_final) == (None, False)
    assert [str(one) for one in verdict.unread] == [
        f"license: unreadable ({LICENSE}: line 1: invalid XML: not well-formed (invalid token): line 1, column 54)"
    ]
    assert terms(verdict) == [f"license, {LICENSE}: it cannot be read"]


def test_rsl_4_4_the_license_of_a_group_replaces_that_of_the_file() -> None:
    robots = "License: https://example.com/default-license.xml\n\nUser-agent: ExampleBot\nAllow: /\n"
    robots += "License: https://example.com/examplebot-license.xml\n\nUser-agent: OtherBot\nAllow: /\n"
    documents = {
        "https://example.com/default-license.xml": document(content(prohibits("all"))),
        "https://example.com/examplebot-license.xml": document(content(permits("all"))),
    }
    other, own = (use(documents, robots=robots, agent=agent) for agent in ("OtherBot", "ExampleBot"))
    assert (other.allowed, own.allowed) == (False, True)
    assert own.statements[0].place == "line 5"
    outside = "outside of all groups, so that it applies to crawlers whose groups have no such line"
    assert [verdict.statements[0].note for verdict in (other, own)] == [
        f"the terms of a license; {outside}",
        "the terms of a license; the user-agent line is line 3, for ExampleBot",
    ]
    # The license for other crawlers is not one of these sources.
    assert [str(one) for one in own.sources[4:]] == ["license: read (https://example.com/examplebot-license.xml)"]


PAID = '<payment type="crawl"/>'


@pytest.mark.parametrize(
    "body, allowed, last",
    [
        # A narrower usage overrides a broader one.
        (content(prohibits("all") + permits("ai-train")), True, "permits ai-train"),
        (content(permits("all") + prohibits("ai-all")), False, "prohibits ai-all"),
        # Of both, the prohibition counts, also if they are in different licenses or contents.
        (content(permits("ai-train") + prohibits("ai-train")), False, "prohibits ai-train"),
        (content(permits("ai-train"), prohibits("ai-train")), False, "prohibits ai-train"),
        (content(permits("ai-train")) + content(prohibits("ai-train")), False, "prohibits ai-train"),
        # A more specific pattern overrides a broader one, in any order.
        (content(prohibits("all")) + content(permits("all"), url="/articles/*"), True, "permits all"),
        (
            content(permits("all"), url="/articles/1$") + content(prohibits("all"), url="/articles/"),
            True,
            "permits all",
        ),
        # It has to state something on the use.
        (content(prohibits("all")) + content(prohibits("search"), url="/articles/"), False, "prohibits all"),
        (
            content(prohibits("all"), url="/fish") + content(permits("all"), url="/bird"),
            None,
            "it states nothing on this URL",
        ),
        (content(prohibits("search")), None, "it states nothing on training"),
        (content(permits("ai-index")), False, "permits ai-index only (which does not include training)"),
        (content(permits("x:extension")), False, "permits x:extension only (which does not include training)"),
        # Licenses for one content are alternatives, but not if one of them has conditions.
        (content(permits("search"), permits("ai-train")), True, "permits ai-train"),
        (
            content(permits("ai-train", PAID), permits("ai-train")),
            None,
            "permits ai-train (another license has conditions)",
        ),
        # Conditions.
        (content(permits("all", PAID)), None, "permits all (payment: crawl)"),
        (content(permits("all", '<payment type=""/>')), None, "permits all (payment: unknown)"),
        (content(permits("all", "<payment/>")), True, "permits all"),
        (content(permits("all", '<payment type="free"/>')), True, "permits all"),
        (content(permits("all", '<payment type="attribution"/>')), True, "permits all (attribution is required)"),
        (
            content(permits("all", '<payment type="free"><amount currency="USD">1</amount></payment>')),
            None,
            "permits all (payment: free, 1 USD)",
        ),
        (
            content(permits("all", '<permits type="user">education</permits><prohibits type="geo">FR DE</prohibits>')),
            None,
            "permits all (only for users: education; not for countries: FR DE)",
        ),
        (content(permits("all", '<reporting type="audit"/>')), None, "permits all (reports are required: audit)"),
        (content(permits("all"), more='encrypted="true"'), None, "permits all (the content is encrypted)"),
        (
            content(permits("all"), more='server="https://s.example"'),
            None,
            "permits all (the server https://s.example has to issue a license)",
        ),
    ],
)
def test_terms(body: str, allowed: bool | None, last: str) -> None:  # noqa: FBT001 - a parameter
    verdict = use(document(body))
    assert verdict.allowed is allowed
    assert [one for one in terms(verdict) if not one.endswith(" overrides it)")][-1].endswith(f": {last}")


@pytest.mark.parametrize(
    "body, overridden",
    [
        (
            content(permits("all", PAID), permits("ai-train")),
            ["line 1 of the license for /: permits all (a narrower usage overrides it)"],
        ),
        (
            content(permits("ai-train") + prohibits("ai-train")),
            ["line 1 of the license for /: permits ai-train (a prohibition overrides it)"],
        ),
        (
            content(prohibits("all")) + content(permits("ai-train all"), url="/articles/"),
            ["line 1 of the license for /: prohibits all (a more specific content element overrides it)"],
        ),
    ],
)
def test_terms_that_others_override_are_facts(body: str, overridden: list[str]) -> None:
    verdict = use(document(body))
    found = [one for one in verdict.statements if one.note.endswith("overrides it")]
    assert [str(one).partition(", ")[2].partition(", ")[2] for one in found] == overridden
    assert not any(one.is_condition or one in verdict.decided_by for one in found)


@pytest.mark.parametrize(
    "kind, note",
    [
        ("free", "by the terms https://creativecommons.org/licenses/by-nc/4.0/"),
        ("attribution", "attribution is required; by the terms https://creativecommons.org/licenses/by-nc/4.0/"),
    ],
)
def test_the_terms_of_a_payment_without_a_price_are_named(kind: str, note: str) -> None:
    shared = "<standard>https://creativecommons.org/licenses/by-nc/4.0/</standard>"
    verdict = use(document(content(permits("ai-train", f'<payment type="{kind}">{shared}</payment>'))))
    assert (verdict.allowed, verdict.decided_by[0].note) == (True, note)


OTHER_SPACE = 'xmlns:x="http://rslstandard.org/rsl"'


@pytest.mark.parametrize(
    "body, problem",
    [
        (content(permits("all", prohibits("ai-trian"))), "unknown usage 'ai-trian'"),
        (content(permits("all", f"<x:prohibits {OTHER_SPACE}>ai-train</x:prohibits>")), "prohibits in the namespace"),
        (content(permits("all"), more='sever="https://l.example"'), "unknown attribute 'sever' of content"),
        (content('<permits type="usage" unless="ai-train">all</permits>'), "unknown attribute 'unless' of permits"),
        (content(prohibits("all"), url="//www.example.com/"), "invalid url '//www.example.com/'"),
        (content(prohibits("all"), url="https://*.example.com/"), "invalid url 'https://*.example.com/'"),
    ],
)
def test_a_restriction_that_is_not_understood_is_not_lost(body: str, problem: str) -> None:
    verdict = use(document(body))
    assert (verdict.allowed, verdict.is_final) == (None, False)
    assert any(problem in source.detail for source in verdict.unread)


@pytest.mark.parametrize(
    "page, detail",
    [("<!DOCTYPE html><p>x", "a web page"), (b"\n<HTML>", "a web page"), ("", "an empty response"), (b" ", "an empty")],
)
def test_a_web_page_in_place_of_a_license_is_none(page: bytes | str, detail: str) -> None:
    verdict = use({LICENSE: page})
    assert verdict.is_final
    assert f"license: absent ({LICENSE}: {detail}" in "\n".join(map(str, verdict.sources))


def test_elements_of_other_vocabularies_are_ignored() -> None:
    body = content(permits("all", '<x:note xmlns:x="urn:x">hello</x:note>'))
    assert use(document(body)).allowed is True


def test_a_condition_is_no_allowance_whatever_else_is_stated() -> None:
    paid = document(content(permits("ai-train", '<payment type="crawl"><amount currency="USD">1</amount></payment>')))
    robots = f"License: {LICENSE}\nUser-agent: *\nContent-Signal: ai-train=yes\n"
    for text in (f"License: {LICENSE}\n", robots):
        verdict = use(paid, robots=text)
        assert (verdict.allowed, verdict.is_final) == (None, True)
        assert [one.note for one in verdict.conditions] == ["payment: crawl, 1 USD"]
        assert str(verdict).startswith("training: conditional: only on conditions: license, https://www.example.com")
    refused = use(paid, robots=f"{robots}Disallow: /\n")
    assert (refused.allowed, refused.conditions) == (False, ())
    assert use(document(content(permits("all"))), response=PageResponse(402, ())).allowed is None


def test_a_password_in_the_url_of_a_license_is_not_shown() -> None:
    verdict = use({}, robots="License: https://user:secret@www.example.com/license.xml\n")
    assert verdict.license_urls == (LICENSE,)
    assert "secret" not in f"{verdict}{verdict.to_json()}{verdict.statements}"


def test_license_lines_that_name_no_document_are_facts() -> None:
    verdict = use({}, robots="License: /relative.xml\nUser-agent: *\nLicense:\n")
    assert [one.place for one in verdict.statements if "invalid" in one.note] == ["line 1", "line 3"]


def test_a_document_with_errors_can_only_prohibit() -> None:
    faulty = use(document(content(permits("all"), "<permit/>")))
    assert (faulty.allowed, faulty.is_final) == (None, False)
    problem = "line 1: unknown element 'permit'"
    assert terms(faulty)[-1].endswith(f"permits all (the document has errors, so that it permits nothing: {problem})")
    assert use(document(content(prohibits("all"), "<permit/>"))).allowed is False


@pytest.mark.parametrize("cut", ["<", "</license>", "</content>"])
def test_a_document_that_ends_early_is_unread_and_prohibits(cut: str) -> None:
    whole = document(content(prohibits("ai-train")))
    end = whole.index("</prohibits>") + len("</prohibits>")
    prohibited, cut_term = use(whole[: whole.index(cut, end)]), use(whole[: end - len("train</prohibits>")])
    assert (prohibited.allowed, cut_term.allowed) == (False, None)
    for verdict in (prohibited, cut_term):
        assert [str(source.state) for source in verdict.unread] == ["unreadable"]
    assert terms(cut_term)[-1].endswith(": what was read of it states nothing on training")


def test_all_licenses_that_apply_are_combined() -> None:
    robots = "License: https://example.com/a.xml\nLicense: https://example.com/b.xml\n"
    allow, paid, deny = (document(content(one)) for one in (permits("all"), permits("all", PAID), prohibits("all")))
    for other, allowed in ((allow, True), (paid, None), (deny, False)):
        documents = {"https://example.com/a.xml": allow, "https://example.com/b.xml": other}
        assert use(documents, robots=robots).allowed is allowed
    # One that was not read can only disallow more.
    unread = use({"https://example.com/a.xml": allow}, robots=robots)
    assert (unread.allowed, unread.is_final) == (True, False)
    refused = use({"https://example.com/a.xml": deny}, robots=robots)
    assert (refused.allowed, refused.is_final) == (False, True)
    assert [str(one) for one in refused.sources[-2:]] == [
        "license: not-read (https://example.com/b.xml)",
        "license: read (https://example.com/a.xml)",
    ]


def test_the_license_of_a_page_does_not_permit_what_that_of_the_site_prohibits() -> None:
    # DEVIATION(rsl): section 4.9 also has a precedence of the page.
    page = PageResponse(200, (), f"<script {TYPE}>{document(content(permits('all'), url=''))}</script>")
    assert use({}, robots="", response=page).allowed is True
    assert use(document(content(prohibits("all"))), response=page).allowed is False


@pytest.mark.parametrize(
    "robots, response, place",
    [
        (f"License: {LICENSE}#terms\n", PageResponse(), "robots.txt, line 1"),
        ("", PageResponse(200, {"Link": f"</x/../license.xml>; rel=license; {TYPE}"}), "headers, Link header 1"),
        ("", PageResponse(200, (), f'<link rel="license" {TYPE} href="/license.xml">'), "html, link element 1, line 1"),
        ("", PageResponse(402, {"Link": f"<{LICENSE}>; rel=license; {TYPE}"}), "headers, Link header 1"),
    ],
)
def test_each_place_names_the_license(robots: str, response: PageResponse, place: str) -> None:
    verdict = use(document(content(prohibits("all"))), robots=robots, response=response)
    assert verdict.allowed is False
    (naming,) = (one for one in verdict.statements if one.note.startswith("the terms of a license"))
    assert str(naming).startswith(f"{place}: ")
    assert terms(verdict)[-1] == f"license, {LICENSE}, line 1 of the license for /: prohibits all"
    assert str(verdict.sources[-1]) == f"license: read ({LICENSE})"
    unread = use({}, robots=robots, response=response)
    assert [one.name for one in unread.unread if one.name == "license"] == ["license"]


def test_an_empty_url_is_the_page_and_only_there() -> None:
    whole = document(content(prohibits("all"), url=""))
    linked = PageResponse(200, (), f'<link rel="license" {TYPE} href="/license.xml">')
    assert use(whole, robots="", response=linked).allowed is False
    assert use(whole).allowed is None


def test_a_license_that_the_page_contains() -> None:
    def inline(text: str, before: str = "") -> UseVerdict:
        return use({}, robots="", response=PageResponse(200, (), f"{before}<script {TYPE}>\n{text}</script>"))

    verdict = inline(document("\n" + content(prohibits("ai-train"), url="")))
    assert verdict.allowed is False
    assert terms(verdict) == ["html, script element 1, line 1, line 2 of the license: prohibits ai-train"]
    assert not verdict.unread
    # In the body, it is about its parent element.
    part = document(content(permits("all"), url=""))
    in_body = inline(part, "<p>")
    assert in_body.allowed is None
    assert terms(in_body)[0].endswith("permits all (it applies to a part of the page)")
    faulty = inline("<rsl")
    assert (faulty.allowed, faulty.is_final) == (None, False)
    assert str(faulty.unread[0]).startswith("license: unreadable (script element 1, line 1: line 1: invalid XML")


def test_documents_that_no_place_names_count() -> None:
    verdict = use(document(content(prohibits("all"))), robots="")
    assert terms(verdict) == [f"license, {LICENSE}, line 1 of the license for /: prohibits all"]


def test_states_of_licenses() -> None:
    absent = use({LICENSE: ABSENT})
    assert (absent.allowed, absent.is_final, str(absent.sources[-1])) == (None, True, f"license: absent ({LICENSE})")
    failed = use({LICENSE: MissingSource(SourceState.UNREACHABLE, "status 503")})
    assert str(failed.sources[-1]) == f"license: unreachable ({LICENSE}: status 503)"
    assert not failed.is_final


def test_a_reference_that_is_not_valid_is_listed() -> None:
    verdict = use({}, robots="", response=PageResponse(200, {"Link": f"<ftp:x>; rel=license; {TYPE}"}))
    assert terms(verdict) == ["headers, Link header 1: ftp:x (the URL of a license is not valid)"]


def test_places_and_terms_are_bounded_and_no_prohibition_is_lost() -> None:
    many = "".join(f"License: https://example.com/{number}\n" for number in range(300))
    verdict = use({}, robots=many)
    assert str(verdict.unread[0]) == "license: not-read (more than 200 places name licenses)"
    assert len(verdict.statements) == len(verdict.unread) - 1 == 200
    paid = document(content(*[permits("all", PAID)] * 300))
    long = use({f"https://example.com/{'x' * 9_000}": paid}, robots="")
    assert len(long.statements) == 100
    assert len(str(long.to_json())) < 300_000
    documents = {"https://example.com/a": paid, "https://example.com/b": document(content(prohibits("all")))}
    refused = use(documents, robots="")
    assert (refused.allowed, len(refused.statements)) == (False, 100)


def test_nothing_of_a_license_can_control_a_terminal() -> None:
    body = content(permits("all\u200b", '<payment type="\u202e"/>'), more='server="\u202e"')
    verdict = use({"https://user:secret@example.com/\u202e": document(body)}, robots="", purpose="search")
    text = f"{verdict} {verdict.sources[-1]} {verdict.to_json()}"
    assert text.isprintable()
    assert "secret" not in text


@pytest.mark.parametrize(
    "documents, error, message",
    [
        (["x"], TypeError, "license must be a mapping of URLs to documents, not list"),
        ({"/license.xml": ""}, InvalidURL, "invalid URL '/license.xml' of a license: expected the absolute URL"),
        ({b"https://example.com/": ""}, TypeError, "the URL of a license must be a str, not bytes"),
        ({LICENSE: None}, TypeError, "must be the content of the document, or a MissingSource, not NoneType"),
        ({LICENSE: MissingSource(SourceState.READ)}, InvalidOption, "invalid state 'read' of license"),
    ],
)
def test_a_mistake_of_the_caller_names_the_value(documents: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        use(documents)
