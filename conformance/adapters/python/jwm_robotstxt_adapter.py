"""jwm.robotstxt, the Python binding of Google's parser."""

from jwm.robotstxt.googlebot import RobotsMatcher
from questions import Question, answer_questions


def decide(question: Question) -> bool:
    """Ask for the URL as written, as the documentation of the parser says."""
    return RobotsMatcher().OneAgentAllowedByRobots(question.robots, question.agent, question.url)


answer_questions(decide)
