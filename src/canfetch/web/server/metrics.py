"""Metrics in the format of Prometheus."""

import math
import os
import time
from collections.abc import Callable
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

# The directory in which the worker processes of one server collect their metrics.
SHARED_FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_FRESH_SECONDS: Final = 1.0
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})


class Metrics:
    """The metrics of one process, or of all worker processes if they share a folder.

    Args:
        gauges: Returns values by name and description, such as the number of cached origins.
        clock: Returns seconds that never go back.
    """

    def __init__(
        self, gauges: Callable[[], dict[str, tuple[str, float]]], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._rendered = b""
        self._rendered_until = -math.inf
        self._registry = CollectorRegistry()
        self._gauges = gauges
        self._requests = Counter(
            "canfetch_requests",
            "Requests by method, route and status.",
            ["method", "route", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "canfetch_request_seconds",
            "Seconds of requests, until the response is sent.",
            ["route"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        # Looking up the labels takes longer than counting.
        self._children: dict[tuple[str, str, int], tuple[Any, Any]] = {}
        if SHARED_FOLDER_VARIABLE not in os.environ:
            self._registry.register(self)

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        key = method, route, status
        children = self._children.get(key)
        if children is None:
            known_method = method if method in _METHODS else "other"
            counter = self._requests.labels(known_method, route, str(status))
            children = counter, self._seconds.labels(route)
            if known_method == method:
                self._children[key] = children
        children[0].inc()
        children[1].observe(seconds)

    def collect(self) -> list[GaugeMetricFamily]:
        """Return the gauges. The registry calls this."""
        return [
            GaugeMetricFamily(f"canfetch_{name}", description, value=value)
            for name, (description, value) in self._gauges().items()
        ]

    def render(self) -> bytes:
        """Return the metrics as text. They are written at most once a second, because that takes milliseconds."""
        now = self._clock()
        if now >= self._rendered_until:
            self._rendered, self._rendered_until = self._render(), now + _FRESH_SECONDS
        return self._rendered

    def _render(self) -> bytes:
        if SHARED_FOLDER_VARIABLE in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
            return generate_latest(registry)
        return generate_latest(self._registry)
