"""The numbers of canfetch beside those of its peers: `python -m benchmarks` prints one table."""
