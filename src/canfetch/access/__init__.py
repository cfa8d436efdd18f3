"""RFC 9309 sections 2.3 and 2.4 as values and state transitions, without I/O and without a clock.

The data flows in one direction. An origin yields a fetch plan, whose steps are requests. The responses end the plan
with an outcome. Each outcome updates the cache entry of the origin. The effective access is computed from the entry
and the current time, which callers pass as `now`.
"""
