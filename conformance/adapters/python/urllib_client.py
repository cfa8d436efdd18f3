"""The robots.txt that `urllib.robotparser` of the running interpreter fetches."""

import socket
from urllib.parse import urljoin
from urllib.robotparser import RobotFileParser

from questions import Question, answer_questions

# `RobotFileParser.read` takes no timeout.
socket.setdefaulttimeout(10)


def decide(question: Question) -> bool:
    """Read the file as the documentation shows."""
    parser = RobotFileParser(urljoin(question.url, "/robots.txt"))
    parser.read()
    return parser.can_fetch(question.agent, question.url)


answer_questions(decide)
