"""Checks of the HTTP response, and of the robots.txt files of related hosts and schemes."""
