"""docling-serve's v1 contract as pure functions: requests to options of Quire, results to its responses.

No I/O, no server: `service/docling_routes` has the routes, `durable/tasks` does the work. Comes in: JSON or a form.
Goes out: plain dictionaries with every field that its clients read, or a refusal in its words.
"""
