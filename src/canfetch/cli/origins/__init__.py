"""The commands about robots.txt files of origins: `fetch`, `sitemaps`, `cache`, `watch` and `history`."""
