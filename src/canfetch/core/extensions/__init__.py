"""Records beyond the RFC: one module for each, which parses a value. Such records never end a group (section 2.2.4)."""
