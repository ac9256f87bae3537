"""Batches: a flow over folders of documents, planned and driven."""
