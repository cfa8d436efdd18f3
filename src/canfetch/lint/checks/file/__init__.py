"""Checks of the file as a whole: name, size, encoding, and content that does not belong in a robots.txt."""
