"""crawl4ai: the robots.txt that its crawler fetches with `check_robots_txt`."""

import asyncio
import tempfile

from crawl4ai.utils import RobotsParser
from questions import Question, answer_questions


def decide(question: Question) -> bool:
    """Decide with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(RobotsParser(cache_dir=folder).can_fetch(question.url, question.agent))


answer_questions(decide)
