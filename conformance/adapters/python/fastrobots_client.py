"""The robots.txt that fastrobots fetches."""

from fastrobots import fetch
from questions import Question, answer_questions


def decide(question: Question) -> bool:
    """Fetch the file as the documentation shows."""
    return fetch(question.url).allowed(question.path, question.agent)


answer_questions(decide)
