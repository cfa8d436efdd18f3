"""Watching origins: the history of their robots.txt, and what its changes mean for agents.

    OriginState -> Observation -> last version in SQLite -> (compare) report -> one transaction -> webhook, retried

The transaction stores the version, the report and the message. Messages are sent by the default transport, several at
the same time in threads. Only the main thread uses the history.
"""
