"""Checks of rule values."""
