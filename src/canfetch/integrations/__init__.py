"""canfetch inside other libraries: one module or package for each, imported only when it is used.

`httpx2`, `aiohttp`, `requests` and `urllib` send only requests that robots.txt allows. Each has the class that the
library calls for a request, and the exceptions that fit its hierarchy. `request_guard.py` is what they share, with the
chains of `followed_redirects.py`, and `page_bodies.py` reads the HTML of responses, also for Scrapy, as
`paced_clients.py` requests documents for both:

    URL -> exempt? -> decide -> DisallowedRequest, or wait for the turn -> send -> page rules, use of the response

A guard owns a `Client` or `AsyncClient`. Its transport sends with the HTTP client itself, but below the check, so that
the request for a robots.txt is not checked. aiohttp and requests pass the proxy and the TLS settings with each request.
A context variable passes them on to the transport, also to a refresh in the background.

`scrapy` replaces Scrapy's middleware. `serving` serves a robots.txt, and `asgi`, `wsgi` and `django` translate requests
and replies for it.

`protego` and `robotparser` have the classes of these libraries, on top of a `RobotsTxt`. They import neither the
original library nor, before they fetch, the client. They share three modules:

- `lenient_answers.py`: the agent of any text that callers pass as a user agent, and answers for URLs that canfetch
  rejects, such as `fish.html`
- `directly_below.py`: records directly below the user-agent lines of an agent, where these libraries separate groups
- `original_types.py`: `isinstance` checks for the original classes, without importing them

`tests/peers` runs the test suites of other projects with these classes.
"""
