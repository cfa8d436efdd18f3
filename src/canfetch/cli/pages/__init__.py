"""`page`: page-level rules."""
