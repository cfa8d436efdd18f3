"""Protego."""

from protego import Protego
from questions import Question, answer_questions


def decide(question: Question) -> bool:
    """Ask for the URL as written."""
    return Protego.parse(question.text).can_fetch(question.url, question.agent)


answer_questions(decide)
