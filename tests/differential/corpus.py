"""Cases from real files, with the agents that they name, a few others, and URLs from their rules."""

from pathlib import Path
from random import Random

from tests.differential.generator import Case
from tests.differential.targets import url_from
from tests.differential.vocabulary import PLAIN, QUERY

from canfetch.core.profiles import get_profile
from canfetch.core.reference.compiled import compile_file
from canfetch.core.source import decode_source

_OTHER_AGENTS = (b"*", b"Googlebot", b"ExampleBot", b"GPTBot")
_OTHER_URLS = ("https://example.com/", "/robots.txt", "https://example.com/fish?a=b")
_ATOMS = PLAIN + QUERY


def list_files(folder: Path) -> list[Path]:
    """Return the files of a folder, in a fixed order.

    Raises: FileNotFoundError: the folder contains no file.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files:
        raise FileNotFoundError(f"no files in {folder}: expected a folder of robots.txt files")
    return files


def case_from_file(path: Path, *, agents: int, urls: int) -> Case:
    """Return the case of a real file, without a size limit.

    Args:
        agents: the number of agents from the file, besides a few others.
        urls: the number of URLs made from its rules.
    """
    content = path.read_bytes()
    # Transcoding is done before the engines get the content.
    content = decode_source(content, get_profile("rfc9309"), max(len(content), 512_000)).content
    groups = compile_file(content, "rfc9309").group_table()
    random = Random(path.name)  # noqa: S311 - cases, not secrets
    named = list(dict.fromkeys(token for user_agents, _ in groups for token, _ in user_agents if token))
    if len(named) > agents:
        named = random.sample(named, agents)
    patterns = list(dict.fromkeys(value for _, rules in groups for _, value, _ in rules if value)) or [b"/"]
    made = [url_from(random, pattern, _ATOMS) for pattern in random.choices(patterns, k=urls)]
    return Case(random.getrandbits(32), content, tuple(dict.fromkeys([*named, *_OTHER_AGENTS])), (*made, *_OTHER_URLS))
