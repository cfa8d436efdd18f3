"""The definitions with published parsers, against other implementations of these parsers, over generated files."""

import random
import re
from collections.abc import Iterator

import pytest

from canfetch.bulk.studies import DEFINITIONS, StudiedFile, classify

AGENTS = ("*", "GPTBot", "CCBot", "bingbot")
LINES = (
    *[f"User-agent: {name}" for name in (*AGENTS, "gptbot", "")],
    "user-agent : GPTBot",
    "USER-AGENT:CCBot # the archive",
    "\ufeffUser-agent: *",
    *[f"Disallow: {value}" for value in ("/", "", "/a", "/b?c", "/ # all")],
    *[f"Allow: {value}" for value in ("/", "*", "/*", "", "/a", "/a  b")],
    "Disallow : /",
    "Disallow",
    "Crawl-delay: 5",
    "Sitemap: https://a.example/sitemap.xml",
    "Host: a.example",
    "# comment",
    "",
    "\t",
    "<html>",
)
ENDS = ("\n", "\r\n", "\r", "\n\n", "\x0b")


def generated_files() -> Iterator[bytes]:
    chance = random.Random(20251)  # noqa: S311 - reproducible
    for _ in range(4_000):
        ends = ENDS if chance.random() < 0.2 else ENDS[:1]
        text = "".join(chance.choice(LINES) + chance.choice(ends) for _ in range(chance.randrange(1, 12)))
        yield text.encode()


def events(lines: list[str], keys: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield the kind, the key and the value of each line that one of the patterns matches."""
    for line in lines:
        for kind, pattern in keys.items():
            if found := re.match(rf"(?is)({pattern})(.*)", line):
                yield kind, re.sub(r"[\s:]", "", found[1]).lower(), found[2]
                break


def groups(found: Iterator[tuple[str, str, str]]) -> Iterator[tuple[list[str], list[tuple[str, str]]]]:
    """Yield the user agents and the rules of each group that the published scripts see.

    Before the first rule of a file, user agents add up. After it, each user-agent line starts a group.
    """
    agents: list[str] = []
    rules: list[tuple[str, str]] = []
    is_first = True
    for kind, key, value in found:
        if kind == "agent":
            if not is_first:
                yield agents, rules
                agents, rules = [], []
            agents.append(value.lower())
        else:
            is_first = False
            if kind == "rule":
                rules.append((key, value))
    yield agents, rules


def consent(content: bytes) -> dict[str, str]:
    lines = [line.partition("#")[0].strip() for line in content.decode().splitlines()]
    keys = {"agent": "user-agent:", "rule": "(?:dis)?allow:", "end": "(?:crawl-delay|sitemap):"}
    found = ((kind, key, value.strip()) for kind, key, value in events(lines, keys))
    values: dict[str, dict[str, list[str]]] = {}
    for agents, rules in groups(found):
        for agent in agents:
            own = values.setdefault(agent, {"allow": [], "disallow": []})
            for key, value in rules:
                own[key] += [] if "?" in value else [value]
    classes = {}
    for agent, own in values.items():
        if not own["disallow"] or own["disallow"] == [""] or own["disallow"] == own["allow"]:
            classes[agent] = "none"
        else:
            classes[agent] = "all" if "/" in own["disallow"] and own["allow"] == [] else "some"
    classes.setdefault("*", "none")
    return classes


def common_crawl(content: bytes) -> dict[str, str]:
    lines = content.removeprefix(b"\xef\xbb\xbf").decode().split("\n")
    if re.match(r"(?i)<html\b", lines[0]):
        return {}
    keys = {"agent": r"\s*user-agent\s*:\s*", "rule": r"\s*(?:dis)?allow\s*:\s*"}
    found = ((kind, key, re.split("[#\r]", value)[0].strip()) for kind, key, value in events(lines, keys))
    values: dict[str, list[tuple[str, str]]] = {}
    for agents, rules in groups(found):
        for agent in set(agents):
            values.setdefault(agent, []).extend((key, re.sub(r"\s+", " ", value)) for key, value in rules)
    open_values = [[("allow", "/")], [("allow", "*")], [("allow", "/*")], [("allow", "")], [("disallow", "")]]
    classes = {}
    for agent, rules in values.items():
        if rules == [("disallow", "/")]:
            classes[agent] = "disallow-all"
        elif rules:
            classes[agent] = "allow-all" if rules in open_values else "allow-part"
    return classes


@pytest.mark.slow
@pytest.mark.parametrize("name", ["consent-in-crisis-published/1", "common-crawl-published/1"])
def test_published_definitions_over_generated_files(name: str) -> None:
    definition = DEFINITIONS[name]
    seen = set()
    for content in generated_files():
        expected = consent(content) if name.startswith("consent") else common_crawl(content)
        for agent in AGENTS:
            label = classify(content, agent=agent, definition=name)
            default = expected["*"] if name.startswith("consent") else "no-ruleset"
            assert label == expected.get(agent.lower(), default), (content, agent)
            seen.add(label)
        if definition.classify_all is not None:
            found = set(expected.values())
            combined = found.pop() if len(found) == 1 else "some"
            assert definition.classify_all(StudiedFile(content)) == combined, content
    assert seen == set(definition.classes)
