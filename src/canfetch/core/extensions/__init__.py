"""Records beyond the RFC: one module for each, or for a few that are alike, which parses the values.

Such records never end a group (section 2.2.4).

records -> (known_records) Extension of a parsed value -> Extensions of the file, GroupExtensions of an agent

`known_records` lists the modules and is the file to open first. `collection` has the records of a file, and `index`
those of an agent's groups. `usage` combines the records about the use of content into one preference, and
`usage_records` computes the texts from which `bulk` does the same for columns. Everything is computed on first use.
"""
