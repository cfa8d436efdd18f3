"""Both engines at once: every answer is computed twice, and a difference is an error."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from canfetch.core.contract import BoundRules, CompiledFile, CompileFile, Decision, GroupRow, OriginCheck, OtherRow
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Rule
from canfetch.errors import CanfetchError, EngineError

Answer = TypeVar("Answer")


def _outcome(call: Callable[[], Answer]) -> tuple[Answer | None, Exception | None]:
    try:
        return call(), None
    except (CanfetchError, TypeError) as error:
        return None, error


def compare(what: str, python: Callable[[], Answer], native: Callable[[], Answer]) -> Answer:
    """Call both engines and return their common answer.

    Args: what: the subject of the comparison, for the error message.
    Raises: EngineError: the answers differ; otherwise the exception that both engines raise.
    """
    answer, error = _outcome(python)
    native_answer, native_error = _outcome(native)
    if repr(error) != repr(native_error) or answer != native_answer:
        raise EngineError(
            f"the engines differ on {what}: "
            f"python returned {error or answer!r}, native returned {native_error or native_answer!r}"
        )
    if error is not None:
        raise error
    return answer  # type: ignore[return-value]  # None only if an error was raised


class CompiledFilePair:
    """A file compiled by both engines."""

    __slots__ = ("_native", "_python")

    def __init__(self, python: CompiledFile, native: CompiledFile) -> None:
        self._python = python
        self._native = native

    def group_table(self) -> list[GroupRow]:
        """Return the user-agent lines and rules of each group."""
        return compare("the groups", self._python.group_table, self._native.group_table)

    def other_records(self) -> list[OtherRow]:
        """Return the records that are neither user-agent lines nor rules."""
        return compare("the other records", self._python.other_records, self._native.other_records)

    def bind(
        self,
        tokens: tuple[bytes, ...],
        star_applies: bool,  # noqa: FBT001 - the interface of both engines
        origin_prefix: bytes | None,
        check_origin: OriginCheck | None,
    ) -> "BoundRulesPair":
        """Bind the rules in both engines."""
        return BoundRulesPair(
            self._python.bind(tokens, star_applies, origin_prefix, check_origin),
            self._native.bind(tokens, star_applies, origin_prefix, check_origin),
        )


class BoundRulesPair:
    """Rules bound to an agent in both engines."""

    __slots__ = ("_native", "_python")

    def __init__(self, python: BoundRules, native: BoundRules) -> None:
        self._python = python
        self._native = native

    @property
    def choice(self) -> str:
        """How the groups were selected."""
        return compare("the choice of groups", lambda: self._python.choice, lambda: self._native.choice)

    @property
    def token_index(self) -> int:
        """The index of the token that selected them, or -1."""
        return compare("the token", lambda: self._python.token_index, lambda: self._native.token_index)

    @property
    def group_indices(self) -> list[int]:
        """The indices of the selected groups."""
        return compare("the selected groups", lambda: self._python.group_indices, lambda: self._native.group_indices)

    @property
    def rule_count(self) -> int:
        """The number of rules in the selected groups."""
        return compare("the number of rules", lambda: self._python.rule_count, lambda: self._native.rule_count)

    def allows(self, url: AnyURL) -> bool:
        """Return whether the agent may fetch `url`."""
        return compare(f"{url!r}", lambda: self._python.allows(url), lambda: self._native.allows(url))

    def allows_many(self, urls: Iterable[AnyURL]) -> list[bool]:
        """Return whether the agent may fetch each of `urls`."""
        urls = list(urls)
        return compare(
            "a batch of URLs", lambda: self._python.allows_many(urls), lambda: self._native.allows_many(urls)
        )

    def decide(self, url: AnyURL) -> Decision:
        """Return whether the agent may fetch `url`, with all rules that match."""
        return compare(f"{url!r}", lambda: self._python.decide(url), lambda: self._native.decide(url))

    def deciding_rule(self, url: AnyURL) -> tuple[bool, Rule | None]:
        """Return whether the agent may fetch `url`, and the deciding rule."""
        return compare(f"{url!r}", lambda: self._python.deciding_rule(url), lambda: self._native.deciding_rule(url))


def pair_compilers(python: CompileFile, native: CompileFile) -> CompileFile:
    """Return a function that compiles a file in both engines."""

    def compile_file(content: bytes, profile_name: str) -> CompiledFilePair:
        return CompiledFilePair(python(content, profile_name), native(content, profile_name))

    return compile_file
