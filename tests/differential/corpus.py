"""Cases from real files: the agents that they name and a few others, URLs from their own rules."""

from pathlib import Path
from random import Random

from tests.differential.generator import Case
from tests.differential.targets import url_from
from tests.differential.vocabulary import PLAIN, QUERY

from canfetch.core.profiles import get_profile
from canfetch.core.reference import compile_file
from canfetch.core.source import decode_source

_OTHER_AGENTS = (b"*", b"Googlebot", b"ExampleBot", b"GPTBot")
_OTHER_URLS = ("https://example.com/", "/robots.txt", "https://example.com/fish?a=b")
_ATOMS = PLAIN + QUERY


def files_in(folder: Path) -> list[Path]:
    """List the files of a folder, in a fixed order.

    Raises: FileNotFoundError: there is none.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files:
        raise FileNotFoundError(f"{folder} holds no file; give a folder of robots.txt files")
    return files


def case_of_file(path: Path, *, agents: int, urls: int) -> Case:
    """Make a case of a real file, whole: nothing is cut at a limit.

    Args:
        agents: how many that the file names are asked for, besides some others.
        urls: how many URLs are made from its rules.
    """
    octets = path.read_bytes()
    # What the profile transcodes, it transcodes before the engines see it.
    octets = decode_source(octets, get_profile("rfc9309"), max(len(octets), 512_000)).content
    groups = compile_file(octets, "rfc9309").group_table()
    random = Random(path.name)  # noqa: S311 - cases, not secrets
    named = list(dict.fromkeys(token for user_agents, _ in groups for token, _ in user_agents if token))
    if len(named) > agents:
        named = random.sample(named, agents)
    patterns = list(dict.fromkeys(value for _, rules in groups for _, value, _ in rules if value)) or [b"/"]
    made = [url_from(random, pattern, _ATOMS) for pattern in random.choices(patterns, k=urls)]
    return Case(random.getrandbits(32), octets, tuple(dict.fromkeys([*named, *_OTHER_AGENTS])), (*made, *_OTHER_URLS))
