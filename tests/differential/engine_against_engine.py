"""Comparison of the engines: every field of every answer, and all errors."""

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, Final

from tests.differential.generator import Case
from tests.differential.oracles import CompileFile
from tests.differential.tally import Difference, Disagreement, Question, Tally
from tests.differential.vocabulary import NOT_URLS

from canfetch.core.contract import BoundRules, CompiledFile
from canfetch.core.urls import AnyURL
from canfetch.errors import OriginMismatch

_PREFIX: Final = b"https://example.com"
# More decisions than the native engine makes before it builds an index.
_WARM_QUESTIONS: Final = 64
_URLS_OF_A_CHAIN: Final = 6

Url = str | bytes


class Raised(tuple[str, str, object]):
    """An exception as an answer: its type, message and index."""

    __slots__ = ()


def outcome(call: Callable[..., Any], *arguments: object) -> Any:
    """Return the result of a call, or the exception that it raises."""
    try:
        return call(*arguments)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - such as a panic of the native engine
        return Raised((type(error).__name__, str(error), getattr(error, "index", None)))


def outcomes(call: Callable[[Any], Any], urls: Iterable[object]) -> list[Any]:
    """Return the result or the exception for each URL."""
    answers = []
    for url in urls:
        try:
            answers.append(call(url))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # noqa: BLE001 - repeated by outcome()
            answers.append(outcome(call, url))
    return answers


class OriginChecks:
    """An origin check that records its calls and rejects some hosts."""

    def __init__(self) -> None:
        self.calls: list[tuple[AnyURL, int | None]] = []

    def __call__(self, url: AnyURL, index: int | None) -> None:
        self.calls.append((url, index))
        if ("other" if isinstance(url, str) else b"other") in url:  # type: ignore[operator]
            raise OriginMismatch(f"another origin: {url!r}", index=index)


def chains_to_bind(case: Case) -> list[tuple[tuple[bytes, ...], bool, tuple[Url, ...]]]:
    """Return the chains to bind: each agent alone with all URLs, and all agents together with a few URLs."""
    few = case.urls[:_URLS_OF_A_CHAIN]
    alone = [((agent,), True, case.urls) for agent in case.agents]
    return [*alone, (case.agents, True, few), (case.agents[::-1], False, few), (case.agents[:1], False, few)]


def compare_engines(case: Case, origin: str, profile: str, reference: CompileFile, other: CompileFile) -> Tally:
    """Compare all answers of both engines for a case.

    Args: origin: where the case is from, for the report.
    """
    tally = Tally(cases=1)

    def note(question: Question, difference: Difference | None) -> None:
        if difference:
            whole = engine_difference(question, reference, other) is None
            tally.note(Disagreement(origin, "the other engine", question, difference, whole))

    any_question = Question(
        case.content, profile, case.agents[:1], star_applies=True, url=case.urls[0] if case.urls else b"/"
    )
    first, second = outcome(reference, case.content, profile), outcome(other, case.content, profile)
    # Types are compared in some cases only, because this takes as long as the rest.
    strictly = case.seed % 8 == 0
    difference = file_difference(first, second, strictly=strictly)
    if difference:
        note(any_question, difference)
        return tally
    for tokens, star_applies, urls in chains_to_bind(case):
        question = any_question._replace(tokens=tokens, star_applies=star_applies)
        left = first.bind(tokens, star_applies, None, None)
        right = second.bind(tokens, star_applies, None, None)
        note(question, choice_difference(left, right))
        decided = outcomes(left.decide, urls)
        for name, ours, theirs in (
            ("decide", decided, outcomes(right.decide, urls)),
            ("deciding_rule", outcomes(left.deciding_rule, urls), outcomes(right.deciding_rule, urls)),
            ("allows", outcomes(left.allows, urls), outcomes(right.allows, urls)),
        ):
            for position in differing_indices(ours, theirs, strictly=strictly):
                note(question._replace(url=urls[position]), Difference(name, ours[position], theirs[position]))
        valid = [url for url, answer in zip(urls, decided, strict=True) if not isinstance(answer, Raised)]
        note(question, batch_difference(left, right, urls, valid, case.seed))
        answers = [answer for answer in decided if not isinstance(answer, Raised)]
        tally.triples += len(urls)
        tally.refused += len(urls) - len(valid)
        tally.ruled += sum(answer[2] is not None for answer in answers)
        tally.disallowed += sum(not answer[0] for answer in answers)
    note(any_question, origins_difference(first, second, case))
    return tally


def differing_indices(ours: list[Any], theirs: list[Any], *, strictly: bool) -> list[int]:
    """Return the indices at which two lists of answers differ."""
    if not differs(ours, theirs, strictly=strictly):
        return []
    pairs = zip(ours, theirs, strict=True)
    return [position for position, pair in enumerate(pairs) if differs(*pair, strictly=True)]


def differs(ours: object, theirs: object, *, strictly: bool) -> bool:
    """Return whether two answers differ. With `strictly`, `1` and `True` differ, too."""
    return ours != theirs or (strictly and repr(plain(ours)) != repr(plain(theirs)))


def plain(answer: object) -> object:
    """Convert named tuples and enumerations to plain values, because an engine may return either."""
    if isinstance(answer, Raised):
        return answer
    if isinstance(answer, tuple):
        return tuple(map(plain, answer))
    if isinstance(answer, list):
        return list(map(plain, answer))
    return int(answer) if isinstance(answer, IntEnum) else answer


def file_difference(first: CompiledFile, second: CompiledFile, *, strictly: bool) -> Difference | None:
    """Compare the tables of the compiled files."""
    for name in ("group_table", "other_records"):
        ours, theirs = outcome(getattr(first, name, _missing)), outcome(getattr(second, name, _missing))
        if differs(ours, theirs, strictly=strictly):
            return Difference(name, ours, theirs)
    return None


def _missing() -> None:
    raise AttributeError("compiling raised instead")


def choice_difference(left: BoundRules, right: BoundRules) -> Difference | None:
    """Compare how the groups were selected."""
    ours = (left.choice, left.token_index, left.group_indices)
    theirs = (right.choice, right.token_index, right.group_indices)
    return Difference("choice, token_index, group_indices", ours, theirs) if repr(ours) != repr(theirs) else None


def batch_difference(
    left: BoundRules, right: BoundRules, urls: tuple[Url, ...], valid: list[Url], seed: int
) -> Difference | None:
    """Compare batches: valid URLs in three kinds of iterables, all URLs, and values that are not URLs."""
    kinds: tuple[Callable[[Iterable[object]], Iterable[object]], ...] = (list, tuple, iter)
    batches: list[tuple[object, ...]] = [tuple(valid)]
    if len(valid) != len(urls):
        batches.append(urls)
    if seed % 64 == 1:
        batches += [(*valid[:2], wrong) for wrong in NOT_URLS]
    for batch in batches:
        kind = kinds[seed % 3]
        ours, theirs = outcome(left.allows_many, kind(batch)), outcome(right.allows_many, kind(batch))
        if differs(ours, theirs, strictly=seed % 8 == 0):
            return Difference(f"allows_many({batch!r})", ours, theirs)
    return None


def origins_difference(first: CompiledFile, second: CompiledFile, case: Case) -> Difference | None:
    """Compare the calls of the origin check."""
    if case.seed % 4:
        return None
    checks = OriginChecks(), OriginChecks()
    left = first.bind(case.agents, True, _PREFIX, checks[0])
    right = second.bind(case.agents, True, _PREFIX, checks[1])
    ours, theirs = outcomes(left.decide, case.urls), outcomes(right.decide, case.urls)
    ours.append(outcome(left.allows_many, list(case.urls)))
    theirs.append(outcome(right.allows_many, list(case.urls)))
    ours += outcomes(left.allows, case.urls[:4]) + checks[0].calls
    theirs += outcomes(right.allows, case.urls[:4]) + checks[1].calls
    if not differs(ours, theirs, strictly=True):
        return None
    pairs = zip(ours, theirs, strict=False)
    unlike = [(our, their) for our, their in pairs if differs(our, their, strictly=True)]
    return Difference("origin checks", *(unlike[0] if unlike else (len(ours), len(theirs))))


def engine_difference(question: Question, reference: CompileFile, other: CompileFile) -> Difference | None:
    """Compare one question, before and after the indexes are built; None if both agree."""
    content, profile, tokens, star_applies, url = question
    first, second = outcome(reference, content, profile), outcome(other, content, profile)
    found = file_difference(first, second, strictly=True)
    if found:
        return found
    left = first.bind(tokens, star_applies, None, None)
    right = second.bind(tokens, star_applies, None, None)
    if found := choice_difference(left, right):
        return found
    cold = ("decide", "deciding_rule", "allows")
    for method in (*cold, "allows_many", *["decide"] * _WARM_QUESTIONS, *cold):
        argument = [url] * _WARM_QUESTIONS if method == "allows_many" else url
        ours, theirs = outcome(getattr(left, method), argument), outcome(getattr(right, method), argument)
        if differs(ours, theirs, strictly=True):
            return Difference(method, ours, theirs)
    return None
