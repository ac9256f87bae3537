"""Quire's own HTTP API: runs, their events, and the documents they read. Everything is under `/api`."""
