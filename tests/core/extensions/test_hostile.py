"""Hostile files are parsed in linear time. In quadratic time, these tests would not end."""

from collections.abc import Callable

import pytest

import canfetch

FILE_BYTES = 200_000


def filled(line: Callable[[int], str]) -> str:
    """Return a file of the maximum size, generated line by line."""
    lines, length, number = ["User-agent: *"], 0, 0
    while length < FILE_BYTES:
        lines.append(line(number))
        length += len(lines[-1])
        number += 1
    return "\n".join(lines)


@pytest.mark.slow
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
        f"clean-param:{'&'.join(f'p{number}' for number in range(FILE_BYTES // 7))}",
        f"User-agent: *\ncontent-signal:{','.join(['ai-train=no'] * (FILE_BYTES // 12))}",
        f"User-agent: *\ncontent-usage:{','.join(f'train-ai{number}=n' for number in range(FILE_BYTES // 17))}",
        "User-agent: *\ncontent-usage:a=(" + "x " * (FILE_BYTES // 2),
        "User-agent: *\ncontent-usage:a" + ";a" * (FILE_BYTES // 2),
        'User-agent: *\ncontent-usage:a="' + "\\\\" * (FILE_BYTES // 2),
        "host:" + "a" * FILE_BYTES,
        "robot-version:" + "1." * (FILE_BYTES // 2),
        "crawl-delay:" + "1" * FILE_BYTES,
        "visit-time:" + " " * (FILE_BYTES // 2) + "-",
    ],
    ids=range(17),
)
def test_hostile_file_is_parsed_in_linear_time(engine: str, body: str) -> None:
    robots = canfetch.parse(body, engine=engine)
    url = "/" + "a" * 2000 + "?" + "&".join(f"p{number}=1" for number in range(100))
    assert len(robots.extensions) > 0
    for purpose in canfetch.extensions.UsagePurpose:
        robots.usage(url, agent="a", purpose=purpose)
    robots.page_rules(url, agent="a")
    assert robots.canonical(url).startswith("/a")
