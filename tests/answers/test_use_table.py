"""The table of uses that the API and the page show."""

from canfetch import parse
from canfetch.answers.crawlers import requested_agents
from canfetch.answers.use import use_table


def test_each_crawler_has_the_licenses_that_the_file_names_for_it() -> None:
    robots = parse(
        b"License: https://example.com/all.xml\nUser-agent: *\nDisallow:\n"
        b"User-agent: GPTBot\nLicense: https://example.com/gpt.xml\nDisallow:\n"
    )
    agents = requested_agents(["GPTBot", "CCBot"])
    table = use_table(robots, "https://example.com/a", agents, headers="", tdm_file=None, now=0.0)
    gptbot, ccbot = table.to_json()["crawlers"]
    named = [[(one["name"], one["url"], one["state"]) for one in row["licenses"]] for row in (gptbot, ccbot)]
    assert named == [
        [("license", "https://example.com/gpt.xml", "not-read")],
        [("license", "https://example.com/all.xml", "not-read")],
    ]
    assert not gptbot["uses"]["training"]["is_final"]
