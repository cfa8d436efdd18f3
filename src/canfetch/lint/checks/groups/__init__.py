"""Checks of groups: the crawlers they name, where they begin and end, and how their rules interact."""
