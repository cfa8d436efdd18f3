"""crawl4ai: the robots.txt that its crawler fetches with `check_robots_txt`."""

import asyncio
import tempfile

from crawl4ai.utils import RobotsParser
from questions import Clock, KeptClient, Question, answer_questions

# crawl4ai takes no clock. It reads that of `time.time`.
clock = Clock()
clock.replace_time()

kept = KeptClient(lambda _question: tempfile.TemporaryDirectory(), tempfile.TemporaryDirectory.cleanup)


def decide(question: Question) -> bool:
    """Decide with the cache in a folder, which is empty for a new client."""
    clock.hours = question.hours
    parser = RobotsParser(cache_dir=kept.for_question(question).name)
    return asyncio.run(parser.can_fetch(question.url, question.agent))


answer_questions(decide)
