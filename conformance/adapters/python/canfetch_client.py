"""canfetch.Client, with the access policy of the question."""

from questions import Clock, KeptClient, Question, answer_questions

import canfetch

clock = Clock()


def create(question: Question) -> canfetch.Client:
    """Create a client, whose cache is empty."""
    return canfetch.Client(user_agent=f"{question.agent}/1.0", policy=question.profile, clock=clock)


kept = KeptClient(create, canfetch.Client.close)


def decide(question: Question) -> bool:
    """Decide with a client."""
    clock.hours = question.hours
    return kept.for_question(question).allows(question.url, agent=question.agent)


answer_questions(decide)
