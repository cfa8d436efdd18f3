"""Servers read lines and regexes up to a length: longer comments are cut, and longer regexes are errors."""

import pytest

from canfetch.author import parse_policy, render_policy
from canfetch.author.rendering import SERVERS
from canfetch.errors import InvalidSitePolicy

RULES = ", ".join(f"'/catalogue/item-{number:03}/print/'" for number in range(240))
UNICODE_RULES = ", ".join(f"'/каталог/{number:03}/'" for number in range(240))


def render(text: str, server: str) -> str:
    return render_policy(parse_policy(text), server)


def longest(lines: list[str]) -> int:
    return max(len(line.encode()) for line in lines)


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("rules", [RULES, UNICODE_RULES], ids=["ascii", "unicode"])
def test_comments_are_short(server: str, rules: str) -> None:
    lines = render(f"[everyone]\ndisallow = [{rules}]\n", server).splitlines()
    comments = [line for line in lines if line.lstrip().startswith("#")]
    assert longest(comments or [""]) <= 1_100
    if server == "nginx":
        # nginx reads its configuration in blocks of this size.
        assert longest(lines) <= 4_096
    if server == "htaccess":
        assert longest(lines) <= 8_190


@pytest.mark.parametrize(
    "server, fits, too_many",
    [("apache", 30, 40), ("htaccess", 30, 40), ("haproxy", 60, 100), ("nginx", 240, None), ("caddy", 240, None)],
)
def test_paths_of_a_header_are_limited(server: str, fits: int, too_many: int | None) -> None:
    def policy(number: int) -> str:
        paths = ", ".join(RULES.split(", ")[:number])
        return f"[everyone]\ndisallow = ['/e/']\n[[page]]\nrules = ['noindex']\npaths = [{paths}]\n"

    lines = render(policy(fits), server).splitlines()
    assert server != "htaccess" or longest(lines) <= 8_190
    assert longest([line for line in lines if line.lstrip().startswith("#")]) <= 1_100
    if too_many is None:
        return
    with pytest.raises(InvalidSitePolicy, match=r"^too long for .*: the \d+ paths of X-Robots-Tag 'noindex' require a"):
        render(policy(too_many), server)
