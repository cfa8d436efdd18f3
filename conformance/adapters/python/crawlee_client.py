"""Crawlee for Python: the robots.txt that its crawlers fetch with `respect_robots_txt_file`."""

import asyncio
import logging

from crawlee._utils.robots import RobotsTxtFile
from crawlee.http_clients import ImpitHttpClient
from questions import Question, answer_questions

logging.disable()


async def decide_async(question: Question) -> bool:
    """Fetch the file with the default HTTP client."""
    async with ImpitHttpClient(timeout=10) as http_client:
        robots = await RobotsTxtFile.find(question.url, http_client)
        return robots.is_allowed(question.url, question.agent)


def decide(question: Question) -> bool:
    """Decide in an event loop of its own."""
    return asyncio.run(decide_async(question))


answer_questions(decide)
