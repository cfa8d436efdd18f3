"""The robots.txt that fastrobots fetches: with `fetch`, or for a client that keeps its copies, with a `RobotsCache`."""

from fastrobots import RobotsCache, fetch
from questions import Clock, KeptClient, Question, answer_questions

# fastrobots takes no clock. It reads that of `time.time`.
clock = Clock()
clock.replace_time()

kept = KeptClient(lambda _question: RobotsCache(), lambda _cache: None)


def decide(question: Question) -> bool:
    """Decide as the documentation shows."""
    clock.hours = question.hours
    if question.client is None:
        return fetch(question.url).allowed(question.path, question.agent)
    return kept.for_question(question).allowed(question.url, question.agent)


answer_questions(decide)
