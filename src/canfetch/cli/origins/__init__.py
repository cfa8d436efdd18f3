"""`fetch`, `sitemaps` and `cache`: robots.txt files of origins."""
