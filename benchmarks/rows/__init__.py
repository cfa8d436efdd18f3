"""The rows of the table, a file for each kind; each function measures, and adds its rows to the report."""
