"""The HTTP API, the tester page and the MCP server.

A request of the HTTP API passes the guard first, which limits what a client can cost:

    connection -> Guard (host, origin, token, rate, size, time) -> endpoint -> Origins: one AsyncClient
                                                                            -> WorkQueue, fair among clients
                                                                               -> process: canfetch.answers -> library

- `app` assembles the application. Open it first.
- `api` has the endpoints. An endpoint runs an answer in a process: a function that validates the body with its
  pydantic model (`api/requests`), calls a function of `canfetch.answers`, and returns its value. If it needs something
  fetched, it starts again with one fact more (`api/facts`). The modules `api/*_responses` describe this JSON for the
  OpenAPI document.
- `origins` fetches and caches robots.txt files, and `documents` sends requests for pages and sitemaps. Their transport,
  `web_transport`, reaches no private address unless the operator allows it.
- `server` has the guard, the queue, its worker processes, metrics, and the process. `server/protocol` closes
  connections whose head does not arrive in time, and those of clients with too many.
- `site` has the files of the tester page, and the page for a site without a server, with `browser_answers`, which
  answers there in the browser. The source of the page is in `page/`.
- `mcp` is the MCP server.
- `api_client` is a client of the API.
"""
