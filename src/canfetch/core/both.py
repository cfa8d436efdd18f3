"""Both engines at once, which must agree on every answer: for tests, and for careful users."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from canfetch.core.contract import BoundRules, CompiledFile, CompileFile, GroupRow, OriginCheck, OtherRow, RuleRow
from canfetch.errors import CanfetchError, EngineError

Answer = TypeVar("Answer")


def _asked(ask: Callable[[], Answer]) -> tuple[Answer | None, Exception | None]:
    try:
        return ask(), None
    except (CanfetchError, TypeError) as error:
        return None, error


def agreed(question: str, python: Callable[[], Answer], native: Callable[[], Answer]) -> Answer:
    """Ask both and give the answer, which may be an exception.

    Raises: EngineError: they differ; otherwise what both raise.
    """
    answer, error = _asked(python)
    native_answer, native_error = _asked(native)
    if repr(error) != repr(native_error) or answer != native_answer:
        given, native_given = error or answer, native_error or native_answer
        raise EngineError(f"the engines differ on {question}: python gives {given!r}, native {native_given!r}")
    if error is not None:
        raise error
    return answer  # type: ignore[return-value]  # None only where an error was raised


class FileCompiledTwice:
    """A file compiled by both engines."""

    __slots__ = ("_native", "_python")

    def __init__(self, python: CompiledFile, native: CompiledFile) -> None:
        self._python = python
        self._native = native

    def group_table(self) -> list[GroupRow]:
        """Give the groups on which both agree."""
        return agreed("the groups", self._python.group_table, self._native.group_table)

    def other_records(self) -> list[OtherRow]:
        """Give the other records on which both agree."""
        return agreed("the other records", self._python.other_records, self._native.other_records)

    def bind(
        self,
        tokens: tuple[bytes, ...],
        star_applies: bool,  # noqa: FBT001 - the surface of both engines
        origin_prefix: bytes | None,
        check_origin: OriginCheck | None,
    ) -> "RulesBoundTwice":
        """Bind the rules in both."""
        return RulesBoundTwice(
            self._python.bind(tokens, star_applies, origin_prefix, check_origin),
            self._native.bind(tokens, star_applies, origin_prefix, check_origin),
        )


class RulesBoundTwice:
    """Rules bound in both engines."""

    __slots__ = ("_native", "_python")

    def __init__(self, python: BoundRules, native: BoundRules) -> None:
        self._python = python
        self._native = native

    @property
    def choice(self) -> str:
        """Give the choice on which both agree."""
        return agreed("the choice of groups", lambda: self._python.choice, lambda: self._native.choice)

    @property
    def token_index(self) -> int:
        """Give the token on which both agree."""
        return agreed("the token", lambda: self._python.token_index, lambda: self._native.token_index)

    @property
    def group_indices(self) -> list[int]:
        """Give the groups on which both agree."""
        return agreed("the groups chosen", lambda: self._python.group_indices, lambda: self._native.group_indices)

    @property
    def rule_count(self) -> int:
        """Give the number of rules on which both agree."""
        return agreed("the number of rules", lambda: self._python.rule_count, lambda: self._native.rule_count)

    def allows(self, url: str | bytes) -> bool:
        """Give the answer on which both agree."""
        return agreed(f"{url!r}", lambda: self._python.allows(url), lambda: self._native.allows(url))

    def allows_many(self, urls: Iterable[str | bytes]) -> list[bool]:
        """Give the answers on which both agree."""
        urls = list(urls)
        return agreed("a batch of URLs", lambda: self._python.allows_many(urls), lambda: self._native.allows_many(urls))

    def decide(self, url: str | bytes) -> tuple[bool, str, RuleRow | None, bytes]:
        """Give the decision on which both agree."""
        return agreed(f"{url!r}", lambda: self._python.decide(url), lambda: self._native.decide(url))

    def matched(self, url: str | bytes) -> Sequence[RuleRow]:
        """Give the matching rules on which both agree."""
        return agreed(f"the rules for {url!r}", lambda: self._python.matched(url), lambda: self._native.matched(url))


def compile_twice(python: CompileFile, native: CompileFile) -> CompileFile:
    """Give a function that compiles a file in both engines."""

    def compile_file(octets: bytes, profile_name: str) -> FileCompiledTwice:
        return FileCompiledTwice(python(octets, profile_name), native(octets, profile_name))

    return compile_file
