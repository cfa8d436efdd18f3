"""Tables from archives: what the robots.txt files in them allow, per file, agent and URL."""
