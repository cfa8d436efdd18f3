"""Every recipe has the verdicts of the corresponding file in Google's documentation."""

from collections.abc import Sequence

import pytest

import canfetch
from canfetch.author.recipes import RECIPES

EVERYONE_BLOCKED = "User-agent: *\nDisallow: /"
# Name, arguments, and the file in Google's documentation.
GOOGLE_RECIPES: list[tuple[str, dict[str, str | list[str]], str]] = [
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
OWN_RECIPES: list[tuple[str, dict[str, str | list[str]], str]] = [
    ("allow-all", {}, "User-agent: *\nAllow: /"),
    ("block-queries", {}, "User-agent: *\nAllow: /*.css?\nAllow: /*.js?\nDisallow: /*?"),
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
            if "training" in crawler.purposes and not crawler.retired
        ),
    ),
    (
        "block-seo",
        {},
        "".join(
            f"User-agent: {crawler.name}\nDisallow: /\n\n"
            for crawler in canfetch.REGISTRY.crawlers
            if "seo" in crawler.purposes
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


@pytest.mark.parametrize("name, arguments, expected", [*GOOGLE_RECIPES, *OWN_RECIPES])
def test_recipes_have_the_documented_verdicts(
    name: str, arguments: dict[str, str | Sequence[str]], expected: str, engine: str
) -> None:
    content = RECIPES[name].draft(**arguments).render()
    for profile in ("rfc9309", "google", "googlebot", "google2019", "bing", "yandex", "strict"):
        robots, documented = (canfetch.parse(file, profile=profile, engine=engine) for file in (content, expected))
        for crawler in CRAWLERS:
            agent = canfetch.agent(crawler)
            for target in TARGETS:
                assert robots.allows(target, agent=agent) is documented.allows(target, agent=agent), (
                    profile,
                    crawler,
                    target,
                )


def test_every_recipe_is_covered() -> None:
    assert {name for name, _, _ in [*GOOGLE_RECIPES, *OWN_RECIPES]} == set(RECIPES)


@pytest.mark.parametrize("name", RECIPES)
def test_examples_of_recipes_are_valid(name: str) -> None:
    recipe = RECIPES[name]
    draft = recipe.draft(**{parameter.name: parameter.example for parameter in recipe.parameters})
    assert canfetch.parse(draft.render()).groups


@pytest.mark.parametrize(
    "name, arguments, error, message",
    [
        (
            "block-page",
            {},
            canfetch.errors.InvalidOption,
            "recipe block-page: missing parameter path: expected the path of a page, such as",
        ),
        (
            "block-all",
            {"crawler": "a"},
            canfetch.errors.InvalidOption,
            "recipe block-all: unexpected parameter 'crawler'",
        ),
        (
            "block-page",
            {"ending": "a"},
            canfetch.errors.InvalidOption,
            "unknown parameter 'ending': choose from 'crawler', 'path'",
        ),
        ("all-but-one", {"crawler": ["a", "b"]}, canfetch.errors.InvalidOption, "expected one crawler, got 2"),
        ("all-but-one", {"crawler": "a b"}, canfetch.errors.InvalidDraft, "invalid product token 'a b'"),
        ("all-but-one", {"crawler": "*"}, canfetch.errors.InvalidDraft, r"'\*' already has a group"),
        (
            "block-directories",
            {"path": "/junk"},
            canfetch.errors.InvalidDraft,
            "invalid directory '/junk': expected a path that ends with '/'",
        ),
        ("block-page", {"path": "x.html"}, canfetch.errors.InvalidDraft, "expected a path that starts with '/'"),
        ("block-file-type", {"file_type": "*"}, canfetch.errors.InvalidDraft, "invalid file type"),
        ("block-file-type", {"file_type": ""}, canfetch.errors.InvalidDraft, "invalid file type ''"),
        ("block-file-type", {"file_type": ["gif", "."]}, canfetch.errors.InvalidDraft, "invalid file type '.'"),
        ("block-file-type", {"file_type": "\u00e9"}, canfetch.errors.InvalidDraft, "invalid file type"),
        ("block-ends-with", {"ending": ""}, canfetch.errors.InvalidDraft, "invalid ending ''"),
        (
            "block-ends-with",
            {"ending": [".xls", ""]},
            canfetch.errors.InvalidDraft,
            "invalid ending ''",
        ),
        ("block-ends-with", {"ending": []}, canfetch.errors.InvalidOption, "missing parameter ending"),
        ("block-queries", {"crawler": ""}, canfetch.errors.InvalidDraft, "invalid product token ''"),
        ("block-page", {"path": "/a/../b"}, canfetch.errors.InvalidDraft, "it matches nothing"),
        ("block-page", {"path": "/robots.txt"}, canfetch.errors.InvalidDraft, "may always fetch /robots.txt"),
        ("block-page", {"path": None}, TypeError, "path must be a str or a list of str, not NoneType"),
        ("block-page", {"path": b"/a"}, TypeError, "path must be a str or a list of str, not bytes"),
        ("block-ends-with", {"ending": [None]}, TypeError, "ending must be a str, not NoneType"),
    ],
)
def test_invalid_arguments_of_recipes(
    name: str, arguments: dict[str, str | Sequence[str]], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        RECIPES[name].draft(**arguments)


@pytest.mark.parametrize("name", ["CCBot", "GPTBot", "CloudflareBrowserRenderingCrawler", "KimiBot"])
def test_block_ai_training_blocks_every_crawler_with_that_purpose(name: str) -> None:
    robots = canfetch.parse(RECIPES["block-ai-training"].draft().render())
    assert not robots.allows("/", agent=canfetch.agent(name))
    assert robots.allows("/", agent=canfetch.agent("Googlebot"))
