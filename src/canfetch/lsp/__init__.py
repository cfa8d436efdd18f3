"""The language server for robots.txt files: diagnostics, fixes, hover, completion, formatting and symbols in editors.

message -> server -> OpenDocument -> Snapshot -> linter, formatter, engine -> diagnostics, edits, texts -> message

It needs the extra `lsp`. Only the command line imports it.
"""
