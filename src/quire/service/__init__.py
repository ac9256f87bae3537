"""The HTTP service: docling-serve's API, our own, and a page for people."""
