"""`agents`: the registry of crawlers."""
