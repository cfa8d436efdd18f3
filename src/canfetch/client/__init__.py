"""The synchronous and the asynchronous client, their transports, stores and evidence. Only this package does I/O.

    URL -> Origin -> memory -> procedure (store, lease, requests) -> CacheEntry -> OriginState -> RobotsTxt -> verdict

- `sync_client.py` and `async_client.py` wait: they send requests, call the store and sleep. `base_client.py` is what
  they have in common.
- `procedure.py` obtains the entry of an origin as a generator of actions, which both clients perform.
  `fetch_observer.py` counts, logs and traces its fetches.
- `origin_cache.py` is the memory of a client: the states of origins (`origin_state.py`) in the table of the engine
  (`origin_table.py`). A decision about a cached origin reads only that table.
- `transports` send one request each. `stores` hold entries beyond a process, and `resilient_store.py` keeps a client
  working while its store fails.
- `evidence` records decisions, `frontier` orders the URLs of a crawl, `watch` records the changes of a robots.txt, and
  `identity` verifies crawlers.
"""
