"""Which files close a site."""

import pytest

from canfetch.author.closing import find_closing_rule
from canfetch.author.recipes import RECIPES
from canfetch.core.document import parse


@pytest.mark.parametrize(
    "content",
    [
        b"User-agent: *\nDisallow: /\n",
        b"User-agent: *\nDisallow: *\n",
        b"User-agent: *\nDisallow: /*\n",
        b"\xef\xbb\xbfuser-agent:*\r\ndisallow:/\r\n",
        b"User-agent: *\nDisallow: /\nAllow: /ads.txt\nAllow: /robots.txt$\n",
        b"User-agent: *\nUser-agent: Googlebot\nDisallow: /\n",
        b"User-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nDisallow: /\n",
        b"User-agent: UptimeRobot\nAllow: /\n\nUser-agent: *\nDisallow: /\n",
        b"User-agent: *\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\n",
        RECIPES["block-all"].draft().render(),
        RECIPES["only-adsense"].draft().render(),
    ],
)
def test_file_closes_the_site(content: bytes, engine: str) -> None:
    rule = find_closing_rule(parse(content, engine=engine))
    assert rule is not None
    assert not rule.allow


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"Disallow: /\n",
        b"User-agent: *\nDisallow:\n",
        b"User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nDisallow: /\n",
        b"User-agent: *\nDisallow: /\nAllow: /\n",
        b"User-agent: *\nDisallow: /\nAllow: /$\n",
        b"User-agent: *\nDisallow: /\nAllow: /blog/\n",
        b"User-agent: *\nDisallow: /\nAllow: /*/public\n",
        b"User-agent: *\nDisallow: /?\n",
        b"User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow:\n",
        b"User-agent: *\nDisallow: /\n\nUser-agent: Bingbot\nAllow: /shop/\n",
        *(
            recipe.draft(**{parameter.name: parameter.example for parameter in recipe.parameters}).render()
            for recipe in RECIPES.values()
            if recipe.name not in {"block-all", "only-adsense", "only-one-crawler"}
        ),
    ],
)
def test_file_leaves_the_site_open(content: bytes, engine: str) -> None:
    assert find_closing_rule(parse(content, engine=engine)) is None
