"""gpyrobotstxt, a port of Google's parser to Python."""

from gpyrobotstxt.robots_cc import RobotsMatcher
from questions import Question, answer_questions


def decide(question: Question) -> bool:
    """Ask for the URL as written."""
    return RobotsMatcher().one_agent_allowed_by_robots(question.robots, question.agent, question.url)


answer_questions(decide)
