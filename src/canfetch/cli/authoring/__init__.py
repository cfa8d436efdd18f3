"""`init` and `policy`."""
