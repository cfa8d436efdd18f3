"""`canfetch bulk`: tables of decisions, from archives of robots.txt files and for lists of URLs."""
