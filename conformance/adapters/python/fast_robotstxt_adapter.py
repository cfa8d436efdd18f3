"""fast-robotstxt, the Python binding of nzrsky/robotstxt."""

from questions import Question, answer_questions
from robotstxt import RobotsMatcher


def decide(question: Question) -> bool:
    """Ask for the URL as written."""
    return RobotsMatcher().is_allowed(question.text, question.agent, question.url)


answer_questions(decide)
