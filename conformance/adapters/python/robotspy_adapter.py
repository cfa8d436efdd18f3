"""robotspy."""

from questions import Question, answer_questions
from robots import RobotsParser


def decide(question: Question) -> bool:
    """Ask for the URL as written."""
    return RobotsParser.from_string(question.text).can_fetch(question.agent, question.url)


answer_questions(decide)
