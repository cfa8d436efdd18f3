"""Archives of generated robots.txt files of any size, with the marginals that studies of real ones publish.

    python -m benchmarks.archives 1000000 robots.warc.gz

| marginal | value | source |
| --- | --- | --- |
| status 200, 404 | 84.9 %, 13.2 % | Web Almanac 2025, chapter SEO |
| files that name `*`, GPTBot | 77 %, 4.5 % | Web Almanac 2025, chapter SEO |
| mean bytes, lines and user agents of a file | 464, 17.8, 3.5 | padas-lab robotstxt-study, dump of 2023 |
| files of GPTBot's groups that disallow all | 99.6 % | padas-lab robotstxt-study, dump of 2023 |

Many sites have the unchanged file of their software, so that a part of the files is identical. A host is a number, and
its files depend on the number and the seed only.
"""

import argparse
import zlib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from canfetch.core.times import rfc3339

_AI_AGENTS: Final = (
    "GPTBot",
    "CCBot",
    "Google-Extended",
    "anthropic-ai",
    "ClaudeBot",
    "Bytespider",
    "PerplexityBot",
    "Amazonbot",
    "FacebookBot",
    "cohere-ai",
    "Applebot-Extended",
    "meta-externalagent",
)
_SEO_AGENTS: Final = ("AhrefsBot", "SemrushBot", "MJ12bot", "DotBot", "PetalBot", "BLEXBot", "SEOkicks", "serpstatbot")
_SEARCH_AGENTS: Final = ("Googlebot", "bingbot", "Slurp", "Baiduspider", "YandexBot", "Mediapartners-Google")
_WORDS: Final = (
    "admin",
    "cart",
    "search",
    "login",
    "tmp",
    "private",
    "user",
    "api",
    "feed",
    "tag",
    "media",
    "checkout",
)
_WORDPRESS: Final = "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n"
_OPEN: Final = "User-agent: *\nDisallow:\n"
_CLOSED: Final = "User-agent: *\nDisallow: /\n"
_KEYS: Final = ("Disallow", "Disallow", "Disallow", "Disallow", "Allow")
_KINDS: Final = ("wordpress", "open", "closed", "paths", "groups", "blocked")
_KIND_WEIGHTS: Final = (23, 8, 2, 27, 17, 23)
_STATUSES: Final = (200, 404, 403, 503, 301)
_STATUS_WEIGHTS: Final = (84.9, 13.2, 0.7, 0.4, 0.8)
_FIRST_CAPTURE: Final = 1_735_689_600  # 2025-01-01
_GPTBOT_SHARE: Final = 0.045
_GPTBOT_DISALLOWED_SHARE: Final = 0.996
_SITEMAP_SHARE: Final = 0.6


class GeneratedFile(NamedTuple):
    """A response: the host, the status, the target of a redirect, and the content."""

    host: str
    status: int
    location: str | None
    content: bytes


def generate_file(number: int, seed: int = 0) -> GeneratedFile:
    """Return the response of one host."""
    chance = Random(f"{seed}:{number}")  # noqa: S311 - reproducible
    host = f"host{number}.example"
    status = chance.choices(_STATUSES, _STATUS_WEIGHTS)[0]
    if status == 301:
        return GeneratedFile(host, status, f"https://host{chance.randrange(max(number, 1))}.example/robots.txt", b"")
    return GeneratedFile(host, status, None, _content(chance, host).encode() if status == 200 else b"")


def _content(chance: Random, host: str) -> str:
    text = _by_kind(chance, host)
    if chance.random() < _GPTBOT_SHARE:
        agents = chance.sample(_AI_AGENTS[1:], chance.randrange(len(_AI_AGENTS)))
        # Nearly all groups of GPTBot disallow everything.
        value = "/" if chance.random() < _GPTBOT_DISALLOWED_SHARE else "/private/"
        names = "".join(f"User-agent: {agent}\n" for agent in ("GPTBot", *agents))
        text = f"{text}\n{names}Disallow: {value}\n"
    return text


def _by_kind(chance: Random, host: str) -> str:
    kind = chance.choices(_KINDS, _KIND_WEIGHTS)[0]
    if kind == "wordpress":
        return (
            f"{_WORDPRESS}\nSitemap: https://{host}/wp-sitemap.xml\n"
            if chance.random() < _SITEMAP_SHARE
            else _WORDPRESS
        )
    if kind == "open":
        return _OPEN
    if kind == "closed":
        return _CLOSED
    if kind == "paths":
        return "User-agent: *\n" + _paths(chance, min(int(chance.lognormvariate(2.35, 1.0)) + 1, 2_000))
    if kind == "groups":
        return "".join(
            f"User-agent: {agent}\n{_paths(chance, chance.randrange(1, 13))}\n"
            for agent in ("*", *chance.sample(_SEARCH_AGENTS, chance.randrange(1, 5)))
        )
    blocked = chance.sample(_SEO_AGENTS, chance.randrange(3, len(_SEO_AGENTS)))
    groups = "".join(
        f"User-agent: {agent}\nDisallow: /\n\n" for agent in blocked + blocked * chance.choice((0, 0, 1, 1, 2))
    )
    return f"# No bots, please\n{groups}"


def _paths(chance: Random, count: int) -> str:
    return "".join(f"{chance.choice(_KEYS)}: {_path(chance)}\n" for _ in range(count))


def _path(chance: Random) -> str:
    path = "".join(f"/{chance.choice(_WORDS)}-{chance.choice(_WORDS)}" for _ in range(chance.randrange(1, 4)))
    path = f"{path}{chance.randrange(500)}"
    return path + chance.choice(("/", "/", "", ".html", "*?sort=", "/*.pdf$", f"/{chance.choice(_WORDS)}/"))


def generate_warc(count: int, seed: int = 0) -> Iterator[bytes]:
    """Yield the records of an archive, each a gzip member."""
    for number in range(count):
        compressor = zlib.compressobj(1, zlib.DEFLATED, 31)
        yield compressor.compress(_record(generate_file(number, seed), number)) + compressor.flush()


def _record(file: GeneratedFile, number: int) -> bytes:
    head = f"HTTP/1.1 {file.status} Status\r\nContent-Type: text/plain\r\nContent-Length: {len(file.content)}\r\n"
    if file.location is not None:
        head += f"Location: {file.location}\r\n"
    block = f"{head}\r\n".encode() + file.content
    # Captures every 20 seconds, so that a million takes most of a year.
    time = rfc3339(_FIRST_CAPTURE + 20 * number)
    fields = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://{file.host}/robots.txt\r\nWARC-Date: {time}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return fields.encode() + block + b"\r\n\r\n"


def write_archive(path: Path, count: int, seed: int = 0) -> None:
    """Write an archive of responses of `count` hosts."""
    with path.open("wb") as stream:
        for member in generate_warc(count, seed):
            stream.write(member)


def main() -> None:
    """Write an archive."""
    parser = argparse.ArgumentParser(description="Write a WARC file of generated robots.txt files.")
    parser.add_argument("count", type=int, help="number of hosts")
    parser.add_argument("output", type=Path, help="name of the archive, such as robots.warc.gz")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    write_archive(arguments.output, arguments.count, arguments.seed)


if __name__ == "__main__":
    main()
