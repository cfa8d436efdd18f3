"""The HTTP API, the tester page and the MCP server.

A request of the HTTP API passes the guard first, which limits what a client can cost:

    connection -> Guard (host, origin, token, rate, size, time) -> endpoint -> canfetch.answers -> library
                                                                            -> WorkQueue: computations in threads
                                                                            -> Origins: one AsyncClient

- `app` assembles the application. Open it first.
- `api` has the endpoints. An endpoint reads a request with its pydantic model (`api/requests`), calls a function of
  `canfetch.answers`, and returns the JSON of its value. The modules `api/*_responses` describe this JSON for the
  OpenAPI document.
- `origins` fetches and caches robots.txt files, and `documents` fetches pages and sitemaps. Their transport,
  `web_transport`, reaches no private address unless the operator allows it.
- `server` has the guard, the queue, metrics, and the process. `server/protocol` closes connections whose head does not
  arrive in time.
- `site` has the files of the tester page, and the page for a site without a server. Its source is in `page/`.
- `mcp` is the MCP server.
- `api_client` is a client of the API.
"""
