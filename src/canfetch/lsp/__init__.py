"""The language server for robots.txt files: diagnostics, fixes, hover, completion, formatting and symbols in editors.

It keeps the text of each open file as a list of lines, and answers requests from snapshots of it:

    change -> OpenDocument -> Snapshot -> Linter in a thread -> Analysis -> diagnostics, code actions
                                       -> FileView (engine) -> hover, completion, symbols

- `features` has one function for each request of an editor. Open it first.
- `server` has the open files, and `analysis` lints them: one at a time, and never a text that is outdated when its
  turn comes.
- `open_document` turns spans of bytes into positions, in the units that the editor has chosen (`position_encoding`).
- `hover`, `completion`, `outline` and `text_edits` compute answers, and do not depend on the protocol. `code_actions`
  offers the fixes of the linter.
- `stdio` reads and writes messages. pygls supplies the types of the protocol and the dispatch of requests. Its
  documents and its message loop are replaced, because they split lines as Python does, and reject bytes that are not
  UTF-8.

It needs the extra `lsp`. Only the command line imports it.
"""
