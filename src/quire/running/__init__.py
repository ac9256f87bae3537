"""Durable runs: documents, flows and batches as workflows over a store, on whichever runtime."""
