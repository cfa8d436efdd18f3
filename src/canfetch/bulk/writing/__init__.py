"""Tables, written to Parquet, NDJSON and CSV files that are whole or absent, and resumed after a kill.

rows -> (columns, common_schemas) tables -> (part_writers) parts -> output

`part_files` has the names of parts and their receipts, each with a checksum. A part gets its name when it is
complete, so that another run continues after it in the same `work_folder`. `processes` computes parts in several
processes.
"""
