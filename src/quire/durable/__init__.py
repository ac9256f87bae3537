"""Durable runs: reads, flows and folders of documents as workflows over a store, on either runtime."""
