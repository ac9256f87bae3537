"""Blocks to passages that are found: `chunk` cuts documents, `embed` makes vectors, `search` indexes and ranks.

Comes in: a result, or a query. Goes out: chunks with their places, and hits with an excerpt and a box. An index is in
SQLite, in PostgreSQL or in a search engine, behind one interface (`search.backend`).
"""
