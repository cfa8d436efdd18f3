"""The synchronous and the asynchronous client, their transports, stores and evidence. Only this package does I/O.

    URL -> Origin -> memory -> procedure (store, lease, requests) -> CacheEntry -> OriginState -> RobotsTxt -> verdict

Open `procedure.py` first: it obtains the cache entry of an origin, as a generator of actions that both clients perform.

- `sync_client.py` and `async_client.py` perform the actions: they send requests, call the store and sleep.
  `base_client.py` has what they share. `fetch_observer.py` counts, logs and traces the fetches of both.
- `origin_cache.py` is the memory of a client. It keeps the states of origins (`origin_state.py`) in a table
  (`origin_table.py`), which the native engine has as well.
- `transports` send one request each. `stores` keep entries beyond a process, and `resilient_store.py` keeps a client
  working while its store fails.
- `evidence` records decisions, `skip_report` lists the URLs that a crawl does not fetch, `frontier` orders the URLs of
  a crawl, `watch` records the changes of a robots.txt, and `identity` verifies crawlers. `pacers.py` waits until an
  origin may be requested again.
- `use.py` answers whether content may be used. `site_files.py` keeps the tdmrep.json and the licenses of sites, and
  `documents.py` fetches documents as robots.txt allows.
- `missing_pages.py` finds out whether a site responds with 5xx for every missing page.

These rules hold:

- An answer about a cached origin comes from the table, without a fetch and nearly always without a lock.
- An origin is fetched once at a time in each client, and in all clients that share a store, by a lease.
- A network error is never an exception. It makes the origin unreachable, and the verdict follows from that.
- A store that fails is logged, and the client continues from memory.

The two clients have the same methods, because a method with `await` and one without it cannot be the same function.
What differs is in these methods: waiting for a fetch that another thread or task performs, refreshing in the
background, and closing.
"""
