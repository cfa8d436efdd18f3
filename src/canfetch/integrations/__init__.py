"""canfetch inside other libraries: one module for each, imported only when it is used."""
