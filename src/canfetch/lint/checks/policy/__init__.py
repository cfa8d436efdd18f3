"""Checks of what a file allows and disallows."""
