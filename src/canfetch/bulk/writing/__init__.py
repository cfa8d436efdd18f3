"""Tables, written to Parquet, NDJSON and CSV files that are whole or absent, and resumed after a kill."""
