"""The command line.

`main` lists the commands, and imports the module of a command when the command is used. Open `main` first, and then the
module of the command. Each package is a family of commands:

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

The commands that decide work on lists of any length:

    arguments -> options -> URLs -> (URL, its robots.txt) -> verdicts -> writer

`shared/prefetcher` fetches the files of live origins in parallel: one thread reads URLs, a limited number of threads
fetch one origin each, and results appear in the order of the URLs. Origins in the client's memory need no such thread.
All of these are daemon threads, so that a slow network never delays the exit. `canfetch.answers` has the JSON that
other front ends return, too.

Exit codes of decisions: 0 all URLs are allowed, 1 some URL is disallowed, 2 an error occurred; in a batch, 2 takes
precedence over 1. All commands: 130 after Ctrl-C, 141 if the reader of the output has closed it.
"""
