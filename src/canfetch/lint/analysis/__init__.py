"""What several checks need to know about a file: its names, keys, rules and URLs, each computed in one place."""
