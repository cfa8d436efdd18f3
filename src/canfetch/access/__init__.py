"""RFC 9309 sections 2.3 and 2.4 as values and state transitions, without I/O and without a clock.

    Origin -> fetch plan -> requests, responses -> FetchResult with an Outcome -> CacheEntry -> EffectiveAccess

The data flows in one direction. Callers send the requests of the fetch plan, and pass the current time as `now`. The
client does this in `client/procedure.py`. Open `fetch_plan.py` first.

- `fetch_plan.py` decides on the next request of a fetch. `redirects.py` resolves redirects, and `shared_redirects.py`
  uses one fetch for all origins that redirect to the same robots.txt.
- `responses.py` has what a transport returns. `outcomes.py` applies a policy to it, also to pages and binary data that
  are served in place of a robots.txt.
- `transitions.py` computes the next `CacheEntry` (`entries.py`) from the previous one and the result of a fetch. It
  uses `freshness.py` and `retries.py` for the time of the next fetch.
- `effective_access.py` computes what an entry permits at a given time, and whether a fetch is due, also of an entry
  that a client with other settings made. `vary.py` decides which requests a stored response serves.
- `policies.py` has the access policies, from the generated `_tables.py`, and their adjustments.
- `pacing.py` computes when a crawler may send its next request.

Every entry is plain data that is checked when it is read, so a store can be shared between machines and versions.
"""
