"""Every recipe comes to the verdicts of the file in Google's page on making a robots.txt, which it stands for."""

from collections.abc import Sequence

import pytest

import canfetch
from canfetch.author.recipes import RECIPES, recipe_draft

EVERYONE_BLOCKED = "User-agent: *\nDisallow: /"
# Name, parameters, and the file as that page has it.
RECIPES_OF_THE_PAGE: list[tuple[str, dict[str, str | list[str]], str]] = [
    ("block-all", {}, EVERYONE_BLOCKED),
    (
        "block-directories",
        {"path": ["/calendar/", "/junk/"]},
        "User-agent: *\nDisallow: /calendar/\nDisallow: /junk/",
    ),
    (
        "only-one-crawler",
        {"crawler": "Googlebot-news"},
        f"User-agent: Googlebot-news\nAllow: /\n\n{EVERYONE_BLOCKED}",
    ),
    (
        "all-but-one",
        {"crawler": "Unnecessarybot"},
        "User-agent: Unnecessarybot\nDisallow: /\n\nUser-agent: *\nAllow: /",
    ),
    ("block-page", {"path": "/private_file.html"}, "User-agent: *\nDisallow: /private_file.html"),
    ("block-image", {"path": "/images/dogs.jpg"}, "User-agent: Googlebot-Image\nDisallow: /images/dogs.jpg"),
    ("block-all-images", {}, "User-agent: Googlebot-Image\nDisallow: /"),
    ("block-file-type", {"crawler": "Googlebot", "file_type": "gif"}, "User-agent: Googlebot\nDisallow: /*.gif$"),
    (
        "only-adsense",
        {},
        f"{EVERYONE_BLOCKED}\n\nUser-agent: Mediapartners-Google\nAllow: /",
    ),
    ("block-ends-with", {"crawler": "Googlebot", "ending": ".xls"}, "User-agent: Googlebot\nDisallow: /*.xls$"),
]
OURS: list[tuple[str, dict[str, str | list[str]], str]] = [
    ("allow-all", {}, "User-agent: *\nAllow: /"),
    ("block-queries", {}, "User-agent: *\nDisallow: /*?"),
    (
        "block-documents",
        {"crawler": "bingbot"},
        "User-agent: bingbot\n"
        + "".join(f"Disallow: /*.{ending}$\n" for ending in ("pdf", "doc", "docx", "ppt", "pptx", "xls", "xlsx")),
    ),
    ("block-ends-with", {"ending": ["a b", "*x"]}, "User-agent: *\nDisallow: /*a%20b$\nDisallow: /*%2Ax$"),
    (
        "block-ai-training",
        {},
        "".join(
            f"User-agent: {crawler.name}\nDisallow: /\n\n"
            for crawler in canfetch.REGISTRY.crawlers
            if crawler.purpose == "training" and not crawler.retired
        ),
    ),
    (
        "block-seo",
        {},
        "".join(
            f"User-agent: {crawler.name}\nDisallow: /\n\n"
            for crawler in canfetch.REGISTRY.crawlers
            if crawler.purpose == "seo"
        ),
    ),
]
TARGETS = (
    *(
        "/",
        "/index.html",
        "/calendar",
        "/calendar/",
        "/calendar/2026/x.html",
        "/junk/",
        "/junkyard",
        "/private_file.html",
    ),
    *("/private_file.html?x", "/private_file.htm", "/images/dogs.jpg", "/images/cats.jpg", "/a.gif", "/a/b.gif"),
    *("/a.gif?x=1", "/a.GIF", "/a.gifs", "/t.xls", "/t.xlsx", "/d/t.xls?x", "/t.pdf", "/robots.txt", "/x?y", "/a%20b"),
    *("/za%20b", "/a%20bc", "/y%2Ax", "/yxx"),
)
CRAWLERS = (
    *("Googlebot", "Googlebot-Image", "Googlebot-News", "bingbot", "Mediapartners-Google", "AdsBot-Google", "GPTBot"),
    *("Google-Extended", "Unnecessarybot", "ExampleBot", "AhrefsBot", "MJ12bot", "Applebot", "YandexBot", "CCBot"),
)


@pytest.mark.parametrize("name, given, page", [*RECIPES_OF_THE_PAGE, *OURS])
def test_google_a_recipe_comes_to_the_verdicts_of_its_page(
    name: str, given: dict[str, str | Sequence[str]], page: str, engine: str
) -> None:
    octets = recipe_draft(name, **given).render()
    for profile in ("rfc9309", "google", "googlebot", "google2019", "bing", "yandex", "strict"):
        ours, theirs = (canfetch.parse(file, profile=profile, engine=engine) for file in (octets, page))
        for crawler in CRAWLERS:
            agent = canfetch.agent(crawler)
            for target in TARGETS:
                assert ours.allows(target, agent=agent) is theirs.allows(target, agent=agent), (
                    profile,
                    crawler,
                    target,
                )


def test_google_every_recipe_is_shown() -> None:
    assert {name for name, _, _ in [*RECIPES_OF_THE_PAGE, *OURS]} == set(RECIPES)


@pytest.mark.parametrize("name", RECIPES)
def test_examples_of_recipes_make_files(name: str) -> None:
    recipe = RECIPES[name]
    draft = recipe.draft(**{parameter.name: parameter.example for parameter in recipe.parameters})
    assert canfetch.parse(draft.render()).groups


@pytest.mark.parametrize(
    "name, given, error, told",
    [
        (
            "block-none",
            {},
            canfetch.errors.InvalidOption,
            "unknown recipe 'block-none': did you mean 'block-seo'",
        ),
        (
            "block-page",
            {},
            canfetch.errors.InvalidOption,
            "recipe block-page needs path, the page's path: give one such as",
        ),
        (
            "block-all",
            {"crawler": "a"},
            canfetch.errors.InvalidOption,
            "recipe block-all: expected no parameters",
        ),
        (
            "block-page",
            {"ending": "a"},
            canfetch.errors.InvalidOption,
            "unknown parameter 'ending': choose from 'crawler', 'path'",
        ),
        ("all-but-one", {"crawler": ["a", "b"]}, canfetch.errors.InvalidOption, "takes one crawler"),
        ("all-but-one", {"crawler": "a b"}, canfetch.errors.InvalidDraft, "'a b' is no product token"),
        ("all-but-one", {"crawler": "*"}, canfetch.errors.InvalidDraft, r"'\*' is named already"),
        (
            "block-directories",
            {"path": "/junk"},
            canfetch.errors.InvalidDraft,
            "'/junk' is no directory: end it with '/'",
        ),
        ("block-page", {"path": "x.html"}, canfetch.errors.InvalidDraft, "begin it with '/'"),
        ("block-file-type", {"file_type": "*"}, canfetch.errors.InvalidDraft, "no file type"),
        ("block-file-type", {"file_type": ""}, canfetch.errors.InvalidDraft, "'' is no file type"),
        ("block-file-type", {"file_type": ["gif", "."]}, canfetch.errors.InvalidDraft, "'.' is no file type"),
        ("block-file-type", {"file_type": "\u00e9"}, canfetch.errors.InvalidDraft, "no file type"),
        ("block-ends-with", {"ending": ""}, canfetch.errors.InvalidDraft, "every URL ends with the ending ''"),
        (
            "block-ends-with",
            {"ending": [".xls", ""]},
            canfetch.errors.InvalidDraft,
            "every URL ends with the ending ''",
        ),
        ("block-ends-with", {"ending": []}, canfetch.errors.InvalidOption, "needs ending"),
        ("block-queries", {"crawler": ""}, canfetch.errors.InvalidDraft, "'' is no product token"),
        ("block-page", {"path": "/a/../b"}, canfetch.errors.InvalidDraft, "can match nothing"),
        ("block-page", {"path": "/robots.txt"}, canfetch.errors.InvalidDraft, "is about this file"),
        ("block-page", {"path": None}, TypeError, "path is a str or a list of such, not NoneType"),
        ("block-page", {"path": b"/a"}, TypeError, "path is a str or a list of such, not bytes"),
        ("block-ends-with", {"ending": [None]}, TypeError, "ending is a str, not NoneType"),
    ],
)
def test_a_recipe_refuses_what_it_does_not_take(
    name: str, given: dict[str, str | Sequence[str]], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        recipe_draft(name, **given)
