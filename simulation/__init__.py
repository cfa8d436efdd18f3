"""Crawls in simulated time, derived from a seed: they are killed, their clocks are set, and their sites misbehave.

The client and the frontier are the real ones. The network, the clocks and the death of the process are simulated, so
that weeks of a crawl take milliseconds, and each seed gives the same crawl every time.

`sites` has the network, `dying` the files of a process that is killed, `crawl` a crawl with its rules, and `defects`
the errors that show whether the simulation finds any. `python -m simulation` runs seeds.
"""
