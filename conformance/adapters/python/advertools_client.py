"""advertools.robotstxt_test."""

import socket
from urllib.parse import urljoin

import advertools
from questions import Question, answer_questions

# `robotstxt_test` takes no timeout.
socket.setdefaulttimeout(10)


def decide(question: Question) -> bool:
    """Test one URL for one agent."""
    table = advertools.robotstxt_test(urljoin(question.url, "/robots.txt"), question.agent, [question.url])
    return bool(table["can_fetch"].iloc[0])


answer_questions(decide)
