"""The commands about the quality of robots.txt files: `lint`, `fmt`, and `lsp` for editors."""
