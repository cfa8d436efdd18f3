"""Clients, crawls and stores in simulated time, derived from a seed: they die, and clocks, disks and sites misbehave.

The clients, the frontier, the stores, the evidence and the history of watched origins are the real ones. The network,
the clocks, the disk and the death of processes are simulated, so that weeks of a crawl take milliseconds, and each seed
has the same events every time.

    seed -> plan -> scenario on a machine -> rules

- `plans`: what a seed means; `shrinking` makes a plan smaller that breaks a rule.
- `crawl`, `fleet`, `blocking`: the scenarios, with their rules. `store_rules` and `rules` are shared. `shared` is a
  crawl of several processes on PostgreSQL.
- `machine`: clocks, identity and connections; `disk`: what survives a kill or a power failure; `processes`: deaths;
  `virtual_time`: an event loop whose time is simulated; `sites`: the network; `postgres`: a server, whose clock and
  outages are simulated; `threads`: what blocks while it waits for the server.
- `seeds` runs a plan, `defects` shows whether the rules find anything, and `month` is a long crawl.

`python -m simulation` runs seeds.
"""
