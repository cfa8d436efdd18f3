"""Benchmarks of canfetch and other libraries: `python -m benchmarks` prints one table."""
