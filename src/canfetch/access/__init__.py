"""RFC 9309 sections 2.3 and 2.4 as values and transitions: no I/O, no clock; `now` is an argument.

The way of the data: an origin becomes a plan, whose steps are requests; answers end it in an outcome;
outcomes, over time, make an entry; an entry, at a time, is a standing, which says what holds.
"""
