"""fastrobots, which takes the path of a URL."""

from fastrobots import Robots
from questions import Question, answer_questions


def decide(question: Question) -> bool:
    """Ask for path and query."""
    return Robots.parse(question.text).allowed(question.path, question.agent)


answer_questions(decide)
