"""Tables from archives: what the robots.txt files in them allow, per file, agent and URL.

archives -> captures -> SQLite -> (access policy) resolved files -> rows -> parts, by several processes -> output
lists of URLs -------------------> (time, origin) state of the file ->

`archive_job` and `filter_job` run the two commands, and are the files to open first. `resolution` follows redirects by
URL in a `capture_store`, with the fetch plan of the client. It also finds the archives to read again, because a
response in them comes before the redirect to it. `equal_files` decides one of the files that are equal. With the engine
`duckdb`, `sorted_decisions` decides all URLs in the order of their origins.
"""
