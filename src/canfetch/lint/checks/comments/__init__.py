"""Checks of the comments that suppress findings."""
