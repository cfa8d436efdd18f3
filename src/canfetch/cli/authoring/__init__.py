"""The commands that write robots.txt files and policies: `init` and `policy`."""
