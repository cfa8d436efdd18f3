"""`check`, `explain`, `matrix`, and `evidence`, which verifies their records."""
