"""Rules for web servers that refuse what robots.txt disallows, and X-Robots-Tag headers; one module per server."""
