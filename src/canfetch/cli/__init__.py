"""The command line.

`main` imports the module of a command when the command is used. Each package is a family of commands:

    decisions/  check, explain, matrix, evidence
    pages/      page
    linting/    lint, fmt, lsp
    comparing/  diff, minimize, test
    authoring/  init, policy
    origins/    fetch, sitemaps, cache, watch, history
    registry/   agents
    logs/       logs
    bulk/       bulk, study
    services/   serve, mcp
    shared/     what several families use

A family imports `shared`, and no other family. Modules import in one direction: a command, what it runs, `shared`.

Exit codes of decisions: 0 all URLs are allowed, 1 some URL is disallowed, 2 an error occurred; in a batch, 2 takes
precedence over 1. All commands: 130 after Ctrl-C, 141 if the reader of the output has closed it.
"""
