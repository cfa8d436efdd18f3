"""Caches of files and of agents, by the URL of the robots.txt."""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from canfetch.integrations.reppy.cache.policy import CachePolicyBase, DefaultObjectPolicy, ReraiseExceptionPolicy
from canfetch.integrations.reppy.robots import Agent, AllowNone, Robots
from canfetch.integrations.reppy.ttl import TTLPolicyBase

__all__ = ["AgentCache", "BaseCache", "ExpiringObject", "RobotsCache"]

logger = logging.getLogger(__name__)


class ExpiringObject:
    """An object that is created again after it expires. Threads that need it at the same time create it once.

    Args: factory: Returns when the object expires, in seconds since the epoch, and the object. An exception is raised.
    """

    def __init__(self, factory: Callable[[], tuple[float, Any]]) -> None:
        self.factory = factory
        self.lock = threading.Lock()
        self.obj: Any = None
        self.expires: float = 0

    @property
    def exception(self) -> BaseException | None:
        """The object if it is an exception, or None."""
        return self.obj if isinstance(self.obj, BaseException) else None

    def get(self) -> Any:
        """Return the object, or raise it if it is an exception."""
        if self._is_due():
            with self.lock:
                # Another thread may have created it while this one waited.
                if self._is_due():
                    self.expires, self.obj = self.factory()
        found = self.obj
        if isinstance(found, BaseException):
            raise found
        return found

    def _is_due(self) -> bool:
        return self.obj is None or time.time() >= self.expires


class BaseCache:
    """A cache of the most recently used objects.

    Args:
        capacity: The number of objects.
        cache_policy: Defines what is returned if a file cannot be fetched. Default: `DEFAULT_CACHE_POLICY`.
        ttl_policy: Defines when a file expires. Default: `DEFAULT_TTL_POLICY`.
        args, kwargs: Arguments of `Robots.fetch`.
    """

    DEFAULT_CACHE_POLICY: ClassVar[CachePolicyBase] = ReraiseExceptionPolicy(ttl=600)
    DEFAULT_TTL_POLICY: ClassVar[TTLPolicyBase] = Robots.DEFAULT_TTL_POLICY

    def __init__(
        self,
        capacity: int,
        cache_policy: CachePolicyBase | None = None,
        ttl_policy: TTLPolicyBase | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        self.capacity = capacity
        self.cache_policy = cache_policy or self.DEFAULT_CACHE_POLICY
        self.ttl_policy = ttl_policy or self.DEFAULT_TTL_POLICY
        self.cache: OrderedDict[str, ExpiringObject] = OrderedDict()
        self.args = args
        self.kwargs = kwargs
        self._lock = threading.Lock()

    def get(self, url: str | bytes) -> Any:
        """Return the object for the origin of `url`. It is fetched if it is not cached or has expired.

        Raises: ValueError: `url` is not an absolute URL; ReppyException: The cache policy raises it.
        """
        robots_url = Robots.robots_url(url)
        with self._lock:
            found = self.cache.get(robots_url)
            if found is None:
                found = self.cache[robots_url] = ExpiringObject(partial(self.factory, robots_url))
                while len(self.cache) > max(self.capacity, 1):
                    self.cache.popitem(last=False)
            self.cache.move_to_end(robots_url)
        return found.get()

    def factory(self, url: str) -> tuple[float, Any]:
        """Return when the object for the robots.txt at `url` expires, and the object, or those of the cache policy."""
        try:
            return self.fetch(url)
        except Exception as error:
            logger.exception("cannot fetch %s", url)
            return self.cache_policy.exception(url, error)

    def fetch(self, url: str) -> tuple[float, Any]:
        """Return when the object for the robots.txt at `url` expires, and the object."""
        raise NotImplementedError(f"{type(self).__name__} does not implement fetch")

    def _fetch_robots(self, url: str) -> Robots:
        return Robots.fetch(url, self.ttl_policy, *self.args, **self.kwargs)


class RobotsCache(BaseCache):
    """A cache of `Robots`. By default, everything is disallowed for ten minutes if a file cannot be fetched."""

    DEFAULT_CACHE_POLICY: ClassVar[CachePolicyBase] = DefaultObjectPolicy(ttl=600, factory=AllowNone)

    def allowed(self, url: str | bytes, agent: str | bytes) -> bool:
        """Return whether `agent` may fetch `url`."""
        robots: Robots = self.get(url)
        return robots.allowed(url, agent)

    def fetch(self, url: str) -> tuple[float, Robots]:
        """Return when the robots.txt at `url` expires, and the file."""
        robots = self._fetch_robots(url)
        return robots.expires or 0, robots


class AgentCache(BaseCache):
    """A cache of the `Agent` objects of one agent.

    Args:
        agent: The name of the agent.
        args, kwargs: Arguments of `BaseCache`.
    """

    DEFAULT_CACHE_POLICY: ClassVar[CachePolicyBase] = DefaultObjectPolicy(
        ttl=600, factory=lambda _url: Agent().disallow("/")
    )

    def __init__(self, agent: str | bytes, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.agent = agent

    def allowed(self, url: str | bytes) -> bool:
        """Return whether the agent may fetch `url`."""
        agent: Agent = self.get(url)
        return agent.allowed(url)

    def fetch(self, url: str) -> tuple[float, Agent]:
        """Return when the robots.txt at `url` expires, and the rules of the agent."""
        robots = self._fetch_robots(url)
        return robots.expires or 0, robots.agent(self.agent)
