"""Checks of single lines: keys, separators, values and comments."""
