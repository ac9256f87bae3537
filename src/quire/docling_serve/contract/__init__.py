"""The v1 contract of docling-serve as pure functions: requests to what Quire needs, and Quire's results to answers."""
