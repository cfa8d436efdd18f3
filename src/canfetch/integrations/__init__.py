"""canfetch inside other libraries: one module or package for each, imported only when it is used.

`httpx2`, `aiohttp`, `requests` and `urllib` send only requests that robots.txt allows. Each has the class that the
library calls for a request, and the exceptions that fit its hierarchy. `request_guard.py` is what they share:

    URL -> exempt? -> decide -> DisallowedRequest, or wait for the turn -> send -> page rules of the response

A guard owns a `Client` or `AsyncClient`. Its transport sends with the HTTP client itself, but below the check, so that
the request for a robots.txt is not checked.

`scrapy` replaces Scrapy's middleware. `serving` serves a robots.txt, and `asgi`, `wsgi` and `django` translate requests
and replies for it.

`protego` and `robotparser` have the classes of these libraries, on top of a `RobotsTxt`. They import neither the
original library nor, before they fetch, the client.
"""
