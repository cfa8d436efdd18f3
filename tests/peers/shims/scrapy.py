"""Puts canfetch's middleware and parser in place of Scrapy's, and runs the coroutine tests of the suite."""

import asyncio
from inspect import iscoroutinefunction

import pytest
import scrapy.robotstxt
from scrapy.downloadermiddlewares import robotstxt

from canfetch.integrations.scrapy import RobotParser, RobotsMiddleware

vars(scrapy.robotstxt).update(ProtegoRobotParser=RobotParser)
vars(robotstxt).update(RobotsTxtMiddleware=RobotsMiddleware)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine test on an event loop of its own."""
    if not iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True
