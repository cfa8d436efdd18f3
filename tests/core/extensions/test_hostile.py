"""Files made to be slow: each is read in time that grows as the file does. What is not would never end here."""

from collections.abc import Callable

import pytest

import canfetch

OCTETS = 200_000


def filled(line: Callable[[int], str]) -> str:
    """Give a file of that many octets, line by line."""
    lines, octets, number = ["User-agent: *"], 0, 0
    while octets < OCTETS:
        lines.append(line(number))
        octets += len(lines[-1])
        number += 1
    return "\n".join(lines)


@pytest.mark.parametrize(
    "body",
    [
        filled(lambda _: "a:b"),
        filled(lambda number: f"acap-{number}:x"),
        filled(lambda _: "content-usage:train-ai=n"),
        filled(lambda number: f"content-usage:/{'*a' * (number % 50)}*{number % 7} train-ai=n"),
        filled(lambda _: f"content-usage:/{'*a' * 400}* train-ai=n"),
        filled(lambda number: f"noindex:/{'*a' * 30}{number}"),
        filled(lambda number: f"clean-param:u{number} /{'*a' * (number % 100)}"),
        f"clean-param:{'&'.join(f'p{number}' for number in range(OCTETS // 7))}",
        f"User-agent: *\ncontent-signal:{','.join(['ai-train=no'] * (OCTETS // 12))}",
        f"User-agent: *\ncontent-usage:{','.join(f'train-ai{number}=n' for number in range(OCTETS // 17))}",
        "User-agent: *\ncontent-usage:a=(" + "x " * (OCTETS // 2),
        "User-agent: *\ncontent-usage:a" + ";a" * (OCTETS // 2),
        'User-agent: *\ncontent-usage:a="' + "\\\\" * (OCTETS // 2),
        "host:" + "a" * OCTETS,
        "robot-version:" + "1." * (OCTETS // 2),
        "crawl-delay:" + "1" * OCTETS,
        "visit-time:" + " " * (OCTETS // 2) + "-",
    ],
    ids=range(17),
)
def test_a_hostile_file_is_read(engine: str, body: str) -> None:
    robots = canfetch.parse(body, engine=engine)
    url = "/" + "a" * 2000 + "?" + "&".join(f"p{number}=1" for number in range(100))
    assert len(robots.extensions) > 0
    for purpose in canfetch.extensions.UsagePurpose:
        robots.usage(url, agent="a", purpose=purpose)
    robots.page_rules(url, agent="a")
    assert robots.canonical(url).startswith("/a")
