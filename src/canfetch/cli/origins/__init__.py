"""The commands about robots.txt files of origins: `fetch`, `sitemaps` and `cache`."""
