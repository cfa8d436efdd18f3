"""canfetch.Client, with the access policy of the question."""

from questions import Question, answer_questions

import canfetch


def decide(question: Question) -> bool:
    """Decide with a new client, whose cache is empty."""
    with canfetch.Client(user_agent=f"{question.agent}/1.0", policy=question.profile) as client:
        return client.allows(question.url)


answer_questions(decide)
