"""Checks of user-agent lines."""
