"""The engines agree on every field of every answer and every error, in all profiles."""

from collections.abc import Callable, Iterator

import pytest
from tests.differential.engine_against_engine import outcome, plain
from tests.differential.generator import generate_case
from tests.differential.oracles import PROFILES
from tests.differential.reporting import report
from tests.differential.runner import Job, run

import canfetch
from canfetch.core.engines import get_compiler

pytestmark = pytest.mark.usefixtures("both_engines")

FILE = b"User-agent: a\nDisallow: /a\nAllow: /a*b\nSitemap: /s\nUser-agent: *\nDisallow: /\n"


@pytest.mark.slow
def test_engines_agree_on_every_field_in_every_profile(triples: int, workers: int, note: Callable[[str], None]) -> None:
    job = Job("python", "native", PROFILES)
    wanted = triples * 6 // 10
    tally = run(job, triples=wanted, workers=workers, seed=3).tally
    note(tally.summary())
    assert not tally.disagreed, report(job, tally.disagreements)
    assert tally.triples >= wanted


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
def test_engines_agree_through_the_public_interface(profile: str) -> None:
    # The engine `both` raises if the engines differ.
    decided = 0
    for seed in range(200):
        case = generate_case(seed)
        robots = canfetch.parse(case.content, profile=profile, engine="both", url="https://example.com/robots.txt")
        for token in case.agents:
            agent = outcome(canfetch.Agent, token.decode("utf-8", "surrogateescape"))
            if not isinstance(agent, canfetch.Agent):
                continue
            rules = robots.rules_for(agent)
            for url in case.urls:
                try:
                    verdict = rules.decide(url)
                except (canfetch.InvalidURL, canfetch.OriginMismatch):
                    continue
                assert verdict.allowed == rules.allows(url)
                assert verdict.to_json()
                decided += 1
    assert decided > 1000


class Texts(str):
    __slots__ = ()


class Bytes(bytes):
    __slots__ = ()


def broken() -> Iterator[str]:
    yield "/a"
    raise LookupError("the caller's own")


ODD_BATCHES = [
    [],
    (),
    {"/a": 1, "/ab": 2},
    range(3),
    "/a",
    b"/a",
    None,
    1,
    [None],
    ["/a", None, "x"],
    ["/a", "x", None],
    [Texts("/a"), Bytes(b"/ab")],
    [bytearray(b"/a")],
    ["/a"] * 5000 + ["x"],
    ["/\ud800"] * 70,
]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("batch", ODD_BATCHES, ids=lambda batch: repr(batch)[:30])
def test_engines_agree_on_odd_batches(profile: str, batch: object) -> None:
    answers = [
        plain(outcome(get_compiler(engine)(FILE, profile).bind((b"a",), True, None, None).allows_many, batch))
        for engine in ("python", "native")
    ]
    assert repr(answers[0]) == repr(answers[1])


def test_engines_agree_if_the_iterable_raises() -> None:
    for engine in ("python", "native"):
        rules = get_compiler(engine)(FILE, "rfc9309").bind((b"a",), True, None, None)
        with pytest.raises(LookupError, match="the caller's own"):
            rules.allows_many(broken())
        assert rules.allows_many(iter(["/a", "/ab"])) == [False, True]
