"""Shrinks a disagreement to a small file and URL."""

from collections.abc import Callable
from typing import TypeVar

from tests.differential.oracles import encode_url
from tests.differential.tally import Question

Differs = Callable[[Question], bool]
Piece = TypeVar("Piece")

_QUESTIONS_LIMIT = 6_000


class Shrinker:
    """Removes parts as long as there is a difference, with a bounded number of comparisons."""

    def __init__(self, differs: Differs) -> None:
        self._differs = differs
        self._left = _QUESTIONS_LIMIT

    def shrink(self, question: Question) -> Question:
        """Return the smallest question found.

        Cost: some thousand questions at most.
        """
        if not self._holds(question):
            return question
        if isinstance(question.url, str):
            question = self._better(question, question._replace(url=encode_url(question.url)))
        question = self._simpler_agent(question)
        while self._left > 0:
            before = question
            question = self._fewer_bytes(question, lines=True)
            question = self._shorter_url(question)
            question = self._fewer_bytes(question, lines=False)
            question = self._plainer(question)
            if question == before:
                break
        return question

    def _holds(self, question: Question) -> bool:
        self._left -= 1
        return self._differs(question)

    def _better(self, question: Question, candidate: Question) -> Question:
        return candidate if candidate != question and self._left > 0 and self._holds(candidate) else question

    def _simpler_agent(self, question: Question) -> Question:
        for token in question.tokens:
            question = self._better(question, question._replace(tokens=(token,), star_applies=True))
        return self._better(question, question._replace(tokens=(b"*",), star_applies=True))

    def _fewer_bytes(self, question: Question, *, lines: bool) -> Question:
        content = question.content
        pieces = content.splitlines(keepends=True) if lines else [content[i : i + 1] for i in range(len(content))]
        parts = self._fewer(pieces, lambda left: question._replace(content=b"".join(left)))
        return question._replace(content=b"".join(parts))

    def _shorter_url(self, question: Question) -> Question:
        url = question.url
        if isinstance(url, bytes):
            parts = self._fewer(
                [url[i : i + 1] for i in range(len(url))], lambda left: question._replace(url=b"".join(left))
            )
            return question._replace(url=b"".join(parts))
        letters = self._fewer(list(url), lambda left: question._replace(url="".join(left)))
        return question._replace(url="".join(letters))

    def _fewer(self, pieces: list[Piece], rebuilt: Callable[[list[Piece]], Question]) -> list[Piece]:
        # First halves, then quarters, down to single pieces.
        step = max(len(pieces) // 2, 1)
        while pieces and self._left > 0:
            start = 0
            while start < len(pieces) and self._left > 0:
                fewer = pieces[:start] + pieces[start + step :]
                if self._holds(rebuilt(fewer)):
                    pieces = fewer
                else:
                    start += step
            if step == 1:
                break
            step = max(step // 2, 1)
        return pieces

    def _plainer(self, question: Question) -> Question:
        for written, plain in ((b"\r\n", b"\n"), (b"\r", b"\n"), (b"\t", b" ")):
            question = self._better(question, question._replace(content=question.content.replace(written, plain)))
        return question


def shrink(question: Question, differs: Differs) -> Question:
    """Return the smallest question found that still differs."""
    return Shrinker(differs).shrink(question)
