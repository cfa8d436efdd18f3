"""Archives of robots.txt files, read as a stream of captures: WARC, folders, tar, Parquet, CSV and NDJSON."""
