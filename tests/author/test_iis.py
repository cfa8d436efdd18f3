"""The rules for IIS have the documented elements and attributes, and agree with robots.txt. No IIS runs here.

A small evaluator applies the rules as the configuration reference of the URL Rewrite module describes.
"""

import re
from xml.etree import ElementTree as ET

import pytest
from tests.author.policies import POLICIES

import canfetch
from canfetch.author.proof import sample_targets
from canfetch.author.resolution import resolve

# Microsoft Learn, URL Rewrite module configuration reference: the elements that may occur in each element, in order,
# and the attributes of each.
CHILDREN = {
    "configuration": ["system.webServer"],
    "system.webServer": ["rewrite"],
    "rewrite": ["rules", "outboundRules"],
    "rules": ["rule"],
    "outboundRules": ["rule"],
    "rule": ["match", "conditions", "action"],
    "conditions": ["add"],
    "match": [],
    "add": [],
    "action": [],
}
BOOLEAN = "true|false"
ATTRIBUTES = {
    "rule": {"name": ".+", "patternSyntax": "ECMAScript|Wildcard|ExactMatch", "stopProcessing": BOOLEAN},
    "match": {"url": ".+", "serverVariable": "RESPONSE_[A-Za-z_]+", "pattern": ".+"},
    "conditions": {"logicalGrouping": "MatchAll|MatchAny", "trackAllCaptures": BOOLEAN},
    "add": {
        "input": r"\{(?:HTTP_USER_AGENT|UNENCODED_URL)\}",
        "pattern": ".+",
        "ignoreCase": BOOLEAN,
        "negate": BOOLEAN,
    },
    "action": {
        "type": "CustomResponse|Rewrite",
        "statusCode": "403",
        "statusReason": ".+",
        "statusDescription": ".+",
        "value": ".+",
    },
}


def render(toml: str) -> tuple[canfetch.author.SitePolicy, ET.Element]:
    policy = canfetch.author.parse_policy(toml)
    return policy, ET.fromstring(canfetch.author.render_policy(policy, "iis").encode())  # noqa: S314 - our own


def conditions_hold(rule: ET.Element, target: str, user_agent: str) -> bool:
    variables = {"{HTTP_USER_AGENT}": user_agent, "{UNENCODED_URL}": target}
    for add in rule.iterfind("conditions/add"):
        flags = re.IGNORECASE if add.get("ignoreCase", "true") == "true" else 0
        found = re.search(add.attrib["pattern"], variables[add.attrib["input"]], flags) is not None
        if found is (add.get("negate") == "true"):
            return False
    return True


def is_refused(config: ET.Element, target: str, user_agent: str) -> bool:
    return any(conditions_hold(rule, target, user_agent) for rule in config.iterfind(".//rules/rule"))


def tag_of(config: ET.Element, target: str) -> str:
    header = ""
    for rule in config.iterfind(".//outboundRules/rule"):
        match, action = rule.find("match"), rule.find("action")
        assert match is not None
        assert action is not None
        found = re.search(match.attrib["pattern"], header)
        if found is not None and conditions_hold(rule, target, ""):
            header = action.attrib["value"].replace("{R:1}", header)
    return header


@pytest.mark.parametrize("name", POLICIES)
def test_web_config_has_the_documented_elements(name: str) -> None:
    _, config = render(POLICIES[name])
    names = [rule.attrib["name"] for rule in config.iter("rule")]
    assert len(names) == len(set(names))
    for element in config.iter():
        positions = [CHILDREN[element.tag].index(child.tag) for child in element]
        assert positions == sorted(positions)
        for attribute, value in element.attrib.items():
            assert re.fullmatch(ATTRIBUTES[element.tag][attribute], value), (element.tag, attribute, value)


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
def test_rules_agree_with_robots_txt(name: str) -> None:
    policy, config = render(POLICIES[name])
    robots = canfetch.parse(canfetch.author.render_policy(policy))
    targets = [target for target in sample_targets(policy) if "#" not in target]
    refused = 0
    chosen = {str(crawler.intent): crawler for crawler in resolve(policy).crawlers if crawler.product_names}
    for crawler in chosen.values():
        header = f"Mozilla/5.0 (compatible; {crawler.product_names[0]}/1.0)"
        for target in targets:
            allowed = robots.allows(target, agent=crawler.agent)
            assert is_refused(config, target, header) is not allowed, (crawler.name, target)
            refused += not allowed
    for target in targets:
        assert not is_refused(config, target, "Mozilla/5.0 Firefox/145.0")
        tags = [value for _, value in policy.headers(target)]
        header = tag_of(config, target)
        assert all(tag in header for tag in tags), target
        assert len(header) == len(", ".join(tags)), target
    assert (refused > 0) is (name != "nothing")
    for target in ("/robots.txt", "/robots.txt?version=2"):
        assert not is_refused(config, target, "GPTBot/1.0")


def test_dot_segments_and_fragments_are_refused() -> None:
    _, config = render(POLICIES["training"].replace('fetch = "none"', 'disallow = ["/private/"]'))
    for target in ("/x/../private/s", "/x/..%2fprivate/s", "/x\\..\\private", "/page#x", "?x", "https://a.example"):
        assert is_refused(config, target, "GPTBot/1.0")
    for origin in ("", "https://a.example"):
        assert is_refused(config, f"{origin}/private/x", "GPTBot/1.0")
        assert not is_refused(config, f"{origin}/public", "GPTBot/1.0")


def test_browsers_in_apps_pass_and_the_names_of_apps_are_refused() -> None:
    _, config = render("[crawler.Flipboard]\nfetch = 'none'\n[crawler.GPTBot]\nfetch = 'none'\n")
    browser = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605 Mobile/15E148 Flipboard/4.3.6"
    assert [is_refused(config, target, browser) for target in ("/x", "/x/../y")] == [False, False]
    for header in ("Flipboard/1.0", "Mozilla/5.0 (compatible; Flipboard/1.0)", f"{browser} GPTBot/1.2"):
        assert is_refused(config, "/x", header), header


def test_paths_without_a_slash_at_their_start_are_refused() -> None:
    _, config = render(POLICIES["training"].replace('fetch = "none"', 'disallow = ["/private/"]'))
    targets = ["http:/private/x", "HTTP:/x", "x:/private/x", "http:private/x", "http:", "http:/", "http:%2fprivate/x"]
    targets += [
        "%2fprivate/x",
        "%41",
        "private/x",
        "private",
        "://private/x",
        ":/private",
        "*/private/x",
        "1://h/private/x",
    ]
    for target in targets:
        assert is_refused(config, target, "GPTBot/1.0"), target
        assert not is_refused(config, target, "Mozilla/5.0 Firefox/145.0")
    for target in ("*", "http://private/x", "http://host.example/public", "a+b.c-d://h:1/x", "/http:/private/x"):
        assert not is_refused(config, target, "GPTBot/1.0"), target


def test_a_tag_with_a_prefix_follows_those_without() -> None:
    _, config = render(POLICIES["search-but-private"])
    value = tag_of(config, "/drafts/x")
    assert value == "noindex, max-snippet: 20, googlebot: unavailable_after: Friday, 25-Jun-10 15:00:00 GMT"


def test_output_states_that_it_was_not_run() -> None:
    policy = canfetch.author.parse_policy(POLICIES["training"])
    assert "They have not been run on IIS" in canfetch.author.render_policy(policy, "iis")


@pytest.mark.slow
def test_a_file_that_iis_does_not_read_by_default_has_a_comment() -> None:
    def size_and_note(rules: int) -> tuple[int, bool]:
        policy = f"[crawler.GPTBot]\ndisallow = {[f'/folder-{number}/' for number in range(rules)]}\n"
        text = canfetch.author.render_policy(canfetch.author.parse_policy(policy), "iis")
        ET.fromstring(text.encode())  # noqa: S314 - our own
        return len(text.encode()), "MaxWebConfigFileSizeInKB in HKEY_LOCAL_MACHINE" in text

    (small, _), (large, _) = size_and_note(100), size_and_note(200)
    rules = 100 + int((250 * 1024 - small) / ((large - small) / 100))
    sizes = [size_and_note(number) for number in range(rules - 3, rules + 4)]
    assert [note for _, note in sizes] == [size > 250 * 1024 for size, _ in sizes]
    assert {note for _, note in sizes} == {False, True}
