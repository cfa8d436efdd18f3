"""Rules for servers that refuse what the robots.txt forbids, and headers that say what pages say: one file a server."""
