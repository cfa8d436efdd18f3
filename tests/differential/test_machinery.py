"""The comparison itself: cases are reproducible and hard, errors are found, and differences shrink."""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tests.differential.against_google import compare_with_google, google_difference
from tests.differential.corpus import case_from_file, list_files
from tests.differential.engine_against_engine import compare_engines, engine_difference
from tests.differential.generator import LINE_LIMIT, Case, generate_case
from tests.differential.oracles import google
from tests.differential.reporting import conformance_case
from tests.differential.runner import Job, run, run_files
from tests.differential.shrinker import shrink
from tests.differential.tally import Question, Tally

from canfetch.core.contract import CompiledFile
from canfetch.core.profiles import PROFILES as FLAGS
from canfetch.core.profiles import Profile
from canfetch.core.reference.compiled import CompiledFile as PythonCompiledFile
from canfetch.core.reference.compiled import compile_file

CASES = [generate_case(seed) for seed in range(4_000)]


def wrong(profile: str, **flags: bool | int) -> Callable[[bytes, str], CompiledFile]:
    """Return a Python engine with some flags of a profile changed."""
    changed = Profile(**{**FLAGS[profile]._asdict(), **flags})
    return lambda content, _profile: PythonCompiledFile(content, changed)


def test_cases_are_reproducible() -> None:
    assert [generate_case(seed) for seed in range(50)] == CASES[:50]
    assert len({case.content for case in CASES}) > 0.9 * len(CASES)


def longest_line(case: Case) -> int:
    return max(map(len, case.content.splitlines()), default=0)


LONG_CASES = [case for case in CASES if longest_line(case) >= LINE_LIMIT]

HARD: dict[str, Callable[[Case], bool]] = {
    "NUL in a file": lambda case: b"\0" in case.content,
    "NUL in a URL": lambda case: any((b"\0" if isinstance(url, bytes) else "\0") in url for url in case.urls),  # type: ignore[operator]
    "CR alone": lambda case: b"\r" in case.content and b"\n" not in case.content,
    "CR, LF and CRLF": lambda case: all(end in case.content for end in (b"\r\n", b"\n\r", b"\r\r")),
    "byte order mark": lambda case: case.content.startswith(b"\xef\xbb\xbf"),
    "part of one": lambda case: case.content[:1] == b"\xef" and not case.content.startswith(b"\xef\xbb\xbf"),
    "invalid UTF-8": lambda case: b"\xff" in case.content,
    "line over the limit": lambda case: max(map(len, case.content.splitlines()), default=0) > LINE_LIMIT,
    "line about the limit": lambda case: any(abs(len(line) - LINE_LIMIT) < 8 for line in case.content.splitlines()),
    "hundreds of rules": lambda case: len(case.content.splitlines()) > 200,
    "more questions than a walk answers": lambda case: len(case.urls) > 32,
    "more sets of groups than are cached": lambda case: len(case.agents) > 64,
    "text as URL": lambda case: any(isinstance(url, str) for url in case.urls),
    "lone surrogate": lambda case: any(isinstance(url, str) and max(url, default="") >= "\udc80" for url in case.urls),
    "dollar within": lambda case: b"$/" in case.content,
    "stray percent before an escape": lambda case: b"%%4" in case.content,
    "reserved data in a query": lambda case: b"?u=https://" in case.content,
    "index page": lambda case: b"/index.htm" in case.content,
    "misspelt key": lambda case: b"Dissallow" in case.content,
    "key with a suffix": lambda case: b"DisallowAITraining" in case.content,
}


@pytest.mark.parametrize("name", HARD)
def test_the_generator_draws_hard_cases(name: str) -> None:
    assert any(map(HARD[name], CASES)), name


@pytest.mark.slow
def test_most_urls_match_a_rule() -> None:
    reasons: Counter[str] = Counter()
    for case in CASES[:400]:
        compiled = compile_file(case.content, "google")
        for agent in case.agents:
            decide = compiled.bind((agent,), True, None, None).decide
            for url in case.urls:
                try:
                    reasons[decide(url)[1]] += 1
                except ValueError:
                    reasons["invalid"] += 1
    total = reasons.total()
    assert reasons["allow-rule"] > 0.2 * total
    assert reasons["disallow-rule"] > 0.12 * total
    assert reasons["empty-rule"] > 0.01 * total
    assert reasons["no-match"] > 0.05 * total
    assert 0.02 * total < reasons["invalid"] < 0.12 * total


GOOGLE_FLAGS = {
    "abnf_only": True,
    "max_line_bytes": LINE_LIMIT - 1,
    "nul_ends_line": False,
    "partial_bom": False,
    "key_prefixes": False,
    "missing_colon": False,
    "token_letters_only": False,
    "empty_rule_matches": False,
    "google_escaping": False,
    "google_target": False,
    "encode_target": True,
    "index_html": False,
    "robots_txt_allowed": True,
}


@pytest.mark.slow
@pytest.mark.usefixtures("needs_google")
@pytest.mark.parametrize("flag", GOOGLE_FLAGS)
def test_a_wrong_flag_differs_from_google(flag: str) -> None:
    changed = wrong("google", **{flag: GOOGLE_FLAGS[flag]})
    cases = LONG_CASES if flag == "max_line_bytes" else CASES
    assert is_found(lambda case: compare_with_google(case, "", "google", changed, google()), cases)


def test_a_line_limit_that_is_off_by_one_is_found() -> None:
    changed = wrong("google", max_line_bytes=LINE_LIMIT + 1)
    assert is_found(lambda case: compare_engines(case, "", "google", compile_file, changed), LONG_CASES)


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["abnf_only", "missing_colon", "robots_txt_allowed", "remove_dot_segments"])
def test_a_wrong_flag_differs_from_the_other_engine(flag: str) -> None:
    changed = wrong("rfc9309", **{flag: not getattr(FLAGS["rfc9309"], flag)})
    assert is_found(lambda case: compare_engines(case, "", "rfc9309", compile_file, changed))


def is_found(compare: Callable[[Case], Tally], cases: Iterable[Case] = CASES) -> bool:
    return any(compare(case).disagreed for case in cases)


@pytest.mark.slow
@pytest.mark.usefixtures("needs_google")
def test_a_disagreement_is_shrunk_to_its_cause() -> None:
    changed = wrong("google", index_html=False)
    found = next(
        tally
        for tally in (compare_with_google(case, "", "google", changed, google()) for case in CASES)
        if tally.disagreed
    )
    question = found.disagreements[0].question
    small = shrink(question, lambda candidate: google_difference(candidate, changed, google()) is not None)
    assert small.content.count(b"/index.htm") == 1
    assert len(small.content.splitlines()) == 2
    assert len(small.content) < 60
    assert len(small.url) < 20


def test_a_shrunk_question_is_a_conformance_case() -> None:
    question = Question(
        b'User-agent: *\r\nDisallow: /\x01"\\\xc3\xa9\n', "google", (b"a", b"b"), star_applies=False, url="/\udcff"
    )
    (case,) = tomllib.loads(conformance_case(question, False, 2, "google/robotstxt"))["case"]
    assert case["robots"].encode() == question.content
    assert case["profile"] == "google"
    assert case["agent"] == ["a", "b"]
    assert case["star_applies"] is False
    assert case["expect"] == [{"url_parts": [{"hex": "2fff"}], "allowed": False, "line": 2}]


def test_differences_of_compiled_files_are_found() -> None:
    question = Question(b"User-agent a\nAllow: /", "rfc9309", (b"a",), star_applies=True, url="/")
    found = engine_difference(question, compile_file, wrong("rfc9309", missing_colon=False))
    assert found
    assert found.field == "group_table"


@pytest.mark.slow
def test_a_run_can_continue_another() -> None:
    job = Job("python", "python", ("google",))
    whole = run(job, triples=3_000, seed=5)
    first = run(job, triples=1, seed=5)
    rest = run(job, triples=whole.tally.triples - first.tally.triples, seed=5, start=first.next_case)
    assert 0 < first.next_case < whole.next_case == rest.next_case
    assert first.tally.triples + rest.tally.triples == whole.tally.triples
    assert run(job, triples=3_000, seed=5, workers=2) == whole
    assert run(job, triples=1, seed=6).tally != first.tally


@pytest.mark.slow
def test_real_files_are_compared_with_their_own_agents_and_rules(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"User-agent: OneBot\nDisallow: /fish/*.php$\nUser-agent: TwoBot\nDisallow: /\n")
    (tmp_path / "b").write_bytes("User-agent: *\nDisallow: /fisch\n".encode("utf-16"))
    case = case_from_file(tmp_path / "a", agents=5, urls=40)
    assert {b"OneBot", b"TwoBot", b"*"} <= set(case.agents)
    assert sum(b"fish" in url for url in case.urls if isinstance(url, bytes)) > 5
    assert case == case_from_file(tmp_path / "a", agents=5, urls=40)
    done = run_files(Job("python", "python", ("rfc9309", "google")), tmp_path, agents=5, urls=40)
    assert done.next_case == len(list_files(tmp_path)) == 2
    assert done.tally.ruled
    assert not done.tally.disagreed
