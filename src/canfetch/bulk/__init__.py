"""Decisions at scale: archives of robots.txt files, and tables of URLs."""
