"""The commands that decide about URLs (`check`, `explain`, `matrix`), and `evidence`, which verifies their records."""
