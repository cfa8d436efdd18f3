"""The robots.txt that robotspy fetches."""

from urllib.parse import urljoin

from questions import Question, answer_questions
from robots import RobotsParser


def decide(question: Question) -> bool:
    """Fetch the file as the documentation shows."""
    parser = RobotsParser.from_uri(urljoin(question.url, "/robots.txt"))
    return parser.can_fetch(question.agent, question.url)


answer_questions(decide)
