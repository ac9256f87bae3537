"""The HTTP service: docling-serve's API, our own, and a page for people.

Comes in: requests, which become runs of durable workflows. Goes out: stored results as responses. This process parses
no document. `docling_routes` are docling-serve's routes, `api` ours, `web` the page in the browser.
"""
