"""The HTTP service: docling-serve's API and Quire's own on one server."""
