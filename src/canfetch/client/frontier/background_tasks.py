"""The end of the tasks that a frontier runs in the background: readers of sources, checks and lookups."""

import asyncio
from collections.abc import Iterable
from typing import Any


async def cancel_tasks(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks, and wait until they have ended.

    The current task is left alone: a source or a resolver that closes its frontier runs in one of the tasks.
    """
    others = [task for task in tasks if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    if not others:
        return
    # Not `gather`: a task that waits for the current one would cancel what it waits for, without an end.
    await asyncio.wait(others)
    for task in others:
        if not task.cancelled():
            # asyncio logs exceptions that are not retrieved.
            task.exception()
