"""`lint` and `fmt`."""
