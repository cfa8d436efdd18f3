"""ai-crawler-robots, which takes the path of a URL."""

from ai_crawler_robots import is_allowed
from questions import Question, answer_questions


def decide(question: Question) -> bool:
    """Ask for path and query."""
    return is_allowed(question.text, question.agent, question.path)["allowed"]


answer_questions(decide)
