"""Watching origins: the history of their robots.txt, and what its changes mean for agents."""
