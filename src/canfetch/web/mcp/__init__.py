"""The MCP server, with which AI agents check whether they may fetch a URL, and for which purpose.

A call of a tool is answered from the state of one origin:

    arguments -> Service -> AsyncClient -> OriginState -> structured result, text

- `server` lists the tools and calls them. Open it first. It uses the low level of the SDK, because argument errors
  and schemas are shorter without its decorators.
- `may_fetch`, `explain`, `who_may_train` and `lint` are the tools: functions from a state and arguments to an answer,
  which do not depend on the network or the protocol. `arguments` and `results` have their JSON schemas.
- `service` fetches robots.txt files, and reads them in processes, so that a large file does not delay other calls.
- `site_facts` turns the values of `canfetch.answers` into results and sentences.
- `quotation` is the only way in which text of a site gets into an answer, and `texts` keeps answers short.
- `stdio` and `http` serve hosts. `stdio` reads standard input in its own daemon thread: that of the SDK survives
  Ctrl-C, and reads lines of any length.
"""
