"""One engine beside the other: every field of every answer, and the errors too."""

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, Final

from tests.differential.generator import Case
from tests.differential.oracles import CompileFile
from tests.differential.tally import Difference, Disagreement, Question, Tally
from tests.differential.vocabulary import NO_URLS

from canfetch.core.contract import BoundRules, CompiledFile
from canfetch.errors import OriginMismatch

_PREFIX: Final = b"https://example.com"
# More questions than the native engine answers before it builds an index.
_WARM_QUESTIONS: Final = 64
_URLS_OF_A_CHAIN: Final = 6

Url = str | bytes


class Raised(tuple[str, str, object]):
    """An error as an answer: its type, its message, the index that it names."""

    __slots__ = ()


def outcome(ask: Callable[..., Any], *arguments: object) -> Any:
    """Give the answer, or the error: whatever it is, one engine must not raise what the other does not."""
    try:
        return ask(*arguments)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of the native engine is one
        return Raised((type(error).__name__, str(error), getattr(error, "index", None)))


def outcomes(ask: Callable[[Any], Any], urls: Iterable[object]) -> list[Any]:
    """Give the answer or the error for each URL."""
    answers = []
    for url in urls:
        try:
            answers.append(ask(url))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # noqa: BLE001 - asked again, and turned into an answer
            answers.append(outcome(ask, url))
    return answers


class OriginChecks:
    """Stands for the check of origins: notes how it is called, and refuses some hosts."""

    def __init__(self) -> None:
        self.calls: list[tuple[Url, int | None]] = []

    def __call__(self, url: Url, index: int | None) -> None:
        self.calls.append((url, index))
        if ("other" if isinstance(url, str) else b"other") in url:  # type: ignore[operator]
            raise OriginMismatch(f"another origin: {url!r}", index=index)


def bindings_of(case: Case) -> list[tuple[tuple[bytes, ...], bool, tuple[Url, ...]]]:
    """Give the chains to bind: each agent alone with all URLs, and all of them in a row with a few."""
    few = case.urls[:_URLS_OF_A_CHAIN]
    alone = [((agent,), True, case.urls) for agent in case.agents]
    return [*alone, (case.agents, True, few), (case.agents[::-1], False, few), (case.agents[:1], False, few)]


def compare_engines(case: Case, origin: str, profile: str, reference: CompileFile, other: CompileFile) -> Tally:
    """Compare everything that both say of a case.

    Args: origin: where the case is from, for the report.
    """
    tally = Tally(cases=1)

    def note(question: Question, difference: Difference | None) -> None:
        if difference:
            whole = engine_difference(question, reference, other) is None
            tally.note(Disagreement(origin, "the other engine", question, difference, whole))

    anyone = Question(case.octets, profile, case.agents[:1], star_applies=True, url=case.urls[0] if case.urls else b"/")
    first, second = outcome(reference, case.octets, profile), outcome(other, case.octets, profile)
    # Whether `1` passes for `True` is looked at in some cases only: it costs as much as the rest.
    strictly = case.seed % 8 == 0
    difference = file_difference(first, second, strictly=strictly)
    if difference:
        note(anyone, difference)
        return tally
    for tokens, star_applies, urls in bindings_of(case):
        asked = anyone._replace(tokens=tokens, star_applies=star_applies)
        left = first.bind(tokens, star_applies, None, None)
        right = second.bind(tokens, star_applies, None, None)
        note(asked, choice_difference(left, right))
        decided = outcomes(left.decide, urls)
        for name, ours, theirs in (
            ("decide", decided, outcomes(right.decide, urls)),
            ("deciding_rule", outcomes(left.deciding_rule, urls), outcomes(right.deciding_rule, urls)),
            ("allows", outcomes(left.allows, urls), outcomes(right.allows, urls)),
        ):
            for place in places_that_differ(ours, theirs, strictly=strictly):
                note(asked._replace(url=urls[place]), Difference(name, ours[place], theirs[place]))
        valid = [url for url, answer in zip(urls, decided, strict=True) if not isinstance(answer, Raised)]
        note(asked, batch_difference(left, right, urls, valid, case.seed))
        answers = [answer for answer in decided if not isinstance(answer, Raised)]
        tally.triples += len(urls)
        tally.refused += len(urls) - len(valid)
        tally.ruled += sum(answer[2] is not None for answer in answers)
        tally.disallowed += sum(not answer[0] for answer in answers)
    note(anyone, origins_difference(first, second, case))
    return tally


def places_that_differ(ours: list[Any], theirs: list[Any], *, strictly: bool) -> list[int]:
    """List where two lists of answers differ."""
    if not differs(ours, theirs, strictly=strictly):
        return []
    pairs = zip(ours, theirs, strict=True)
    return [place for place, pair in enumerate(pairs) if differs(*pair, strictly=True)]


def differs(ours: object, theirs: object, *, strictly: bool) -> bool:
    """Say whether two answers differ; strictly: `1` for `True` is another answer, too."""
    return ours != theirs or (strictly and repr(plain(ours)) != repr(plain(theirs)))


def plain(answer: object) -> object:
    """Take the names off named tuples and enumerations: an engine may give either."""
    if isinstance(answer, Raised):
        return answer
    if isinstance(answer, tuple):
        return tuple(map(plain, answer))
    if isinstance(answer, list):
        return list(map(plain, answer))
    return int(answer) if isinstance(answer, IntEnum) else answer


def file_difference(first: CompiledFile, second: CompiledFile, *, strictly: bool) -> Difference | None:
    """Compare what the engines read of a file, before anybody asks."""
    for name in ("group_table", "other_records"):
        ours, theirs = outcome(getattr(first, name, _missing)), outcome(getattr(second, name, _missing))
        if differs(ours, theirs, strictly=strictly):
            return Difference(name, ours, theirs)
    return None


def _missing() -> None:
    raise AttributeError("compiling raised instead")


def choice_difference(left: BoundRules, right: BoundRules) -> Difference | None:
    """Compare how the groups were chosen."""
    ours = (left.choice, left.token_index, left.group_indices)
    theirs = (right.choice, right.token_index, right.group_indices)
    return Difference("choice, token_index, group_indices", ours, theirs) if repr(ours) != repr(theirs) else None


def batch_difference(
    left: BoundRules, right: BoundRules, urls: tuple[Url, ...], valid: list[Url], seed: int
) -> Difference | None:
    """Compare batches: of what is valid in three kinds of iterable, of all, and of what is no URL at all."""
    kinds: tuple[Callable[[Iterable[object]], Iterable[object]], ...] = (list, tuple, iter)
    batches: list[tuple[object, ...]] = [tuple(valid)]
    if len(valid) != len(urls):
        batches.append(urls)
    if seed % 64 == 1:
        batches += [(*valid[:2], wrong) for wrong in NO_URLS]
    for batch in batches:
        kind = kinds[seed % 3]
        ours, theirs = outcome(left.allows_many, kind(batch)), outcome(right.allows_many, kind(batch))
        if differs(ours, theirs, strictly=seed % 8 == 0):
            return Difference(f"allows_many({batch!r})", ours, theirs)
    return None


def origins_difference(first: CompiledFile, second: CompiledFile, case: Case) -> Difference | None:
    """Compare when the engines ask about an origin, and with what."""
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
    """Ask one question of both engines, from nothing and again when their indexes stand; None where they agree."""
    octets, profile, tokens, star_applies, url = question
    first, second = outcome(reference, octets, profile), outcome(other, octets, profile)
    found = file_difference(first, second, strictly=True)
    if found:
        return found
    left = first.bind(tokens, star_applies, None, None)
    right = second.bind(tokens, star_applies, None, None)
    if found := choice_difference(left, right):
        return found
    cold = ("decide", "deciding_rule", "allows")
    for ask in (*cold, "allows_many", *["decide"] * _WARM_QUESTIONS, *cold):
        argument = [url] * _WARM_QUESTIONS if ask == "allows_many" else url
        ours, theirs = outcome(getattr(left, ask), argument), outcome(getattr(right, ask), argument)
        if differs(ours, theirs, strictly=True):
            return Difference(ask, ours, theirs)
    return None
