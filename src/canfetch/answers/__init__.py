"""What the front ends answer: values, each with one JSON form (`to_json`).

A front end reads arguments, calls a function of this package, and renders the value: the command line as text or JSON,
the HTTP API as JSON, the MCP server as quotations and short sentences. So two front ends never compute the same fact in
two ways. Functions here know no HTTP and no terminal. They raise the exceptions of the library for invalid arguments.

- `verdicts` decides about URLs and explains verdicts. Open it first: the other modules have the same form.
- `reasons` has the words for why a rule decides and why a group applies. Every front end shows these words.
- `problems` names the kinds of errors.
- `crawlers` has agents by name, the words about crawlers, and the notes about unknown names that most answers end with.
- `linting` has the findings, fixes and layout of a file, and `comparison` compares two versions.
- `usage`, `training` and `statements` have what a site states in addition to its rules: preferences, which crawlers may
  train, the pace of requests, licenses, and the reservation of rights. `site_facts` has all of it, with the rules.
- `pages`, `resources` and `sitemaps` read documents of sites, which `client/documents.py` fetches. Their procedures are
  generators without I/O: they yield a URL to decide about or to fetch, and receive the verdict or the response.

`tests/web/test_responses.py` compares the JSON with the models of the OpenAPI document, and the types of the tester
page are generated from that document.
"""
