"""The frontier of a crawl: URLs, handed out when their origins may be requested, and kept in a file."""

from canfetch.client.frontier.frontier import Frontier
from canfetch.client.frontier.turn import SkippedURL, Turn
from canfetch.client.frontier.url_queue import FrontierCounts

__all__ = ["Frontier", "FrontierCounts", "SkippedURL", "Turn"]
