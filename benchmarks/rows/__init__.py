"""The rows of the table, with a module for each kind. Each function measures and adds its rows to the report."""
