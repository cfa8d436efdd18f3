"""Any number of distinct agents have their verdicts, in bounded memory."""

import random
import subprocess
import sys
from typing import Any

import pytest

from canfetch import parse
from canfetch.bulk import Files, clear_cache, matrix, python_kernel
from canfetch.bulk import kernels as kernels_module
from canfetch.bulk.kernels import KernelOptions, create_kernel
from canfetch.core.profiles import Profile

NAMED = ["GPTBot", "CCBot", "Google", "Googlebot", "a", "MJ12bot"]
URLS = ["/", "/a", "/b/c"]
FILES = [
    b"user-agent: gptbot\nuser-agent: google\ndisallow: /a\n\nuser-agent: *\ndisallow: /b\n",
    b"user-agent: *\ndisallow: /a\n\nuser-agent: CCBot\nuser-agent: CCBOT/2\nallow:\n\nuser-agent: ccbot\ndisallow: /b",
    b"user-agent: MJ12bot, Googlebot\n\nuser-agent: GOOGLEBOT\ndisallow: /\n",
    b"user-agent: agent7bot\ndisallow: /\n",
    b"",
    b"\n".join(b"user-agent: agent%dbot\ndisallow: /%s\n" % (n, b"ab"[n % 2 : n % 2 + 1]) for n in range(300)),
]


def random_rows(agents: int, rows: int) -> tuple[list[int], list[str], list[str]]:
    """Return rows with many agents in random order: numbers of files, names and URLs. Some names have a group."""
    dice = random.Random(9309)  # noqa: S311 - not for cryptography
    names = [*NAMED, *(name.lower() for name in NAMED), "two words", *(f"Agent{number}Bot" for number in range(agents))]
    chosen = [*names, *(dice.choice(names) for _ in range(rows - len(names)))]
    dice.shuffle(chosen)
    return [dice.randrange(len(FILES)) for _ in chosen], chosen, [dice.choice(URLS) for _ in chosen]


def expected_answers(ids: list[int], names: list[str], urls: list[str], profile: str) -> list[bool | None]:
    """Return the verdicts of `parse` in the Python engine. Agents without a group are decided as one, to save time."""
    files = [parse(content, profile=profile, engine="python") for content in FILES]
    lower = [content.lower() for content in FILES]
    answers: dict[tuple[int, str, str], bool] = {}
    found: list[bool | None] = []
    for number, name, url in zip(ids, names, urls, strict=True):
        agent = name if name.lower().encode() in lower[number] else "nobody"
        key = number, agent, url
        if key not in answers and " " not in name:
            answers[key] = files[number].allows(url, agent=agent)
        found.append(None if " " in name else answers[key])
    assert set(found) == {True, False, None}
    return found


@pytest.mark.slow
def test_thousands_of_agents_in_random_order(engine: str, profile: Profile) -> None:
    ids, names, urls = random_rows(2_000, 3_000)
    expected = expected_answers(ids, names, urls, profile.name)
    loaded = Files(dict(enumerate(FILES)), engine=engine, profile=profile.name)
    assert loaded.allows_at(ids, names, urls).to_pylist() == expected
    assert loaded.allows_at(ids, names, urls).to_pylist() == expected


@pytest.mark.slow
def test_dictionaries_of_many_agents(engine: str) -> None:
    pa = pytest.importorskip("pyarrow")
    ids, names, urls = random_rows(9_000, 12_000)
    expected = expected_answers(ids, names, urls, "rfc9309")
    contents = pa.array([FILES[number] for number in ids], pa.binary()).dictionary_encode()
    column = pa.chunked_array([pa.array(names[:9_000]), pa.array(names[9_000:])]).dictionary_encode()
    kernel = create_kernel(KernelOptions(engine=engine), by_id=False)
    assert kernel.allows(contents, column, urls).to_pylist() == expected


def test_crawlers_of_the_registry_among_many_agents(both_engines: str) -> None:
    ids, names, urls = random_rows(500, 3_000)
    names = ["Googlebot-Image" if number % 3 == 0 else name for number, name in enumerate(names)]
    loaded = Files(dict(enumerate(FILES)), engine=both_engines, use_registry=True)
    found = loaded.decide_at(ids, names, urls).to_pylist()
    assert {row["line"] for row in found} > {None, 4}


@pytest.mark.slow
def test_a_matrix_of_many_agents(engine: str) -> None:
    agents = [f"agent{number}bot" for number in range(9_000)]
    found = matrix([FILES[3], FILES[3]], agents, ["/", "/a"], engine=engine).to_pylist()
    clear_cache()
    assert [[name for name, allowed in row.items() if not allowed] for row in found] == [["agent7bot"]] * 2


@pytest.mark.slow
@pytest.mark.parametrize("by_id", [True, False])
@pytest.mark.parametrize("limit", [0, 10_000, 1_000_000])
def test_many_agents_in_little_memory(engine: str, limit: int, by_id: bool, monkeypatch: Any) -> None:  # noqa: FBT001
    monkeypatch.setattr(kernels_module, "MEMORY_LIMIT", limit)
    monkeypatch.setattr(python_kernel, "_CACHED_BYTES", limit // 10)
    monkeypatch.setattr(python_kernel, "_CACHED_NAMES", limit // 100)
    ids, names, urls = random_rows(800, 1_600)
    kernel: Any = create_kernel(KernelOptions(engine=engine), by_id=by_id)
    if by_id:
        kernel.load(list(range(len(FILES))), FILES)
    files = ids if by_id else [FILES[number] for number in ids]
    assert kernel.allows(files, names, urls).to_pylist() == expected_answers(ids, names, urls, "rfc9309")
    chains: Any = [((name.encode(),), True) for name in NAMED]
    rows = kernel.matrix(files[:100], NAMED, chains, urls[:100]).to_pylist()
    by_columns = [kernel.allows(files[:100], [name], urls[:100]).to_pylist() for name in NAMED]
    assert [tuple(row.values()) for row in rows] == list(zip(*by_columns, strict=True))
    usage = kernel.usage(files, names, urls, ["training"])
    assert sum(row["reason"] == "invalid-agent" for row in usage.to_pylist()) == names.count("two words")


@pytest.mark.slow
def test_long_names_are_forgotten(engine: str, monkeypatch: Any) -> None:
    limit, length = 2_000_000, 100_000
    monkeypatch.setattr(kernels_module, "MEMORY_LIMIT", limit)
    monkeypatch.setattr(python_kernel, "_CACHED_NAME_BYTES", limit)
    content = b"user-agent: " + b"a" * length + b"\ndisallow: /\n"
    names = [letter * length for letter in "abcdefghijklmnopqrstuvwxyzA"] * 4
    kernel: Any = create_kernel(KernelOptions(engine=engine), by_id=False)
    found = kernel.allows([content] * len(names), names, ["/"]).to_pylist()
    assert found == [name[0] not in "aA" for name in names]
    if engine == "native":
        # A batch of new names has up to 4 MiB, and each name is kept with its token.
        assert kernel.memory_bytes < limit + 9 * 1024 * 1024


# 300 agents select one long group and another one. Their rules, if all were kept, would need 200 MB.
HOSTILE = """
import resource
from canfetch.bulk import kernels

kernels.MEMORY_LIMIT = 16_000_000
names = [f"agent{number}" for number in range(300)]
lines = [*(f"user-agent: {name}" for name in names), *(f"disallow: /x/{number}" for number in range(6_000))]
lines += [line for name in names for line in (f"user-agent: {name}", f"disallow: /{name}$")]
content = "\\n".join(lines).encode()
kernel = kernels.create_kernel(kernels.KernelOptions(engine="native"), by_id=True)
# The other files make blocks longer.
kernel.load(list(range(100)), [content, *(b"#%d" % number for number in range(99))])
agents = names * 20
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = kernel.allows([0], agents, ["/agent7"]).to_pylist()
assert [number for number, allowed in enumerate(found) if not allowed] == list(range(7, 6000, 300))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs the module resource")
@pytest.mark.usefixtures("both_engines")
def test_the_rules_of_one_block_are_forgotten_within_it() -> None:
    run = subprocess.run([sys.executable, "-c", HOSTILE], capture_output=True, text=True, check=True)
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(run.stdout) * unit < 64_000_000
