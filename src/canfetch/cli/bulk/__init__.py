"""`bulk` makes tables of decisions, from archives and for lists of URLs. `study` classifies archived files."""
